"""Functions of packages that libraries.py measures, each by the package's own host code. A function makes what it needs and
gives (call, tensors): call(*tensors) is one pass, whose gradients are those of its tensors that are floating-point numbers.
`small` shapes are for a machine without a GPU. Needs PyTorch, and of the packages those whose functions are called."""

import torch


def numbers(*shape, dtype=torch.bfloat16, scale=1.0):
    return torch.randn(shape, device="cuda").mul_(scale).to(dtype)


# -- Liger


def functional():
    from liger_kernel.transformers import functional as liger
    return liger


def rows_and_columns(small):
    return (8, 256) if small else (8192, 4096)


def rms_norm(small):
    rows, columns = rows_and_columns(small)
    return lambda x, w: functional().liger_rms_norm(x, w, 1e-6), [numbers(rows, columns), numbers(columns)]


def layer_norm(small):
    rows, columns = rows_and_columns(small)
    return lambda x, w, b: functional().liger_layer_norm(x, w, b, 1e-5), [numbers(rows, columns), numbers(columns), numbers(columns)]


def group_norm(small):
    batch, channels, groups, size = (2, 8, 4, 64) if small else (32, 256, 16, 4096)
    return (lambda x, w, b: functional().liger_group_norm(x, w, b, channels, groups, 1e-5),
            [numbers(batch, channels, size), numbers(channels), numbers(channels)])


def softmax(small):
    return functional().liger_softmax, [numbers(*rows_and_columns(small))]


def swiglu(small):
    return functional().liger_swiglu, [numbers(*rows_and_columns(small)) for _ in range(2)]


def geglu(small):
    return functional().liger_geglu, [numbers(*rows_and_columns(small)) for _ in range(2)]


def dyt(small):
    rows, columns = rows_and_columns(small)
    return functional().liger_dyt, [numbers(rows, columns), numbers(1, dtype=torch.float32), numbers(columns), numbers(columns)]


def cross_entropy(small):
    rows, columns = (8, 512) if small else (4096, 32000)
    target = torch.randint(0, columns, (rows, ), device="cuda")
    return lambda x: functional().liger_cross_entropy(x, target), [numbers(rows, columns)]


def rope(small):
    batch, heads, tokens, head = (1, 2, 16, 32) if small else (2, 32, 4096, 128)
    angles = torch.outer(torch.arange(tokens, device="cuda"), 10000.0**-torch.linspace(0, 1, head // 2, device="cuda"))
    cos, sin = (f(torch.cat((angles, angles), 1))[None].to(torch.bfloat16) for f in (torch.cos, torch.sin))

    def call(q, k):
        return torch.cat(functional().liger_rope(q, k, cos, sin), 1)

    return call, [numbers(batch, heads, tokens, head) for _ in range(2)]


# -- FLA


def heads_of(small):
    """Batch, tokens, heads and their size."""
    return (1, 128, 1, 32) if small else (2, 4096, 16, 128)


def queries_keys_values(small):
    """Keys of length 1, as rules that update a state by them want."""
    q, k, v = (numbers(*heads_of(small)) for _ in range(3))
    return [q, torch.nn.functional.normalize(k, dim=-1), v]


def gates(*shape):
    return torch.nn.functional.logsigmoid(torch.randn(shape, device="cuda")).to(torch.bfloat16)


def chunk_retention(small):
    from fla.ops.retention import chunk_retention as function
    return lambda q, k, v: function(q, k, v)[0], queries_keys_values(small)


def chunk_linear_attn(small):
    from fla.ops.linear_attn import chunk_linear_attn as function
    return lambda q, k, v: function(q, k, v, normalize=False)[0], queries_keys_values(small)


def parallel_attn(small):
    from fla.ops.attn import parallel_attn as function

    def call(q, k, v):
        found = function(q, k, v)
        return found[0] if isinstance(found, tuple) else found

    return call, queries_keys_values(small)


def chunk_delta_rule(small):
    from fla.ops.delta_rule import chunk_delta_rule as function
    beta = torch.rand(heads_of(small)[:3], device="cuda").to(torch.bfloat16)
    return lambda q, k, v, b: function(q, k, v, b)[0], [*queries_keys_values(small), beta]


def chunk_gated_delta_rule(small):
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule as function
    shape = heads_of(small)[:3]
    beta = torch.rand(shape, device="cuda").to(torch.bfloat16)
    return lambda q, k, v, g, b: function(q, k, v, g, b)[0], [*queries_keys_values(small), gates(*shape).float(), beta]


def chunk_gla(small):
    from fla.ops.gla import chunk_gla as function
    return lambda q, k, v, g: function(q, k, v, g)[0], [*queries_keys_values(small), gates(*heads_of(small))]


# -- vLLM


def decode_attention(small):
    """A page table over a cache of pages of 16 tokens; only forward."""
    from vllm.v1.attention.ops.triton_decode_attention import decode_attention_fwd
    batch, heads, kv_heads, tokens, head, splits = (2, 4, 2, 64, 32, 2) if small else (16, 32, 8, 4096, 128, 8)
    pages = tokens // 16
    q, (k, v) = numbers(batch, heads, head), (numbers(batch * pages, 16, kv_heads, head) for _ in range(2))
    table = torch.randperm(batch * pages, device="cuda").to(torch.int32).view(batch, pages)
    lengths = torch.full((batch, ), tokens, device="cuda", dtype=torch.int32)
    out, lse = torch.empty_like(q), torch.empty(batch, heads, device="cuda")
    parts = torch.empty(batch, heads, splits, head + 1, device="cuda")

    def call(q, k, v):
        decode_attention_fwd(q, k, v, out, lse, table, lengths, parts, splits, head**-0.5, 16)
        return out

    return call, [q, k, v]


class Row:

    def __init__(self, package, make, distribution, backward=True):
        self.package, self.make, self.distribution, self.backward = package, make, distribution, backward
        self.name = f"{package}: {make.__name__}" + (", forward and backward" if backward else ", forward")


ROWS = [*(Row("Liger", make, "liger-kernel") for make in (rms_norm, layer_norm, group_norm, softmax, swiglu, geglu, dyt, cross_entropy, rope)),
        *(Row("FLA", make, "fla-core") for make in (chunk_linear_attn, parallel_attn, chunk_delta_rule, chunk_retention, chunk_gla)),
        Row("FLA", chunk_gated_delta_rule, "fla-core", backward=False),
        Row("vLLM", decode_attention, "vllm", backward=False)]

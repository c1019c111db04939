"""Rows of the comparison that are attention: forward, backward (alone, with what the forward pass keeps), and of one token over
a long cache, beside cuDNN's and PyTorch's own flash attention. References are of float64."""

import torch

from measuring import own, Part, single, Step, Work

BACKENDS = {"cuDNN": "CUDNN_ATTENTION", "flash": "FLASH_ATTENTION"}
LOG2_E = 1.4426950408889634
TOLERANCE = 2e-3
MOST_SCORES = 1 << 28  # Elements of a float64 matrix of the reference.


def sdpa(backend, *arguments, **options):
    attention = torch.nn.attention
    with attention.sdpa_kernel(getattr(attention.SDPBackend, BACKENDS[backend])):
        return torch.nn.functional.scaled_dot_product_attention(*arguments, **options)


def exact(q, k, v, causal, scale, grad=None):
    """Results (and gradients for that of the output) of [heads, tokens, D], a few heads at a time."""
    tokens = q.shape[-2]
    flat = [t.reshape(-1, tokens, t.shape[-1]) for t in (q, k, v, *([] if grad is None else [grad]))]
    size = max(1, MOST_SCORES // tokens**2)
    found = {}
    for pieces in zip(*(t.split(size) for t in flat)):
        for name, value in exact_of(*(t.double() for t in pieces), causal=causal, scale=scale).items():
            found.setdefault(name, []).append(value.float())
    return {name: torch.cat(values) for name, values in found.items()}


def exact_of(q, k, v, grad=None, *, causal, scale):
    scores = q @ k.mT * scale
    if causal:
        scores.masked_fill_(torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu_(1), float("-inf"))
    lse = torch.logsumexp(scores, -1)
    weights = scores.sub_(lse[..., None]).exp_()
    out = weights @ v
    found = {"out": out, "lse": lse * LOG2_E}
    if grad is not None:
        delta = (out * grad).sum(-1)
        grad_scores = weights * (grad @ v.mT - delta[..., None])
        found |= {"delta": delta, "dq": grad_scores @ k * scale, "dk": grad_scores.mT @ q * scale, "dv": weights.mT @ grad}
    return found


def forward_configs(head, causal):
    wide = [32, 64] if head > 128 else [64, 128]
    return [({"HEAD": head, "D": 1 << (head - 1).bit_length(), "BLOCK_M": m, "BLOCK_N": n, "CAUSAL": causal}, w, s)
            for m, w in ((64, 4), (128, 4), (128, 8)) for n in wide for s in (2, 3)
            if (n <= m or not causal) and not (head > 128 and (m, w) == (128, 4))]


def forward_step(q, k, v, out, lse, tokens, head, batch_heads):
    return Step(own("attention_kernels"), "attention_kernel",
                [q, k, v, out, lse, tokens, head, tokens * head, head**-0.5], lambda m: (tokens // m["BLOCK_M"], batch_heads))


def forward(batch, tokens, head, causal):
    heads = 32
    q, k, v = (torch.randn(batch, heads, tokens, head, device="cuda", dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    scale = head**-0.5
    step = forward_step(q, k, v, out, None, tokens, head, batch * heads)
    peers = {name: lambda name=name: sdpa(name, q, k, v, is_causal=causal, scale=scale) for name in BACKENDS}
    return single(step.module, step.kernel, step.arguments, step.grid, forward_configs(head, causal), out,
                  lambda: exact(q, k, v, causal, scale)["out"].view_as(out),
                  4 * batch * heads * tokens**2 * head // (2 if causal else 1), "TFLOP/s", peers, TOLERANCE)


def backward_configs(head, causal, sizes):
    return [({"D": head, "BLOCK_M": m, "BLOCK_N": n, "CAUSAL": causal}, w, s) for m, n, w, s in sizes]


KEY_SIZES = [(64, 128, 8, 2), (64, 128, 8, 3), (64, 64, 4, 2), (64, 64, 4, 3), (32, 128, 4, 3), (32, 128, 8, 3), (32, 64, 4, 4),
             (64, 128, 4, 2), (128, 128, 8, 2)]
QUERY_SIZES = [(128, 64, 8, 2), (128, 64, 8, 3), (64, 64, 4, 2), (64, 64, 4, 3), (128, 32, 4, 3), (128, 32, 8, 3),
               (64, 32, 4, 4), (128, 64, 4, 2), (128, 128, 8, 2)]


def backward(batch, tokens, head, causal):
    """Five products of the size of the forward pass's two. Tilerun and Triton recompute two of them in a second kernel."""
    heads, scale = 32, head**-0.5
    q, k, v, grad = (torch.randn(batch, heads, tokens, head, device="cuda", dtype=torch.float16) for _ in range(4))
    out, dq, dk, dv = (torch.empty_like(q) for _ in range(4))
    lse, delta = (torch.empty(batch * heads, tokens, device="cuda") for _ in range(2))
    kept = {}

    def expected(*names):
        if not kept:
            kept.update(exact(q, k, v, causal, scale, grad))
        return {name: kept[name] if name in ("lse", "delta") else kept[name].view_as(q) for name in names}

    kernels = own("attention_backward_kernels")
    blocks = lambda size: lambda m: (tokens // m[size], batch * heads)
    inputs = [q, k, v, grad, lse, delta]
    parts = [
        Part([forward_step(q, k, v, out, lse, tokens, head, batch * heads)], forward_configs(head, causal)[:2],
             {"out": out, "lse": lse}, lambda: expected("out", "lse"), timed=False),
        Part([Step(kernels, "delta_kernel", [out, grad, delta, tokens], blocks("BLOCK"))],
             [({"D": head, "BLOCK": b}, w, 2) for b, w in ((32, 4), (64, 4), (64, 8), (128, 8))], {"delta": delta},
             lambda: expected("delta")),
        Part([Step(kernels, "key_value_gradient_kernel", [*inputs, dk, dv, tokens, scale], blocks("BLOCK_N"))],
             backward_configs(head, causal, KEY_SIZES), {"dk": dk, "dv": dv}, lambda: expected("dk", "dv")),
        Part([Step(kernels, "query_gradient_kernel", [*inputs, dq, tokens, scale], blocks("BLOCK_M"))],
             backward_configs(head, causal, QUERY_SIZES), {"dq": dq}, lambda: expected("dq"))]
    return Work(parts, 10 * batch * heads * tokens**2 * head // (2 if causal else 1), "TFLOP/s",
                {name: backward_peer(name, (q, k, v), grad, causal, scale) for name in BACKENDS}, 4e-3,
                lambda answer: dict(zip(("dq", "dk", "dv"), answer)))


def backward_peer(backend, inputs, grad, causal, scale):
    """The backward pass alone: the forward pass runs at the first call, and its graph is kept."""
    leaves, kept = [t.detach().requires_grad_() for t in inputs], []

    def launch():
        if not kept:
            kept.append(sdpa(backend, *leaves, is_causal=causal, scale=scale))
        return torch.autograd.grad(kept[0], leaves, grad, retain_graph=True)

    return launch


def decode(batch, kv_heads, group, tokens, head=128):
    """One token over a cache; the amount is the cache's bytes. Names have heads of Q / of the cache."""
    scale = head**-0.5
    q = torch.randn(batch, kv_heads * group, 1, head, device="cuda", dtype=torch.float16)
    k, v = (torch.randn(batch, kv_heads, tokens, head, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(q)
    most = 64
    parts = torch.empty(batch * kv_heads * group, most, head, device="cuda")
    lse = torch.empty(batch * kv_heads * group, most, device="cuda")
    pairs = batch * kv_heads
    kernels = own("decode_kernels")
    steps = [Step(kernels, "split_attention_kernel", [q, k, v, parts, lse, tokens, scale], lambda m: (pairs, m["SPLITS"])),
             Step(kernels, "combine_attention_kernel", [parts, lse, out], lambda m: (pairs * group, ))]
    splits = [s for s in (1, 2, 4, 8, 16, 32, 64) if 132 <= pairs * s <= 132 * 32 and tokens // s >= 256]
    configs = [({"GROUP": group, "D": head, "ROWS": 16, "BLOCK_N": n, "SPLITS": s}, w, stages)
               for s in splits for n, w, stages in ((32, 4, 4), (64, 4, 3), (64, 4, 4), (128, 4, 2), (128, 8, 3))]

    def expected():
        wide = q.view(batch, kv_heads, group, head).double()
        weights = torch.softmax(wide @ k.double().mT * scale, -1)
        return {"out": (weights @ v.double()).view_as(q)}

    peers = {name: lambda name=name: sdpa(name, q, k, v, scale=scale, enable_gqa=group > 1) for name in BACKENDS}
    return Work([Part(steps, configs, {"out": out}, expected)], 2 * k.numel() * k.element_size(), "GB/s", peers, TOLERANCE,
                lambda answer: {"out": answer}, copy=True)


MASKS = [("", False), (" causal", True)]
ROWS = [
    *[(f"attention f16 4096x{h}{text}", lambda h=h, c=c: forward(4, 4096, h, c)) for h in (64, 96, 128, 256) for text, c in MASKS],
    ("attention f16 16384x128 causal", lambda: forward(1, 16384, 128, True)),
    *[(f"attention backward f16 4096x{h}{text}", lambda h=h, c=c: backward(4, 4096, h, c)) for h in (64, 128) for text, c in MASKS],
    *[(f"decode attention f16 {b}x{g * h}/{h}x{t}", lambda b=b, h=h, g=g, t=t: decode(b, h, g, t))
      for b, h, g, t in ((1, 8, 4, 65536), (16, 8, 4, 4096), (2, 32, 1, 4096))],
]

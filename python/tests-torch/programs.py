"""Programs for torch.compile: pointwise, reductions, indexing, views, types, and gradients. Their arguments are on torch's default
device; the tests and bench/gpu/torch_compile.py compare their results, compiled, with eager's. A program names the device of the tensors
that it creates: PyTorch 2.11 compiles `torch.arange`, `eye` and `linspace` without a device for the CPU, whatever the default is."""

import torch
import torch.nn.functional as F

PROGRAMS = []


def randn(*shape, grad=False, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype).requires_grad_(grad)


def program(*make, **options):
    """A function with its arguments, as functions that make them, and options of the comparison."""

    def add(function):
        PROGRAMS.append((function, make, options))
        return function

    return add


# -- Pointwise


@program(lambda: randn(100), lambda: randn(100))
def sine(x, y):
    return torch.sin(x) * y + 1


@program(lambda: randn(17, 33), lambda: randn(33), lambda: randn(17, 1))
def broadcast(x, y, z):
    return (x + y) * z - y / (z.abs() + 1)


@program(lambda: randn(1000))
def transcendental(x):
    return torch.exp(x), torch.log1p(x.abs()), torch.erf(x), torch.tanh(x), torch.expm1(x), torch.atan2(x, x + 2)


@program(lambda: randn(300).abs() + 0.5)
def special(x):
    return torch.lgamma(x), torch.digamma(x), torch.special.i0(x), torch.rsqrt(x), torch.asinh(x), torch.special.erfcx(x)


@program(lambda: randn(257))
def activations(x):
    return F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.relu6(x), F.hardswish(x), F.mish(x), F.elu(x), F.softplus(x)


@program(lambda: torch.tensor([1.0, float("nan"), -2.0, float("inf"), 0.0, -0.0] * 20), lambda: randn(120))
def nan_and_infinity(x, y):
    return torch.maximum(x, y), torch.minimum(x, y), torch.clamp(x, -1, 1), torch.isnan(x), torch.nan_to_num(x), torch.sign(x)


@program(lambda: torch.randint(-50, 50, (200, )), lambda: torch.randint(1, 9, (200, )))
def integers(x, y):
    return x // y, x % y, torch.div(x, y, rounding_mode="trunc"), torch.bitwise_xor(x, y), x << (y % 5), x >> 2, torch.gcd(x, y)


@program(lambda: torch.randint(-2**31, 2**31 - 1, (128, ), dtype=torch.int32))
def overflow(x):
    return x * x + 12345, x + x, -x, x * 31 ^ (x >> 3)


@program(lambda: torch.randint(0, 255, (64, 5), dtype=torch.uint8), lambda: torch.randint(-128, 127, (64, 5), dtype=torch.int8))
def bytes_(x, y):
    return x + 3, x * x, y * y, x.to(torch.float32) / 255, (x > 100) & (y < 0), x.int() + y


@program(lambda: randn(65), lambda: randn(65))
def comparisons(x, y):
    return torch.where(x > y, x, -y), (x >= 0) | (y < 0), torch.logical_xor(x > 0, y > 0), x.eq(y), x.sign().bool()


@program(lambda: randn(128, dtype=torch.float64), lambda: 0.1)
def doubles(x, scale):
    return torch.cos(x) * scale + torch.pi, torch.sqrt(x.abs()), x.pow(3)


@program(lambda: randn(96).half(), lambda: randn(96).bfloat16())
def small_floats(x, y):
    return x * 2 + 1, torch.exp(y), (x.float() + y.float()).half(), x.to(torch.bfloat16), torch.sigmoid(x)


@program(lambda: randn(40), lambda: randn(40))
def in_place(x, y):
    x.add_(y)
    y.mul_(2).sub_(x)
    return x * y


@program(lambda: randn(3, 4, 5))
def strides_of_views(x):
    return x.transpose(0, 2).contiguous() + 1, x.permute(1, 0, 2).reshape(4, 15) * 2, x.flip(1), x[:, ::2, 1:4] - 1


@program(lambda: randn(6, 1), lambda: randn(5))
def expanded(x, y):
    return (x.expand(6, 5) * y).unsqueeze(1).repeat(1, 3, 2)


@program(lambda: randn(4, 7), lambda: randn(4, 2), lambda: randn(4, 9))
def concatenated(x, y, z):
    return torch.cat([x * 2, y + 1, z.sin()], 1), torch.stack([x[:, :2], y, z[:, 3:5]])


@program(lambda: randn(7, 9))
def padded(x):
    return F.pad(x, (1, 2, 3, 0), value=2.5), F.pad(x[None], (2, 1, 1, 3), mode="reflect"), torch.roll(x, (2, -3), (0, 1))


@program(lambda: randn(12, 12))
def triangles(x):
    return torch.tril(x), torch.triu(x, 2), torch.diagonal(x) + 1, torch.eye(12, device=x.device) - x


@program(lambda: 37, torch.get_default_device)
def created(n, device):
    return (torch.arange(n, device=device) * 3, torch.full((n, 2), 1.5, device=device), torch.linspace(0, 1, n, device=device),
            torch.ones(n, dtype=torch.int8, device=device), torch.zeros(3, device=device))


# -- Reductions


@program(lambda: randn(50, 37))
def sums(x):
    return x.sum(), x.sum(0), x.sum(1), x.mean(1, keepdim=True), x.prod(1), (x * 0.1).exp().sum((0, 1))


@program(lambda: randn(3, 1500))
def long_rows(x):
    return x.sum(1), x.amax(1), x.logsumexp(1), x.var(1), x.norm(dim=1)


@program(lambda: randn(2000, 5))
def columns(x):
    return x.sum(0), x.amin(0), x.std(0), (x * x).mean(0)


@program(lambda: randn(20, 30))
def extremes(x):
    return x.max(1), x.min(0), x.argmax(), x.argmin(1), x.aminmax(dim=1)


@program(lambda: torch.tensor([[1.0, float("nan"), 3.0], [float("inf"), 2.0, float("-inf")]]).repeat(3, 5))
def extremes_with_nan(x):
    return x.max(1), x.argmin(1), x.amax(), x.sum(1)


@program(lambda: torch.randint(-100, 100, (33, 65)))
def integer_reductions(x):
    return x.sum(1), x.amax(0), (x > 0).any(1), (x > -101).all(), x.argmax(1), (x > 50).sum()


@program(lambda: randn(16, 100))
def softmax(x):
    return F.softmax(x, 1), F.log_softmax(x, 0), F.softmin(x, 1)


@program(lambda: randn(16, 100), lambda: torch.tensor([float("-inf")] * 100))
def softmax_of_masked_rows(x, minus):
    y = torch.where(x > 0, x, minus)
    y = torch.cat([y, y[:1]])
    return F.softmax(y, 1)


@program(lambda: randn(4, 6, 64), lambda: randn(64), lambda: randn(64))
def layer_norm(x, w, b):
    return F.layer_norm(x, (64, ), w, b) * 2, F.rms_norm(x, (64, ), w)


@program(lambda: randn(3, 8, 5, 5), lambda: randn(8), lambda: randn(8))
def group_norm(x, w, b):
    return F.group_norm(x, 4, w, b), F.instance_norm(x)


@program(lambda: randn(4, 130))
def cumulative(x):
    return torch.cumsum(x, 1), torch.cumsum(x, 0), torch.cumprod(x * 0.5, 1), torch.logcumsumexp(x, 1)


@program(lambda: randn(64, 32), lambda: randn(64, 32))
def distances(x, y):
    return F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.cosine_similarity(x, y, 1), F.huber_loss(x, y)


@program(lambda: randn(9, 31), lambda: torch.randint(0, 31, (9, )))
def cross_entropy(x, y):
    return F.cross_entropy(x, y), F.cross_entropy(x, y, reduction="none", label_smoothing=0.1)


@program(lambda: randn(10, 20), lambda: randn(10, 20).sigmoid())
def binary_cross_entropy(x, y):
    return F.binary_cross_entropy_with_logits(x, y), F.kl_div(F.log_softmax(x, 1), y, reduction="batchmean")


# -- Indexing


@program(lambda: randn(30, 8), lambda: torch.randint(0, 30, (5, 7)))
def embedding(table, index):
    return F.embedding(index, table), table[index[:, 0]], table[index][0]


@program(lambda: randn(20, 6), lambda: torch.randint(-20, 20, (11, )))
def negative_indices(x, index):
    return x[index], x[index, index % 6] + 1


@program(lambda: randn(8, 10), lambda: torch.randint(0, 10, (8, 4)))
def gathered(x, index):
    return x.gather(1, index) * 2, x.index_select(1, index[0]), x.take_along_dim(index, 1)


@program(lambda: torch.zeros(12, 5), lambda: torch.randint(0, 12, (40, )), lambda: randn(40, 5))
def scattered_sums(x, index, values):
    return x.index_add(0, index, values), x.scatter_add(0, index[:, None].expand(40, 5), values)


@program(lambda: torch.zeros(50), lambda: torch.randperm(50)[:20], lambda: randn(20))
def index_put(x, index, values):
    x[index] = values
    return x * 1, x.index_put((index, ), values, accumulate=True)


@program(lambda: randn(40), lambda: torch.linspace(-2, 2, 9))
def buckets(x, edges):
    return torch.bucketize(x, edges), torch.searchsorted(edges, x, right=True)


@program(lambda: randn(5, 40))
def sorted_(x):
    return torch.sort(x, 1), torch.sort(x, 1, descending=True).values


@program(lambda: randn(2, 3, 8, 8))
def resized(x):
    return F.interpolate(x, scale_factor=2, mode="nearest"), F.interpolate(x, size=(5, 11), mode="bilinear")


@program(lambda: randn(2, 3, 9, 9))
def pooled(x):
    return F.avg_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2), F.adaptive_avg_pool2d(x, 4)


@program(lambda: randn(1, 2, 6, 6), lambda: torch.rand(1, 4, 4, 2) * 2 - 1)
def sampled(x, grid):
    return F.grid_sample(x, grid, align_corners=False)


# -- Products beside fused code


@program(lambda: randn(16, 24), lambda: randn(24, 8), lambda: randn(8), atol=1e-4, rtol=1e-4)
def linear_and_gelu(x, w, b):
    return F.gelu(x @ w + b)


@program(lambda: randn(2, 3, 10, 10), lambda: randn(4, 3, 3, 3), atol=1e-4, rtol=1e-4)
def convolution_and_relu(x, w):
    return F.relu(F.conv2d(x, w, padding=1)) * 2


@program(lambda: randn(2, 4, 16, 8), lambda: randn(2, 4, 16, 8), lambda: randn(2, 4, 16, 8), atol=1e-4, rtol=1e-4)
def attention_by_hand(q, k, v):
    scores = q @ k.transpose(-1, -2) / 8**0.5
    mask = torch.ones(16, 16, dtype=torch.bool, device=q.device).tril()
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v


@program(lambda: randn(2, 6, 4, 16))
def rotary_embedding(x):
    half = x.shape[-1] // 2
    angle = torch.arange(6, device=x.device)[:, None] / 10000**(torch.arange(half, device=x.device) / half)
    cos, sin = angle.cos()[None, :, None], angle.sin()[None, :, None]
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


# -- Gradients


@program(lambda: randn(33, grad=True), lambda: randn(33, grad=True), min_kernels=2)
def gradient_of_pointwise(x, y):
    return torch.sigmoid(x) * torch.tanh(y) + x.pow(2)


@program(lambda: randn(8, 50, grad=True), min_kernels=2)
def gradient_of_softmax(x):
    return F.softmax(x, 1).pow(2)


@program(lambda: randn(6, 32, grad=True), lambda: randn(32, grad=True), lambda: randn(32, grad=True), min_kernels=2)
def gradient_of_layer_norm(x, w, b):
    return F.layer_norm(x, (32, ), w, b)


@program(lambda: randn(4, 8, 6, 6, grad=True), lambda: randn(8, grad=True), lambda: randn(8, grad=True), min_kernels=2)
def gradient_of_batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, training=True)


@program(lambda: randn(15, 8, grad=True), lambda: torch.randint(0, 15, (20, )), min_kernels=2)
def gradient_of_embedding(table, index):
    return F.embedding(index, table) * 3


@program(lambda: randn(7, 11, grad=True), lambda: torch.randint(0, 11, (7, )), min_kernels=2)
def gradient_of_cross_entropy(x, y):
    return F.cross_entropy(x, y)


@program(lambda: randn(4, 20, grad=True), min_kernels=2)
def gradient_of_gelu_and_norm(x):
    return F.gelu(x) / x.norm(dim=1, keepdim=True)

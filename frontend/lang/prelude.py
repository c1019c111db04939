# The part of the language's library that is written in the kernel language itself.
#
# Every public function here is a member of `triton.language`; the first line of a docstring is its
# documentation. Names that begin with an underscore are private to this file.
import triton
import triton.language as tl


@triton.jit
def cdiv(x, div):
    """`x / div` rounded up, for integers that are not negative."""
    return (x + div - 1) // div


@triton.jit
def sigmoid(x):
    """`1 / (1 + exp(-x))`, for floats."""
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """Softmax along `dim` (0 if not given), shifted by the maximum."""
    if dim is None:
        axis: tl.constexpr = 0
    else:
        axis: tl.constexpr = dim
    shifted = x - tl.max(x, axis, keep_dims=True)
    weights = tl.exp(shifted)
    return tl.fdiv(weights, tl.sum(weights, axis, keep_dims=True), ieee_rounding)


@triton.jit
def ravel(x, can_reorder=False):
    """All elements of a tensor as one dimension."""
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


@triton.jit
def zeros_like(input):
    """Zeros of the shape and dtype of another tensor."""
    return tl.zeros(input.shape, input.dtype)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Renumbers a row-major `size_i` × `size_j` grid so that groups of `size_g` rows run by columns."""
    linear = i * size_j + j
    per_group = size_g * size_j
    group = linear // per_group
    first_row = group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = linear % per_group
    return first_row + within % rows, within // rows


@triton.jit
def interleave(a, b):
    """The elements of two tensors in turn along the last dimension."""
    both = tl.join(a, b)
    if len(both.shape) == 1:
        return both
    else:
        return tl.reshape(both, both.shape[:-2] + [2 * both.shape[-2]])


# Random numbers: Philox-4x32. Equal seeds and offsets give equal bits on every device.


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    """Philox-4x32 on four counter words and two key words (uint32), `n_rounds` rounds."""
    for _ in tl.static_range(n_rounds):
        high0 = tl.umulhi(c0, 0xD2511F53)
        high1 = tl.umulhi(c2, 0xCD9E8D57)
        low0 = tl.mul(c0, 0xD2511F53, sanitize_overflow=False)
        low1 = tl.mul(c2, 0xCD9E8D57, sanitize_overflow=False)
        c0 = high1 ^ c1 ^ k0
        c2 = high0 ^ c3 ^ k1
        c1 = low1
        c3 = low0
        k0 = tl.add(k0, 0x9E3779B9, sanitize_overflow=False)
        k1 = tl.add(k1, 0xBB67AE85, sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    """Philox-4x32 keyed by a 64-bit seed; the counter words may be signed."""
    wide = tl.to_tensor(seed).to(tl.uint64)
    k0 = (wide & 0xFFFFFFFF).to(tl.uint32)
    k1 = (wide >> 32).to(tl.uint32)
    u0 = tl.to_tensor(c0).to(tl.uint32, bitcast=True)
    u1 = tl.to_tensor(c1).to(tl.uint32, bitcast=True)
    u2 = tl.to_tensor(c2).to(tl.uint32, bitcast=True)
    u3 = tl.to_tensor(c3).to(tl.uint32, bitcast=True)
    return philox_impl(u0, u1, u2, u3, k0, k1, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four tensors of random 32-bit integers for a seed and a tensor of offsets."""
    offset = tl.to_tensor(offset)
    zero = offset * 0
    if offset.dtype.primitive_bitwidth > 32:
        low = (offset & 0xFFFFFFFF).to(tl.uint32)
        high = (offset.to(tl.uint64) >> 32).to(tl.uint32)
        none = zero.to(tl.uint32)
        return philox(seed, low, high, none, none, n_rounds)
    else:
        low = offset.to(tl.uint32)
        none = zero.to(tl.uint32)
        return philox(seed, low, none, none, none, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    """Random 32-bit integers for a seed and a tensor of offsets."""
    first, _1, _2, _3 = randint4x(seed, offset, n_rounds)
    return first


@triton.jit
def uint_to_uniform_float(x):
    """32 random bits as a float32 that is uniform in [0, 1)."""
    bits = x.to(tl.int32, bitcast=True)
    return tl.where(bits < 0, ~bits, bits) * 4.6566127342e-10


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    """Random float32 values, uniform in [0, 1), for a seed and a tensor of offsets."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    """Four tensors of random float32 values, uniform in [0, 1)."""
    i0, i1, i2, i3 = randint4x(seed, offsets, n_rounds)
    return (
        uint_to_uniform_float(i0),
        uint_to_uniform_float(i1),
        uint_to_uniform_float(i2),
        uint_to_uniform_float(i3),
    )


@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Two uniform values as two normally distributed ones (Box–Muller)."""
    u1 = tl.maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(u1))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    """Random float32 values, normally distributed, for a seed and a tensor of offsets."""
    i0, i1, _2, _3 = randint4x(seed, offset, n_rounds)
    first, _ = pair_uniform_to_normal(uint_to_uniform_float(i0), uint_to_uniform_float(i1))
    return first


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four tensors of random float32 values, normally distributed."""
    u0, u1, u2, u3 = rand4x(seed, offset, n_rounds)
    n0, n1 = pair_uniform_to_normal(u0, u1)
    n2, n3 = pair_uniform_to_normal(u2, u3)
    return n0, n1, n2, n3

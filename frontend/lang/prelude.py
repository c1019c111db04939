# The part of the language's library that is written in the kernel language itself.
#
# Every public function here is a member of `triton.language`; the first line of a docstring is its
# documentation. Names that begin with an underscore are private to this file, but for those that
# Table.cpp lists.
import math

import triton
import triton.language as tl


@triton.constexpr_function
def _log2(n):
    return int(math.log2(n))


@triton.constexpr_function
def _get_int_dtype(bitwidth, signed):
    if bitwidth == 1:
        return tl.int1
    if bitwidth == 8:
        return tl.int8 if signed else tl.uint8
    if bitwidth == 16:
        return tl.int16 if signed else tl.uint16
    if bitwidth == 32:
        return tl.int32 if signed else tl.uint32
    return tl.int64 if signed else tl.uint64


@triton.constexpr_function
def _is_power_of_two(i):
    return i > 0 and (i & (i - 1)) == 0


@triton.constexpr_function
def _unwrap_if_constexpr(o):
    return o


# Functions of two values that programs pass to reductions and scans by these names.


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def _prod_combine(a, b):
    return a * b


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def _or_combine(x, y):
    return x | y


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _choose(first, value1, index1, value2, index2):
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@triton.jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    first = value1 > value2
    if tie_break_left:
        first |= (value1 == value2) & (index1 < index2)
    return _choose(first, value1, index1, value2, index2)


@triton.jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    first = value1 < value2
    if tie_break_left:
        first |= (value1 == value2) & (index1 < index2)
    return _choose(first, value1, index1, value2, index2)


@triton.jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@triton.jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


@triton.jit
def _promote_bfloat16_to_float32(t):
    if t.dtype == tl.bfloat16:
        return t.to(tl.float32)
    else:
        return t


@triton.jit
def cdiv(x, div):
    """`x / div` rounded up, for integers that are not negative."""
    return (x + div - 1) // div


@triton.jit
def _logical_and(x, y):
    return (x != 0) & (y != 0)


@triton.jit
def _logical_or(x, y):
    return (x != 0) | (y != 0)


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


# Products of scaled operands. Rows run along k: the right operand is transposed on the way.


@triton.jit
def _swap_last(x):
    if len(x.shape) == 3:
        return tl.permute(x, 0, 2, 1)
    else:
        return tl.trans(x)


@triton.jit
def _unpack_e2m1(x):
    """4-bit floats, the low half of a byte first, as bfloat16 along the last dimension."""
    packed = x.to(tl.uint16)
    both = tl.interleave(packed & 15, packed >> 4)
    magnitude = both & 7
    normal = (((magnitude >> 1) + 126) << 7) | ((magnitude & 1) << 6)
    small = (magnitude & 1) * (126 << 7)
    bits = tl.where(magnitude < 2, small, normal) | ((both & 8) << 12)
    return bits.to(tl.uint16).to(tl.bfloat16, bitcast=True)


@triton.jit
def _scaled_values(x, format: tl.constexpr, along_k: tl.constexpr, name: tl.constexpr):
    if format == "e2m1":
        tl.static_assert(
            x.dtype == tl.uint8,
            f"tl.dot_scaled: '{name}' has dtype {x.dtype}; e2m1 is packed by twos in uint8",
        )
        if along_k:
            return _unpack_e2m1(x)
        else:
            return _swap_last(_unpack_e2m1(_swap_last(x)))
    else:
        tl.static_assert(
            along_k,
            f"tl.dot_scaled: '{name}' has format {format}; only e2m1 is packed, along k or not",
        )
        if format == "e4m3":
            expected: tl.constexpr = tl.float8e4nv
        elif format == "e5m2":
            expected: tl.constexpr = tl.float8e5
        elif format == "bf16":
            expected: tl.constexpr = tl.bfloat16
        elif format == "fp16":
            expected: tl.constexpr = tl.float16
        else:
            tl.static_assert(
                False,
                f"tl.dot_scaled: the format of '{name}' is {format}; "
                "use 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16'",
            )
        if x.dtype == tl.uint8 and expected.primitive_bitwidth == 8:
            return x.to(expected, bitcast=True)
        else:
            tl.static_assert(
                x.dtype == expected,
                f"tl.dot_scaled: '{name}' has dtype {x.dtype}; format {format} needs {expected}",
            )
            return x


@triton.jit
def _scaled_operand(
    x,
    scale,
    format: tl.constexpr,
    to: tl.constexpr,
    fast_math: tl.constexpr,
    along_k: tl.constexpr,
    name: tl.constexpr,
):
    values = _scaled_values(x, format, along_k, name)
    if scale is None:
        return values.to(to)
    else:
        tl.static_assert(
            scale.dtype == tl.uint8 or scale.dtype == tl.int8 or scale.dtype == tl.float8e4nv,
            f"tl.dot_scaled: '{name}_scale' has dtype {scale.dtype}; "
            "scales are e8m0, in uint8 or int8, or float8e4nv",
        )
        shape: tl.constexpr = values.shape
        group: tl.constexpr = 16 if scale.dtype == tl.float8e4nv else 32
        tl.static_assert(
            shape[-1] % group == 0 and scale.shape == shape[:-1] + [shape[-1] // group],
            f"tl.dot_scaled: '{name}_scale' has shape {scale.shape}; there is one scale for {group} "
            f"elements along k, and '{name}' has {shape} elements with k last",
        )
        if scale.dtype == tl.float8e4nv:
            factor = scale.to(tl.float32)
        else:
            # A power of two with the exponent's bits; 0 is 2^-127.
            wide = scale.to(tl.uint8, bitcast=True).to(tl.uint32)
            bits = tl.where(wide == 0, 1 << 22, wide << 23)
            if not fast_math:
                bits = tl.where(wide == 255, 0x7FC00000, bits)
            factor = bits.to(tl.uint32).to(tl.float32, bitcast=True)
        wide_factor = tl.expand_dims(factor, len(shape))
        factors = tl.reshape(tl.broadcast_to(wide_factor, scale.shape + [group]), shape)
        return (values.to(tl.float32) * factors).to(to)


@triton.jit
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format,
    rhs,
    rhs_scale,
    rhs_format,
    acc=None,
    fast_math=False,
    lhs_k_pack=True,
    rhs_k_pack=True,
    out_dtype=tl.float32,
):
    """Matrix product of operands in the formats e2m1 (two in a uint8), e4m3, e5m2, bf16 or fp16, with a scale for each 32 elements along k (e8m0 in uint8 or int8), or for each 16 (float8e4nv), or None: `lhs_scale` has a row for a row of `lhs`, `rhs_scale` a row for a column of `rhs`. The operands become bfloat16, or float16 if one has that format."""
    if lhs_format == "fp16" or rhs_format == "fp16":
        to: tl.constexpr = tl.float16
    else:
        to: tl.constexpr = tl.bfloat16
    a = _scaled_operand(lhs, lhs_scale, lhs_format, to, fast_math, lhs_k_pack, "lhs")
    b = _scaled_operand(_swap_last(rhs), rhs_scale, rhs_format, to, fast_math, rhs_k_pack, "rhs")
    return tl.dot(a, _swap_last(b), acc, out_dtype=out_dtype)


# Bessel functions of any order, behind libdevice's jn and yn: n is int32, x a float of its shape.


# Descriptors of Triton 3.0 to 3.3 are records of 128 bytes in memory. These have words of 64 bits: the
# address, the sizes, and the strides without the last one, in elements. (Where others made it, it is
# opaque; `triton.tools.experimental_descriptor` makes it like this.)


@triton.jit
def _experimental_reinterpret_tensor_descriptor(desc_ptr, block_shape, dtype):
    if isinstance(desc_ptr, tl.tensor_descriptor):
        tl.static_assert(
            desc_ptr.dtype == dtype and desc_ptr.block_shape == block_shape,
            f"the descriptor has blocks of {desc_ptr.block_shape} of {desc_ptr.dtype}, "
            f"and not of {block_shape} of {dtype}",
        )
        return desc_ptr
    else:
        words = desc_ptr.to(tl.pointer_type(tl.int64))
        base = tl.load(words).to(tl.pointer_type(dtype))
        if len(block_shape) == 1:
            return tl.make_tensor_descriptor(base, [tl.load(words + 1)], [1], block_shape)
        else:
            sizes = [tl.load(words + 1), tl.load(words + 2)]
            return tl.make_tensor_descriptor(base, sizes, [tl.load(words + 3), 1], block_shape)


@triton.jit
def _experimental_descriptor_load(desc_pointer, offsets, shape, dtype):
    return _experimental_reinterpret_tensor_descriptor(desc_pointer, shape, dtype).load(offsets)


@triton.jit
def _experimental_descriptor_store(desc_pointer, value, offsets):
    _experimental_reinterpret_tensor_descriptor(desc_pointer, value.shape, value.dtype).store(
        offsets, value
    )


@triton.jit
def _experimental_device_tensormap_create1d(
    desc_ptr, global_address, load_size, global_size, element_ty
):
    words = desc_ptr.to(tl.pointer_type(tl.int64))
    tl.store(words, global_address.to(tl.int64))
    tl.store(words + 1, global_size)


@triton.jit
def _experimental_device_tensormap_create2d(
    desc_ptr, global_address, load_size, global_size, element_ty
):
    words = desc_ptr.to(tl.pointer_type(tl.int64))
    tl.store(words, global_address.to(tl.int64))
    tl.store(words + 1, global_size[0])
    tl.store(words + 2, global_size[1])
    tl.store(words + 3, global_size[1])


@triton.jit
def _experimental_tensormap_fenceproxy_acquire(desc_ptr):
    tl.debug_barrier()


@triton.jit
def _largest(x):
    if len(x.shape) == 0:
        return x
    else:
        return tl.max(tl.ravel(x))


@triton.jit
def _bessel_upward(n, x, before, value):
    """B_n(x) by 2k/x B_k = B_{k-1} + B_{k+1} (DLMF 10.6.1), from B_0 and B_1."""
    for k in range(1, _largest(n)):
        above = (2.0 * k) / x * value - before
        # Beyond what the type holds it stays there.
        above = tl.where(tl.abs(value) == float("inf"), value, above)
        more = k < n
        before = tl.where(more, value, before)
        value = tl.where(more, above, value)
    return tl.where(n == 0, before, value)


@triton.jit
def _bessel_jn(n, x):
    size = tl.abs(x)
    inner = (size <= n) & (n > 1)
    upward = _bessel_upward(
        tl.where(inner, 1, n), size, tl.extra.libdevice.j0(size), tl.extra.libdevice.j1(size)
    )
    # Where n exceeds x, downward from an order whose value is negligible, scaled by
    # J_0 + 2 J_2 + 2 J_4 + … = 1 (Miller's algorithm, DLMF 3.6(iii)).
    most = _largest(tl.where(inner, n, 0))
    reach = tl.sqrt((160.0 * most + 1600.0).to(tl.float32)).to(tl.int32)
    start = (most + reach) // 2 * 2
    start = tl.where(most == 0, 0, start)
    small = tl.where(inner, tl.maximum(size, 1.0e-6), 1.0)
    above = small * 0
    value = above + 1
    result = above
    total = above
    for down in range(0, start):
        k = start - down
        below = (2.0 * k) / small * value - above
        above = value
        value = below
        large = tl.abs(value) > 1.0e10
        factor = tl.where(large, 1.0e-10, 1.0).to(x.dtype)
        above = above * factor
        value = value * factor
        result = tl.where(k - 1 == n, value, result * factor)
        # k - 1 is even where k is odd; J_0 counts once.
        counted = tl.where(k == 1, value, 2 * value)
        total = total * factor + tl.where(k % 2 == 1, counted, 0)
    downward = tl.where(size < 1.0e-6, size * 0, result / total)
    magnitude = tl.where(inner, downward, upward)
    signed = tl.where((n % 2 == 1) & (x < 0), -magnitude, magnitude)
    return tl.where((n < 0) | (x != x), float("nan"), signed)


@triton.jit
def _bessel_yn(n, x):
    value = _bessel_upward(n, x, tl.extra.libdevice.y0(x), tl.extra.libdevice.y1(x))
    return tl.where(n < 0, float("nan"), value)


# Random numbers: Philox-4x32. Equal seeds and offsets give equal bits on every device.


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    """Philox on four counter words and two key words (uint32 or uint64), `n_rounds` rounds."""
    wide: tl.constexpr = c0.dtype == tl.uint64
    tl.static_assert(wide or c0.dtype == tl.uint32, "the words of philox_impl are uint32 or uint64")
    factor0: tl.constexpr = 0xD2E7470EE14C6C93 if wide else 0xD2511F53
    factor1: tl.constexpr = 0xCA5A826395121157 if wide else 0xCD9E8D57
    step0: tl.constexpr = 0x9E3779B97F4A7C15 if wide else 0x9E3779B9
    step1: tl.constexpr = 0xBB67AE8584CAA73B if wide else 0xBB67AE85
    for _ in tl.static_range(n_rounds):
        high0 = tl.umulhi(c0, factor0)
        high1 = tl.umulhi(c2, factor1)
        low0 = tl.mul(c0, factor0, sanitize_overflow=False)
        low1 = tl.mul(c2, factor1, sanitize_overflow=False)
        c0 = high1 ^ c1 ^ k0
        c2 = high0 ^ c3 ^ k1
        c1 = low1
        c3 = low0
        k0 = tl.add(k0, step0, sanitize_overflow=False)
        k1 = tl.add(k1, step1, sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    """Philox keyed by a 64-bit seed, on counter words of 32 or 64 bits, which may be signed."""
    key = tl.to_tensor(seed).to(tl.uint64)
    first = tl.to_tensor(c0)
    if first.dtype.primitive_bitwidth == 64:
        word: tl.constexpr = tl.uint64
        k0 = key
        k1 = key * 0
    else:
        word: tl.constexpr = tl.uint32
        k0 = (key & 0xFFFFFFFF).to(tl.uint32)
        k1 = (key >> 32).to(tl.uint32)
    u0 = first.to(word, bitcast=True)
    u1 = tl.to_tensor(c1).to(word, bitcast=True)
    u2 = tl.to_tensor(c2).to(word, bitcast=True)
    u3 = tl.to_tensor(c3).to(word, bitcast=True)
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
    """32 or 64 random bits as a float32 that is uniform in [0, 1)."""
    if x.dtype.primitive_bitwidth == 64:
        long = x.to(tl.int64, bitcast=True)
        return tl.where(long < 0, ~long, long) * 1.0842020432385337e-19
    else:
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

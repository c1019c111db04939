"""Matrix products."""

import triton
import triton.language as tl


@triton.jit
def tile(X, M: tl.constexpr, N: tl.constexpr):
    return tl.load(X + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def put(Z, z, M: tl.constexpr, N: tl.constexpr):
    tl.store(Z + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], z)


#: X=fp16[1*256] Y=fp16[2*256] Z->fp32[32*256]
@triton.jit
def products(X, Y, Z):
    """D1: `tl.dot` takes two tensors of 2 dimensions, or of more with equal batch sizes."""
    z = tl.dot(tile(X, 16, 16), tile(Y, 16, 16))
    tl.static_assert(z.shape == (16, 16))
    put(Z, z, 16, 16)


#: X=fp16[1*256,3*256] Y=fp16[2*256,1*256] Z->fp32[32*256,48*256]
@triton.jit
def batches(X, Y, Z):
    """D1: or of more with equal batch sizes."""
    at = tl.arange(0, 2)[:, None, None] * 256 + tl.arange(0, 16)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :]
    z = tl.dot(tl.load(X + at), tl.load(Y + at))
    tl.static_assert(z.shape == (2, 16, 16))
    tl.store(Z + at, z)


#: X=fp16[1*512,3*512] Y=fp16[2*256,1*256,4*512] A=fp32[1*1024] Z->fp32[33*256,17*256,193*512]
@triton.jit
def batches_of_batches(X, Y, A, Z):
    """D1: or of more with equal batch sizes."""
    at = tl.arange(0, 1024).reshape(2, 2, 16, 16)
    z = tl.dot(tl.load(X + at), tl.load(Y + at), tl.load(A + at))
    tl.static_assert(z.shape == (2, 2, 16, 16))
    tl.store(Z + at, z)


#: X=i8[3*512] Y=i8[5*512] Z->i32[480*256]
@triton.jit
def integers_accumulate_in_int32(X, Y, Z):
    """D5: `int8` accumulates in `int32`, whatever `out_dtype` is"""
    z = tl.dot(tile(X, 16, 32), tile(Y, 32, 16), out_dtype=tl.int8)
    tl.static_assert(z.dtype == tl.int32)
    put(Z, z, 16, 16)


#: refused
@triton.jit
def shapes_that_do_not_fit():
    """D1: `tl.dot` takes two tensors of 2 dimensions, or of more with equal batch sizes."""
    a = tl.zeros((16, 16), tl.float16)
    b = tl.zeros((2, 16, 16), tl.float16)
    # error: tl.dot: needs two tensors with the same number of dimensions, 2 or more, but got [16, 16] and [2, 16, 16]
    c = tl.dot(a, b)
    # error: tl.dot: needs two tensors with the same number of dimensions, 2 or more, but got [16] and [16, 16]
    c = tl.dot(tl.arange(0, 16).to(tl.float16), a)
    # error: tl.dot: batch sizes differ: [2, 16, 16] and [4, 16, 16]
    c = tl.dot(b, tl.zeros((4, 16, 16), tl.float16))
    # error: tl.dot: batch sizes differ: [2, 4, 16, 16] and [4, 2, 16, 16]
    c = tl.dot(tl.zeros((2, 4, 16, 16), tl.float16), tl.zeros((4, 2, 16, 16), tl.float16))
    # error: tl.dot: inner dimensions differ: [16, 16] and [32, 16] (16 and 32); transpose one with tl.trans?
    c = tl.dot(a, tl.zeros((32, 16), tl.float16))
    # error: tl.dot: operands have different dtypes: float16 and float32; cast one of them
    c = tl.dot(a, a.to(tl.float32))


#: X=fp16[1*16] Y=fp16[2*16] Z->fp32[32] beyond
@triton.jit
def smallest(X, Y, Z):
    """D2: the outer ones may be as small as 1."""
    put(Z, tl.dot(tile(X, 1, 16), tile(Y, 16, 1)), 1, 1)


#: K8=32 K16=16 K32=16 K64=16
#: K8=32 K16=16 K32=8 K64=4 beyond
#: K8=16 K16=16 K32=8 K64=4 refused
@triton.jit
def inner_dimension_8(K8: tl.constexpr, K16: tl.constexpr, K32: tl.constexpr, K64: tl.constexpr):
    """D2: The inner dimension is at least 32, 16, 8 or 4 for operands of 8, 16, 32 or 64 bits"""
    # error: tl.dot: the inner dimension is 16, but int8 operands need at least 32; use a larger block and mask the elements past the end
    a = tl.dot(tl.zeros((16, K8), tl.int8), tl.zeros((K8, 16), tl.int8))
    b = tl.dot(tl.zeros((16, K16), tl.bfloat16), tl.zeros((K16, 16), tl.bfloat16))
    c = tl.dot(tl.zeros((16, K32), tl.float32), tl.zeros((K32, 16), tl.float32))
    d = tl.dot(tl.zeros((16, K64), tl.float64), tl.zeros((K64, 16), tl.float64), out_dtype=tl.float64)


#: refused
@triton.jit
def inner_dimensions():
    """D2: The inner dimension is at least 32, 16, 8 or 4 for operands of 8, 16, 32 or 64 bits"""
    # error: tl.dot: the inner dimension is 8, but float16 operands need at least 16; use a larger block and mask the elements past the end
    b = tl.dot(tl.zeros((16, 8), tl.float16), tl.zeros((8, 16), tl.float16))
    # error: tl.dot: the inner dimension is 4, but float32 operands need at least 8; use a larger block and mask the elements past the end
    c = tl.dot(tl.zeros((16, 4), tl.float32), tl.zeros((4, 16), tl.float32))
    # error: tl.dot: the inner dimension is 2, but float64 operands need at least 4; use a larger block and mask the elements past the end
    d = tl.dot(tl.zeros((16, 2), tl.float64), tl.zeros((2, 16), tl.float64))


#: X=fp32[1.0001220703125*256] Y=fp32[1*256] Z->fp32[16.001953125*256]
@triton.jit
def exact_by_default(X, Y, Z):
    """D3: `float32` operands are used as `tf32` by default on NVIDIA GPUs, and exactly elsewhere."""
    # 1 + 2^-13 is not a tf32 number: tf32 has 10 bits of mantissa.
    put(Z, tl.dot(tile(X, 16, 16), tile(Y, 16, 16)), 16, 16)


#: X=fp32[1.0001220703125*256] Y=fp32[1*256] Z->~2e-4:fp32[16*256] tf32
@triton.jit
def tf32_by_default(X, Y, Z):
    """D3: `float32` operands are used as `tf32` by default on NVIDIA GPUs"""
    # ir: precision  tf32
    put(Z, tl.dot(tile(X, 16, 16), tile(Y, 16, 16)), 16, 16)


#: X=fp32[1.0001220703125*256] Y=fp32[1*256] P="ieee" Z->fp32[16.001953125*256] tf32
#: X=fp32[1.0001220703125*256] Y=fp32[1*256] P="tf32" Z->~2e-4:fp32[16*256]
#: X=fp32[1.0001220703125*256] Y=fp32[1*256] P="tf32x3" Z->~1e-6:fp32[16.001953125*256]
#: X=fp32[1.0001220703125*256] Y=fp32[1*256] P="bf16x3" Z->~2e-5:fp32[16.001953125*256]
#: X=fp32[1.0001220703125*256] Y=fp32[1*256] P="bf16x6" Z->~1e-6:fp32[16.001953125*256]
@triton.jit
def precisions(X, Y, P: tl.constexpr, Z):
    """D4: `input_precision` is `"tf32"`, `"tf32x3"`, `"bf16x3"`, `"bf16x6"` or `"ieee"`, the least that a target may do"""
    put(Z, tl.dot(tile(X, 16, 16), tile(Y, 16, 16), input_precision=P), 16, 16)


#: X=fp32[1.0001220703125*256] Y=fp32[1*256] Z->~2e-4:fp32[16*256]
@triton.jit
def tf32_allowed(X, Y, Z):
    """D4: `allow_tf32` is its older form; `max_num_imprecise_acc` is accepted."""
    # ir: precision  tf32
    put(Z, tl.dot(tile(X, 16, 16), tile(Y, 16, 16), allow_tf32=True, max_num_imprecise_acc=0), 16, 16)


#: X=fp32[1.0001220703125*256] Y=fp32[1*256] Z->fp32[16.001953125*256] tf32
@triton.jit
def tf32_not_allowed(X, Y, Z):
    """D4: `allow_tf32` is its older form"""
    put(Z, tl.dot(tile(X, 16, 16), tile(Y, 16, 16), allow_tf32=False), 16, 16)


#: refused
@triton.jit
def unknown_precision():
    """D4: `input_precision` is `"tf32"`, `"tf32x3"`, `"bf16x3"`, `"bf16x6"` or `"ieee"`"""
    a = tl.zeros((16, 16), tl.float32)
    # error: tl.dot: 'input_precision' is 'fp32'; use 'tf32', 'tf32x3', 'bf16x3', 'bf16x6' or 'ieee'
    b = tl.dot(a, a, input_precision="fp32")
    # error: tl.dot: got both 'input_precision' and 'allow_tf32'; pass one of them
    c = tl.dot(a, a, input_precision="ieee", allow_tf32=True)


#: X=i8[-128*512] Y=i8[127*512] Z->i32[-520192*256]
@triton.jit
def integers(X, Y, Z):
    """D5: `int8` accumulates in `int32`"""
    z = tl.dot(tile(X, 16, 32), tile(Y, 32, 16))
    tl.static_assert(z.dtype == tl.int32)
    put(Z, z, 16, 16)


#: X=fp16[2048,1*15] Y=fp16[1*16] Z->fp32[2063] beyond
@triton.jit
def halves(X, Y, Z):
    """D5: other floats accumulate in `float32`"""
    # float16 has no 2049: adding ones to 2048 in it would change nothing.
    z = tl.dot(tile(X, 1, 16), tile(Y, 16, 1))
    tl.static_assert(z.dtype == tl.float32)
    put(Z, z, 1, 1)


#: X=fp64[0.1*16] Y=fp64[1*16] Z->~1e-15:fp64[1.6] beyond
@triton.jit
def doubles(X, Y, Z):
    """D5: `float64` in `float64`"""
    z = tl.dot(tile(X, 1, 16), tile(Y, 16, 1), out_dtype=tl.float64)
    tl.static_assert(z.dtype == tl.float64)
    put(Z, z, 1, 1)


#: X=fp16[2*256] Y=fp16[2*256] Z->fp16[64*256]
@triton.jit
def float16_results(X, Y, Z):
    """D5: other floats accumulate in `float32`, or in `float16` with `out_dtype=tl.float16`."""
    x, y = tile(X, 16, 16), tile(Y, 16, 16)
    z = tl.dot(x, y, out_dtype=tl.float16)
    tl.static_assert(z.dtype == tl.float16)
    tl.static_assert(tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16)).dtype == tl.float32)
    tl.static_assert(tl.dot(tl.zeros((32, 32), tl.float8e5), tl.zeros((32, 32), tl.float8e5)).dtype == tl.float32)
    put(Z, z, 16, 16)


#: refused
@triton.jit
def bfloat16_results():
    """D6: `out_dtype=tl.bfloat16` is an error."""
    a = tl.zeros((16, 16), tl.bfloat16)
    # error: tl.dot: 'out_dtype' is bfloat16; use float32 or float16 and cast with .to(tl.bfloat16)
    b = tl.dot(a, a, out_dtype=tl.bfloat16)


#: X=fp16[1*256] Y=fp16[2*256] Z->fp32[33*256]
@triton.jit
def accumulates(X, Y, Z):
    """D7: `acc` is added to the product"""
    put(Z, tl.dot(tile(X, 16, 16), tile(Y, 16, 16), acc=tl.full((16, 16), 1.0, tl.float32)), 16, 16)


#: refused
@triton.jit
def accumulators():
    """D7: its dtype is that of the result."""
    a = tl.zeros((16, 16), tl.float16)
    # error: tl.dot: 'acc' is float16[16, 16], but the product accumulates in float32; cast it, or set out_dtype
    b = tl.dot(a, a, acc=a)
    # error: tl.dot: 'acc' is float32[16, 32], but the product has shape [16, 16]
    c = tl.dot(a, a, acc=tl.zeros((16, 32), tl.float32))


#: X=i8[3*512] Y=i8[5*512] Z->i32[482*256] V=fp64[1*256] W->fp64[20*256] beyond
@triton.jit
def accumulators_of_the_operands(X, Y, Z, V, W):
    """D9: Beyond Triton: the `acc` of products of `int8` or `float64` needs no `out_dtype` of its dtype."""
    put(Z, tl.dot(tile(X, 16, 32), tile(Y, 32, 16), acc=tl.full((16, 16), 2, tl.int32)), 16, 16)
    put(W, tl.dot(tile(V, 16, 16), tile(V, 16, 16), acc=tl.full((16, 16), 4.0, tl.float64)), 16, 16)


#: X=u8[0x31*512] Y=u8[0x22*512] Z->fp32[160*256]
@triton.jit
def scaled(X, Y, Z):
    """D8: `tl.dot_scaled` takes e2m1 as pairs in `uint8`, the first in the low half, and scales in e8m0 as `uint8` or `int8`,
    2^(x - 127), one for each 32 elements along the inner dimension
    """
    # Rows of 0.5, 1.5, 0.5, … times columns of 1: 32 for each half of the 64, the second of which counts four times.
    scales = tl.where(tl.arange(0, 2)[None, :] > 0, 129, 127) + tl.zeros((16, 2), tl.int32)
    ones = tl.full((16, 2), 127, tl.uint8)
    put(Z, tl.dot_scaled(tile(X, 16, 32), scales.to(tl.uint8), "e2m1", tile(Y, 32, 16), ones, "e2m1"), 16, 16)


#: X=u8[0x31*512] Y=u8[0x22*512] Z->fp32[160*256]
@triton.jit
def scaled_with_small_floats(X, Y, Z):
    """D8: or in `float8e4nv`, one for each 16."""
    # As above, with four factors: 1, 1, 4 and 4.
    scales = tl.where(tl.arange(0, 4)[None, :] > 1, 4.0, 1.0) + tl.zeros((16, 4), tl.float32)
    ones = tl.full((16, 4), 1.0, tl.float8e4nv)
    put(Z, tl.dot_scaled(tile(X, 16, 32), scales.to(tl.float8e4nv), "e2m1", tile(Y, 32, 16), ones, "e2m1"), 16, 16)


#: X=u8[0x31*512] Y=u8[0x22*512] Z->fp32[160*256]
@triton.jit
def scaled_with_signed_bytes(X, Y, Z):
    """D8: scales in e8m0 as `uint8` or `int8`"""
    # The exponents 127 and 129, of which the second is negative in eight bits.
    scales = tl.where(tl.arange(0, 2)[None, :] > 0, -127, 127) + tl.zeros((16, 2), tl.int32)
    ones = tl.full((16, 2), 127, tl.int8)
    put(Z, tl.dot_scaled(tile(X, 16, 32), scales.to(tl.int8), "e2m1", tile(Y, 32, 16), ones, "e2m1"), 16, 16)


#: X=u8[0x13*512] Y=bf16[1*512,0*512] Z->fp32[48*256]
@triton.jit
def halves_of_bytes(X, Y, Z):
    """D8: the first in the low half"""
    # Ones for the first of each pair, zeros for the second: 32 times 1.5, and 32 times 0.5 if it were the other way.
    k, n = tl.arange(0, 64)[:, None], tl.arange(0, 16)[None, :]
    y = tl.load(Y + (k % 2) * 512 + k // 2 * 16 + n)
    ones = tl.full((16, 2), 127, tl.uint8)
    put(Z, tl.dot_scaled(tile(X, 16, 32), ones, "e2m1", y, None, "bf16"), 16, 16)

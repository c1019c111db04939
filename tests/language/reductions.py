"""Reductions and scans."""

import triton
import triton.language as tl


#: A=i8[127,127,-1,1] B=u8[255,255,1,1] Z->i32[254] Y->u32[512] H=fp16[2048,1,1,0] W->fp16[2050]
@triton.jit
def sums(A, B, Z, Y, H, W):
    """R1: `tl.sum` widens integers of less than 32 bits to `int32` or `uint32`, and does not widen `float16` and
    `bfloat16`.
    """
    i = tl.arange(0, 4)
    a, b, h = tl.sum(tl.load(A + i)), tl.sum(tl.load(B + i)), tl.sum(tl.load(H + i).to(tl.float32), 0)
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.uint32)
    tl.static_assert(tl.sum(tl.load(H + i)).dtype == tl.float16)
    tl.static_assert(tl.sum(tl.load(H + i).to(tl.bfloat16)).dtype == tl.bfloat16)
    tl.static_assert(tl.sum(tl.load(A + i).to(tl.int16)).dtype == tl.int32)
    tl.static_assert(tl.sum(tl.load(A + i).to(tl.int64)).dtype == tl.int64)
    tl.static_assert(tl.sum(tl.load(A + i) > 0).dtype == tl.uint32)
    tl.store(Z, a)
    tl.store(Y, b)
    tl.store(W, h)


#: A=i8[-5,3] B=u8[5,255] H=fp16[1.5,-2] D=fp64[1.5,-2] Z->i32[3] Y->fp32[-2]
@triton.jit
def extrema(A, B, H, D, Z, Y):
    """R2: `tl.max` and `tl.min` widen narrower floats to `float32` and narrower integers to `int32`."""
    i = tl.arange(0, 2)
    a, b, h, d = tl.load(A + i), tl.load(B + i), tl.load(H + i), tl.load(D + i)
    tl.static_assert(tl.max(a).dtype == tl.int32)
    tl.static_assert(tl.min(a.to(tl.int16)).dtype == tl.int32)
    tl.static_assert(tl.max(b).dtype == tl.int32)
    tl.static_assert(tl.max(b.to(tl.uint32)).dtype == tl.uint32)
    tl.static_assert(tl.min(h).dtype == tl.float32)
    tl.static_assert(tl.max(h.to(tl.bfloat16)).dtype == tl.float32)
    tl.static_assert(tl.max(d).dtype == tl.float64)
    tl.store(Z, tl.max(a, 0))
    tl.store(Y, tl.min(h, 0))


#: A=i8[127,1,1,-1] Z->i32[127,128,129,128] B=bf16[256,1,1,1] Y->fp32[256,257,258,259] P->i8[127,127,127,-127]
@triton.jit
def scans(A, Z, B, Y, P):
    """R3: `tl.cumsum` and `tl.cumprod` widen `bfloat16` to `float32`; `tl.cumsum` widens integers as `tl.sum` does."""
    i = tl.arange(0, 4)
    a, b = tl.load(A + i), tl.load(B + i)
    tl.static_assert(tl.cumsum(a, 0).dtype == tl.int32)
    tl.static_assert(tl.cumsum(b, 0).dtype == tl.float32)
    tl.static_assert(tl.cumprod(b, 0).dtype == tl.float32)
    tl.static_assert(tl.cumprod(a, 0).dtype == tl.int8)
    tl.static_assert(tl.cumsum(b.to(tl.float16), 0).dtype == tl.float16)
    tl.static_assert(tl.cumsum(a.to(tl.uint8), 0).dtype == tl.uint32)
    tl.store(Z + i, tl.cumsum(a, 0))
    tl.store(Y + i, tl.cumsum(b, 0))
    tl.store(P + i, tl.cumprod(a, 0))


#: X=fp32[nan,3,5,5] Z->i32[2,1,2,1] M->fp32[5,3]
#: X=fp32[2,nan,2,nan] Z->i32[0,0,0,0] M->fp32[2,2]
#: X=fp32[nan,nan,nan,nan] Z->i32[0,0,0,0] M->fp32[nan,nan]
#: X=fp32[-inf,nan,nan,-inf] Z->i32[0,0,0,0] M->fp32[-inf,-inf]
@triton.jit
def positions(X, Z, M):
    """R4: `tl.argmax` and `tl.argmin` (and `tl.max` and `tl.min` with `return_indices`) ignore NaN; among equal values
    they give the first position, and so they do where everything is NaN.
    """
    x = tl.load(X + tl.arange(0, 4))
    tl.store(Z, tl.argmax(x, 0))
    tl.store(Z + 1, tl.argmin(x, 0))
    largest, at = tl.max(x, 0, return_indices=True)
    tl.store(M, largest)
    tl.store(Z + 2, at)
    smallest, at = tl.min(x, 0, return_indices=True)
    tl.store(M + 1, smallest)
    tl.store(Z + 3, at)


#: X=i32[7,9,9,7] Z->i32[1,0]
@triton.jit
def ties_of_integers(X, Z):
    """R4: among equal values they give the first position"""
    x = tl.load(X + tl.arange(0, 4))
    tl.store(Z, tl.argmax(x, 0))
    tl.store(Z + 1, tl.argmin(x, 0))


#: X=i32[7,9,9,7] Z->i32[9,7,0]
@triton.jit
def ties_to_any(X, Z):
    """R5: With `tie_break_left=False`, or `return_indices_tie_break_left=False`, any position of an equal value may come
    out.
    """
    x = tl.load(X + tl.arange(0, 4))
    largest, at = tl.max(x, 0, return_indices=True, return_indices_tie_break_left=False)
    tl.store(Z + 2, tl.load(X + at) - largest)
    tl.store(Z, tl.load(X + tl.argmax(x, 0, tie_break_left=False)))
    tl.store(Z + 1, tl.load(X + tl.argmin(x, 0, tie_break_left=False)))


#: X=i32[1,2,3,4,5,6,7,8] Z->i32[36] Y->i32[10,26] W->i32[6,8,10,12]
@triton.jit
def axes(X, Z, Y, W):
    """R6: `axis=None` reduces all elements; `keep_dims` leaves sizes of 1; a negative axis counts from the end."""
    x = tl.load(X + tl.arange(0, 8)).reshape(2, 4)
    tl.store(Z, tl.sum(x))
    tl.static_assert(tl.sum(x, keep_dims=True).shape == (1, 1))
    tl.static_assert(tl.sum(x, 1, keep_dims=True).shape == (2, 1))
    tl.store(Y + tl.arange(0, 2), tl.sum(x, -1))
    tl.store(W + tl.arange(0, 4), tl.sum(x, 0))


#: refused
@triton.jit
def axes_out_of_range():
    """R6: a negative axis counts from the end."""
    # error: tl.sum: 'axis' is 2, but the tensor has 2 dimensions; use 0 to 1
    a = tl.sum(tl.zeros((2, 4), tl.int32), 2)
    # error: tl.max: 'axis' is -3, but the tensor has 2 dimensions; use 0 to 1
    b = tl.max(tl.zeros((2, 4), tl.int32), -3)


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def affine(m1, a1, m2, a2):
    return m1 * m2, a1 * m2 + a2


#: X=i32[3,9,-4,9] Z->i32[17,-1,-1] Y->i32[3,12,8,17] W->i32[9,1,2,9] A=fp32[1,2,4,8] B->fp32[15,64]
@triton.jit
def functions_of_the_library(X, Z, Y, W, A, B):
    """R7: `tl.reduce` and `tl.associative_scan` take a jit function of two values, or of two groups of values for a tuple
    of tensors
    """
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z, tl.reduce(x, 0, tl.standard._sum_combine))
    tl.store(Z + 1, tl.reduce(x, 0, tl.standard._xor_combine))
    tl.store(Z + 2, tl.reduce(x, 0, tl.standard._or_combine))
    tl.store(Y + i, tl.associative_scan(x, 0, tl.standard._sum_combine))
    largest, at = tl.reduce((x, i), 0, tl.standard._argmax_combine_tie_break_left)
    smallest, least = tl.reduce((x, i), 0, tl.standard._argmin_combine_tie_break_left)
    tl.store(W, largest)
    tl.store(W + 1, at)
    tl.store(W + 2, least)
    tl.store(W + 3, tl.reduce(x, 0, tl.standard._elementwise_max))
    a = tl.load(A + i)
    tl.store(B, tl.reduce(tl.core._promote_bfloat16_to_float32(a), 0, tl.standard._sum_combine))
    tl.store(B + 1, tl.reduce(a, 0, tl.standard._prod_combine))


@triton.jit
def compared(a, b):
    return a > b


@triton.jit
def unsigned_sum(a, b):
    return (a + b).to(tl.uint32)


#: X=i32[3,9,-4,7] Z->i32[3,12,8,15] Y->i32[15]
@triton.jit
def another_signedness(X, Z, Y):
    """R9: The results of the function of `tl.reduce` or `tl.associative_scan` have the dtypes of its arguments, except for
    signedness.
    """
    x = tl.load(X + tl.arange(0, 4))
    z = tl.associative_scan(x, 0, unsigned_sum)
    tl.static_assert(z.dtype == tl.int32)
    tl.store(Z + tl.arange(0, 4), z)
    tl.store(Y, tl.reduce(x, 0, unsigned_sum))


#: X=i32[3,9,-4,7] Y->i32[1] refused
@triton.jit
def another_dtype(X, Y):
    """R9: The results of the function of `tl.reduce` or `tl.associative_scan` have the dtypes of its arguments"""
    x = tl.load(X + tl.arange(0, 4))
    # error: tl.reduce: 'combine_fn' must give values of the types that it takes, but value 0 is int1 instead of int32; convert what it returns back, or the operands before
    y = tl.reduce(x, 0, compared)
    tl.store(Y, y)


#: X=i32[3,9,-4,7] Y->i32[1] refused
@triton.jit
def another_dtype_of_scans(X, Y):
    """R9: The results of the function of `tl.reduce` or `tl.associative_scan` have the dtypes of its arguments"""
    x = tl.load(X + tl.arange(0, 4))
    # error: tl.associative_scan: 'combine_fn' must give values of the types that it takes, but value 0 is int1 instead of int32; convert what it returns back, or the operands before
    y = tl.associative_scan(x, 0, compared)
    tl.store(Y + tl.arange(0, 4), y)


#: X=i32[3,9,-4,7] Z->i32[9] Y->i32[3,9,9,9] W->i32[9,9,7,7] M=i32[2,3,1,2] A->i32[3,18,14,35] B->i32[12]
@triton.jit
def functions(X, Z, Y, W, M, A, B):
    """R7: `tl.reduce` and `tl.associative_scan` take a jit function of two values, or of two groups of values for a tuple
    of tensors; `reverse` scans from the end.
    """
    # The composed functions x -> m * x + a, applied to 0.
    i = tl.arange(0, 4)
    x, m = tl.load(X + i), tl.load(M + i)
    tl.store(Z, tl.reduce(x, 0, larger))
    tl.store(Y + i, tl.associative_scan(x, 0, larger))
    tl.store(W + i, tl.associative_scan(x, 0, larger, reverse=True))
    product, sum = tl.associative_scan((m, x), 0, affine)
    tl.store(A + i, sum)
    product, sum = tl.reduce((m, x), 0, affine)
    tl.store(B, product)


#: X=i8[127,1,1,1] Z->i64[130] Y->fp32[127,128,129,130] H=fp16[2048,1,1,1] W->fp32[2051]
@triton.jit
def dtypes(X, Z, Y, H, W):
    """R8: `dtype` of `tl.sum` and `tl.cumsum` is the dtype in which they add."""
    i = tl.arange(0, 4)
    x, h = tl.load(X + i), tl.load(H + i)
    tl.static_assert(tl.sum(x, 0, dtype=tl.int64).dtype == tl.int64)
    tl.store(Z, tl.sum(x, 0, dtype=tl.int64))
    tl.store(Y + i, tl.cumsum(x, 0, dtype=tl.float32))
    tl.store(W, tl.sum(h, 0, dtype=tl.float32))

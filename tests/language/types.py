"""Dtypes of values: literals beside tensors, and promotion."""

import triton
import triton.language as tl


#: X=i8[-1,2] Z->i8[-1,2] T=tl.int8
#: X=i16[-1,2] Z->i16[-1,2] T=tl.int16
#: X=i32[-1,2] Z->i32[-1,2] T=tl.int32
#: X=i64[-1,9007199254740993] Z->i64[-1,9007199254740993] T=tl.int64
#: X=u8[255,2] Z->u8[255,2] T=tl.uint8
#: X=u16[65535,2] Z->u16[65535,2] T=tl.uint16
#: X=u32[4294967295,2] Z->u32[4294967295,2] T=tl.uint32
#: X=u64[18446744073709551615,2] Z->u64[18446744073709551615,2] T=tl.uint64
#: X=fp8e5[1.25,nan] Z->fp8e5[1.25,nan] T=tl.float8e5
#: X=fp8e4nv[1.125,448] Z->fp8e4nv[1.125,448] T=tl.float8e4nv
#: X=fp8e4b8[1.125,240] Z->fp8e4b8[1.125,240] T=tl.float8e4b8 beyond
#: X=fp8e5b16[1.25,-3] Z->fp8e5b16[1.25,-3] T=tl.float8e5b16 beyond
#: X=fp8e4b15[1.125,0.5] Z->fp8e4b15[1.125,0.5] T=tl.float8e4b15
#: X=fp16[1.5,inf] Z->fp16[1.5,inf] T=tl.float16
#: X=bf16[1.5,-inf] Z->bf16[1.5,-inf] T=tl.bfloat16
#: X=fp32[0.1,nan] Z->fp32[0.1,nan] T=tl.float32
#: X=fp64[0.1,1e300] Z->fp64[0.1,1e300] T=tl.float64
@triton.jit
def element_types(X, Z, T: tl.constexpr):
    """T1: Element types are `int1` (unsigned), `int8` to `int64`, `uint8` to `uint64`, `float8e5`, `float8e4nv`,
    `float8e4b8`, `float8e5b16`, `float8e4b15`, `float16`, `bfloat16`, `float32`, `float64`
    """
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    tl.static_assert(x.dtype == T)
    tl.static_assert(X.dtype.element_ty == T)
    tl.store(Z + i, x)


#: Z->i32[1,0,1,1]
@triton.jit
def bools_are_unsigned(Z):
    """T1: `int1` (unsigned)"""
    i = tl.arange(0, 4)
    b = i != 1
    tl.static_assert(b.dtype == tl.int1)
    tl.store(Z + i, b.to(tl.int32))


#: X=i32[7,8] P=i64[0,0] Z->i32[7,8]
@triton.jit
def pointers_to_pointers(X, P, Z):
    """T1: and pointers to any of them."""
    i = tl.arange(0, 2)
    addresses = (X + i).to(tl.int64)
    pointers = addresses.to(tl.pointer_type(tl.int32))
    tl.static_assert(pointers.dtype == tl.pointer_type(tl.int32))
    tl.store(Z + i, tl.load(pointers))


#: X=i8[1,2,127,-128] Z->i8[4,5,-126,-125]
@triton.jit
def literals_of_equal_kind(X, Z):
    """T3: one of equal or lower kind takes the other side's dtype."""
    i = tl.arange(0, 4)
    z = tl.load(X + i) + 3
    tl.static_assert(z.dtype == tl.int8)
    tl.store(Z + i, z)


#: X=fp16[1,2] Y=u16[4,5] B=i1[1,0]
@triton.jit
def kinds(X, Y, B):
    """T2: Kinds of dtypes are ordered: bool < integer < float.

    T3: one of equal or lower kind takes the other side's dtype.

    T5: A compile-time number of a higher kind takes its own dtype
    """
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    y = tl.load(Y + i)
    b = tl.load(B + i) != 0
    # A bool or an integer beside a float, a bool beside an integer: lower kinds.
    tl.static_assert((x + True).dtype == tl.float16)
    tl.static_assert((x + 3).dtype == tl.float16)
    tl.static_assert((x + 1e30).dtype == tl.float16)
    tl.static_assert((y + True).dtype == tl.uint16)
    # A float beside an integer or a bool, an integer beside a bool: higher kinds.
    tl.static_assert((y + 1.0).dtype == tl.float32)
    tl.static_assert((b + 1.0).dtype == tl.float32)
    tl.static_assert((b + 1).dtype == tl.int32)


#: X=i16[100,200] N=7
@triton.jit
def weak_in_arithmetic(X, N: tl.constexpr):
    """T3: Literals and other compile-time numbers are weak beside a run-time value in `+ - * / // % & | ^ << >>` and
    `tl.where`: one of equal or lower kind takes the other side's dtype.
    """
    x = tl.load(X + tl.arange(0, 2))
    M: tl.constexpr = N + 1
    tl.static_assert((x + N).dtype == tl.int16)
    tl.static_assert((N - x).dtype == tl.int16)
    tl.static_assert((x * M).dtype == tl.int16)
    tl.static_assert((x // 2).dtype == tl.int16)
    tl.static_assert((x % 2).dtype == tl.int16)
    tl.static_assert((x & 1).dtype == tl.int16)
    tl.static_assert((x | 1).dtype == tl.int16)
    tl.static_assert((1 ^ x).dtype == tl.int16)
    tl.static_assert((x << 1).dtype == tl.int16)
    tl.static_assert((x >> 1).dtype == tl.int16)
    tl.static_assert(tl.where(x > 1, x, 0).dtype == tl.int16)
    tl.static_assert(tl.where(x > 1, 0, x).dtype == tl.int16)
    half = x.to(tl.float16)
    tl.static_assert((half / 2).dtype == tl.float32)  # T15; 2 itself is weak.
    tl.static_assert((half * 0.1).dtype == tl.float16)


#: X=fp16[3] Z->fp16[0.2998046875]
@triton.jit
def weak_floats_are_rounded(X, Z):
    """T3: one of equal or lower kind takes the other side's dtype."""
    # float16(0.1) is 0.0999755859375. Three times that lies between two numbers; three times float32's 0.1 is nearer
    # to 0.300048828125.
    tl.store(Z, tl.load(X) * 0.1)


#: X=i8[1] refused
@triton.jit
def literal_out_of_range(X):
    """T4: A weak number that is out of range of the dtype it takes"""
    x = tl.load(X)
    # error: '+': the literal 128 is out of range for int8 (-128 to 127); cast the other operand first
    a = x + 128
    # error: '&': the literal 255 is out of range for int8 (-128 to 127); cast the other operand first
    b = x & 255
    # error: tl.where: the literal -129 is out of range for int8 (-128 to 127); cast the other operand first
    c = tl.where(x > 0, x, -129)


#: X=u8[1] refused
@triton.jit
def literal_negative_beside_unsigned(X):
    """T4: or negative beside an unsigned dtype, is an error."""
    x = tl.load(X)
    # error: '+': the negative literal -1 meets an unsigned operand of type uint8; cast one of them first
    a = x + -1


#: X=i8[1] Y=u64[1]
@triton.jit
def literals_at_the_bounds(X, Y):
    """T4: out of range of the dtype it takes"""
    x = tl.load(X)
    tl.static_assert((x + 127).dtype == tl.int8)
    tl.static_assert((x + -128).dtype == tl.int8)
    tl.static_assert((tl.load(Y) + 18446744073709551615).dtype == tl.uint64)


#: X=i8[3] B=i1[1]
@triton.jit
def literals_of_higher_kind(X, B):
    """T5: A compile-time number of a higher kind takes its own dtype: an integer `int32`, `uint32`, `int64` or `uint64`
    by value; a float `float32`, or `float64` outside the normal range of `float32`.
    """
    b = tl.load(B) != 0
    tl.static_assert((b + 2147483647).dtype == tl.int32)
    tl.static_assert((b + -2147483648).dtype == tl.int32)
    tl.static_assert((b + 2147483648).dtype == tl.uint32)
    tl.static_assert((b + 4294967295).dtype == tl.uint32)
    tl.static_assert((b + 4294967296).dtype == tl.int64)
    tl.static_assert((b + -2147483649).dtype == tl.int64)
    tl.static_assert((b + 9223372036854775807).dtype == tl.int64)
    tl.static_assert((b + 9223372036854775808).dtype == tl.uint64)
    x = tl.load(X)
    tl.static_assert((x + 1.5).dtype == tl.float32)
    tl.static_assert((x + 0.0).dtype == tl.float32)
    tl.static_assert((x + float("inf")).dtype == tl.float32)
    tl.static_assert((x + float("nan")).dtype == tl.float32)
    tl.static_assert((x + 3.4e38).dtype == tl.float32)
    tl.static_assert((x + 3.5e38).dtype == tl.float64)
    tl.static_assert((x + 1.18e-38).dtype == tl.float32)
    tl.static_assert((x + 1.17e-38).dtype == tl.float64)


#: X=i8[100] n=100 Z->i32[200]
@triton.jit
def scalars_are_not_weak(X, n, Z):
    """T6: A run-time scalar is an ordinary value, not a weak literal: its dtype counts like that of a tensor."""
    z = tl.load(X + tl.arange(0, 1)) + n
    tl.static_assert(z.dtype == tl.int32)
    tl.store(Z + tl.arange(0, 1), z)


#: X=fp16[0.5] x=0.25 Z->fp32[0.75]
@triton.jit
def float_scalars_are_not_weak(X, x, Z):
    """T6: A run-time scalar is an ordinary value, not a weak literal: its dtype counts like that of a tensor."""
    z = tl.load(X + tl.arange(0, 1)) + x
    tl.static_assert(z.dtype == tl.float32)
    tl.store(Z + tl.arange(0, 1), z)


#: X=i8[-56,127] Y=u32[4294967295,5] Z->i32[1,1,0,0]
@triton.jit
def comparisons_are_not_weak(X, Y, Z):
    """T7: Nothing is weak in comparisons, `tl.maximum`, `tl.minimum` and `tl.clamp`: a literal takes its own dtype there,
    so that an `int8` compares with 5 as `int32`, and a `uint32` with -1 as unsigned numbers.
    """
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    y = tl.load(Y + i)
    # 200 does not fit in int8: as int8 it would be -56.
    tl.store(Z + i, (x < 200).to(tl.int32))
    # -1 is the largest uint32.
    tl.store(Z + 2 + i, (y > -1).to(tl.int32))
    tl.static_assert(tl.maximum(x, 5).dtype == tl.int32)
    tl.static_assert(tl.minimum(x, 5).dtype == tl.int32)
    tl.static_assert(tl.maximum(y, -1).dtype == tl.uint32)


#: X=u32[4294967295,5] Z->i32[1,0]
@triton.jit
def uint32_equals_minus_one(X, Z):
    """T7: a `uint32` with -1 as unsigned numbers."""
    i = tl.arange(0, 2)
    tl.store(Z + i, (tl.load(X + i) == -1).to(tl.int32))


#: X=fp16[0.3] Z->fp32[0.30000001192092896]
@triton.jit
def maximum_of_half_and_literal(X, Z):
    """T7: Nothing is weak in comparisons, `tl.maximum`, `tl.minimum` and `tl.clamp`"""
    # float16(0.3) is 0.300048828125, above the float32 0.3; the common dtype is float32.
    x = tl.load(X)
    tl.static_assert(tl.minimum(x, 0.3).dtype == tl.float32)
    tl.static_assert(tl.clamp(x, 0.0, 0.3).dtype == tl.float32)
    tl.store(Z, tl.minimum(x, 0.3))


#: X=i32[0,5,0,-1] Y=i8[1,2,3,4] H=fp16[5,6,7,8] Z->fp16[5,2,7,4]
@triton.jit
def where_promotes(X, Y, H, Z):
    """T8: `tl.where` takes the common dtype of its last two arguments; its condition need not be bool."""
    i = tl.arange(0, 4)
    z = tl.where(tl.load(X + i), tl.load(Y + i), tl.load(H + i))
    tl.static_assert(z.dtype == tl.float16)
    tl.store(Z + i, z)


#: A=fp64[1] B=fp32[1] C=fp16[1] D=bf16[1] E=fp8e5[1] F=fp8e4nv[1]
@triton.jit
def common_float(A, B, C, D, E, F):
    """T9: Of two different float dtypes, `float64` wins, else `float32`, else `float16`; `bfloat16` with an 8-bit float
    gives `float32`.
    """
    f64, f32, f16 = tl.load(A), tl.load(B), tl.load(C)
    bf16, e5, e4 = tl.load(D), tl.load(E), tl.load(F)
    for other in tl.static_range(5):
        x = (f32, f16, bf16, e5, e4)[other]
        tl.static_assert((f64 + x).dtype == tl.float64)
        tl.static_assert((x * f64).dtype == tl.float64)
    for other in tl.static_range(4):
        x = (f16, bf16, e5, e4)[other]
        tl.static_assert((f32 - x).dtype == tl.float32)
    tl.static_assert((f16 + bf16).dtype == tl.float16)
    tl.static_assert((bf16 + f16).dtype == tl.float16)
    tl.static_assert((f16 + e5).dtype == tl.float16)
    tl.static_assert((bf16 + bf16).dtype == tl.bfloat16)
    tl.static_assert((bf16 + e4).dtype == tl.float32)
    tl.static_assert((e5 + bf16).dtype == tl.float32)


#: E=fp8e5[1.25] F=fp8e4nv[1.125] Z->fp16[2.375] Y->fp8e4nv[2.25]
@triton.jit
def common_float8(E, F, Z, Y):
    """T10: Two different 8-bit floats give `float16`; two equal ones keep their dtype, compute in `float32` and round
    back.
    """
    e5, e4 = tl.load(E), tl.load(F)
    tl.static_assert((e5 + e4).dtype == tl.float16)
    tl.static_assert((e4 + e4).dtype == tl.float8e4nv)
    tl.store(Z, e5 + e4)
    tl.store(Y, e4 + e4)


#: X=fp8e4nv[1.125,18,0.875] Z->fp8e4nv[1.25,320,0.75]
@triton.jit
def float8_rounds_back(X, Z):
    """T10: two equal ones keep their dtype, compute in `float32` and round back."""
    # 1.265625, 324 and 0.765625 between neighbours 1.25 and 1.375, 320 and 352, 0.75 and 0.8125.
    i = tl.arange(0, 4)
    x = tl.load(X + i, mask=i < 3)
    tl.store(Z + i, x * x, mask=i < 3)


#: I=i64[1] H=fp16[1] B=bf16[1] U=u8[1] D=fp64[1]
@triton.jit
def integer_and_float(I, H, B, U, D):
    """T11: An integer and a float give the float's dtype, but with `bfloat16` `float32`."""
    tl.static_assert((tl.load(I) + tl.load(H)).dtype == tl.float16)
    tl.static_assert((tl.load(U) * tl.load(D)).dtype == tl.float64)
    tl.static_assert((tl.load(I) + tl.load(B)).dtype == tl.float32)
    tl.static_assert((tl.load(B) - tl.load(U)).dtype == tl.float32)


#: E=fp8e5[1] n=3 refused
@triton.jit
def float8_has_no_common_dtype(E, n):
    """T12: An 8-bit float has no common dtype with an integer or a literal: that is an error."""
    e = tl.load(E)
    # error: '+': float8e5 and int32 have no common type; convert the 8-bit float to float16 or float32 first
    a = e + n
    # error: '+': a literal cannot take the type float8e5; convert the 8-bit float to float16 or float32 first
    b = e + 1
    # error: '*': a literal cannot take the type float8e5; convert the 8-bit float to float16 or float32 first
    c = e * 1.5


#: I=i8[-1] J=i16[-1] K=i32[-1] L=i64[-1] U=u8[1] V=u16[1] W=u32[1] B=i1[1] Z->u32[0] Y->i64[-2]
@triton.jit
def common_integer(I, J, K, L, U, V, W, B, Z, Y):
    """T13: Integers follow C: the wider dtype wins; among equal widths the unsigned one."""
    tl.static_assert((tl.load(I) + tl.load(J)).dtype == tl.int16)
    tl.static_assert((tl.load(I) + tl.load(V)).dtype == tl.uint16)
    tl.static_assert((tl.load(U) + tl.load(J)).dtype == tl.int16)
    tl.static_assert((tl.load(U) + tl.load(I)).dtype == tl.uint8)
    tl.static_assert((tl.load(K) & tl.load(W)).dtype == tl.uint32)
    tl.static_assert((tl.load(W) | tl.load(L)).dtype == tl.int64)
    tl.static_assert(((tl.load(B) != 0) + tl.load(I)).dtype == tl.int8)
    tl.store(Z, tl.load(K) + tl.load(W))
    tl.store(Y, tl.load(I) + tl.load(L))


#: X=i8[7,-7] Y=i8[2,2] Z->fp32[3.5,-3.5]
@triton.jit
def integer_division_gives_float32(X, Y, Z):
    """T14: `/` of integers gives `float32`."""
    i = tl.arange(0, 2)
    z = tl.load(X + i) / tl.load(Y + i)
    tl.static_assert(z.dtype == tl.float32)
    tl.store(Z + i, z)
    wide = tl.load(X + i).to(tl.int64)
    tl.static_assert((wide / wide).dtype == tl.float32)
    tl.static_assert((wide / 2).dtype == tl.float32)


#: H=fp16[3] B=bf16[4] D=fp64[1] E=fp8e5[2] Z->fp32[0.75]
@triton.jit
def float_division(H, B, D, E, Z):
    """T15: `/` and `%` of floats compute in at least `float32`; 8-bit floats keep their dtype."""
    h, b, d, e = tl.load(H), tl.load(B), tl.load(D), tl.load(E)
    tl.static_assert((h / h).dtype == tl.float32)
    tl.static_assert((b / b).dtype == tl.float32)
    tl.static_assert((h % h).dtype == tl.float32)
    tl.static_assert((b % b).dtype == tl.float32)
    tl.static_assert((d / h).dtype == tl.float64)
    tl.static_assert((e / e).dtype == tl.float8e5)
    tl.store(Z, h / b)


#: X=i32[7] Y=u32[2] refused
@triton.jit
def mixed_signedness(X, Y):
    """T16: `/`, `//` and `%` of a signed and an unsigned integer are errors."""
    x, y = tl.load(X), tl.load(Y)
    # error: '/': '/' of int32 and uint32 mixes signedness; cast one of them first
    a = x / y
    # error: '//': '//' of int32 and uint32 mixes signedness; cast one of them first
    b = x // y
    # error: '%': '%' of uint32 and int32 mixes signedness; cast one of them first
    c = y % x


#: X=fp32[7] refused
@triton.jit
def float_floor_division(X):
    """T17: `//` of floats is an error."""
    x = tl.load(X)
    # error: '//': '//' needs integers, but got float32 and float32; use tl.floor(x / y)
    a = x // x
    # error: '//': '//' needs integers, but got float32 and float32; use tl.floor(x / y)
    b = x // 2


#: X=fp32[7] refused
@triton.jit
def bits_of_floats(X):
    """T18: `& | ^ << >>` and `~` are for integers."""
    x = tl.load(X)
    # error: '&': bitwise operation needs integers, but got float32 and float32; cast with bitcast=True to work on the bits of floats
    a = x & x
    # error: '|': bitwise operation needs integers, but got float32 and float32; cast with bitcast=True to work on the bits of floats
    b = x | x
    # error: '^': bitwise operation needs integers, but got float32 and float32; cast with bitcast=True to work on the bits of floats
    c = x ^ x
    # error: '<<': shift needs integers, but got float32 and float32; cast with bitcast=True to work on the bits of floats
    d = x << 1
    # error: '>>': shift needs integers, but got float32 and float32; cast with bitcast=True to work on the bits of floats
    f = x >> 1
    # error: unary '~' needs integers, but got float32
    g = ~x


#: B=bf16[1.5,-2] Z->fp32[1.5,1]
@triton.jit
def extrema_of_bfloat16(B, Z):
    """T19: `tl.maximum` and `tl.minimum` of `bfloat16` give `float32`."""
    i = tl.arange(0, 2)
    b = tl.load(B + i)
    z = tl.maximum(b, 1.0)
    tl.static_assert(tl.maximum(b, b).dtype == tl.float32)
    tl.static_assert(tl.minimum(b, b).dtype == tl.float32)
    tl.store(Z + i, z)

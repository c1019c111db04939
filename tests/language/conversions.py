"""Conversions between dtypes."""

import triton
import triton.language as tl


#: X=fp32[2049,2051,2047.5,-2049] Z->fp16[2048,2052,2048,-2048] Y->fp16[2048,2050,2047,-2048]
@triton.jit
def narrows(X, Z, Y):
    """V1: Floats round to nearest even, or toward zero with `fp_downcast_rounding="rtz"`."""
    # Above 2048 float16 has even integers only.
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z + i, x.to(tl.float16))
    tl.store(Y + i, tl.cast(x, tl.float16, fp_downcast_rounding="rtz"))


#: X=fp32[0x3f808000,0x3f818000,0x7f7fffff,0x3f80ffff] Z->bf16[0x3f80,0x3f82,0x7f80,0x3f81] Y->bf16[0x3f80,0x3f81,0x7f7f,0x3f80]
@triton.jit
def narrows_to_bfloat16(X, Z, Y):
    """V1: Floats round to nearest even, or toward zero with `fp_downcast_rounding="rtz"`."""
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z + i, x.to(tl.bfloat16))
    tl.store(Y + i, x.to(tl.bfloat16, fp_downcast_rounding="rtz"))


#: X=fp64[0.1,1e39] Z->fp32[0x3dcccccd,inf]
@triton.jit
def narrows_float64(X, Z):
    """V1: Floats round to nearest even"""
    i = tl.arange(0, 2)
    tl.store(Z + i, tl.load(X + i).to(tl.float32))


#: X=fp32[1e6,-1e6,500,1.0625] Z->fp8e4nv[448,-448,448,1] Y->fp8e5[57344,-57344,512,1]
@triton.jit
def saturates(X, Z, Y):
    """V2: Conversions into 8-bit floats saturate to the largest finite value."""
    # 1.0625 is halfway between 1 and 1.125; 500 between 448 and 512.
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z + i, x.to(tl.float8e4nv))
    tl.store(Y + i, x.to(tl.float8e5))


#: X=fp32[2.9,-2.9,0.5,-0.99] Z->i32[2,-2,0,0] Y->i8[2,-2,0,0]
@triton.jit
def truncates(X, Z, Y):
    """V3: A float to an integer truncates toward zero"""
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z + i, x.to(tl.int32))
    tl.store(Y + i, x.to(tl.int8))


#: X=fp32[3e9,1e18,-1.5,nan] Z->u32[3000000000,0,0,0] Y->i64[3000000000,999999984306749440,-1,0]
@triton.jit
def converts_what_is_in_range(X, Z, Y):
    """V3: the result is undefined if it is out of range."""
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z + i, tl.where((x >= 0) & (x < 4294967296.0), x.to(tl.uint32), 0))
    tl.store(Y + i, tl.where(x == x, x.to(tl.int64), 0))


#: X=fp32[0.0,-0.0,0.25,nan] I=i32[0,256,-1,1] Z->i32[0,0,1,1] Y->i32[0,1,1,1]
@triton.jit
def to_bool(X, I, Z, Y):
    """V4: Anything to `int1` is `!= 0`, so that NaN is true."""
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.load(X + i).to(tl.int1).to(tl.int32))
    tl.store(Y + i, tl.load(I + i).to(tl.int1).to(tl.int32))


#: X=i32[-1,300,-129,65535] A->i8[-1,44,127,-1] B->u8[255,44,127,255] C->i64[-1,300,-129,65535] D->u64[18446744073709551615,300,18446744073709551487,65535]
@triton.jit
def integers(X, A, B, C, D):
    """V5: Integers keep their low bits in a narrower dtype, and are extended as their own signedness says in a wider one."""
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(A + i, x.to(tl.int8))
    tl.store(B + i, x.to(tl.uint8))
    tl.store(C + i, x.to(tl.int64))
    tl.store(D + i, x.to(tl.uint64))


#: U=u8[255,128] Z->i32[255,128] B=i1[1,0] Y->i32[1,0]
@triton.jit
def extends_unsigned(U, Z, B, Y):
    """V5: are extended as their own signedness says in a wider one."""
    i = tl.arange(0, 2)
    tl.store(Z + i, tl.load(U + i).to(tl.int32))
    tl.store(Y + i, (tl.load(B + i) != 0).to(tl.int32))


#: X=fp8e4nv[2.75,-3.5] Z->i32[2,-3] I=i32[3,17] Y->fp8e4nv[3,16]
@triton.jit
def float8_and_integers(X, Z, I, Y):
    """V6: An 8-bit float and an integer convert through `float32`"""
    # 17 lies halfway between 16 and 18.
    i = tl.arange(0, 2)
    tl.store(Z + i, tl.load(X + i).to(tl.float32).to(tl.int32))
    tl.store(Y + i, tl.load(I + i).to(tl.float32).to(tl.float8e4nv))


#: X=fp8e4nv[2.75] I=i32[3] refused
@triton.jit
def float8_and_integers_at_once(X, I):
    """V6: a direct conversion is an error."""
    # error: cannot cast float8e4nv to int32; convert to float32 in between, or use bitcast=True
    a = tl.load(X).to(tl.int32)
    # error: cannot cast int32 to float8e4nv; convert to float32 in between, or use bitcast=True
    b = tl.load(I).to(tl.float8e4nv)


#: X=fp32[1.0,-0.0] Z->u32[0x3f800000,2147483648] H=fp16[1,-2] Y->i16[15360,-16384]
@triton.jit
def bits(X, Z, H, Y):
    """V7: `bitcast=True` keeps the bits"""
    i = tl.arange(0, 2)
    tl.store(Z + i, tl.load(X + i).to(tl.uint32, bitcast=True))
    tl.store(Y + i, tl.cast(tl.load(H + i), tl.int16, bitcast=True))


#: X=fp32[1.0] refused
@triton.jit
def bits_of_another_size(X):
    """V7: between dtypes of one size."""
    # error: cannot bitcast float32 (32 bits) to int16 (16 bits): widths differ
    a = tl.load(X).to(tl.int16, bitcast=True)


#: X=fp32[1.5,2.5] P=i64[0] Z->fp32[2.5] Y->i32[0x40200000]
@triton.jit
def pointers(X, P, Z, Y):
    """V8: A pointer converts to `int64`, its address, and back; pointers convert to pointers to other types."""
    address = X.to(tl.int64)
    tl.static_assert(address.dtype == tl.int64)
    second = (address + 4).to(tl.pointer_type(tl.float32))
    tl.store(Z, tl.load(second))
    words = X.to(tl.pointer_type(tl.int32))
    tl.store(Y, tl.load(words + 1))

# 8-bit floats: every code, and conversions into each format.
import triton
import triton.language as tl


#: X=u8[256]:arange A=f32[256]:zeros B=f32[256]:zeros C=f32[256]:zeros D=f32[256]:zeros E=f32[256]:zeros
#: X=u8[256]:arange A=f16[256]:zeros B=f16[256]:zeros C=f16[256]:zeros D=f16[256]:zeros E=f16[256]:zeros --num-warps 1
#: X=u8[256]:arange A=f64[256]:zeros B=f64[256]:zeros C=f64[256]:zeros D=f64[256]:zeros E=f64[256]:zeros
@triton.jit
def decode(X, A, B, C, D, E):
    i = tl.arange(0, 256)
    x = tl.load(X + i)
    t: tl.constexpr = A.dtype.element_ty
    tl.store(A + i, x.to(tl.float8e4b8, bitcast=True).to(t))
    tl.store(B + i, x.to(tl.float8e5b16, bitcast=True).to(t))
    tl.store(C + i, x.to(tl.float8e4b15, bitcast=True).to(t))
    tl.store(D + i, x.to(tl.float8e4nv, bitcast=True).to(t))
    tl.store(E + i, x.to(tl.float8e5, bitcast=True).to(t))


#: X=f32[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros E=f8e5[1024]:zeros s=100.5
#: X=f32[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros E=f8e5[1024]:zeros s=0.0009765625
#: X=f32[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros E=f8e5[1024]:zeros s=1.5 --num-warps 1
#: X=f64[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros E=f8e5[1024]:zeros s=0.5
#: X=f16[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros E=f8e5[1024]:zeros s=0.015625
@triton.jit
def encode(X, A, B, C, D, E, s):
    i = tl.arange(0, 1024)
    x = (tl.load(X + i) * s).to(X.dtype.element_ty)
    tl.store(A + i, x.to(tl.float8e4b8))
    tl.store(B + i, x.to(tl.float8e5b16))
    tl.store(C + i, x.to(tl.float8e4b15))
    tl.store(D + i, x.to(tl.float8e4nv))
    tl.store(E + i, x.to(tl.float8e5))


#: X=u32[2048]:randint(0,4294967295,1) A=u8[2048]:zeros B=u8[2048]:zeros C=u8[2048]:zeros D=u8[2048]:zeros
#: X=u16[2048]:randint(0,65535,1) A=u8[2048]:zeros B=u8[2048]:zeros C=u8[2048]:zeros D=u8[2048]:zeros
@triton.jit
def round_any_bits(X, A, B, C, D):
    """Infinities, overflow and subnormal numbers among them; codes are compared."""
    i = tl.arange(0, 2048)
    bits = tl.load(X + i)
    if X.dtype.element_ty == tl.uint32:
        # Half of them near the formats' ranges.
        near = (bits & 0x8FFFFFFF) | 0x38000000
        bits = tl.where(i % 2 == 0, bits, near)
        x = tl.where(i % 64 == 0, 0x7F800000, bits).to(tl.float32, bitcast=True)
    else:
        x = tl.where(i % 64 == 0, 0x7C00, bits).to(tl.uint16).to(tl.float16, bitcast=True)
    isnan = x != x
    tl.store(A + i, tl.where(isnan, 0, x.to(tl.float8e4nv).to(tl.uint8, bitcast=True)))
    tl.store(B + i, tl.where(isnan, 0, x.to(tl.float8e5).to(tl.uint8, bitcast=True)))
    tl.store(C + i, tl.where(isnan, 0, x.to(tl.float8e4nv, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True)))
    tl.store(D + i, tl.where(isnan, 0, x.to(tl.float8e5, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True)))
    # A NaN stays one.
    e = x.to(tl.float8e4nv).to(tl.float32)
    f = x.to(tl.float8e5, fp_downcast_rounding="rtz").to(tl.float32)
    tl.device_assert(tl.max(((e != e) != isnan).to(tl.int32) + ((f != f) != isnan).to(tl.int32), 0) == 0)


#: X=f8e4b8[256]:randn(1) Y=f8e4b8[256]:randn(2) Z=f8e4b8[256]:zeros
#: X=f8e4b15[256]:randn(1) Y=f8e4b15[256]:randn(2) Z=f8e4b15[256]:zeros
#: X=f8e5[256]:randn(1) Y=f8e5[256]:randn(2) Z=f8e5[256]:zeros --num-warps 1
@triton.jit
def choose(X, Y, Z):
    i = tl.arange(0, 256)
    tl.store(Z + i, tl.where(i % 3 == 0, tl.load(X + i), tl.load(Y + i)))


#: A=fp8e5[64]:zeros B=fp8e4b8[64]:zeros n=5 --grid 2
@triton.jit
def float8_scalars(A, B, n):
    # Constants and choices of single 8-bit floats.
    p = tl.program_id(0) * 32
    one = tl.full([], 1, tl.float32).to(tl.float8e5)
    half = tl.full([], 0.5, tl.float32).to(tl.float8e5)
    tl.store(A + p + tl.arange(0, 2), tl.join(one, half))
    three = tl.full([], 3, tl.float32).to(tl.float8e4b8)
    tl.store(B + p, three if n > 4 + tl.program_id(0) else (three.to(tl.float32) + n).to(tl.float8e4b8))


@triton.jit
def largest_or_one(a, b):
    larger = tl.where(a > b, a, b)
    return tl.where(larger > tl.full([], 1.0, tl.float8e5), larger, tl.full([], 1.0, tl.float8e5))


@triton.jit
def two_if_larger(a):
    r = a
    if a > tl.full([], 1.0, tl.float8e5):
        r = tl.full([], 2.0, tl.float8e5)
    return r


#: X=f8e5[256]:randn(1) A=f8e5[256]:zeros B=f8e5[256]:zeros C=f8e5[256]:zeros
#: X=f8e5[256]:randn(1) A=f8e5[256]:zeros B=f8e5[256]:zeros C=f8e5[256]:zeros --num-warps 1
@triton.jit
def constants_in_regions(X, A, B, C):
    i = tl.arange(0, 256)
    x = tl.load(X + i)
    tl.store(A + i, tl.reduce(x, 0, largest_or_one))
    tl.store(B + i, tl.associative_scan(x, 0, largest_or_one))
    tl.store(C + i, tl.map_elementwise(two_if_larger, x))

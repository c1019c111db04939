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


#: X=f32[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros s=100.5
#: X=f32[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros s=0.0009765625
#: X=f32[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros s=1.5 --num-warps 1
#: X=f64[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros s=0.5
#: X=f16[1024]:randn(1) A=f8e4b8[1024]:zeros B=f8e5b16[1024]:zeros C=f8e4b15[1024]:zeros D=f8e4nv[1024]:zeros s=0.015625
@triton.jit
def encode(X, A, B, C, D, s):
    i = tl.arange(0, 1024)
    x = (tl.load(X + i) * s).to(X.dtype.element_ty)
    tl.store(A + i, x.to(tl.float8e4b8))
    tl.store(B + i, x.to(tl.float8e5b16))
    tl.store(C + i, x.to(tl.float8e4b15))
    tl.store(D + i, x.to(tl.float8e4nv))


#: X=f8e4b8[256]:randn(1) Y=f8e4b8[256]:randn(2) Z=f8e4b8[256]:zeros
#: X=f8e4b15[256]:randn(1) Y=f8e4b15[256]:randn(2) Z=f8e4b15[256]:zeros
#: X=f8e5[256]:randn(1) Y=f8e5[256]:randn(2) Z=f8e5[256]:zeros --num-warps 1
@triton.jit
def choose(X, Y, Z):
    i = tl.arange(0, 256)
    tl.store(Z + i, tl.where(i % 3 == 0, tl.load(X + i), tl.load(Y + i)))

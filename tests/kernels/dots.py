# Products: every operand type, precision and order of operands, fragments that are larger than the block, batches, loops,
# branches, accumulators that are not zero. Operands are small integers, so that every precision is exact.
import triton
import triton.language as tl


@triton.jit
def multiply(x, y, acc, P: tl.constexpr, OUT: tl.constexpr):
    if P == 0:
        return tl.dot(x, y, acc, input_precision="ieee", out_dtype=OUT)
    elif P == 1:
        return tl.dot(x, y, acc, allow_tf32=True, out_dtype=OUT)
    elif P == 2:
        return tl.dot(x, y, acc, input_precision="tf32x3", out_dtype=OUT)
    elif P == 3:
        return tl.dot(x, y, acc, input_precision="bf16x3", out_dtype=OUT)
    else:
        return tl.dot(x, y, acc, input_precision="bf16x6", out_dtype=OUT)


#: A=f16[1024]:randint(-4,5,1) B=f16[512]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=32 TA=0 TB=0 P=0 OUT=fp32
#: A=f16[16]:randint(-4,5,1) B=f16[64]:randint(-4,5,2) C=f32[4]:randint(-4,5,3) D=f32[4]:zeros M=1 N=4 K=16 TA=0 TB=0 P=0 OUT=fp32 --num-warps 2
#: A=f16[256]:randint(-4,5,1) B=f16[1024]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=16 N=64 K=16 TA=1 TB=0 P=0 OUT=fp32 --num-warps 8
#: A=f16[4096]:randint(-4,5,1) B=f16[512]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=64 N=8 K=64 TA=0 TB=1 P=0 OUT=fp32 --num-warps 2
#: A=f16[1024]:randint(-4,5,1) B=f16[1024]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=32 N=32 K=32 TA=2 TB=2 P=0 OUT=fp32
#: A=f16[1024]:randint(-4,5,1) B=f16[512]:randint(-4,5,2) C=f16[512]:randint(-4,5,3) D=f16[512]:zeros M=32 N=16 K=32 TA=0 TB=0 P=0 OUT=fp16
#: A=f16[16]:randint(-4,5,1) B=f16[64]:randint(-4,5,2) C=f16[4]:randint(-4,5,3) D=f16[4]:zeros M=1 N=4 K=16 TA=0 TB=0 P=0 OUT=fp16 --num-warps 2
#: A=f16[256]:randint(-4,5,1) B=f16[1024]:randint(-4,5,2) C=f16[1024]:randint(-4,5,3) D=f16[1024]:zeros M=16 N=64 K=16 TA=1 TB=0 P=0 OUT=fp16 --num-warps 8
#: A=f16[4096]:randint(-4,5,1) B=f16[512]:randint(-4,5,2) C=f16[512]:randint(-4,5,3) D=f16[512]:zeros M=64 N=8 K=64 TA=0 TB=1 P=0 OUT=fp16 --num-warps 2
#: A=f16[1024]:randint(-4,5,1) B=f16[1024]:randint(-4,5,2) C=f16[1024]:randint(-4,5,3) D=f16[1024]:zeros M=32 N=32 K=32 TA=2 TB=2 P=0 OUT=fp16
#: A=bf16[1024]:randint(-4,5,1) B=bf16[512]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=32 TA=0 TB=0 P=0 OUT=fp32
#: A=bf16[16]:randint(-4,5,1) B=bf16[64]:randint(-4,5,2) C=f32[4]:randint(-4,5,3) D=f32[4]:zeros M=1 N=4 K=16 TA=0 TB=0 P=0 OUT=fp32 --num-warps 2
#: A=bf16[256]:randint(-4,5,1) B=bf16[1024]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=16 N=64 K=16 TA=1 TB=0 P=0 OUT=fp32 --num-warps 8
#: A=bf16[4096]:randint(-4,5,1) B=bf16[512]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=64 N=8 K=64 TA=0 TB=1 P=0 OUT=fp32 --num-warps 2
#: A=bf16[1024]:randint(-4,5,1) B=bf16[1024]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=32 N=32 K=32 TA=2 TB=2 P=0 OUT=fp32
#: A=i8[2048]:randint(-4,5,1) B=i8[1024]:randint(-4,5,2) C=i32[512]:randint(-4,5,3) D=i32[512]:zeros M=32 N=16 K=64 TA=0 TB=0 P=0 OUT=int32
#: A=i8[32]:randint(-4,5,1) B=i8[128]:randint(-4,5,2) C=i32[4]:randint(-4,5,3) D=i32[4]:zeros M=1 N=4 K=32 TA=0 TB=0 P=0 OUT=int32 --num-warps 2
#: A=i8[512]:randint(-4,5,1) B=i8[2048]:randint(-4,5,2) C=i32[1024]:randint(-4,5,3) D=i32[1024]:zeros M=16 N=64 K=32 TA=1 TB=0 P=0 OUT=int32 --num-warps 8
#: A=i8[8192]:randint(-4,5,1) B=i8[1024]:randint(-4,5,2) C=i32[512]:randint(-4,5,3) D=i32[512]:zeros M=64 N=8 K=128 TA=0 TB=1 P=0 OUT=int32 --num-warps 2
#: A=i8[2048]:randint(-4,5,1) B=i8[2048]:randint(-4,5,2) C=i32[1024]:randint(-4,5,3) D=i32[1024]:zeros M=32 N=32 K=64 TA=2 TB=2 P=0 OUT=int32
#: A=f8e4nv[2048]:randint(-4,5,1) B=f8e5[1024]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=64 TA=0 TB=0 P=0 OUT=fp32
#: A=f8e4nv[32]:randint(-4,5,1) B=f8e5[128]:randint(-4,5,2) C=f32[4]:randint(-4,5,3) D=f32[4]:zeros M=1 N=4 K=32 TA=0 TB=0 P=0 OUT=fp32 --num-warps 2
#: A=f8e4nv[512]:randint(-4,5,1) B=f8e5[2048]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=16 N=64 K=32 TA=1 TB=0 P=0 OUT=fp32 --num-warps 8
#: A=f8e4nv[8192]:randint(-4,5,1) B=f8e5[1024]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=64 N=8 K=128 TA=0 TB=1 P=0 OUT=fp32 --num-warps 2
#: A=f8e4nv[2048]:randint(-4,5,1) B=f8e5[2048]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=32 N=32 K=64 TA=2 TB=2 P=0 OUT=fp32
#: A=f8e5[2048]:randint(-4,5,1) B=f8e5[1024]:randint(-4,5,2) C=f16[512]:randint(-4,5,3) D=f16[512]:zeros M=32 N=16 K=64 TA=0 TB=0 P=0 OUT=fp16
#: A=f8e5[32]:randint(-4,5,1) B=f8e5[128]:randint(-4,5,2) C=f16[4]:randint(-4,5,3) D=f16[4]:zeros M=1 N=4 K=32 TA=0 TB=0 P=0 OUT=fp16 --num-warps 2
#: A=f8e5[512]:randint(-4,5,1) B=f8e5[2048]:randint(-4,5,2) C=f16[1024]:randint(-4,5,3) D=f16[1024]:zeros M=16 N=64 K=32 TA=1 TB=0 P=0 OUT=fp16 --num-warps 8
#: A=f8e5[8192]:randint(-4,5,1) B=f8e5[1024]:randint(-4,5,2) C=f16[512]:randint(-4,5,3) D=f16[512]:zeros M=64 N=8 K=128 TA=0 TB=1 P=0 OUT=fp16 --num-warps 2
#: A=f8e5[2048]:randint(-4,5,1) B=f8e5[2048]:randint(-4,5,2) C=f16[1024]:randint(-4,5,3) D=f16[1024]:zeros M=32 N=32 K=64 TA=2 TB=2 P=0 OUT=fp16
#: A=f64[256]:randint(-4,5,1) B=f64[128]:randint(-4,5,2) C=f64[512]:randint(-4,5,3) D=f64[512]:zeros M=32 N=16 K=8 TA=0 TB=0 P=0 OUT=fp64
#: A=f64[4]:randint(-4,5,1) B=f64[16]:randint(-4,5,2) C=f64[4]:randint(-4,5,3) D=f64[4]:zeros M=1 N=4 K=4 TA=0 TB=0 P=0 OUT=fp64 --num-warps 2
#: A=f64[64]:randint(-4,5,1) B=f64[256]:randint(-4,5,2) C=f64[1024]:randint(-4,5,3) D=f64[1024]:zeros M=16 N=64 K=4 TA=1 TB=0 P=0 OUT=fp64 --num-warps 8
#: A=f64[1024]:randint(-4,5,1) B=f64[128]:randint(-4,5,2) C=f64[512]:randint(-4,5,3) D=f64[512]:zeros M=64 N=8 K=16 TA=0 TB=1 P=0 OUT=fp64 --num-warps 2
#: A=f64[256]:randint(-4,5,1) B=f64[256]:randint(-4,5,2) C=f64[1024]:randint(-4,5,3) D=f64[1024]:zeros M=32 N=32 K=8 TA=2 TB=2 P=0 OUT=fp64
#: A=f32[512]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=16 TA=0 TB=0 P=0 OUT=fp32
#: A=f32[8]:randint(-4,5,1) B=f32[32]:randint(-4,5,2) C=f32[4]:randint(-4,5,3) D=f32[4]:zeros M=1 N=4 K=8 TA=0 TB=0 P=0 OUT=fp32 --num-warps 2
#: A=f32[128]:randint(-4,5,1) B=f32[512]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=16 N=64 K=8 TA=1 TB=0 P=0 OUT=fp32 --num-warps 8
#: A=f32[2048]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=64 N=8 K=32 TA=0 TB=1 P=0 OUT=fp32 --num-warps 2
#: A=f32[512]:randint(-4,5,1) B=f32[512]:randint(-4,5,2) C=f32[1024]:randint(-4,5,3) D=f32[1024]:zeros M=32 N=32 K=16 TA=2 TB=2 P=0 OUT=fp32
#: A=f32[512]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=16 TA=0 TB=0 P=1 OUT=fp32
#: A=f32[1024]:randint(-4,5,1) B=f32[2048]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=16 N=32 K=64 TA=1 TB=1 P=1 OUT=fp32 --num-warps 2
#: A=f32[512]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=16 TA=0 TB=0 P=2 OUT=fp32
#: A=f32[1024]:randint(-4,5,1) B=f32[2048]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=16 N=32 K=64 TA=1 TB=1 P=2 OUT=fp32 --num-warps 2
#: A=f32[512]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=16 TA=0 TB=0 P=3 OUT=fp32
#: A=f32[1024]:randint(-4,5,1) B=f32[2048]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=16 N=32 K=64 TA=1 TB=1 P=3 OUT=fp32 --num-warps 2
#: A=f32[512]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=32 N=16 K=16 TA=0 TB=0 P=4 OUT=fp32
#: A=f32[1024]:randint(-4,5,1) B=f32[2048]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros M=16 N=32 K=64 TA=1 TB=1 P=4 OUT=fp32 --num-warps 2
#: A=f16[256]:randint(-4,5,1) B=f16[256]:randint(-4,5,2) C=f32[256]:randint(-4,5,3) D=f32[256]:zeros M=16 N=16 K=16 TA=0 TB=0 P=0 OUT=fp32 --num-warps 32
#: A=f16[4096]:randint(-4,5,1) B=f16[2048]:randint(-4,5,2) C=f32[8192]:randint(-4,5,3) D=f32[8192]:zeros M=128 N=64 K=32 TA=0 TB=0 P=0 OUT=fp32 --num-warps 1
#: A=f32[4096]:randint(-4,5,1) B=f32[2048]:randint(-4,5,2) C=f32[8192]:randint(-4,5,3) D=f32[8192]:zeros M=128 N=64 K=32 TA=0 TB=0 P=0 OUT=fp32
#: A=f32[512]:randint(-4,5,1) B=f32[8192]:randint(-4,5,2) C=f32[256]:randint(-4,5,3) D=f32[256]:zeros M=4 N=64 K=128 TA=1 TB=0 P=0 OUT=fp32 --num-warps 1
@triton.jit
def one(A, B, C, D, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TA: tl.constexpr, TB: tl.constexpr, P: tl.constexpr,
        OUT: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    if TA == 1:
        x = tl.trans(tl.load(A + k[:, None] * M + m[None, :]))
    elif TA == 2:
        x = tl.load(A + k[None, :] * M + m[:, None])
    else:
        x = tl.load(A + m[:, None] * K + k[None, :])
    if TB == 1:
        y = tl.trans(tl.load(B + n[:, None] * K + k[None, :]))
    elif TB == 2:
        y = tl.load(B + n[None, :] * K + k[:, None])
    else:
        y = tl.load(B + k[:, None] * N + n[None, :])
    acc = tl.load(C + m[:, None] * N + n[None, :])
    tl.store(D + m[:, None] * N + n[None, :], multiply(x, y, acc, P, OUT))


# Narrow operands with scales, in several steps along k; formats by their bits of exponent and fraction.
#: X=u8[64,128]:randint(0,256,1) SX=u8[64,8]:randint(124,131,3) Y=u8[128,32]:randint(0,256,2) SY=u8[32,8]:randint(124,131,4) Z=f32[64,32]:zeros M=64 N=32 K=256 F=21 G=21
#: X=u8[32,256]:randint(0,72,1) SX=u8[32,8]:randint(126,129,3) Y=u8[128,64]:randint(0,256,2) SY=u8[64,8]:randint(126,129,4) Z=f32[32,64]:zeros M=32 N=64 K=256 F=43 G=21
#: X=u8[16,32]:randint(0,100,1) SX=u8[16,1]:randint(124,131,3) Y=u8[32,16]:randint(0,100,2) SY=u8[16,1]:randint(124,131,4) Z=f32[16,16]:zeros M=16 N=16 K=32 F=52 G=43 --num-warps 1
#: X=u8[16,128]:randint(0,100,1) SX=u8[16,4]:randint(124,131,3) Y=u8[128,128]:randint(0,100,2) SY=u8[128,4]:randint(124,131,4) Z=f32[16,128]:zeros M=16 N=128 K=128 F=43 G=43
@triton.jit
def scaled(X, SX, Y, SY, Z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, F: tl.constexpr, G: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)
    KX: tl.constexpr = K // 2 if F == 21 else K
    KY: tl.constexpr = K // 2 if G == 21 else K
    f: tl.constexpr = "e2m1" if F == 21 else ("e4m3" if F == 43 else "e5m2")
    g: tl.constexpr = "e2m1" if G == 21 else ("e4m3" if G == 43 else "e5m2")
    s = tl.arange(0, K // 32)[None, :]
    x = tl.load(X + m * KX + tl.arange(0, KX)[None, :])
    y = tl.load(Y + tl.arange(0, KY)[:, None] * N + n[None, :])
    sx = tl.load(SX + m * (K // 32) + s)
    sy = tl.load(SY + n[:, None] * (K // 32) + s)
    tl.store(Z + m * N + n[None, :], tl.dot_scaled(x, sx, f, y, sy, g))


#: A=f16[2048]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) C=f32[2048]:randint(-4,5,3) D=f32[2048]:zeros NB=4 M=16 N=32 K=32 P=0 OUT=fp32
#: A=f32[512]:randint(-4,5,1) B=f32[512]:randint(-4,5,2) C=f32[512]:randint(-4,5,3) D=f32[512]:zeros NB=2 M=16 N=16 K=16 P=0 OUT=fp32
#: A=f32[128]:randint(-4,5,1) B=f32[256]:randint(-4,5,2) C=f32[64]:randint(-4,5,3) D=f32[64]:zeros NB=8 M=2 N=4 K=8 P=2 OUT=fp32 --num-warps 2
#: A=i8[4096]:randint(-4,5,1) B=i8[2048]:randint(-4,5,2) C=i32[1024]:randint(-4,5,3) D=i32[1024]:zeros NB=2 M=32 N=16 K=64 P=0 OUT=int32 --num-warps 8
#: A=f16[256]:randint(-4,5,1) B=f16[256]:randint(-4,5,2) C=f32[256]:randint(-4,5,3) D=f32[256]:zeros NB=1 M=16 N=16 K=16 P=0 OUT=fp32 --num-warps 1
@triton.jit
def batched(A, B, C, D, NB: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr, OUT: tl.constexpr):
    b = tl.arange(0, NB)[:, None, None]
    m = tl.arange(0, M)[None, :, None]
    n = tl.arange(0, N)[None, None, :]
    x = tl.load(A + b * M * K + m * K + tl.arange(0, K)[None, None, :])
    y = tl.load(B + b * K * N + tl.arange(0, K)[None, :, None] * N + n)
    acc = tl.load(C + b * M * N + m * N + n)
    tl.store(D + b * M * N + m * N + n, multiply(x, y, acc, P, OUT))


#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=0 OUT=fp32
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=0 OUT=fp32 --num-warps 2
#: A=f16[2871]:randint(-4,5,1) B=f16[3168]:randint(-4,5,2) D=f32[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=0 OUT=fp32
#: A=f32[4096]:randint(-4,5,1) B=f32[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=0 OUT=fp32
#: A=f32[4096]:randint(-4,5,1) B=f32[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=0 OUT=fp32 --num-warps 2
#: A=f32[2871]:randint(-4,5,1) B=f32[3168]:randint(-4,5,2) D=f32[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=0 OUT=fp32
#: A=f32[4096]:randint(-4,5,1) B=f32[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=1 OUT=fp32
#: A=f32[4096]:randint(-4,5,1) B=f32[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=1 OUT=fp32 --num-warps 2
#: A=f32[2871]:randint(-4,5,1) B=f32[3168]:randint(-4,5,2) D=f32[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=1 OUT=fp32
#: A=f32[4096]:randint(-4,5,1) B=f32[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=2 OUT=fp32
#: A=f32[4096]:randint(-4,5,1) B=f32[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=2 OUT=fp32 --num-warps 2
#: A=f32[2871]:randint(-4,5,1) B=f32[3168]:randint(-4,5,2) D=f32[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=2 OUT=fp32
#: A=i8[4096]:randint(-4,5,1) B=i8[4096]:randint(-4,5,2) D=i32[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=0 OUT=int32
#: A=i8[4096]:randint(-4,5,1) B=i8[4096]:randint(-4,5,2) D=i32[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=0 OUT=int32 --num-warps 2
#: A=i8[2871]:randint(-4,5,1) B=i8[3168]:randint(-4,5,2) D=i32[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=0 OUT=int32
#: A=f8e4nv[4096]:randint(-4,5,1) B=f8e4nv[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=0 OUT=fp32
#: A=f8e4nv[4096]:randint(-4,5,1) B=f8e4nv[4096]:randint(-4,5,2) D=f32[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=0 OUT=fp32 --num-warps 2
#: A=f8e4nv[2871]:randint(-4,5,1) B=f8e4nv[3168]:randint(-4,5,2) D=f32[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=0 OUT=fp32
#: A=f64[4096]:randint(-4,5,1) B=f64[4096]:randint(-4,5,2) D=f64[1024]:zeros m=32 n=32 k=128 am=128 ak=1 bk=32 bn=1 BM=32 BN=32 BK=32 P=0 OUT=fp64
#: A=f64[4096]:randint(-4,5,1) B=f64[4096]:randint(-4,5,2) D=f64[1024]:zeros m=32 n=32 k=128 am=1 ak=32 bk=1 bn=128 BM=32 BN=32 BK=32 P=0 OUT=fp64 --num-warps 2
#: A=f64[2871]:randint(-4,5,1) B=f64[3168]:randint(-4,5,2) D=f64[928]:zeros m=29 n=32 k=99 am=99 ak=1 bk=1 bn=99 BM=32 BN=32 BK=32 P=0 OUT=fp64
@triton.jit
def loop(A, B, D, m, n, k, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, P: tl.constexpr, OUT: tl.constexpr):
    rm = tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = A + rm[:, None] * am + rk[None, :] * ak
    b = B + rk[:, None] * bk + rn[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=OUT)
    for i in range(0, tl.cdiv(k, BK)):
        x = tl.load(a, mask=(rm[:, None] < m) & (rk[None, :] < k - i * BK), other=0)
        y = tl.load(b, mask=(rk[:, None] < k - i * BK) & (rn[None, :] < n), other=0)
        acc = multiply(x, y, acc, P, OUT)
        a += BK * ak
        b += BK * bk
    tl.store(D + rm[:, None] * n + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))


#: A=f32[1024]:randint(-4,5,1) B=f32[1024]:randint(-4,5,2) D=f32[1024]:zeros flag=5
#: A=f32[1024]:randint(-4,5,1) B=f32[1024]:randint(-4,5,2) D=f32[1024]:zeros flag=0 --num-warps 2
@triton.jit
def computed_in_a_branch(A, B, D, flag):
    r = tl.arange(0, 32)
    x = tl.load(A + r[:, None] * 32 + r[None, :])
    y = tl.load(B + r[:, None] * 32 + r[None, :])
    x = (x * 2 + 1).to(tl.float16)
    y = tl.where(r[:, None] % 2 == 0, y, -y).to(tl.float16)
    d = tl.full((32, 32), 3.0, dtype=tl.float32)
    if flag > 1:
        d = tl.dot(x, y, d)
    else:
        d += 1.0
    tl.store(D + r[:, None] * 32 + r[None, :], d)


#: Q=f16[512]:randint(-1,2,1) K=f16[1024]:randint(-1,2,2) V=f16[1024]:randint(-1,2,3) D=f32[512]:zeros
#: Q=f32[512]:randint(-1,2,1) K=f32[1024]:randint(-1,2,2) V=f32[1024]:randint(-1,2,3) D=f32[512]:zeros --num-warps 2
#: Q=f8e5[512]:randint(-1,2,1) K=f8e5[1024]:randint(-1,2,2) V=f8e5[1024]:randint(-1,2,3) D=f32[512]:zeros --num-warps 1
@triton.jit
def chained(Q, K, V, D):
    m = tl.arange(0, 16)
    n = tl.arange(0, 32)
    x = tl.load(Q + m[:, None] * 32 + n[None, :])
    acc = tl.zeros((16, 32), dtype=tl.float32)
    for i in range(1):
        y = tl.load(K + n[:, None] * 32 + n[None, :])
        z = tl.load(V + n[:, None] * 32 + n[None, :])
        s = tl.dot(x, tl.trans(y))
        acc = tl.dot((tl.minimum(s, 4.0) * 0.5).to(z.dtype), z, acc)
    tl.store(D + m[:, None] * 32 + n[None, :], acc)


# Splitting an infinite operand into parts must leave the result infinite.
#: A=f32[256]:randint(-4,5,1) B=f32[256]:randint(1,5,2) D=f32[256]:zeros P=2
#: A=f32[256]:randint(-4,5,1) B=f32[256]:randint(1,5,2) D=f32[256]:zeros P=3
#: A=f32[256]:randint(-4,5,1) B=f32[256]:randint(1,5,2) D=f32[256]:zeros P=4
@triton.jit
def infinite(A, B, D, P: tl.constexpr):
    r = tl.arange(0, 16)
    x = tl.load(A + r[:, None] * 16 + r[None, :])
    x = tl.where((r[:, None] == 3) & (r[None, :] == 5), float("inf"), x)
    y = tl.load(B + r[:, None] * 16 + r[None, :])
    acc = tl.zeros((16, 16), dtype=tl.float32)
    tl.store(D + r[:, None] * 16 + r[None, :], multiply(x, y, acc, P, tl.float32))


# 8-bit products whose sums may be imprecise for some, all, or none of them.
#: A=f8e4nv[2048]:randint(-4,5,1) B=f8e4nv[1024]:randint(-4,5,2) D=f32[512]:zeros LIMIT=0
#: A=f8e4nv[2048]:randint(-4,5,1) B=f8e4nv[1024]:randint(-4,5,2) D=f32[512]:zeros LIMIT=64
@triton.jit
def imprecise(A, B, D, LIMIT: tl.constexpr):
    m = tl.arange(0, 16)
    k = tl.arange(0, 128)
    n = tl.arange(0, 8)
    x = tl.load(A + m[:, None] * 128 + k[None, :])
    y = tl.load(B + k[:, None] * 8 + n[None, :])
    tl.store(D + m[:, None] * 8 + n[None, :], tl.dot(x, y, max_num_imprecise_acc=LIMIT))

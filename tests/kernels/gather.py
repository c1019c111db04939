# Access by position, counting, and functions of single elements.
import triton
import triton.language as tl


#: X=f32[64]:randn(1) I=i32[128]:randint(0,64,2) Z=f32[128]:zeros M=64 N=128
#: X=f32[16]:randn(1) I=i32[16]:randint(0,16,2) Z=f32[16]:zeros M=16 N=16 --num-warps 1
#: X=i8[512]:randint(-99,99,1) I=i64[32]:randint(0,512,2) Z=i8[32]:zeros M=512 N=32
#: X=f16[32]:randn(1) I=i8[256]:randint(0,32,2) Z=f16[256]:zeros M=32 N=256 --num-warps 8
#: X=f64[1]:randn(1) I=i32[8]:randint(0,1,2) Z=f64[8]:zeros M=1 N=8
#: X=i1[32]:randint(0,2,1) I=i16[64]:randint(0,32,2) Z=i1[64]:zeros M=32 N=64 --num-warps 2
#: X=i64[2048]:randint(-99,99,1) I=i32[1024]:randint(0,2048,2) Z=i64[1024]:zeros M=2048 N=1024
@triton.jit
def gather(X, I, Z, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(X + tl.arange(0, M))
    i = tl.arange(0, N)
    tl.store(Z + i, tl.gather(x, tl.load(I + i), 0))


#: X=f32[16,32]:randn(1) I=i32[16,8]:randint(0,32,2) Z=f32[16,8]:zeros M=16 N=32 K=8
#: X=f32[64,32]:randn(1) I=i32[64,32]:randint(0,32,2) Z=f32[64,32]:zeros M=64 N=32 K=32 --num-warps 1
#: X=f16[128,4]:randn(1) I=i32[128,16]:randint(0,4,2) Z=f16[128,16]:zeros M=128 N=4 K=16
#: X=i64[4,128]:randint(-99,99,1) I=i32[4,64]:randint(0,128,2) Z=i64[4,64]:zeros M=4 N=128 K=64
#: X=f32[32,2]:randn(1) I=i32[32,2]:randint(0,2,2) Z=f32[32,2]:zeros M=32 N=2 K=2
@triton.jit
def gather_rows(X, I, Z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    x = tl.load(X + r * N + tl.arange(0, N)[None, :])
    k = tl.arange(0, K)[None, :]
    tl.store(Z + r * K + k, tl.gather(x, tl.load(I + r * K + k), 1))


#: X=f32[32,16]:randn(1) I=i32[8,16]:randint(0,32,2) Z=f32[8,16]:zeros M=32 N=16 K=8
#: X=f32[8,64]:randn(1) I=i32[32,64]:randint(0,8,2) Z=f32[32,64]:zeros M=8 N=64 K=32 --num-warps 1
#: X=bf16[4,32]:randn(1) I=i32[4,32]:randint(0,4,2) Z=bf16[4,32]:zeros M=4 N=32 K=4
@triton.jit
def gather_columns(X, I, Z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    c = tl.arange(0, N)[None, :]
    x = tl.load(X + tl.arange(0, M)[:, None] * N + c)
    k = tl.arange(0, K)[:, None]
    tl.store(Z + k * N + c, tl.gather(x, tl.load(I + k * N + c), 0))


#: X=f32[4,8,16]:randn(1) I=i32[4,2,16]:randint(0,8,2) Z=f32[4,2,16]:zeros
#: X=f16[4,8,16]:randn(1) I=i32[4,2,16]:randint(0,8,2) Z=f16[4,2,16]:zeros --num-warps 1
@triton.jit
def gather3(X, I, Z):
    a = tl.arange(0, 4)[:, None, None]
    c = tl.arange(0, 16)[None, None, :]
    x = tl.load(X + a * 128 + tl.arange(0, 8)[None, :, None] * 16 + c)
    i = a * 32 + tl.arange(0, 2)[None, :, None] * 16 + c
    tl.store(Z + i, tl.gather(x, tl.load(I + i), 1))


#: X=i32[256]:randint(-4,20,1) Z=i32[16]:zeros n=200 N=256 B=16
#: X=i32[1024]:randint(0,1000,1) Z=i32[1024]:zeros n=1024 N=1024 B=1024 --num-warps 8
#: X=i8[64]:randint(0,4,1) Z=i32[4]:zeros n=50 N=64 B=4 --num-warps 1
#: X=u8[128]:randint(0,256,1) Z=i32[256]:zeros n=128 N=128 B=256
#: X=i64[8]:randint(0,3,1) Z=i32[2]:zeros n=8 N=8 B=2
#: X=i16[32]:randint(-1,1,1) Z=i32[1]:zeros n=32 N=32 B=1
@triton.jit
def histogram(X, Z, n, N: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, N)
    m = i < n
    h = tl.histogram(tl.load(X + i, m), B, mask=m)
    tl.store(Z + tl.arange(0, B), h)


#: X=i32[512]:randint(0,8,1) Z=i32[8]:zeros
#: X=i32[512]:randint(0,8,1) Z=i32[8]:zeros --num-warps 1
@triton.jit
def histograms(X, Z):
    i = tl.arange(0, 128)
    total = tl.zeros([8], tl.int32)
    for block in range(4):
        total += tl.histogram(tl.load(X + block * 128 + i), 8)
    tl.store(Z + tl.arange(0, 8), tl.cumsum(total, 0))


@triton.jit
def _root(x, y):
    # Newton's steps, as many as an element needs.
    r = x + 1.0
    if x > 0:
        for _ in range(y):
            r = 0.5 * (r + x / r)
    else:
        r = 0.0
    return r


#: X=f32[128]:randn(1) Y=i32[128]:randint(0,9,2) Z=f32[128]:zeros
#: X=f32[128]:randn(1) Y=i32[128]:randint(0,9,2) Z=f32[128]:zeros --num-warps 1
@triton.jit
def map_branches(X, Y, Z):
    i = tl.arange(0, 128)
    tl.store(Z + i, tl.map_elementwise(_root, tl.load(X + i), tl.load(Y + i)))


@triton.jit
def _both(x0, x1, y0, y1):
    return x0 + y0, x1 + y1, x0 * y0, x1 * y1


#: X=f32[64]:randn(1) Y=f32[64]:randn(2) U=f32[64]:zeros V=f32[64]:zeros
@triton.jit
def map_packed(X, Y, U, V):
    i = tl.arange(0, 64)
    u, v = tl.map_elementwise(_both, tl.load(X + i), tl.load(Y + i), pack=2)
    tl.store(U + i, u)
    tl.store(V + i, v)

# Shapes: broadcasting, transposition, reshaping, joining and splitting, in up to five dimensions.
import triton
import triton.language as tl


#: X=f32[1000]:randn(1) Y=f32[1000]:randn(2) Z=f32[1000]:zeros n=1000 N=256 --grid 4
#: X=f16[1000]:randn(1) Y=f16[1000]:randn(2) Z=f16[1000]:zeros n=1000 N=1024 --grid 1 --num-warps 8
#: X=i8[77]:randint(-100,100,1) Y=i8[77]:randint(-9,9,2) Z=i8[77]:zeros n=77 N=16 --grid 5 --num-warps 1
#: X=i64[300]:randint(-100,100,1) Y=i64[300]:randint(-9,9,2) Z=i64[300]:zeros n=300 N=512 --grid 1
#: X=f32[5]:randn(1) Y=f32[5]:randn(2) Z=f32[5]:zeros n=5 N=4 --grid 2 --num-warps 2
#: X=f64[64]:randn(1) Y=f64[64]:randn(2) Z=f64[64]:zeros n=64 N=1 --grid 64
#: X=bf16[4096]:randn(1) Y=bf16[4096]:randn(2) Z=bf16[4096]:zeros n=4096 N=4096 --grid 1 --num-warps 32
@triton.jit
def add(X, Y, Z, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = i < n
    tl.store(Z + i, tl.load(X + i, m) + tl.load(Y + i, m), m)


#: X=f32[64,32]:randn(1) Z=f32[32,64]:zeros M=64 N=32
#: X=f16[128,64]:randn(1) Z=f16[64,128]:zeros M=128 N=64 --num-warps 8
#: X=i8[32,32]:randint(-100,100,1) Z=i8[32,32]:zeros M=32 N=32 --num-warps 1
#: X=i64[16,8]:randint(-100,100,1) Z=i64[8,16]:zeros M=16 N=8
#: X=f32[4,2]:randn(1) Z=f32[2,4]:zeros M=4 N=2
#: X=f32[1,64]:randn(1) Z=f32[64,1]:zeros M=1 N=64
@triton.jit
def transpose(X, Z, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, N)[None, :]
    x = tl.load(X + r * N + c)
    tr = tl.arange(0, N)[:, None]
    tc = tl.arange(0, M)[None, :]
    tl.store(Z + tr * M + tc, tl.trans(x))


#: X=f32[4,8,16]:randn(1) Z=f32[16,4,8]:zeros A=4 B=8 C=16
#: X=f16[16,16,32]:randn(1) Z=f16[32,16,16]:zeros A=16 B=16 C=32
#: X=i16[2,4,2]:randint(-100,100,1) Z=i16[2,2,4]:zeros A=2 B=4 C=2 --num-warps 1
@triton.jit
def permute3(X, Z, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.permute(tl.load(X + a * B * C + b * C + c), (2, 0, 1))
    c = tl.arange(0, C)[:, None, None]
    a = tl.arange(0, A)[None, :, None]
    b = tl.arange(0, B)[None, None, :]
    tl.store(Z + c * A * B + a * B + b, x)


#: X=f32[4,2,8,16]:randn(1) Z=f32[16,2,4,8]:zeros A=4 B=2 C=8 D=16
#: X=i8[2,16,8,2]:randint(-100,100,1) Z=i8[2,16,2,8]:zeros A=2 B=16 C=8 D=2 --num-warps 2
@triton.jit
def permute4(X, Z, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, A * B * C * D)
    x = tl.permute(tl.reshape(tl.load(X + i), [A, B, C, D]), (3, 1, 0, 2))
    d = tl.arange(0, D)[:, None, None, None]
    b = tl.arange(0, B)[None, :, None, None]
    a = tl.arange(0, A)[None, None, :, None]
    c = tl.arange(0, C)[None, None, None, :]
    tl.store(Z + d * B * A * C + b * A * C + a * C + c, x)


#: X=f32[1024]:randn(1) Z=f32[1024]:zeros
#: X=f16[1024]:randn(1) Z=f16[1024]:zeros --num-warps 1
#: X=i8[1024]:randint(-100,100,1) Z=i8[1024]:zeros --num-warps 32
@triton.jit
def permute5(X, Z):
    i = tl.arange(0, 1024)
    x = tl.reshape(tl.load(X + i), [2, 4, 8, 4, 4])
    y = tl.reshape(tl.permute(x, (4, 2, 0, 3, 1)), [1024])
    tl.store(Z + i, y)


#: X=f32[64]:randn(1) Y=f32[32]:randn(2) Z=f32[64,32]:zeros M=64 N=32
#: X=f32[1]:randn(1) Y=f32[32]:randn(2) Z=f32[1,32]:zeros M=1 N=32 --num-warps 1
#: X=f32[256]:randn(1) Y=f32[1]:randn(2) Z=f32[256,1]:zeros M=256 N=1 --num-warps 8
@triton.jit
def outer(X, Y, Z, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    x = tl.load(X + r)[:, None]
    y = tl.load(Y + c)[None, :]
    tl.store(Z + r[:, None] * N + c[None, :], x * y + tl.broadcast_to(x, (M, N)))


#: X=f32[256]:randn(1) Y=f32[256]:randn(2) Z=f32[512]:zeros N=256
#: X=i16[64]:randint(0,99,1) Y=i16[64]:randint(0,99,2) Z=i16[128]:zeros N=64 --num-warps 1
#: X=f32[4]:randn(1) Y=f32[4]:randn(2) Z=f32[8]:zeros N=4
@triton.jit
def interleave(X, Y, Z, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.interleave(tl.load(X + i), tl.load(Y + i))
    tl.store(Z + tl.arange(0, 2 * N), x)


#: X=f32[256]:randn(1) Y=f32[128]:zeros Z=f32[128]:zeros N=256
#: X=i8[32]:randint(0,99,1) Y=i8[16]:zeros Z=i8[16]:zeros N=32 --num-warps 2
#: X=f16[2048]:randn(1) Y=f16[1024]:zeros Z=f16[1024]:zeros N=2048
@triton.jit
def halves(X, Y, Z, N: tl.constexpr):
    x = tl.load(X + tl.arange(0, N))
    low, high = tl.split(tl.reshape(x, [N // 2, 2]))
    i = tl.arange(0, N // 2)
    tl.store(Y + i, low)
    tl.store(Z + i, high)


#: X=f32[128]:randn(1) Y=f32[128]:randn(2) Z=f32[256]:zeros N=128
#: X=i8[8]:randint(0,99,1) Y=i8[8]:randint(0,99,2) Z=i8[16]:zeros N=8 --num-warps 1
#: X=f64[512]:randn(1) Y=f64[512]:randn(2) Z=f64[1024]:zeros N=512
@triton.jit
def concatenate(X, Y, Z, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(Z + tl.arange(0, 2 * N), tl.cat(tl.load(X + i), tl.load(Y + i), can_reorder=True))


#: X=f32[16,32]:randn(1) Z=f32[32,32]:zeros M=16 N=32
#: X=f16[2,64]:randn(1) Z=f16[4,64]:zeros M=2 N=64 --num-warps 1
@triton.jit
def concatenate_rows(X, Z, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, N)[None, :]
    x = tl.load(X + r * N + c)
    y = tl.cat(x, x * 2, dim=0)
    tl.store(Z + tl.arange(0, 2 * M)[:, None] * N + c, y)


#: X=f32[32,64]:randn(1) Z=f32[32,64]:zeros
#: X=f16[32,64]:randn(1) Z=f16[32,64]:zeros --num-warps 1
@triton.jit
def chain(X, Z):
    r = tl.arange(0, 32)[:, None]
    c = tl.arange(0, 64)[None, :]
    x = tl.load(X + r * 64 + c)
    y = tl.reshape(tl.trans(tl.reshape(x, [16, 128])), [64, 32])
    low, high = tl.split(tl.reshape(y, [64, 16, 2]))
    z = tl.join(high, low)
    z = tl.trans(tl.reshape(z, [64, 32]))
    tl.store(Z + r * 64 + c, z + x)


#: X=f32[128]:randn(1) Z=f32[128]:zeros N=128
#: X=i16[8]:randint(0,99,1) Z=i16[8]:zeros N=8 --num-warps 1
#: X=f16[1024]:randn(1) Z=f16[1024]:zeros N=1024
@triton.jit
def flip(X, Z, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(Z + i, tl.flip(tl.load(X + i)))


#: X=f32[16,32]:randn(1) Z=f32[16,32]:zeros
#: X=i8[16,32]:randint(0,99,1) Z=i8[16,32]:zeros --num-warps 1
@triton.jit
def flip_rows(X, Z):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(Z + i, tl.flip(tl.load(X + i), 0))


#: X=f32[4]:randn(1) Z=f32[4]:zeros s=2.5 n=3
@triton.jit
def scalars(X, Z, s, n):
    x = tl.load(X + 1)
    y = tl.load(X + n)
    tl.store(Z, x * s)
    tl.store(Z + 1, y + n)
    tl.store(Z + 2, tl.maximum(x, y))

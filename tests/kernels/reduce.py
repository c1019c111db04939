# Reductions and scans over every axis, with every kind of combination.
import triton
import triton.language as tl


#: X=f32[1024]:randn(1) Z=f32[4]:zeros N=1024
#: X=f32[16]:randn(1) Z=f32[4]:zeros N=16
#: X=f16[256]:randn(1) Z=f32[4]:zeros N=256 --num-warps 1
#: X=i32[4096]:randint(-50,50,1) Z=i32[4]:zeros N=4096 --num-warps 32
#: X=i8[64]:randint(-50,50,1) Z=i32[4]:zeros N=64 --num-warps 2
#: X=bf16[512]:randn(1) Z=f32[4]:zeros N=512
#: X=f64[128]:randn(1) Z=f64[4]:zeros N=128
#: X=u8[128]:randint(0,250,1) Z=i32[4]:zeros N=128
#: X=i64[2]:randint(-50,50,1) Z=i64[4]:zeros N=2
#: X=f32[1]:randn(1) Z=f32[4]:zeros N=1
@triton.jit
def reduce_all(X, Z, N: tl.constexpr):
    x = tl.load(X + tl.arange(0, N))
    tl.store(Z, tl.sum(x.to(Z.dtype.element_ty)))
    tl.store(Z + 1, tl.max(x).to(Z.dtype.element_ty))
    tl.store(Z + 2, tl.min(x).to(Z.dtype.element_ty))
    tl.store(Z + 3, tl.argmax(x, 0).to(Z.dtype.element_ty))


#: X=f32[32,64]:randn(1) Y=f32[32]:zeros Z=f32[64]:zeros M=32 N=64
#: X=f32[128,16]:randn(1) Y=f32[128]:zeros Z=f32[16]:zeros M=128 N=16 --num-warps 8
#: X=i32[4,4]:randint(-9,9,1) Y=i32[4]:zeros Z=i32[4]:zeros M=4 N=4 --num-warps 1
#: X=f32[1,256]:randn(1) Y=f32[1]:zeros Z=f32[256]:zeros M=1 N=256
#: X=f32[256,1]:randn(1) Y=f32[256]:zeros Z=f32[1]:zeros M=256 N=1
@triton.jit
def reduce_axes(X, Y, Z, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    x = tl.load(X + r[:, None] * N + c[None, :])
    tl.store(Y + r, tl.sum(x, 1))
    tl.store(Z + c, tl.max(x, 0))


# Loads before and after a store, along the axis other than the store's longest.
#: X=i32[32,32]:randint(-50,50,1) Y=i32[32]:zeros Z=i32[32]:zeros N=32
#: X=i32[32,32]:randint(-50,50,1) Y=i32[32]:zeros Z=i32[32]:zeros N=32 --num-warps 1
@triton.jit
def reduce_around_store(X, Y, Z, N: tl.constexpr):
    r = tl.arange(0, N)
    p = X + r[:, None] * N + r[None, :]
    x = tl.load(p)
    before = tl.sum(x, 1)
    tl.store(p, x * 3)
    tl.store(Y + r, before)
    x = tl.load(p)
    tl.store(p, x + 5)
    tl.store(Z + r, tl.sum(tl.load(p), 1))


# The sum waits for all of the loads, so that the stores may be anywhere.
#: X=i32[1024]:randint(-50,50,1) N=1024
#: X=i32[256]:randint(-50,50,1) N=256 --num-warps 1
@triton.jit
def turn_around_sum(X, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    tl.store(X + (N - 1 - i), x + tl.sum(x))


# Two stores of one element, by a scalar and by a tensor.
#: X=i32[1024]:randint(10,50,1) Y=i32[1024]:zeros N=1024
@triton.jit
def store_twice(X, Y, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    s = tl.sum(x)
    tl.store(Y, 7)
    tl.store(Y + i, x + s)


#: X=f32[8,16,32]:randn(1) U=f32[128]:zeros V=f32[256]:zeros W=f32[512]:zeros A=8 B=16 C=32
#: X=f32[4,2,4]:randn(1) U=f32[8]:zeros V=f32[16]:zeros W=f32[8]:zeros A=4 B=2 C=4 --num-warps 2
@triton.jit
def reduce3(X, U, V, W, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    x = tl.load(X + a[:, None, None] * B * C + b[None, :, None] * C + c[None, None, :])
    tl.store(U + a[:, None] * B + b[None, :], tl.sum(x, 2))
    tl.store(V + a[:, None] * C + c[None, :], tl.sum(x, 1))
    tl.store(W + b[:, None] * C + c[None, :], tl.sum(x, 0))


#: X=i32[16,64]:randint(0,4,1) Y=i32[16]:zeros Z=i32[16]:zeros
#: X=i32[16,64]:randint(0,4,1) Y=i32[16]:zeros Z=i32[16]:zeros --num-warps 1
#: X=f32[16,64]:randint(0,4,1) Y=i32[16]:zeros Z=i32[16]:zeros --num-warps 8
@triton.jit
def ties(X, Y, Z):
    r = tl.arange(0, 16)
    x = tl.load(X + r[:, None] * 64 + tl.arange(0, 64)[None, :])
    tl.store(Y + r, tl.argmax(x, 1))
    tl.store(Z + r, tl.argmin(x, 1, tie_break_left=True))


@triton.jit
def _compose(a1, b1, a2, b2):
    # x -> a2 * (a1 * x + b1) + b2: associative, not commutative.
    return a1 * a2, b1 * a2 + b2


#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[32]:zeros AXIS=1 K=16
#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[64]:zeros AXIS=0 K=32
#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[64]:zeros AXIS=0 K=32 --num-warps 1
@triton.jit
def reduce_tuple(X, Y, Z, AXIS: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a, b = tl.reduce((tl.load(X + i), tl.load(Y + i)), AXIS, _compose)
    k = tl.arange(0, K)
    tl.store(Z + k, a)
    tl.store(Z + K + k, b)


#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[512]:zeros AXIS=1 REVERSE=0
#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[512]:zeros AXIS=0 REVERSE=1
#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[512]:zeros AXIS=1 REVERSE=1 --num-warps 1
#: X=i32[16,32]:randint(-3,4,1) Y=i32[16,32]:randint(-3,4,2) Z=i32[512]:zeros AXIS=0 REVERSE=0 --num-warps 16
@triton.jit
def scan_tuple(X, Y, Z, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a, b = tl.associative_scan((tl.load(X + i), tl.load(Y + i)), AXIS, _compose, reverse=REVERSE)
    tl.store(Z + i, b)


#: X=f32[1024]:randn(1) Z=f32[1024]:zeros N=1024 REVERSE=0
#: X=i32[1024]:randint(-9,9,1) Z=i32[1024]:zeros N=1024 REVERSE=1
#: X=i8[64]:randint(-9,9,1) Z=i32[64]:zeros N=64 REVERSE=0 --num-warps 1
#: X=i64[16]:randint(-9,9,1) Z=i64[16]:zeros N=16 REVERSE=1
#: X=f16[256]:randn(1) Z=f32[256]:zeros N=256 REVERSE=0 --num-warps 8
#: X=i32[4096]:randint(-9,9,1) Z=i32[4096]:zeros N=4096 REVERSE=0 --num-warps 32
#: X=i32[1]:randint(-9,9,1) Z=i32[1]:zeros N=1 REVERSE=0
@triton.jit
def cumsum(X, Z, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(Z + i, tl.cumsum(tl.load(X + i).to(Z.dtype.element_ty), 0, reverse=REVERSE))


#: X=i32[8,16,32]:randint(-9,9,1) Z=i32[8,16,32]:zeros AXIS=0
#: X=i32[8,16,32]:randint(-9,9,1) Z=i32[8,16,32]:zeros AXIS=1
#: X=i32[8,16,32]:randint(-9,9,1) Z=i32[8,16,32]:zeros AXIS=2 --num-warps 2
@triton.jit
def cumsum3(X, Z, AXIS: tl.constexpr):
    a = tl.arange(0, 8)[:, None, None]
    b = tl.arange(0, 16)[None, :, None]
    c = tl.arange(0, 32)[None, None, :]
    i = a * 512 + b * 32 + c
    tl.store(Z + i, tl.cumsum(tl.load(X + i), AXIS))


#: X=f32[64,128]:randn(1) Z=f32[64,128]:zeros --grid 16 --num-warps 1
#: X=f32[64,128]:randn(1) Z=f32[64,128]:zeros --grid 16 --num-warps 4
#: X=f16[64,128]:randn(1) Z=f16[64,128]:zeros --grid 16 --num-warps 8
@triton.jit
def softmax(X, Z):
    r = tl.program_id(0) * 4 + tl.arange(0, 4)[:, None]
    c = tl.arange(0, 128)[None, :]
    x = tl.load(X + r * 128 + c).to(tl.float32)
    x = x - tl.max(x, 1, keep_dims=True)
    e = tl.exp(x)
    tl.store(Z + r * 128 + c, e / tl.sum(e, 1, keep_dims=True))


#: X=i1[256]:randint(0,2,1) Y=i32[256]:randint(0,99,2) Z=i32[3]:zeros N=256
#: X=i1[8]:randint(0,2,1) Y=i32[8]:randint(0,99,2) Z=i32[3]:zeros N=8 --num-warps 1
@triton.jit
def bits(X, Y, Z, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    y = tl.load(Y + i)
    tl.store(Z, tl.sum(x.to(tl.int32)))
    tl.store(Z + 1, tl.xor_sum(y))
    tl.store(Z + 2, tl.reduce_or(y, 0))


#: X=i32[64]:randint(-9,9,1) Z=i32[64]:zeros N=64
#: X=i32[64]:randint(-9,9,1) Z=i32[64]:zeros N=64 --num-warps 1
#: X=i32[16]:randint(-9,9,1) Z=i32[16]:zeros N=16 --num-warps 8
@triton.jit
def differences_of_row(X, Z, N: tl.constexpr):
    # A tile of copies of a row, a column of its sums in every thread, and a tile of copies of that.
    i = tl.arange(0, N)
    x = tl.cumsum(tl.load(X + i))
    before = tl.sum(tl.where(i[:, None] == i[None, :] + 1, x[None, :], 0), 1)
    tile = before[:, None] - x[None, :]
    tl.store(Z + i, tl.max(tile * tile, 1))


# Rows of narrow numbers, which are computed with as wider ones before and behind reductions.
#: X=f16[3,512]:randn(1) Z=f16[3,512]:zeros C=512 --grid 2
#: X=bf16[3,1024]:randn(1) Z=f32[3,1024]:zeros C=1024 --grid 1 --num-warps 1
#: X=f8e5[4,512]:randn(1) Z=f32[4,512]:zeros C=512 --grid 3 --num-warps 1
@triton.jit
def narrow_softmax(X, Z, C: tl.constexpr):
    c = tl.arange(0, C)
    for row in range(tl.program_id(0), 3, tl.num_programs(0)):
        x = tl.load(X + row * C + c, mask=c < C - 3, other=float("-inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x))
        tl.store(Z + row * C + c, (e / tl.sum(e)).to(Z.dtype.element_ty))


# Of two rows, in a block with masks, and with weights that are read behind the reductions.
#: X=f16[4,256]:randn(1) W=f16[256]:randn(2) Z=f16[4,256]:zeros M=4 C=256
#: X=bf16[2,500]:randn(1) W=bf16[500]:randn(2) Z=bf16[2,500]:zeros M=2 C=500 --num-warps 1
@triton.jit
def narrow_norm(X, W, Z, M: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, C)[None, :]
    x = tl.load(X + r * C + c).to(tl.float32)
    centred = tl.where(c < C - 1, x - tl.sum(x, 1, keep_dims=True) / C, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 1, keep_dims=True) / C + 1e-5)
    tl.store(Z + r * C + c, (centred * scale * tl.load(W + c)).to(Z.dtype.element_ty))


# Integers, a condition and a loop behind the reductions, and values that several of them keep.
#: X=i8[1024]:randint(-50,50,1) Y=i8[1024]:randint(-50,50,2) Z=i32[2,1024]:zeros C=1024 N=3
#: X=i16[512]:randint(-50,50,1) Y=i16[512]:randint(-50,50,2) Z=i32[2,512]:zeros C=512 N=0 --num-warps 1
@triton.jit
def narrow_integers(X, Y, Z, N, C: tl.constexpr):
    c = tl.arange(0, C)
    x = tl.load(X + c).to(tl.int32)
    y = tl.load(Y + c).to(tl.int32)
    least = tl.min(x + y)
    both = x * 3 - y
    far = tl.max(both, 0)
    if far > least:
        both = both + tl.sum(y)
    for i in range(N):
        tl.store(Z + (i % 2) * C + c, both - x * i + tl.sum(both + i) + least)
    tl.store(Z + C + c, x + y - far)

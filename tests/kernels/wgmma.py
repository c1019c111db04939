# Products by instructions of warp groups, where the architecture has them: every order and swizzle of operands, tiles over
# several groups, accumulators that run on through a loop, operands in registers, masks along k.
import triton
import triton.language as tl


#: X=f16[128,192]:randn(1) Y=f16[192,64]:randn(2) Z=f32[128,64]:zeros M=128 N=64 K=192 xm=192 xk=1 yk=64 yn=1 BM=64 BN=64 BK=64 --grid 2
#: X=f16[64,160]:randn(1) Y=f16[160,128]:randn(2) Z=f32[64,128]:zeros M=64 N=128 K=160 xm=160 xk=1 yk=128 yn=1 BM=64 BN=128 BK=32 --num-warps 8
#: X=bf16[192,64]:randn(1) Y=bf16[192,64]:randn(2) Z=f32[64,64]:zeros M=64 N=64 K=192 xm=1 xk=64 yk=64 yn=1 BM=64 BN=64 BK=64
#: X=f16[256,128]:randn(1) Y=f16[32,256]:randn(2) Z=f32[128,32]:zeros M=128 N=32 K=256 xm=1 xk=128 yk=1 yn=256 BM=128 BN=32 BK=128
#: X=f16[64,64]:randn(1) Y=f16[16,64]:randn(2) Z=f32[64,16]:zeros M=64 N=16 K=64 xm=64 xk=1 yk=1 yn=64 BM=64 BN=16 BK=16
#: X=f16[64,64]:randn(1) Y=f16[64,16]:randn(2) Z=f32[64,16]:zeros M=64 N=16 K=64 xm=64 xk=1 yk=16 yn=1 BM=64 BN=16 BK=16
#: X=f16[64,64]:randn(1) Y=f16[64,64]:randn(2) Z=f32[64,64]:zeros M=64 N=64 K=64 xm=64 xk=1 yk=64 yn=1 BM=64 BN=64 BK=32 --num-warps 8
#: X=f16[70,104]:randn(1) Y=f16[104,40]:randn(2) Z=f32[70,40]:zeros M=70 N=40 K=104 xm=104 xk=1 yk=40 yn=1 BM=128 BN=64 BK=32 --num-warps 8
#: X=f16[70,33]:randn(1) Y=f16[33,41]:randn(2) Z=f32[70,41]:zeros M=70 N=41 K=33 xm=33 xk=1 yk=41 yn=1 BM=64 BN=64 BK=16 --grid 2
#: X=i8[64,128]:randint(-9,9,1) Y=i8[32,128]:randint(-9,9,2) Z=i32[64,32]:zeros M=64 N=32 K=128 xm=128 xk=1 yk=1 yn=128 BM=64 BN=32 BK=64
#: X=i8[64,128]:randint(-9,9,1) Y=i8[32,128]:randint(-9,9,2) Z=i32[64,32]:zeros M=64 N=32 K=128 xm=128 xk=1 yk=1 yn=128 BM=64 BN=32 BK=64 --num-stages 1
#: X=i8[64,128]:randint(-9,9,1) Y=i8[32,128]:randint(-9,9,2) Z=i32[64,32]:zeros M=64 N=32 K=128 xm=128 xk=1 yk=1 yn=128 BM=64 BN=32 BK=64 --num-stages 5
#: X=i8[64,128]:randint(-9,9,1) Y=i8[128,32]:randint(-9,9,2) Z=i32[64,32]:zeros M=64 N=32 K=128 xm=128 xk=1 yk=32 yn=1 BM=64 BN=32 BK=64
#: X=f16[64,96]:randint(-3,3,1) Y=f16[96,32]:randint(-3,3,2) Z=f16[64,32]:zeros M=64 N=32 K=96 xm=96 xk=1 yk=32 yn=1 BM=64 BN=32 BK=32
#: X=f8e4nv[64,64]:randint(-4,5,1) Y=f8e4nv[32,64]:randint(-4,5,2) Z=f16[64,32]:zeros M=64 N=32 K=64 xm=64 xk=1 yk=1 yn=64 BM=64 BN=32 BK=32
#: X=f8e5[64,64]:randint(-4,5,1) Y=f8e4nv[32,64]:randint(-4,5,2) Z=f32[64,32]:zeros M=64 N=32 K=64 xm=64 xk=1 yk=1 yn=64 BM=64 BN=32 BK=64
#: X=f32[64,96]:randint(-9,9,1) Y=f32[32,96]:randint(-9,9,2) Z=f32[64,32]:zeros M=64 N=32 K=96 xm=96 xk=1 yk=1 yn=96 BM=64 BN=32 BK=32
#: X=f32[64,96]:randint(-9,9,1) Y=f32[96,64]:randint(-9,9,2) Z=f32[64,64]:zeros M=64 N=64 K=96 xm=96 xk=1 yk=64 yn=1 BM=64 BN=64 BK=32 --num-warps 8
#: X=f32[64,96]:randint(-9,9,1) Y=f32[96,64]:randint(-9,9,2) Z=f32[64,64]:zeros M=64 N=64 K=96 xm=96 xk=1 yk=64 yn=1 BM=64 BN=64 BK=32 --num-warps 8 --num-stages 1
#: X=f32[64,96]:randint(-9,9,1) Y=f32[96,64]:randint(-9,9,2) Z=f32[64,64]:zeros M=64 N=64 K=96 xm=96 xk=1 yk=64 yn=1 BM=64 BN=64 BK=32 --num-warps 8 --num-stages 4
#: X=f32[70,64]:randint(-9,9,1) Y=f32[70,40]:randint(-9,9,2) Z=f32[64,40]:zeros M=64 N=40 K=70 xm=1 xk=64 yk=40 yn=1 BM=128 BN=64 BK=16
#: X=f32[64,96]:randint(-9,9,1) Y=f32[96,64]:randint(-9,9,2) Z=f32[64,64]:zeros M=64 N=64 K=96 xm=96 xk=1 yk=64 yn=1 BM=64 BN=64 BK=32 --num-warps 8 --operands-across-k copies
#: X=f32[32,96]:randint(-9,9,1) Y=f32[96,128]:randint(-9,9,2) Z=f32[32,128]:zeros M=32 N=128 K=96 xm=96 xk=1 yk=128 yn=1 BM=32 BN=128 BK=32
#: X=f32[128,64]:randint(-9,9,1) Y=f32[64,128]:randint(-9,9,2) Z=f32[128,128]:zeros M=128 N=128 K=64 xm=64 xk=1 yk=128 yn=1 BM=128 BN=128 BK=32 --num-warps 8
#: X=f32[8,64]:randint(-9,9,1) Y=f32[64,256]:randint(-9,9,2) Z=f32[8,256]:zeros M=8 N=256 K=64 xm=64 xk=1 yk=256 yn=1 BM=8 BN=256 BK=16
#: X=f32[64,40]:randint(-9,9,1) Y=f32[40,64]:randint(-9,9,2) Z=f32[64,64]:zeros M=64 N=64 K=40 xm=40 xk=1 yk=64 yn=1 BM=64 BN=64 BK=8
#: X=f32[128,64]:randint(-9,9,1) Y=f32[32,64]:randint(-9,9,2) Z=f32[128,32]:zeros M=128 N=32 K=64 xm=1 xk=128 yk=1 yn=64 BM=128 BN=32 BK=64
#: X=f32[128,64]:randint(-9,9,1) Y=f32[64,32]:randint(-9,9,2) Z=f32[128,32]:zeros M=128 N=32 K=64 xm=1 xk=128 yk=32 yn=1 BM=128 BN=32 BK=32 --num-stages 4
#: X=f32[64,64]:randint(-9,9,1) Y=f32[64,128]:randint(-9,9,2) Z=f32[64,128]:zeros M=64 N=128 K=64 xm=1 xk=64 yk=128 yn=1 BM=64 BN=128 BK=32 --num-stages 2
#: X=f32[64,64]:randint(-9,9,1) Y=f32[64,128]:randint(-9,9,2) Z=f32[64,128]:zeros M=64 N=128 K=64 xm=64 xk=1 yk=128 yn=1 BM=64 BN=128 BK=64 --num-stages 1
#: X=i8[64,128]:randint(-9,9,1) Y=i8[128,64]:randint(-9,9,2) Z=i32[64,64]:zeros M=64 N=64 K=128 xm=128 xk=1 yk=64 yn=1 BM=64 BN=64 BK=64
#: X=i8[32,128]:randint(-9,9,1) Y=i8[128,128]:randint(-9,9,2) Z=i32[32,128]:zeros M=32 N=128 K=128 xm=128 xk=1 yk=128 yn=1 BM=32 BN=128 BK=64 --num-stages 2
#: X=i8[64,96]:randint(-9,9,1) Y=i8[96,128]:randint(-9,9,2) Z=i32[64,128]:zeros M=64 N=128 K=96 xm=96 xk=1 yk=128 yn=1 BM=64 BN=128 BK=32 --num-warps 8
#: X=i8[64,128]:randint(-9,9,1) Y=i8[128,64]:randint(-9,9,2) Z=i32[64,64]:zeros M=64 N=64 K=128 xm=128 xk=1 yk=64 yn=1 BM=64 BN=64 BK=128 --num-stages 1
#: X=i8[128,64]:randint(-9,9,1) Y=i8[32,64]:randint(-9,9,2) Z=i32[128,32]:zeros M=128 N=32 K=64 xm=1 xk=128 yk=1 yn=64 BM=128 BN=32 BK=64
#: X=f8e4nv[64,128]:randint(-4,5,1) Y=f8e5[128,64]:randint(-4,5,2) Z=f32[64,64]:zeros M=64 N=64 K=128 xm=128 xk=1 yk=64 yn=1 BM=64 BN=64 BK=64
#: X=i8[64,128]:randint(-9,9,1) Y=i8[128,64]:randint(-9,9,2) Z=i32[64,64]:zeros M=64 N=64 K=128 xm=128 xk=1 yk=64 yn=1 BM=64 BN=64 BK=64 --operands-across-k copies
#: X=i8[128,64]:randint(-9,9,1) Y=i8[128,64]:randint(-9,9,2) Z=i32[64,64]:zeros M=64 N=64 K=128 xm=1 xk=64 yk=64 yn=1 BM=64 BN=64 BK=64
#: X=i8[128,128]:randint(-9,9,1) Y=i8[128,64]:randint(-9,9,2) Z=i32[128,64]:zeros M=128 N=64 K=128 xm=1 xk=128 yk=64 yn=1 BM=128 BN=64 BK=32 --num-warps 8 --num-stages 2
#: X=i8[96,64]:randint(-9,9,1) Y=i8[96,128]:randint(-9,9,2) Z=i32[64,128]:zeros M=64 N=128 K=96 xm=1 xk=64 yk=128 yn=1 BM=64 BN=128 BK=32 --num-warps 16
#: X=i8[128,64]:randint(-9,9,1) Y=i8[128,64]:randint(-9,9,2) Z=i32[64,64]:zeros M=64 N=64 K=128 xm=1 xk=64 yk=64 yn=1 BM=64 BN=64 BK=128 --num-stages 1
#: X=f8e4nv[128,128]:randint(-4,5,1) Y=f8e5[128,128]:randint(-4,5,2) Z=f32[128,128]:zeros M=128 N=128 K=128 xm=1 xk=128 yk=128 yn=1 BM=128 BN=128 BK=64 --num-stages 2
#: X=i8[70,64]:randint(-9,9,1) Y=i8[70,64]:randint(-9,9,2) Z=i32[64,64]:zeros M=64 N=64 K=70 xm=1 xk=64 yk=64 yn=1 BM=64 BN=64 BK=32 --num-stages 2
@triton.jit
def product(X, Y, Z, M, N, K, xm, xk, yk, yn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    x = X + m[:, None] * xm + k[None, :] * xk
    y = Y + k[:, None] * yk + n[None, :] * yn
    acc = tl.zeros((BM, BN), Z.dtype.element_ty)
    for i in range(0, K, BK):
        a = tl.load(x, mask=(m[:, None] < M) & (i + k[None, :] < K), other=0)
        b = tl.load(y, mask=(i + k[:, None] < K) & (n[None, :] < N), other=0)
        acc = tl.dot(a, b, acc, out_dtype=Z.dtype.element_ty, input_precision="tf32")
        x += BK * xk
        y += BK * yk
    tl.store(Z + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


#: X=f16[128,128]:randn(1) Y=f16[128,64]:randn(2) Z=f32[128,64]:zeros K=128 BK=32
#: X=f16[128,128]:randn(1) Y=f16[128,64]:randn(2) Z=f32[128,64]:zeros K=128 BK=32 --num-warps 16
@triton.jit
def persistent(X, Y, Z, K, BK: tl.constexpr):
    n = tl.arange(0, 64)
    k = tl.arange(0, BK)
    for tile in range(2):
        m = tile * 64 + n
        acc = tl.zeros((64, 64), tl.float32)
        for i in range(0, K, BK):
            x = tl.load(X + m[:, None] * 128 + (i + k)[None, :])
            y = tl.load(Y + (i + k)[:, None] * 64 + n[None, :])
            acc = tl.dot(x, y, acc)
        tl.store(Z + m[:, None] * 64 + n[None, :], acc)


#: X=f16[64,128]:randn(1) Y=f16[128,64]:randn(2) W=f16[128,64]:randn(3) Z=f32[64,64]:zeros K=128 BK=32
#: X=f16[64,128]:randn(1) Y=f16[128,64]:randn(2) W=f16[128,64]:randn(3) Z=f32[64,64]:zeros K=128 BK=64 --num-warps 8
@triton.jit
def two_products(X, Y, W, Z, K, BK: tl.constexpr):
    m = tl.arange(0, 64)
    k = tl.arange(0, BK)
    left = tl.zeros((64, 64), tl.float32)
    right = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(X + m[:, None] * 128 + (i + k)[None, :])
        left = tl.dot(x, tl.load(Y + (i + k)[:, None] * 64 + m[None, :]), left)
        right = tl.dot(x, tl.load(W + (i + k)[:, None] * 64 + m[None, :]), right)
    tl.store(Z + m[:, None] * 64 + m[None, :], tl.maximum(left, right))


#: X=f32[64,96]:randint(-9,9,1) Y=f32[96,64]:randint(-9,9,2) W=f32[64,96]:randint(-9,9,3) Z=f32[64,64]:zeros K=96
@triton.jit
def two_orders(X, Y, W, Z, K):
    m = tl.arange(0, 64)
    k = tl.arange(0, 32)
    left = tl.zeros((64, 64), tl.float32)
    right = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, 32):
        x = tl.load(X + m[:, None] * 96 + (i + k)[None, :])
        left = tl.dot(x, tl.load(Y + (i + k)[:, None] * 64 + m[None, :]), left)
        right = tl.dot(x, tl.trans(tl.load(W + m[:, None] * 96 + (i + k)[None, :])), right)
    tl.store(Z + m[:, None] * 64 + m[None, :], tl.maximum(left, right))


#: X=f16[64,128]:randn(1) Y=f16[128,64]:randn(2) Z=f32[64,64]:zeros K=128
@triton.jit
def scaled_between(X, Y, Z, K):
    m = tl.arange(0, 64)
    k = tl.arange(0, 32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, 32):
        x = tl.load(X + m[:, None] * 128 + (i + k)[None, :])
        y = tl.load(Y + (i + k)[:, None] * 64 + m[None, :])
        acc = acc * 0.5 + tl.dot((x * 2.0).to(tl.float16), y)
    tl.store(Z + m[:, None] * 64 + m[None, :], acc)


#: X=f16[64,64]:randn(1) Y=f16[64,32]:randn(2) W=f16[32,64]:randn(3) Z=f16[64,64]:zeros
#: X=f16[64,64]:randn(1) Y=f16[64,32]:randn(2) W=f16[32,64]:randn(3) Z=f16[64,64]:zeros --num-warps 8
@triton.jit
def chain(X, Y, W, Z):
    m = tl.arange(0, 64)
    n = tl.arange(0, 32)
    x = tl.load(X + m[:, None] * 64 + m[None, :])
    y = tl.load(Y + m[:, None] * 32 + n[None, :])
    w = tl.load(W + n[:, None] * 64 + m[None, :])
    tl.store(Z + m[:, None] * 64 + m[None, :], tl.dot(tl.dot(x, y).to(tl.float16), w))


#: Q=f16[64,64]:randn(1) K=f16[128,64]:randn(2) V=f16[128,64]:randn(3) O=f16[64,64]:zeros N=128 BN=32
#: Q=bf16[64,64]:randn(1) K=bf16[128,64]:randn(2) V=bf16[128,64]:randn(3) O=bf16[64,64]:zeros N=128 BN=64 --num-warps 8
@triton.jit
def attention(Q, K, V, O, N, BN: tl.constexpr):
    m = tl.arange(0, 64)
    n = tl.arange(0, BN)
    q = tl.load(Q + m[:, None] * 64 + m[None, :])
    highest = tl.full((64,), float("-inf"), tl.float32)
    total = tl.zeros((64,), tl.float32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, N, BN):
        k = tl.load(K + (i + n)[:, None] * 64 + m[None, :])
        v = tl.load(V + (i + n)[:, None] * 64 + m[None, :])
        s = tl.dot(q, tl.trans(k)) * 0.125
        higher = tl.maximum(highest, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(highest - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(V.dtype.element_ty), v, acc * shrink[:, None])
        highest = higher
    tl.store(O + m[:, None] * 64 + m[None, :], acc / total[:, None])


#: Q=f16[64,64]:randn(1) K=f16[192,64]:randn(2) V=f16[192,64]:randn(3) O=f16[64,64]:zeros S=128 BN=64
#: Q=f16[64,64]:randn(1) K=f16[192,64]:randn(2) V=f16[192,64]:randn(3) O=f16[64,64]:zeros S=0 BN=32
@triton.jit
def causal(Q, K, V, O, S, BN: tl.constexpr):
    """Two loops, of columns that all rows see and of those on the diagonal."""
    m = tl.arange(0, 64)
    n = tl.arange(0, BN)
    q = tl.load(Q + m[:, None] * 64 + m[None, :])
    highest = tl.full((64,), float("-inf"), tl.float32)
    total = tl.zeros((64,), tl.float32)
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, S, BN):
        k = tl.load(K + (i + n)[:, None] * 64 + m[None, :])
        v = tl.load(V + (i + n)[:, None] * 64 + m[None, :])
        s = tl.dot(q, tl.trans(k)) * 0.125
        higher = tl.maximum(highest, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(highest - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(V.dtype.element_ty), v, acc * shrink[:, None])
        highest = higher
    for i in range(S, S + 64, BN):
        k = tl.load(K + (i + n)[:, None] * 64 + m[None, :])
        v = tl.load(V + (i + n)[:, None] * 64 + m[None, :])
        s = tl.where((S + m)[:, None] >= (i + n)[None, :], tl.dot(q, tl.trans(k)) * 0.125, float("-inf"))
        higher = tl.maximum(highest, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(highest - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(V.dtype.element_ty), v, acc * shrink[:, None])
        highest = higher
    tl.store(O + m[:, None] * 64 + m[None, :], acc / total[:, None])


#: Q=f16[128,64]:randn(1) K=i8[192,64]:randint(-9,9,2) V=f16[192,64]:randn(3) O=f16[128,64]:zeros N=192 --num-warps 8
@triton.jit
def dequantized(Q, K, V, O, N):
    """Of the two tiles of an iteration one is computed by threads."""
    r = tl.arange(0, 128)
    m = tl.arange(0, 64)
    q = tl.load(Q + r[:, None] * 64 + m[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    for i in range(0, N, 64):
        k = tl.load(K + (i + m)[:, None] * 64 + m[None, :]).to(tl.float16) * 0.125
        v = tl.load(V + (i + m)[:, None] * 64 + m[None, :])
        p = tl.sigmoid(tl.dot(q, tl.trans(k)))
        acc = tl.dot(p.to(tl.float16), v, acc)
    tl.store(O + r[:, None] * 64 + m[None, :], acc)

# Programs that run on several blocks where the target has clusters (num_ctas), and others that cannot be divided, whose names end
# in "on_one": each gives the bits that one block gives.
import triton
import triton.language as tl


# Operands of every kind of instruction; rows, or columns where a block would have too few rows.
#: X=f16[256,64]:randn(1) Y=f16[64,64]:randn(2) Z=f32[256,64]:zeros M=250 N=64 K=64 BM=128 BN=64 BK=32 --grid 2 --num-ctas 2
#: X=f16[64,96]:randn(1) Y=f16[96,128]:randn(2) Z=f32[64,128]:zeros M=60 N=120 K=90 BM=64 BN=128 BK=32 --num-ctas 2
#: X=f16[256,64]:randn(1) Y=f16[64,32]:randn(2) Z=f32[256,32]:zeros M=256 N=32 K=64 BM=256 BN=32 BK=32 --num-ctas 4
#: X=f32[128,64]:randint(-9,9,1) Y=f32[64,32]:randint(-9,9,2) Z=f32[128,32]:zeros M=128 N=32 K=64 BM=128 BN=32 BK=32 --num-ctas 2
#: X=f8e4nv[128,64]:randint(-4,5,1) Y=f8e4nv[64,32]:randint(-4,5,2) Z=f32[128,32]:zeros M=128 N=32 K=64 BM=128 BN=32 BK=64 --num-ctas 2
#: X=i8[128,64]:randint(-9,9,1) Y=i8[64,64]:randint(-9,9,2) Z=i32[128,64]:zeros M=128 N=64 K=64 BM=128 BN=64 BK=32 --num-ctas 2 --num-warps 8
@triton.jit
def product_of_blocks(X, Y, Z, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    x = X + m[:, None] * K + k[None, :]
    y = Y + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), Z.dtype.element_ty)
    for i in range(0, K, BK):
        a = tl.load(x, mask=(m[:, None] < M) & (i + k[None, :] < K), other=0)
        b = tl.load(y, mask=(i + k[:, None] < K) & (n[None, :] < N), other=0)
        acc = tl.dot(a, b, acc, out_dtype=Z.dtype.element_ty, input_precision="tf32")
        x += BK
        y += BK * N
    tl.store(Z + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


# Through descriptors, the second half of the columns to another tensor; all programs in a loop, where blocks would not wait for each other.
#: X=f16[256,64]:randn(1) Y=f16[64,128]:randn(2) Z=f16[256,64]:zeros R=f16[256,64]:zeros --grid 2 --num-ctas 2
@triton.jit
def halves_of_tiles(X, Y, Z, R):
    x = tl.make_tensor_descriptor(X, [256, 64], [64, 1], [128, 32])
    y = tl.make_tensor_descriptor(Y, [64, 128], [128, 1], [32, 128])
    z = tl.make_tensor_descriptor(Z, [256, 64], [64, 1], [128, 64])
    r = tl.make_tensor_descriptor(R, [256, 64], [64, 1], [128, 64])
    tile = tl.program_id(0)
    acc = tl.zeros((128, 128), tl.float32)
    for i in range(0, 64, 32):
        acc = tl.dot(x.load([tile * 128, i]), y.load([i, 0]), acc)
    left, right = tl.split(tl.permute(tl.reshape(acc, (128, 2, 64)), (0, 2, 1)))
    z.store([tile * 128, 0], left.to(tl.float16))
    r.store([tile * 128, 0], right.to(tl.float16))


#: X=f16[256,64]:randn(1) Y=f16[64,128]:randn(2) Z=f16[256,128]:zeros --grid 2 --num-ctas 2
@triton.jit
def loop_of_tiles_on_one(X, Y, Z):
    x = tl.make_tensor_descriptor(X, [256, 64], [64, 1], [128, 32])
    y = tl.make_tensor_descriptor(Y, [64, 128], [128, 1], [32, 128])
    z = tl.make_tensor_descriptor(Z, [256, 128], [128, 1], [128, 128])
    for tile in range(tl.program_id(0), 2, tl.num_programs(0)):
        acc = tl.zeros((128, 128), tl.float32)
        for i in range(0, 64, 32):
            acc = tl.dot(x.load([tile * 128, i]), y.load([i, 0]), acc)
        z.store([tile * 128, 0], acc.to(tl.float16))


#: Q=f16[128,64]:randn(1) K=f16[96,64]:randn(2) V=f16[96,64]:randn(3) Z=f16[128,64]:zeros L=f32[128]:zeros T=90 BM=128 BN=32 --num-ctas 2
#: Q=f16[256,64]:randn(1) K=f16[96,64]:randn(2) V=f16[96,64]:randn(3) Z=f16[256,64]:zeros L=f32[256]:zeros T=96 BM=256 BN=32 --num-ctas 4
@triton.jit
def attention_of_blocks(Q, K, V, Z, L, T, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, 64)
    q = tl.load(Q + m[:, None] * 64 + d[None, :])
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, 64), tl.float32)
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(K + n[None, :] * 64 + d[:, None], mask=n[None, :] < T, other=0.0)
        s = tl.where(n[None, :] < T, tl.dot(q, k) * 0.1, float("-inf"))
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        scale = tl.exp(most - new)
        total = total * scale + tl.sum(p, 1)
        v = tl.load(V + n[:, None] * 64 + d[None, :], mask=n[:, None] < T, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * scale[:, None])
        most = new
    tl.store(Z + m[:, None] * 64 + d[None, :], acc / total[:, None])
    tl.store(L + m, most + tl.log(total))


# Rows of a matrix; weights are whole, and the count is one block's.
#: X=f32[64,48]:randn(1) W=f32[48]:randn(2) Z=f32[64,48]:zeros R=f32[64]:zeros A=i32[1]:zeros P=i32[2]:zeros M=32 C=48 --grid 2 --num-ctas 2
#: X=f32[64,48]:randn(1) W=f32[48]:randn(2) Z=f32[64,48]:zeros R=f32[64]:zeros A=i32[1]:zeros P=i32[2]:zeros M=64 C=48 --num-ctas 8 --num-warps 1
@triton.jit
def norm_of_rows(X, W, Z, R, A, P, M: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * M + tl.arange(0, M)
    c = tl.arange(0, C)
    x = tl.load(X + r[:, None] * C + c[None, :])
    centered = x - tl.sum(x, 1, keep_dims=True) / C
    variance = tl.sum(centered * centered, 1) / C
    rstd = 1 / tl.sqrt(variance + 1e-5)
    tl.store(Z + r[:, None] * C + c[None, :], centered * rstd[:, None] * tl.load(W + c)[None, :])
    tl.store(R + r, rstd)
    tl.atomic_add(A, 1, sem="relaxed")
    tl.store(P + tl.program_id(0), tl.num_programs(0))


# By columns; branches and loops that depend on the data of other tensors.
#: X=i32[32,64]:randint(-9,9,1) N=i32[1]:randint(3,4,2) Z=i32[32,64]:zeros H=i32[64]:zeros --num-ctas 2 --num-warps 2
@triton.jit
def columns_of_blocks(X, N, Z, H):
    r = tl.arange(0, 32)
    c = tl.arange(0, 64)
    p = r[:, None] * 64 + c[None, :]
    x = tl.load(X + p)
    n = tl.load(N)
    i = 0
    while i < n:
        x = x * 3 + tl.sum(x, 0)[None, :]
        if i == 1:
            x = x - tl.cumsum(x, 0)
        i += 1
    tl.store(Z + p, x)
    tl.atomic_max(H + c, tl.max(x, 0), sem="relaxed")


#: X=f32[128]:randn(1) Z=f32[128]:zeros --num-ctas 2 --num-warps 1
@triton.jit
def softmax_on_one(X, Z):
    i = tl.arange(0, 128)
    x = tl.exp(tl.load(X + i))
    tl.store(Z + i, x / tl.sum(x))


#: X=i32[128]:randint(0,128,1) Z=i32[128]:zeros --num-ctas 4 --num-warps 1
@triton.jit
def histogram_on_one(X, Z):
    i = tl.arange(0, 128)
    tl.store(Z + i, tl.histogram(tl.load(X + i), 128))


#: X=i32[128]:randint(-99,99,1) Z=i32[128]:zeros --num-ctas 2 --num-warps 1
@triton.jit
def sort_on_one(X, Z):
    i = tl.arange(0, 128)
    tl.store(Z + i, tl.sort(tl.load(X + i)))


# The ticket is one for all.
#: X=i32[129]:arange C=i32[1]:zeros --num-ctas 2 --num-warps 1
@triton.jit
def ticket_on_one(X, C):
    i = tl.arange(0, 128)
    tl.store(X + i, i + tl.atomic_add(C, 1))

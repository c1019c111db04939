# Blocks whose sizes are not powers of two: the padding beyond their ends must touch no memory and
# reach no result.
import triton
import triton.language as tl


#: X=f32[1000]:randn(1) Z=f32[1000]:zeros n=1000 N=96 --grid 11
#: X=f16[1000]:randn(1) Z=f16[1000]:zeros n=1000 N=100 --grid 10 --num-warps 1
#: X=i8[77]:randint(-100,100,1) Z=i8[77]:zeros n=70 N=7 --grid 10 --num-warps 2
#: X=f64[30]:randn(1) Z=f64[30]:zeros n=30 N=3 --grid 10
@triton.jit
def scale(X, Z, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = i < n
    x = tl.load(X + i, m, other=1)
    tl.store(Z + i, x + x, m)


# Without a mask: elements of the next program, and memory after the end, must stay unchanged.
#: X=i32[300]:randint(-9,9,1) Z=i32[300]:zeros N=100 --grid 3
#: X=i32[15]:randint(-9,9,1) Z=i32[15]:zeros N=5 --grid 3 --num-warps 1
@triton.jit
def copy(X, Z, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(Z + i, tl.load(X + i))


#: X=f32[8,100]:randn(1) Z=f32[8,100]:zeros C=100 --grid 8
#: X=f32[4,3]:randn(1) Z=f32[4,3]:zeros C=3 --grid 4 --num-warps 1
@triton.jit
def softmax_row(X, Z, C: tl.constexpr):
    c = tl.arange(0, C)
    x = tl.load(X + tl.program_id(0) * C + c)
    e = tl.exp(x - tl.max(x))
    tl.store(Z + tl.program_id(0) * C + c, e / tl.sum(e))


#: X=f32[6,48]:randn(1) W=f32[48]:randn(2) Z=f32[6,48]:zeros M=6 C=48
@triton.jit
def layer_norm(X, W, Z, M: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    c = tl.arange(0, C)[None, :]
    x = tl.load(X + r * C + c)
    centered = x - tl.sum(x, 1, keep_dims=True) / C
    variance = tl.sum(centered * centered, 1, keep_dims=True) / C
    y = centered / tl.sqrt(variance + 1e-5) * tl.load(W + c)
    tl.store(Z + r * C + c, y)


# Sums, products, extrema, bits, positions; of rows, of columns and of everything.
#: X=i32[5,12]:randint(-9,9,1) Y=i32[8,12]:zeros Z=i32[8,5]:zeros A=i32[8]:zeros M=5 N=12
#: X=i32[48,20]:randint(-9,9,1) Y=i32[8,20]:zeros Z=i32[8,48]:zeros A=i32[8]:zeros M=48 N=20 --num-warps 8
#: X=i32[3,1]:randint(-9,9,1) Y=i32[8,1]:zeros Z=i32[8,3]:zeros A=i32[8]:zeros M=3 N=1 --num-warps 1
@triton.jit
def reductions(X, Y, Z, A, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    x = tl.load(X + r[:, None] * N + c[None, :])
    for axis in tl.static_range(2):
        if axis == 0:
            out = Y + c
            size: tl.constexpr = N
        else:
            out = Z + r
            size: tl.constexpr = M
        tl.store(out, tl.sum(x, axis))
        tl.store(out + size, tl.max(x, axis))
        tl.store(out + 2 * size, tl.min(x, axis))
        tl.store(out + 3 * size, tl.argmax(x, axis))
        tl.store(out + 4 * size, tl.argmin(x, axis))
        tl.store(out + 5 * size, tl.xor_sum(x, axis))
        tl.store(out + 6 * size, tl.reduce_or(x, axis))
    tl.store(A, tl.sum(x))
    tl.store(A + 1, tl.max(x))
    tl.store(A + 2, tl.min(x))
    tl.store(A + 3, tl.xor_sum(x))
    best, where = tl.max(x, return_indices=True)
    tl.store(A + 4, best)
    tl.store(A + 5, where)
    tl.store(A + 6, tl.argmin(tl.ravel(x), 0))


# Nothing but NaN and minus infinity.
#: X=f32[6]:zeros Z=f32[4]:zeros
@triton.jit
def extremes(X, Z):
    nan = tl.load(X + tl.arange(0, 6)) / 0.0
    low = tl.full((6,), float("-inf"), tl.float32)
    tl.store(Z, tl.where(tl.max(nan) == tl.max(nan), 1.0, 2.0))
    tl.store(Z + 1, tl.max(low))
    tl.store(Z + 2, tl.min(tl.where(tl.arange(0, 6) < 5, nan, low)))
    tl.store(Z + 3, 1 / tl.sum(tl.full((6,), -0.0, tl.float32)))


@triton.jit
def _affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def _last(a, b):
    return b


@triton.jit
def _steps(a, b):
    # A loop whose length depends on the elements.
    while b > 3:
        b -= 3
        a += 1
    return a + b


# Functions of the user: of pairs, not commutative, and with loops.
#: X=i32[7,12]:randint(0,9,1) Y=i32[4,7]:zeros M=7 N=12
#: X=i32[20,5]:randint(0,9,1) Y=i32[4,20]:zeros M=20 N=5 --num-warps 2
@triton.jit
def combine(X, Y, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    x = tl.load(X + r[:, None] * N + tl.arange(0, N)[None, :])
    a, b = tl.reduce((x % 3 - 1, x), 1, _affine)
    tl.store(Y + r, a)
    tl.store(Y + M + r, b)
    tl.store(Y + 2 * M + r, tl.reduce(x, 1, _last))
    tl.store(Y + 3 * M + r, tl.reduce(tl.where(x > 2, 1, x), 1, _steps) * 0 + tl.sum(x, 1))


#: X=i32[7,12]:randint(0,9,1) Y=i32[7,7,12]:zeros M=7 N=12
#: X=i32[3,100]:randint(0,9,1) Y=i32[7,3,100]:zeros M=3 N=100 --num-warps 8
@triton.jit
def scans(X, Y, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(X + i)
    tl.store(Y + i, tl.cumsum(x, 0))
    tl.store(Y + M * N + i, tl.cumsum(x, 1))
    tl.store(Y + 2 * M * N + i, tl.cumsum(x, 0, reverse=True))
    tl.store(Y + 3 * M * N + i, tl.cumsum(x, 1, reverse=True))
    a, b = tl.associative_scan((x % 3 - 1, x), 1, _affine)
    tl.store(Y + 4 * M * N + i, b)
    a, b = tl.associative_scan((x % 3 - 1, x), 1, _affine, reverse=True)
    tl.store(Y + 5 * M * N + i, b)
    tl.store(Y + 6 * M * N + i, tl.associative_scan(x, 0, _last, reverse=True))


# Products: padding along the summed dimension adds nothing, NaN or not.
#: X=f16[48,96]:randn(1) Y=f16[96,80]:randn(2) Z=f32[48,80]:zeros M=48 K=96 N=80
#: X=bf16[20,24]:randn(1) Y=bf16[24,5]:randn(2) Z=f32[20,5]:zeros M=20 K=24 N=5 --num-warps 1
#: X=i8[24,48]:randint(-9,9,1) Y=i8[48,24]:randint(-9,9,2) Z=i32[24,24]:zeros M=24 K=48 N=24
#: X=f32[3,12]:randn(1) Y=f32[12,7]:randn(2) Z=f32[3,7]:zeros M=3 K=12 N=7
@triton.jit
def product(X, Y, Z, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    a = tl.load(X + m * K + k[None, :])
    b = tl.load(Y + k[:, None] * N + n)
    tl.store(Z + m * N + n, tl.dot(a, b))


# The operands are computed, so that the padding may hold anything.
#: X=f32[12,20]:randn(1) Z=f32[12,12]:zeros
@triton.jit
def gram(X, Z):
    r = tl.arange(0, 12)
    k = tl.arange(0, 20)
    x = 1 / tl.load(X + r[:, None] * 20 + k[None, :])
    z = tl.dot(x, tl.trans(x), input_precision="ieee")
    tl.store(Z + r[:, None] * 12 + r[None, :], z)


#: X=f16[96,100]:randn(1) Y=f16[100,48]:randn(2) Z=f32[96,48]:zeros M=96 K=100 N=48 BM=48 BK=24 BN=48 --grid 2
#: X=f16[96,100]:randn(1) Y=f16[100,48]:randn(2) Z=f32[96,48]:zeros M=96 K=100 N=48 BM=96 BK=48 BN=48 --grid 1 --num-warps 8
@triton.jit
def matmul(X, Y, Z, M, K, N, BM: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(X + m * K + k[None, :], mask=k[None, :] < K, other=0.0)
        b = tl.load(Y + k[:, None] * N + n, mask=k[:, None] < K, other=0.0)
        acc += tl.dot(a, b)
    tl.store(Z + m * N + n, acc)


#: X=i32[2,6,10]:arange Z=i32[120]:zeros Y=i32[120]:zeros A=2 B=6 C=10
#: X=i32[3,5,7]:arange Z=i32[105]:zeros Y=i32[105]:zeros A=3 B=5 C=7 --num-warps 1
#: X=i32[4,3,64]:arange Z=i32[768]:zeros Y=i32[768]:zeros A=4 B=3 C=64
@triton.jit
def reshapes(X, Z, Y, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(X + (a * B + b) * C + c)
    flat = tl.reshape(x, (A * B * C,))
    tl.store(Z + tl.arange(0, A * B * C), flat)
    back = tl.reshape(tl.reshape(flat, (A, B * C)), (B, C, A))
    at = tl.arange(0, B)[:, None, None] * C * A + tl.arange(0, C)[None, :, None] * A + tl.arange(0, A)[None, None, :]
    tl.store(Y + at, tl.permute(tl.permute(back, 2, 0, 1), 1, 2, 0))


#: X=f32[12]:randn(1) Y=f32[24]:zeros Z=f32[24]:zeros W=f32[2,12]:zeros N=12
#: X=f32[3]:randn(1) Y=f32[6]:zeros Z=f32[6]:zeros W=f32[2,3]:zeros N=3 --num-warps 1
@triton.jit
def joins(X, Y, Z, W, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    j = tl.arange(0, 2 * N)
    tl.store(Y + j, tl.cat(x, -x))
    tl.store(Z + j, tl.interleave(x, -x))
    low, high = tl.split(tl.join(x, x + 1))
    tl.store(W + i, low + 2 * high)
    tl.store(W + N + i, tl.flip(x))


#: X=f32[6,10]:randn(1) Y=f32[12,10]:zeros Z=f32[6,20]:zeros W=f32[6,3]:zeros
@triton.jit
def parts(X, Y, Z, W):
    r = tl.arange(0, 6)[:, None]
    c = tl.arange(0, 10)[None, :]
    x = tl.load(X + r * 10 + c)
    tl.store(Y + tl.arange(0, 12)[:, None] * 10 + c, tl.cat(x, x + 1, dim=0))
    tl.store(Z + r * 20 + tl.arange(0, 20)[None, :], tl.cat(x, x + 1, dim=1))
    tl.store(W + r * 3 + tl.arange(0, 3)[None, :], x[::-1, 2:8:2])


# Positions count modulo the real size.
#: X=f32[12,5]:randn(1) I=i32[7,5]:randint(-50,50,2) Z=f32[7,5]:zeros M=12 N=5 K=7
#: X=i64[100,3]:randint(-99,99,1) I=i8[6,3]:randint(-99,99,2) Z=i64[6,3]:zeros M=100 N=3 K=6
#: X=f16[16,6]:randn(1) I=i64[10,6]:randint(0,16,2) Z=f16[10,6]:zeros M=16 N=6 K=10 --num-warps 1
@triton.jit
def gathers(X, I, Z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    c = tl.arange(0, N)[None, :]
    x = tl.load(X + tl.arange(0, M)[:, None] * N + c)
    k = tl.arange(0, K)[:, None] * N + c
    tl.store(Z + k, tl.gather(x, tl.load(I + k), 0))


#: X=i32[100]:randint(0,12,1) Z=i32[10]:zeros N=100 B=10
#: X=u8[48]:randint(0,30,1) Z=i32[24]:zeros N=48 B=24 --num-warps 1
@triton.jit
def bins(X, Z, N: tl.constexpr, B: tl.constexpr):
    x = tl.load(X + tl.arange(0, N))
    tl.store(Z + tl.arange(0, B), tl.histogram(x, B, mask=x != 3))


#: X=i32[5]:zeros Y=i32[12]:zeros Z=i32[12]:zeros --grid 2
@triton.jit
def atomics(X, Y, Z):
    i = tl.arange(0, 12)
    tl.atomic_add(X + i % 5, 1 + i // 5)
    old = tl.atomic_cas(Y + i, tl.full((12,), 0, tl.int32), i + 1)
    tl.atomic_max(Z + i, tl.where(old == 0, i, old - 1), mask=i > 2)


@triton.jit
def _collatz(x):
    steps = 0
    while x != 1:
        x = tl.where(x % 2 == 0, x // 2, 3 * x + 1)
        steps += 1
    return steps


@triton.jit
def _ratio(x, y):
    return 100 // x + y % x


# A function that would not end on zeros; and one that divides.
#: X=i32[12]:randint(1,30,1) Z=i32[24]:zeros N=12
#: X=i32[48]:randint(1,30,1) Z=i32[96]:zeros N=48 --num-warps 1
@triton.jit
def maps(X, Z, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    tl.store(Z + i, tl.map_elementwise(_collatz, x))
    tl.store(Z + N + i, tl.map_elementwise(_ratio, x, i) + 1000 // x)


# Values that loops carry, and branches on reduced values.
#: X=i32[6,10]:randint(0,9,1) Z=i32[6,10]:zeros n=3
@triton.jit
def loops(X, Z, n):
    at = tl.arange(0, 6)[:, None] * 10 + tl.arange(0, 10)[None, :]
    x = tl.load(X + at)
    total = tl.zeros((6, 10), tl.int32)
    for k in range(n):
        total += x + k
    while tl.sum(total) < 2000:
        total = total * 2 + 1
        if tl.max(total) > 100:
            total += tl.max(total, 1, keep_dims=True)
    tl.store(Z + at, total)


# A block of a larger tensor by a block pointer and by a descriptor.
#: X=f32[20,36]:randn(1) Z=f32[20,36]:zeros Y=f32[20,36]:zeros --grid 4
@triton.jit
def windows(X, Z, Y):
    row = tl.program_id(0) * 6
    p = tl.make_block_ptr(X, (20, 36), (36, 1), (row, 0), (6, 20), (1, 0))
    q = tl.make_block_ptr(Z, (20, 36), (36, 1), (row, 0), (6, 20), (1, 0))
    x = tl.make_tensor_descriptor(X, (20, 36), (36, 1), (6, 12))
    y = tl.make_tensor_descriptor(Y, (20, 36), (36, 1), (6, 12))
    for k in range(2):
        tl.store(q, tl.load(p, boundary_check=(0, 1)) + 1, boundary_check=(0, 1))
        p = tl.advance(p, (0, 20))
        q = tl.advance(q, (0, 20))
    for k in range(3):
        y.store([row, 12 * k], x.load([row, 12 * k]) * 2)


#: X=f32[3,48]:randn(1) Y=f32[2,3,48]:zeros Z=f32[3,5]:zeros M=3 N=48 K=5
#: X=i8[5,7]:randint(-128,128,1) Y=i8[2,5,7]:zeros Z=i8[5,7]:zeros M=5 N=7 K=7 --num-warps 1
#: X=u16[2,20]:randint(0,65536,1) Y=u16[2,2,20]:zeros Z=u16[2,8]:zeros M=2 N=20 K=8 --num-warps 1
#: X=f64[1,3]:randn(1) Y=f64[2,1,3]:zeros Z=f64[1,1]:zeros M=1 N=3 K=1
@triton.jit
def sorts(X, Y, Z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    r = tl.arange(0, M)[:, None]
    at = r * N + tl.arange(0, N)[None, :]
    x = tl.load(X + at)
    tl.store(Y + at, tl.sort(x))
    tl.store(Y + M * N + at, tl.sort(x, descending=True))
    tl.store(Z + r * K + tl.arange(0, K)[None, :], tl.topk(x, K))


#: X=i32[20]:arange Y=i32[2,20]:zeros N=20
#: X=f16[5]:arange Y=f16[2,5]:zeros N=5
@triton.jit
def merges(X, Y, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(X + i)
    rises = tl.where(i < N // 2, 3 * x, 2 * N - x)
    tl.store(Y + i, tl.bitonic_merge(rises))
    tl.store(Y + N + i, tl.bitonic_merge(rises, descending=True))


@triton.jit
def printing(X):
    x = tl.load(X + tl.arange(0, 3))
    tl.device_print("x", x)
    tl.device_print("y", 2 * x[None, :])


@triton.jit
def asserting(X, Z):
    x = tl.load(X + tl.arange(0, 3))
    tl.device_assert(x > 4, "above four")
    tl.store(Z + tl.arange(0, 3), x)


# Scales of 32 elements each: three of them.
#: X=u8[24,96]:randint(0,100,1) SX=u8[24,3]:randint(120,130,3) Y=u8[96,40]:randint(0,100,2) SY=u8[40,3]:randint(120,130,4) Z=f32[24,40]:zeros
@triton.jit
def scaled(X, SX, Y, SY, Z):
    m = tl.arange(0, 24)[:, None]
    n = tl.arange(0, 40)
    k = tl.arange(0, 96)
    s = tl.arange(0, 3)[None, :]
    a = tl.load(X + m * 96 + k[None, :])
    b = tl.load(Y + k[:, None] * 40 + n[None, :])
    z = tl.dot_scaled(a, tl.load(SX + m * 3 + s), "e4m3", b, tl.load(SY + n[:, None] * 3 + s), "e4m3")
    tl.store(Z + m * 40 + n[None, :], z)


@triton.jit
def multiply_matrices(a, b, c, d, e, f, g, h):
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


# Four values together, with a function that has no simple identity.
#: X=i32[32,5]:randint(-9,9,1) Z=i32[32]:zeros S=i32[32,5]:zeros M=32 N=5
#: X=i32[3,112]:randint(-9,9,1) Z=i32[3]:zeros S=i32[3,112]:zeros M=3 N=112
@triton.jit
def products_of_matrices(X, Z, S, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(X + at)
    tl.store(Z + tl.arange(0, M), tl.reduce((x, x + 1, x - 1, x), 1, multiply_matrices)[2])
    tl.store(S + at, tl.associative_scan((x, x + 1, x - 1, x), 1, multiply_matrices, reverse=True)[1])


# NaN is never exchanged with padding.
#: X=f32[12]:zeros Y=f32[12]:zeros Z=f32[5]:zeros
@triton.jit
def sorts_of_nan(X, Y, Z):
    i = tl.arange(0, 12)
    x = tl.load(X + i)
    y = tl.where(i % 5 == 2, x / 0.0, tl.where(i % 3 == 0, -i, i) * 1.0)
    s = tl.sort(y)
    tl.store(Y + i, tl.where(s == s, s, 100.0))
    k = tl.topk(tl.where(i == 0, float("-inf"), tl.where(i == 4, float("inf"), -y)), 5)
    tl.store(Z + tl.arange(0, 5), tl.where(k == k, k, 100.0))


# Attention with heads of 80: online softmax over blocks of keys.
#: Q=f16[40,80]:randn(1) K=f16[72,80]:randn(2) V=f16[72,80]:randn(3) Z=f32[40,80]:zeros T=72 D=80 BM=40 BN=24
@triton.jit
def attention(Q, K, V, Z, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, BM)[:, None]
    d = tl.arange(0, D)
    q = tl.load(Q + m * D + d[None, :])
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(K + n[None, :] * D + d[:, None], mask=n[None, :] < T, other=0.0)
        s = tl.where(n[None, :] < T, tl.dot(q, k) * 0.1, float("-inf"))
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        scale = tl.exp(most - new)
        total = total * scale + tl.sum(p, 1)
        v = tl.load(V + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * scale[:, None])
        most = new
    tl.store(Z + m * D + d[None, :], acc / total[:, None])

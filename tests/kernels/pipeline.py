# Loops whose loads are copies that run ahead: the hazards that must prevent it, how far they may
# go, and where they stop. Every kernel adds products of 32x32 or larger tiles of small integers, so
# that sums are exact.
import triton
import triton.language as tl


#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=6 --num-stages 1
#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=6 --num-stages 2
#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=6 --num-stages 4
#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=6 --num-stages 5
#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=2 --num-stages 5
#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=0 --num-stages 4
#: A=f16[6144]:randint(-4,5,1) B=f16[6144]:randint(-4,5,2) D=f32[1024]:zeros n=6 --num-stages 64
@triton.jit
def stages(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        acc = tl.dot(tl.load(A + k * 1024 + p), tl.load(B + k * 1024 + p), acc)
    tl.store(D + p, acc)


#: A=f16[64,192]:randint(-4,5,1) B=f16[192,64]:randint(-4,5,2) D=f32[4096]:zeros K=192 --num-stages 1
#: A=f16[64,192]:randint(-4,5,1) B=f16[192,64]:randint(-4,5,2) D=f32[4096]:zeros K=192 --num-stages 2
#: A=f16[64,192]:randint(-4,5,1) B=f16[192,64]:randint(-4,5,2) D=f32[4096]:zeros K=192 --num-stages 4
#: A=f16[64,192]:randint(-4,5,1) B=f16[192,64]:randint(-4,5,2) D=f32[4096]:zeros K=170 --num-stages 5
@triton.jit
def group_stages(A, B, D, K):
    i = tl.arange(0, 64)
    k = tl.arange(0, 32)
    a = A + i[:, None] * 192 + k[None, :]
    b = B + k[:, None] * 64 + i[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, 32):
        x = tl.load(a, mask=start + k[None, :] < K, other=0.0)
        y = tl.load(b, mask=start + k[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
        a += 32
        b += 32 * 64
    tl.store(D + i[:, None] * 64 + i[None, :], acc)


#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 S=1
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 S=2
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 S=4 --num-stages 1
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 S=1000000000
@triton.jit
def own_stages(A, B, D, n, S: tl.constexpr):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in tl.range(n, num_stages=S):
        acc = tl.dot(tl.load(A + k * 1024 + p), tl.load(B + k * 1024 + p), acc)
    tl.store(D + p, acc)


#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 --num-stages 2
@triton.jit
def stores_to_operand(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        x = tl.load(A + k * 1024 + p)
        y = tl.load(B + k * 1024 + p)
        acc = tl.dot(x, y, acc)
        tl.store(B + ((k + 1) * 1024) + p, (acc % 4).to(tl.float16), mask=(k + 1 < n))
        tl.debug_barrier()
    tl.store(D + p, acc)


# Each thread writes what it reads itself: no barrier, and yet the copies would be too early.
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 --num-warps 1
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4
@triton.jit
def stores_own_elements(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        x = tl.load(A + p)
        y = tl.load(B + k * 1024 + p)
        acc = tl.dot(x, y, acc)
        tl.store(A + p, x + 1)
    tl.store(D + p, acc)


# Which argument is written is only known by following the carried pointers around the loop.
#: A=f16[1024]:randint(-4,5,1) B=f16[1024]:randint(-4,5,2) D=f32[1024]:zeros n=4
@triton.jit
def stores_to_swapped(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    here = A + p
    there = B + p
    for k in range(n):
        x = tl.load(here)
        acc = tl.dot(x, tl.trans(x), acc)
        tl.store(there, (acc % 4).to(tl.float16))
        tl.debug_barrier()
        here, there = there, here
    tl.store(D + p, acc)


#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4
@triton.jit
def adds_to_operand(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        x = tl.load(A + k * 1024 + p)
        y = tl.load(B + k * 1024 + p)
        acc = tl.dot(x, y, acc)
        tl.atomic_add(A + ((k + 1) * 1024) + p, acc.to(tl.float16) * 0 + 1, mask=(k + 1 < n), sem="relaxed")
        tl.debug_barrier()
    tl.store(D + p, acc)


#: A=f16[16384]:randint(-1,2,1) B=f16[16384]:randint(-1,2,2) D=f32[4096]:zeros n=3
@triton.jit
def group_stores_to_operand(A, B, D, n):
    i = tl.arange(0, 64)
    p = i[:, None] * 64 + i[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        x = tl.load(A + k * 4096 + p)
        y = tl.load(B + k * 4096 + p)
        acc = tl.dot(x, y, acc)
        s = tl.load(A + k * 4096 + tl.trans(p)).to(tl.float32) + k
        tl.store(B + (k + 1) * 4096 + p, s.to(tl.float16))
        tl.debug_barrier()
    tl.store(D + p, acc)


#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4
@triton.jit
def stores_in_branch(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        x = tl.load(A + k * 1024 + p)
        y = tl.load(B + k * 1024 + p)
        acc = tl.dot(x, y, acc)
        if k == 0:
            tl.store(A + 1024 + p, (acc * 0 + 1).to(tl.float16))
            tl.debug_barrier()
    tl.store(D + p, acc)


# Stores to another argument are not a hazard.
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[4096]:zeros n=4
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[4096]:zeros n=4 --num-stages 5
@triton.jit
def stores_results(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    for k in range(n):
        tl.store(D + k * 1024 + p, tl.dot(tl.load(A + k * 1024 + p), tl.load(B + k * 1024 + p)))


#: A=f16[16384]:randint(-4,5,1) B=f16[16384]:randint(-4,5,2) F=i32[4]:randint(1,2,3) D=f32[4096]:zeros n=3
@triton.jit
def waits_for_flags(A, B, F, D, n):
    i = tl.arange(0, 64)
    p = i[:, None] * 64 + i[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        while tl.atomic_add(F + k, 0, sem="acquire") == 0:
            pass
        acc = tl.dot(tl.load(A + k * 4096 + p), tl.load(B + k * 4096 + p), acc)
    tl.store(D + p, acc)


#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4
@triton.jit
def uncached(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        x = tl.load(A + k * 1024 + p, cache_modifier=".cv")
        y = tl.load(B + k * 1024 + p, volatile=True)
        acc = tl.dot(x, y, acc)
    tl.store(D + p, acc)


# Iteration numbers past the last one exceed the largest integer, and wrap around with ten stages.
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=1073741825
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=1073741825 --num-stages 2
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=1073741825 --num-stages 10
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=-1073741825 --num-stages 10
@triton.jit
def ends_at_largest(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(0, n, 1 << 29):
        x = tl.load(A + k // (1 << 19) + p)
        y = tl.load(B + p)
        acc = tl.dot(x, y, acc)
    tl.store(D + p, acc)


# Beyond the last iteration the divisor is 0.
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=4 --num-stages 5
#: A=f16[4096]:randint(-4,5,1) B=f16[4096]:randint(-4,5,2) D=f32[1024]:zeros n=0
@triton.jit
def divides(A, B, D, n):
    i = tl.arange(0, 32)
    p = i[:, None] * 32 + i[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        q = 8 // (n - k)
        x = tl.load(A + (q % 4) * 1024 + p)
        y = tl.load(B + (p * 4) % (1024 * (n - k)))
        acc = tl.dot(x, y, acc)
    tl.store(D + p, acc)


# Two rings that do not fit into shared memory with all their stages at the same time.
#: A=f16[24576]:randint(-4,5,1) B=f16[24576]:randint(-4,5,2) D=f32[16384]:zeros n=2 m=2
#: A=f16[24576]:randint(-4,5,1) B=f16[24576]:randint(-4,5,2) D=f32[16384]:zeros n=2 m=1 --num-warps 8
@triton.jit
def nested(A, B, D, n, m):
    i = tl.arange(0, 128)
    j = tl.arange(0, 64)
    p = i[:, None] * 64 + j[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(n):
        x = tl.load(A + k * 8192 + p)
        y = tl.load(B + k * 8192 + p)
        acc = tl.dot(x, tl.trans(y), acc)
        for l in range(m):
            u = tl.load(A + (l + k) * 8192 + p)
            v = tl.load(B + (l + k) * 8192 + p)
            acc = tl.dot(u, tl.trans(v), acc)
    tl.store(D + i[:, None] * 128 + i[None, :], acc)


#: A=f16[32,128]:randn(1) B=f16[128,32]:randn(2) S=f32[128]:randn(3) W=i32[128]:randint(0,9,4) D=f32[32,32]:zeros n=128
#: A=f16[32,128]:randn(1) B=f16[128,32]:randn(2) S=f32[128]:randn(3) W=i32[128]:randint(0,9,4) D=f32[32,32]:zeros n=70 --num-warps 2 --num-stages 4
#: A=f16[32,128]:randn(1) B=f16[128,32]:randn(2) S=f32[128]:randn(3) W=i32[128]:randint(0,9,4) D=f32[32,32]:full(1) n=0
@triton.jit
def vectors_between(A, B, S, W, D, n):
    # Vectors that are read between products, and one by a carried pointer.
    i = tl.arange(0, 32)
    k = tl.arange(0, 16)
    w = W + i
    acc = tl.zeros((32, 32), tl.float32)
    for start in range(0, n, 16):
        a = tl.load(A + i[:, None] * 128 + (start + k)[None, :])
        b = tl.load(B + (start + k)[:, None] * 32 + i[None, :])
        s = tl.load(S + start + i, mask=start + i < n, other=1.0)
        acc += tl.dot(a, b) * s[:, None] + tl.load(w, mask=start + i < 128, other=0)[None, :]
        w += 16
    tl.store(D + i[:, None] * 32 + i[None, :], acc)


#: A=f16[64,64]:randn(1) S=f32[64]:randn(2) D=f32[64,16]:zeros n=64
#: A=f16[64,64]:randn(1) S=f32[64]:randn(2) D=f32[64,16]:zeros n=37 --num-warps 1
@triton.jit
def vectors_in_both_loops(A, S, D, n):
    # Two loops, the second of which ends where its vector does.
    i = tl.arange(0, 16)
    x = tl.load(A + i[:, None] * 64 + i[None, :])
    acc = tl.zeros((16, 16), tl.float32)
    for start in range(0, n, 16):
        y = tl.load(A + (start + i)[:, None] * 64 + i[None, :])
        acc += tl.dot(x, y) * tl.load(S + start + i, mask=start + i < n, other=0)[None, :]
    for start in range(0, n, 16):
        y = tl.load(A + (start + i)[:, None] * 64 + i[None, :])
        scale = tl.load(S + start + i, mask=start + i < n, other=0)
        tl.store(D + (start + i)[:, None] * 16 + i[None, :], tl.dot(y, x, acc) * scale[:, None])


# Blocks of the second operand whose places are in a table: loads that run ahead read the table ahead, and not beyond its end.
#: X=f16[32,160]:randn(1) Y=f16[256,32]:randn(2) T=i32[5]:randint(0,8,3) Z=f32[32,32]:zeros n=5
#: X=f16[32,160]:randn(1) Y=f16[256,32]:randn(2) T=i32[5]:randint(0,8,3) Z=f32[32,32]:zeros n=1 --num-warps 1
#: X=f16[32,160]:randn(1) Y=f16[256,32]:randn(2) T=i32[5]:randint(0,8,3) Z=f32[32,32]:zeros n=0 --num-stages 4
@triton.jit
def blocks_of_a_table(X, Y, T, Z, n):
    i = tl.arange(0, 32)
    x = X + i[:, None] * 160 + i[None, :]
    place = tl.load(T, mask=n > 0, other=0) * 32
    acc = tl.zeros((32, 32), tl.float32)
    for b in range(0, n):
        y = tl.load(Y + (place + i[:, None]) * 32 + i[None, :])
        acc = tl.dot(tl.load(x), y, acc)
        x += 32
        this = tl.load(T + b)
        following = tl.load(T + b + 1, mask=b + 1 < n)
        place += (following - this) * 32
    tl.store(Z + i[:, None] * 32 + i[None, :], acc)

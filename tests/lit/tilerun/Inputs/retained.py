import triton
import triton.language as tl


# The same constant bounds, of two types.
@triton.jit
def two_types(X, Z, C: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((B, ), tl.float32)
    for start in range(0, C, B):
        total += tl.load(X + start + tl.arange(0, B))
    for start in range(tl.cast(0, tl.int64), C, B):
        c = start + tl.arange(0, B)
        tl.store(Z + c, tl.load(X + c) * total)


# Counters of 16 bits.
@triton.jit
def narrow(X, Z, C: tl.int16, B: tl.constexpr):
    total = tl.zeros((B, ), tl.float32)
    zero = C * 0
    for start in range(zero, C, zero + 4):
        total += tl.load(X + start * 32 + tl.arange(0, B))
    for start in range(zero, C, zero + 4):
        c = start * 32 + tl.arange(0, B)
        tl.store(Z + c, tl.load(X + c) * total)


# One product wraps where the other one does not.
@triton.jit
def wide_mask(X, Z, C, S, L, B: tl.constexpr):
    total = tl.zeros((B, ), tl.float32)
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        total += tl.load(X + c, mask=(c * S).to(tl.int64) < L, other=0.0)
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        tl.store(Z + c, tl.load(X + c, mask=c.to(tl.int64) * S < L, other=0.0) + total)


# A product, whose sums need registers.
@triton.jit
def product(X, Y, Z, K, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, B)
    most = tl.full((M, ), float("-inf"), tl.float32)
    for s in range(0, K, B):
        most = tl.maximum(most, tl.max(tl.load(X + m[:, None] * K + (s + k)[None, :]), 1).to(tl.float32))
    acc = tl.zeros((M, N), tl.float32)
    for s in range(0, K, B):
        x = tl.load(X + m[:, None] * K + (s + k)[None, :])
        y = tl.load(Y + (s + k)[:, None] * N + n[None, :])
        acc = tl.dot(x - most[:, None].to(tl.float16), y, acc)
    tl.store(Z + m[:, None] * N + n[None, :], acc)

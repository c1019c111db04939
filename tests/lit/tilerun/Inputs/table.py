import triton
import triton.language as tl


@triton.jit
def product(X, Y, T, Z, n, WRITES: tl.constexpr = False):
    i = tl.arange(0, 64)
    x = tl.load(X + i[:, None] * 64 + i[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    for b in range(0, n):
        place = tl.load(T + b)
        acc = tl.dot(x, tl.load(Y + (place * 64 + i[:, None]) * 64 + i[None, :]), acc)
        if WRITES:
            tl.store(T + b + 1, place + 1)
    tl.store(Z + i[:, None] * 64 + i[None, :], acc)

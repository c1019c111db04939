import triton
import triton.language as tl


@triton.jit
def products(a, b, c, n, m, k):
    r = tl.arange(0, 64)
    tile = r[:, None] * 64 + r[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    for j in range(0, n + m + k):
        acc += tl.dot(tl.load(a + tile + j * 4096), tl.load(b + tile + j * 4096))
    for j in range(0, n + m - k + 7):
        acc += tl.dot(tl.load(a + tile + j * 4096), tl.load(b + tile + j * 4096))
    tl.store(c + tile, acc)

import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, K, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(x_ptr + i[:, None] * K + (k + i)[None, :])
        w = tl.load(w_ptr + (k + i)[:, None] * B + i[None, :])
        acc += tl.dot(x, w)
    tl.store(out_ptr + i[:, None] * B + i[None, :], acc)


@triton.jit
def plain(x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x_ptr + i, i)


@triton.jit
def shifted(x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x_ptr + i, i << 40)

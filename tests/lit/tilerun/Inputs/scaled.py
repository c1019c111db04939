# A scaled product of 4-bit floats.
import triton
import triton.language as tl


@triton.jit
def scaled(x, y, out, SIZE: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, SIZE)
    k = tl.arange(0, K)
    a = tl.load(x + i[:, None] * (K // 2) + tl.arange(0, K // 2)[None, :])
    b = tl.load(y + k[:, None] * SIZE + i[None, :])
    product = tl.dot_scaled(a, None, "e2m1", b, None, "bf16")
    tl.store(out + i[:, None] * SIZE + i[None, :], product)

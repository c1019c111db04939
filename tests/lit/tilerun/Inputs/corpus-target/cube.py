import triton
import triton.language as tl


@triton.jit
def cube(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, A)[:, None, None] * B * C + tl.arange(0, B)[None, :, None] * C + tl.arange(0, C)[None, None, :]
    tl.store(out + i, tl.load(x + i) + tl.sum(tl.load(x + tl.arange(0, D)), 0))

# One kernel that compiles at once, and one that takes a code generator a long time.
import triton
import triton.language as tl


@triton.jit
def quick(x, out):
    tl.store(out, tl.load(x) + 1)


@triton.jit
def slow(x, out):
    value = tl.load(x + tl.arange(0, 2048))
    for i in tl.static_range(3000):
        value = tl.sin(value) + i
    tl.store(out + tl.arange(0, 2048), value)

import triton
import triton.language as tl


@triton.jit
def single(x, out):
    tl.store(out, tl.load(x) + 1)


@triton.jit
def twofold(x, out):
    tl.store(out, (tl.load(x).to(tl.float64) * 3.5).to(tl.float32))


@triton.jit
def wrong(x, out):
    tl.store(out, tl.no_such_function(x))

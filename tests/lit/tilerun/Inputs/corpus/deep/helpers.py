import triton
import triton.language as tl


@triton.jit
def twice(x):
    return 2 * x


@triton.jit
def unknown(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), tl.no_such_function(x))


@triton.jit
def also_unknown(y, BLOCK: tl.constexpr):
    tl.store(y + tl.arange(0, BLOCK), tl.no_such_function(y))

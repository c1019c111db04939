"""Masked accesses whose masks are the sizes of buffers on AMD GPUs."""
import triton
import triton.language as tl


@triton.jit
def bounded(X, Y, Z, n, low, BLOCK: tl.constexpr):
    """Y = X + 1 below n, and not below `low` as well; Z = X, and 7 beyond n"""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + i, mask=i < n, other=7)
    tl.store(Z + i, x)
    tl.store(Y + i, x + 1, mask=(i < n) & (i >= low))


@triton.jit
def rows(X, Y, n, stride, BLOCK: tl.constexpr):
    """Y[row] = the sum of n elements of X[row], in blocks"""
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + i, mask=i < n, other=0).to(tl.int32)
    tl.store(Y + row, tl.sum(total, 0))

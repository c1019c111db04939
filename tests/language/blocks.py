"""Blocks whose sizes are not powers of two."""

import triton
import triton.language as tl


#: X=i32[1,2,3,4,5,6] Z->i32[5,7,9] Y->i32[6,15] W->i32[4,5,6,1,2,3] beyond
@triton.jit
def any_size(X, Z, Y, W):
    """S8: Beyond Triton: sizes need not be powers of two."""
    i = tl.arange(0, 2)[:, None] * 3 + tl.arange(0, 3)[None, :]
    x = tl.load(X + i)
    tl.store(Z + tl.arange(0, 3), tl.sum(x, 0))
    tl.store(Y + tl.arange(0, 2), tl.sum(x, 1))
    tl.store(W + tl.arange(0, 6), tl.ravel(tl.flip(x, 0)))


#: refused
@triton.jit
def rounded_up():
    """S8: The 2^20 elements of S2 count with each size rounded up to a power of two."""
    # error: tl.zeros: 'shape' is [1025, 513], which is more than 1048576 elements with its sizes rounded up to powers of two; use smaller blocks
    x = tl.zeros((1025, 513), tl.int8)

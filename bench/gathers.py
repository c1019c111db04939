"""Kernels of bench/bounds: addresses that are read from memory."""

import triton
import triton.language as tl


@triton.jit
def gather(x, indices, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    j = tl.load(indices + i, mask=mask, other=0)
    tl.store(out + i, tl.load(x + j, mask=mask, other=0.0), mask=mask)


@triton.jit
def gather_of_two(x, y, indices, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    j = tl.load(indices + i, mask=mask, other=0)
    pointers = tl.where(j % 2 == 0, x + j, y + j)
    tl.store(out + i, tl.load(pointers, mask=mask, other=0.0), mask=mask)

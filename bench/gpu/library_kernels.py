"""Kernels around one function of the language's library each: a sort of a row and random numbers of the normal
distribution. `compare.py` measures them beside Triton and beside another build."""

import triton
import triton.language as tl


@triton.jit
def sort_rows_kernel(x_ptr, out_ptr, COLUMNS: tl.constexpr):
    offsets = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(out_ptr + offsets, tl.sort(tl.load(x_ptr + offsets), descending=True))


@triton.jit
def normal_kernel(out_ptr, n_elements, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.store(out_ptr + offsets, tl.randn(seed, offsets), mask=offsets < n_elements)

"""Kernels around one function of the language's library each: a sort of a row, random numbers of the normal
distribution, and a product of any types. `compare.py` measures them beside Triton and beside another build."""

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


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                   IMPRECISE: tl.constexpr = None):
    """C = A @ B, added up in float32 or, of integers, int32; of 8-bit floats, at most IMPRECISE products by the tensor cores
    before their sum is added"""
    pid = tl.program_id(0)
    in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first_m = (pid // in_group) * GROUP_M
    group_rows = min(tl.cdiv(M, BLOCK_M) - first_m, GROUP_M)
    tile_m = first_m + (pid % in_group) % group_rows
    tile_n = (pid % in_group) // group_rows
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b_ptr + inner[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=inner[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=inner[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc, max_num_imprecise_acc=IMPRECISE, out_dtype=acc.dtype)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))

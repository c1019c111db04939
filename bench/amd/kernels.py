"""Kernels that compare.py compiles beside those of examples/: products whose sums have the type of
the result, and the forward pass of attention."""

import triton
import triton.language as tl


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C[M, N] = A[M, K] @ B[K, N], for K a multiple of BLOCK_K and blocks inside of C"""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=c_ptr.dtype.element_ty)
    for _ in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc, out_dtype=c_ptr.dtype.element_ty)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    tl.store(c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn, acc)


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, scale, stride_head, stride_row, length,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr):
    """out = softmax(q @ k.T * scale) @ v for one head and BLOCK_M rows of q; `scale` includes log2(e), and `length` is
    a multiple of both blocks"""
    head = tl.program_id(1) * stride_head
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    keys, channels = tl.arange(0, BLOCK_N), tl.arange(0, HEAD)
    q = tl.load(q_ptr + head + rows[:, None] * stride_row + channels[None, :])
    k_ptrs = k_ptr + head + keys[None, :] * stride_row + channels[:, None]
    v_ptrs = v_ptr + head + keys[:, None] * stride_row + channels[None, :]
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), tl.float32)
    for _ in range(0, length, BLOCK_N):
        scores = tl.dot(q, tl.load(k_ptrs)) * scale
        above = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - above[:, None])
        shrink = tl.exp2(largest - above)
        total = total * shrink + tl.sum(weights, 1)
        acc = tl.dot(weights.to(v_ptr.dtype.element_ty), tl.load(v_ptrs), acc * shrink[:, None])
        largest = above
        k_ptrs += BLOCK_N * stride_row
        v_ptrs += BLOCK_N * stride_row
    out = acc / total[:, None]
    tl.store(out_ptr + head + rows[:, None] * stride_row + channels[None, :], out.to(out_ptr.dtype.element_ty))

"""Attention, forward, as kernels in use write it: scores in base 2, running maxima and sums, and for causal masks a loop for
the blocks that are seen whole and one for those on the diagonal. Heads that are not a power of two are padded to one."""

import triton
import triton.language as tl


@triton.jit
def load_of_head(pointers, within, HEAD: tl.constexpr, D: tl.constexpr):
    """Columns past the head's end are zeros."""
    if HEAD == D:
        values = tl.load(pointers)
    else:
        values = tl.load(pointers, mask=within, other=0.0)
    return values


@triton.jit
def over_blocks(q, k_ptr, v_ptr, acc, total, most, rows, first, last, stride, scale, HEAD: tl.constexpr, D: tl.constexpr,
                BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    d = tl.arange(0, D)
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        k = load_of_head(k_ptr + columns[None, :] * stride + d[:, None], d[:, None] < HEAD, HEAD, D)
        scores = tl.dot(q, k)
        if MASKED:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, float("-inf"))
        larger = tl.maximum(most, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - larger[:, None])
        shrink = tl.exp2(most - larger)
        total = total * shrink + tl.sum(weights, 1)
        v = load_of_head(v_ptr + columns[:, None] * stride + d[None, :], d[None, :] < HEAD, HEAD, D)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        most = larger
    return acc, total, most


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, tokens, stride, head_stride, scale, HEAD: tl.constexpr,
                     D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """out = softmax(q @ k.T * scale) @ v of one head for BLOCK_M tokens; `tokens` is a multiple of the blocks. The backward
    pass needs the logarithm (base 2) of each row's sum of exponentials; None: it is not stored"""
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # Long ones first.
    offset = tl.program_id(1).to(tl.int64) * head_stride
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    place = rows[:, None] * stride + d[None, :]
    q = load_of_head(q_ptr + offset + place, d[None, :] < HEAD, HEAD, D)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    total = tl.zeros((BLOCK_M, ), tl.float32)
    most = tl.full((BLOCK_M, ), float("-inf"), tl.float32)
    scale = scale * 1.4426950408889634
    last = tokens
    if CAUSAL:
        last = block * BLOCK_M
    acc, total, most = over_blocks(q, k_ptr + offset, v_ptr + offset, acc, total, most, rows, 0, last, stride, scale, HEAD, D,
                                   BLOCK_N, False)
    if CAUSAL:
        acc, total, most = over_blocks(q, k_ptr + offset, v_ptr + offset, acc, total, most, rows, last, last + BLOCK_M, stride,
                                       scale, HEAD, D, BLOCK_N, True)
    if lse_ptr is not None:
        tl.store(lse_ptr + tl.program_id(1) * tokens + rows, most + tl.log2(total))
    result = (acc / total[:, None]).to(out_ptr.dtype.element_ty)
    if HEAD == D:
        tl.store(out_ptr + offset + place, result)
    else:
        tl.store(out_ptr + offset + place, result, mask=d[None, :] < HEAD)

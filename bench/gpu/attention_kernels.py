"""Attention, forward, as kernels in use write it: scores in base 2, running maxima and sums, and for causal masks a loop for
the blocks that are seen whole and one for those on the diagonal."""

import triton
import triton.language as tl


@triton.jit
def over_blocks(q, k_ptr, v_ptr, acc, total, most, rows, first, last, stride, scale, D: tl.constexpr, BLOCK_N: tl.constexpr,
                MASKED: tl.constexpr):
    d = tl.arange(0, D)
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + columns[None, :] * stride + d[:, None])
        scores = tl.dot(q, k)
        if MASKED:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, float("-inf"))
        larger = tl.maximum(most, tl.max(scores, 1) * scale)
        weights = tl.exp2(scores * scale - larger[:, None])
        shrink = tl.exp2(most - larger)
        total = total * shrink + tl.sum(weights, 1)
        v = tl.load(v_ptr + columns[:, None] * stride + d[None, :])
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        most = larger
    return acc, total, most


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, tokens, stride, head_stride, scale, D: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """out = softmax(q @ k.T * scale) @ v of one head for BLOCK_M tokens; `tokens` is a multiple of the blocks"""
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # Long ones first.
    offset = tl.program_id(1).to(tl.int64) * head_stride
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    place = rows[:, None] * stride + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + offset + place)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    total = tl.zeros((BLOCK_M, ), tl.float32)
    most = tl.full((BLOCK_M, ), float("-inf"), tl.float32)
    scale = scale * 1.4426950408889634
    last = tokens
    if CAUSAL:
        last = block * BLOCK_M
    acc, total, most = over_blocks(q, k_ptr + offset, v_ptr + offset, acc, total, most, rows, 0, last, stride, scale, D, BLOCK_N, False)
    if CAUSAL:
        acc, total, most = over_blocks(q, k_ptr + offset, v_ptr + offset, acc, total, most, rows, last, last + BLOCK_M, stride,
                                       scale, D, BLOCK_N, True)
    tl.store(out_ptr + offset + place, (acc / total[:, None]).to(out_ptr.dtype.element_ty))

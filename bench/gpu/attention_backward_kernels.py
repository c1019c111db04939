"""Attention, backward: three kernels, as kernels in use have them. The first sums each row of out * gradient, the second takes
a block of keys through all queries for the gradients of K and V, the third a block of queries through all keys for that
of Q, so that nothing needs atomics. Tensors are [heads, tokens, D], contiguous; `tokens` is a multiple of the blocks."""

import triton
import triton.language as tl


@triton.jit
def delta_kernel(out_ptr, grad_ptr, delta_ptr, tokens, D: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(1).to(tl.int64) * tokens + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = rows[:, None] * D + tl.arange(0, D)[None, :]
    out = tl.load(out_ptr + place).to(tl.float32)
    grad = tl.load(grad_ptr + place).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(out * grad, 1))


@triton.jit
def through_queries(k, v, grad_k, grad_v, q_ptr, grad_ptr, lse_ptr, delta_ptr, columns, first, last, scale, D: tl.constexpr,
                    BLOCK_M: tl.constexpr, MASKED: tl.constexpr):
    """Weights are transposed here, [keys, queries], as both products with them want them."""
    d = tl.arange(0, D)
    for start in range(first, last, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        place = rows[:, None] * D + d[None, :]
        q = tl.load(q_ptr + place)
        lse = tl.load(lse_ptr + rows)
        weights = tl.exp2(tl.dot(k, tl.trans(q)) * scale - lse[None, :])
        if MASKED:
            weights = tl.where(rows[None, :] >= columns[:, None], weights, 0.0)
        grad = tl.load(grad_ptr + place)
        grad_v = tl.dot(weights.to(grad.dtype), grad, grad_v)
        delta = tl.load(delta_ptr + rows)
        grad_scores = weights * (tl.dot(v, tl.trans(grad)) - delta[None, :])
        grad_k = tl.dot(grad_scores.to(q.dtype), q, grad_k)
    return grad_k, grad_v


@triton.jit
def key_value_gradient_kernel(q_ptr, k_ptr, v_ptr, grad_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, tokens, scale,
                              D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """Gradients of BLOCK_N keys and values of one head; causal: BLOCK_N is a multiple of BLOCK_M"""
    head = tl.program_id(1).to(tl.int64)
    q_ptr += head * tokens * D
    grad_ptr += head * tokens * D
    lse_ptr += head * tokens
    delta_ptr += head * tokens
    begin = tl.program_id(0) * BLOCK_N
    columns = begin + tl.arange(0, BLOCK_N)
    place = head * tokens * D + columns[:, None] * D + tl.arange(0, D)[None, :]
    k = tl.load(k_ptr + place)
    v = tl.load(v_ptr + place)
    grad_k = tl.zeros((BLOCK_N, D), tl.float32)
    grad_v = tl.zeros((BLOCK_N, D), tl.float32)
    log_scale = scale * 1.4426950408889634
    first = 0
    if CAUSAL:
        first = begin + BLOCK_N
        grad_k, grad_v = through_queries(k, v, grad_k, grad_v, q_ptr, grad_ptr, lse_ptr, delta_ptr, columns, begin, first,
                                         log_scale, D, BLOCK_M, True)
    grad_k, grad_v = through_queries(k, v, grad_k, grad_v, q_ptr, grad_ptr, lse_ptr, delta_ptr, columns, first, tokens,
                                     log_scale, D, BLOCK_M, False)
    tl.store(grad_k_ptr + place, (grad_k * scale).to(grad_k_ptr.dtype.element_ty))
    tl.store(grad_v_ptr + place, grad_v.to(grad_v_ptr.dtype.element_ty))


@triton.jit
def through_keys(q, grad, lse, delta, grad_q, k_ptr, v_ptr, rows, first, last, scale, D: tl.constexpr, BLOCK_N: tl.constexpr,
                 MASKED: tl.constexpr):
    d = tl.arange(0, D)
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        place = columns[:, None] * D + d[None, :]
        k = tl.load(k_ptr + place)
        v = tl.load(v_ptr + place)
        weights = tl.exp2(tl.dot(q, tl.trans(k)) * scale - lse[:, None])
        if MASKED:
            weights = tl.where(rows[:, None] >= columns[None, :], weights, 0.0)
        grad_scores = weights * (tl.dot(grad, tl.trans(v)) - delta[:, None])
        grad_q = tl.dot(grad_scores.to(k.dtype), k, grad_q)
    return grad_q


@triton.jit
def query_gradient_kernel(q_ptr, k_ptr, v_ptr, grad_ptr, lse_ptr, delta_ptr, grad_q_ptr, tokens, scale, D: tl.constexpr,
                          BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """Gradient of BLOCK_M queries of one head; causal: BLOCK_M is a multiple of BLOCK_N"""
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # Long ones first.
    head = tl.program_id(1).to(tl.int64)
    k_ptr += head * tokens * D
    v_ptr += head * tokens * D
    begin = block * BLOCK_M
    rows = begin + tl.arange(0, BLOCK_M)
    place = head * tokens * D + rows[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + place)
    grad = tl.load(grad_ptr + place)
    lse = tl.load(lse_ptr + head * tokens + rows)
    delta = tl.load(delta_ptr + head * tokens + rows)
    grad_q = tl.zeros((BLOCK_M, D), tl.float32)
    log_scale = scale * 1.4426950408889634
    last = tokens
    if CAUSAL:
        last = begin
    grad_q = through_keys(q, grad, lse, delta, grad_q, k_ptr, v_ptr, rows, 0, last, log_scale, D, BLOCK_N, False)
    if CAUSAL:
        grad_q = through_keys(q, grad, lse, delta, grad_q, k_ptr, v_ptr, rows, last, last + BLOCK_M, log_scale, D, BLOCK_N, True)
    tl.store(grad_q_ptr + place, (grad_q * scale).to(grad_q_ptr.dtype.element_ty))

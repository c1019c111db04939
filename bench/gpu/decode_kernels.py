"""Kernels of decoding, where a few rows meet all weights or a whole cache, so that reading these is what takes the time:
products split along k, the product with one row, and attention split along the tokens of the cache."""

import triton
import triton.language as tl


@triton.jit
def split_product_kernel(a_ptr, b_ptr, parts_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BLOCK_M: tl.constexpr,
                         BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLITS: tl.constexpr):
    """parts[split] = A @ B over one of SPLITS parts of k; M is at most BLOCK_M"""
    split = tl.program_id(1)
    rows = tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    blocks = tl.cdiv(tl.cdiv(K, BLOCK_K), SPLITS)
    inner = split * blocks * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b_ptr + inner[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, blocks):
        left = K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=inner[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    place = split * M * N + rows[:, None] * N + columns[None, :]
    tl.store(parts_ptr + place, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def sum_of_parts_kernel(parts_ptr, out_ptr, count, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, ), tl.float32)
    for split in range(0, SPLITS):
        acc += tl.load(parts_ptr + split * count + offsets, mask=offsets < count, other=0.0)
    tl.store(out_ptr + offsets, acc.to(out_ptr.dtype.element_ty), mask=offsets < count)


@triton.jit
def vector_product_kernel(x_ptr, weights_ptr, out_ptr, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """out[n] = sum over k of weights[n, k] * x[k], without tl.dot"""
    rows = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        weights = tl.load(weights_ptr + rows[:, None] * K + inner[None, :],
                          mask=(rows[:, None] < N) & (inner[None, :] < K), other=0.0)
        x = tl.load(x_ptr + inner, mask=inner < K, other=0.0)
        acc += weights.to(tl.float32) * x.to(tl.float32)[None, :]
    tl.store(out_ptr + rows, tl.sum(acc, 1).to(out_ptr.dtype.element_ty), mask=rows < N)


@triton.jit
def split_attention_kernel(q_ptr, k_ptr, v_ptr, parts_ptr, lse_ptr, tokens, scale, GROUP: tl.constexpr, D: tl.constexpr,
                           ROWS: tl.constexpr, BLOCK_N: tl.constexpr, SPLITS: tl.constexpr):
    """One token's attention over one of SPLITS parts of a cache [heads, tokens, D], for the GROUP heads of Q that share
    one of its heads; they are padded to ROWS. The result is normalized; `lse` has the logarithm (base 2) of its divisor"""
    head = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    rows = tl.arange(0, ROWS)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + (head * GROUP + rows)[:, None] * D + d[None, :], mask=rows[:, None] < GROUP, other=0.0)
    k_ptr += head * tokens * D
    v_ptr += head * tokens * D
    length = tl.cdiv(tl.cdiv(tokens, SPLITS), BLOCK_N) * BLOCK_N
    first = split * length
    last = min(first + length, tokens)
    acc = tl.zeros((ROWS, D), tl.float32)
    total = tl.zeros((ROWS, ), tl.float32)
    most = tl.full((ROWS, ), float("-inf"), tl.float32)
    scale = scale * 1.4426950408889634
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        seen = columns < last
        k = tl.load(k_ptr + columns[None, :] * D + d[:, None], mask=seen[None, :], other=0.0)
        scores = tl.where(seen[None, :], tl.dot(q, k) * scale, float("-inf"))
        larger = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(most - larger)
        total = total * shrink + tl.sum(weights, 1)
        v = tl.load(v_ptr + columns[:, None] * D + d[None, :], mask=seen[:, None], other=0.0)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        most = larger
    place = (head * GROUP + rows) * SPLITS + split
    tl.store(lse_ptr + place, most + tl.log2(total), mask=rows < GROUP)
    result = acc / tl.where(total > 0, total, 1.0)[:, None]  # A part past the end has no token.
    tl.store(parts_ptr + place[:, None] * D + d[None, :], result, mask=rows[:, None] < GROUP)


@triton.jit
def combine_attention_kernel(parts_ptr, lse_ptr, out_ptr, D: tl.constexpr, SPLITS: tl.constexpr):
    """One head's result from those of the parts of its cache"""
    head = tl.program_id(0).to(tl.int64)
    splits = tl.arange(0, SPLITS)
    d = tl.arange(0, D)
    lse = tl.load(lse_ptr + head * SPLITS + splits)
    weights = tl.exp2(lse - tl.max(lse, 0))
    parts = tl.load(parts_ptr + (head * SPLITS + splits)[:, None] * D + d[None, :])
    out = tl.sum(parts * weights[:, None], 0) / tl.sum(weights, 0)
    tl.store(out_ptr + head * D + d, out.to(out_ptr.dtype.element_ty))

"""Attention without the matrix of scores in memory, forward and backward, causal or not.

The forward pass keeps a running maximum and sum of each query's row and stores their logarithm; the backward pass
makes the probabilities again from it, once by blocks of keys for dK and dV, once by blocks of queries for dQ. Tensors
are [heads, N, HEAD].
"""

import torch
import triton
import triton.language as tl

LOG2_E: tl.constexpr = tl.constexpr(1.4426950408889634)


@triton.jit
def load_rows(base, rows, N, HEAD: tl.constexpr):
    """A block of rows of a head; rows beyond its end are 0"""
    return tl.load(base + rows[:, None] * HEAD + tl.arange(0, HEAD)[None, :], mask=rows[:, None] < N, other=0.0)


@triton.jit
def store_rows(base, rows, values, N, HEAD: tl.constexpr):
    tl.store(base + rows[:, None] * HEAD + tl.arange(0, HEAD)[None, :], values.to(base.dtype.element_ty),
             mask=rows[:, None] < N)


@triton.jit
def is_visible(queries, keys, N, CAUSAL: tl.constexpr):
    """Whether a query may look at a key, for positions that broadcast against each other"""
    visible = (keys < N) & (queries < N)
    if CAUSAL:
        visible = visible & (keys <= queries)
    return visible


@triton.jit
def attention_fwd_kernel(Q, K, V, Out, LogSum, scale, N, HEAD: tl.constexpr, CAUSAL: tl.constexpr,
                         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Out = softmax(scale * Q @ K^T) @ V, BLOCK_M queries of a head per program; LogSum = log2 of a row's sum of exp"""
    block = tl.program_id(0)
    head = tl.program_id(1)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    q = load_rows(Q + head * N * HEAD, rows, N, HEAD)
    largest = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = N
    if CAUSAL:
        end = tl.minimum(N, (block + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        k = load_rows(K + head * N * HEAD, columns, N, HEAD)
        scores = tl.dot(q, tl.trans(k)) * (scale * LOG2_E)
        # Rows beyond the end see every key, so that their maximum is finite; they are not stored.
        visible = columns[None, :] < N
        if CAUSAL:
            visible = visible & (columns[None, :] <= rows[:, None])
        scores = tl.where(visible, scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        total = total * shrink + tl.sum(p, axis=1)
        v = load_rows(V + head * N * HEAD, columns, N, HEAD)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        largest = larger
    store_rows(Out + head * N * HEAD, rows, acc / total[:, None], N, HEAD)
    tl.store(LogSum + head * N + rows, largest + tl.log2(total), mask=rows < N)


@triton.jit
def attention_delta_kernel(Out, DOut, Delta, N, HEAD: tl.constexpr, BLOCK_M: tl.constexpr):
    """Delta = sum over a row of Out * dOut, which both halves of the backward pass subtract"""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    out = load_rows(Out + head * N * HEAD, rows, N, HEAD).to(tl.float32)
    dout = load_rows(DOut + head * N * HEAD, rows, N, HEAD).to(tl.float32)
    tl.store(Delta + head * N + rows, tl.sum(out * dout, axis=1), mask=rows < N)


@triton.jit
def attention_bwd_dkdv_kernel(Q, K, V, DOut, LogSum, Delta, DK, DV, scale, N, HEAD: tl.constexpr, CAUSAL: tl.constexpr,
                              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Gradients of BLOCK_N keys and values of a head: a loop over the queries that see them"""
    head = tl.program_id(1)
    first = tl.program_id(0) * BLOCK_N
    columns = first + tl.arange(0, BLOCK_N)
    k = load_rows(K + head * N * HEAD, columns, N, HEAD)
    v = load_rows(V + head * N * HEAD, columns, N, HEAD)
    dk = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    dv = tl.zeros((BLOCK_N, HEAD), dtype=tl.float32)
    begin = 0
    if CAUSAL:
        begin = first // BLOCK_M * BLOCK_M
    for start in range(begin, N, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        q = load_rows(Q + head * N * HEAD, rows, N, HEAD)
        dout = load_rows(DOut + head * N * HEAD, rows, N, HEAD)
        log_sum = tl.load(LogSum + head * N + rows, mask=rows < N, other=0.0)
        delta = tl.load(Delta + head * N + rows, mask=rows < N, other=0.0)
        # Keys by queries, so that no operand of the sums over queries needs a transposition.
        scores = tl.dot(k, tl.trans(q)) * (scale * LOG2_E)
        p = tl.exp2(scores - log_sum[None, :])
        p = tl.where(is_visible(rows[None, :], columns[:, None], N, CAUSAL), p, 0.0)
        dv = tl.dot(p.to(dout.dtype), dout, dv)
        ds = p * (tl.dot(v, tl.trans(dout)) - delta[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk)
    store_rows(DK + head * N * HEAD, columns, dk * scale, N, HEAD)
    store_rows(DV + head * N * HEAD, columns, dv, N, HEAD)


@triton.jit
def attention_bwd_dq_kernel(Q, K, V, DOut, LogSum, Delta, DQ, scale, N, HEAD: tl.constexpr, CAUSAL: tl.constexpr,
                            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Gradient of BLOCK_M queries of a head: a loop over the keys that they see"""
    block = tl.program_id(0)
    head = tl.program_id(1)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    q = load_rows(Q + head * N * HEAD, rows, N, HEAD)
    dout = load_rows(DOut + head * N * HEAD, rows, N, HEAD)
    log_sum = tl.load(LogSum + head * N + rows, mask=rows < N, other=0.0)
    delta = tl.load(Delta + head * N + rows, mask=rows < N, other=0.0)
    dq = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = N
    if CAUSAL:
        end = tl.minimum(N, (block + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        k = load_rows(K + head * N * HEAD, columns, N, HEAD)
        v = load_rows(V + head * N * HEAD, columns, N, HEAD)
        scores = tl.dot(q, tl.trans(k)) * (scale * LOG2_E)
        p = tl.exp2(scores - log_sum[:, None])
        p = tl.where(is_visible(rows[:, None], columns[None, :], N, CAUSAL), p, 0.0)
        ds = p * (tl.dot(dout, tl.trans(v)) - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq)
    store_rows(DQ + head * N * HEAD, rows, dq * scale, N, HEAD)


def attention(q, k, v, causal, scale, block=32):
    heads, N, head = q.shape
    out = torch.empty_like(q)
    log_sum = torch.empty((heads, N), device=q.device, dtype=torch.float32)
    attention_fwd_kernel[(triton.cdiv(N, block), heads)](q, k, v, out, log_sum, scale, N, HEAD=head, CAUSAL=causal,
                                                         BLOCK_M=block, BLOCK_N=block)
    return out, log_sum


def attention_backward(dout, q, k, v, out, log_sum, causal, scale, block=32):
    heads, N, head = q.shape
    dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    delta = torch.empty((heads, N), device=q.device, dtype=torch.float32)
    grid = (triton.cdiv(N, block), heads)
    attention_delta_kernel[grid](out, dout, delta, N, HEAD=head, BLOCK_M=block)
    attention_bwd_dkdv_kernel[grid](q, k, v, dout, log_sum, delta, dk, dv, scale, N, HEAD=head, CAUSAL=causal,
                                    BLOCK_M=block, BLOCK_N=block)
    attention_bwd_dq_kernel[grid](q, k, v, dout, log_sum, delta, dq, scale, N, HEAD=head, CAUSAL=causal, BLOCK_M=block,
                                  BLOCK_N=block)
    return dq, dk, dv


def reference(q, k, v, causal, scale):
    scores = q @ k.transpose(1, 2) * scale
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf"))
    return torch.softmax(scores, dim=2) @ v


if __name__ == "__main__":
    for heads, N, head, causal in ((1, 16, 16, False), (2, 70, 32, False), (2, 100, 64, True)):
        q, k, v, dout = (torch.randn((heads, N, head), device="cuda").half() for _ in range(4))
        scale = head**-0.5
        out, log_sum = attention(q, k, v, causal, scale)
        gradients = attention_backward(dout, q, k, v, out, log_sum, causal, scale)
        exact = [x.double().requires_grad_() for x in (q, k, v)]
        expected = reference(*exact, causal, scale)
        expected.backward(dout.double())
        torch.testing.assert_close(out.double(), expected.detach(), rtol=1e-2, atol=5e-3)
        for gradient, x in zip(gradients, exact):
            torch.testing.assert_close(gradient.double(), x.grad, rtol=1e-2, atol=1e-2)
    print("attention: ok")

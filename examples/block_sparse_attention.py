"""Attention where a block of queries looks only at the blocks of keys that a list names.

The pattern is stored as compressed rows: columns[starts[r] : starts[r + 1]] are the blocks of keys of block r of
queries, in any order.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def block_sparse_attention_kernel(Q, K, V, Out, Starts, Columns, scale, N, HEAD: tl.constexpr, BLOCK: tl.constexpr):
    """Out = softmax(scale * Q @ K^T) @ V over the listed blocks; queries that see no key get 0"""
    block = tl.program_id(0)
    head = tl.program_id(1) * N * HEAD
    rows = block * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, HEAD)[None, :]
    q = tl.load(Q + head + rows[:, None] * HEAD + depth, mask=rows[:, None] < N, other=0.0)
    largest = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    acc = tl.zeros((BLOCK, HEAD), dtype=tl.float32)
    for entry in range(tl.load(Starts + block), tl.load(Starts + block + 1)):
        keys = tl.load(Columns + entry) * BLOCK + tl.arange(0, BLOCK)
        at = head + keys[:, None] * HEAD + depth
        k = tl.load(K + at, mask=keys[:, None] < N, other=0.0)
        v = tl.load(V + at, mask=keys[:, None] < N, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * (scale * 1.4426950408889634)
        scores = tl.where(keys[None, :] < N, scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        largest = larger
    out = acc / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(Out + head + rows[:, None] * HEAD + depth, out.to(Out.dtype.element_ty), mask=rows[:, None] < N)


def compress(pattern):
    """Starts and columns of a matrix of booleans, a row for each block of queries."""
    counts = pattern.sum(dim=1).cumsum(dim=0)
    starts = torch.cat((torch.zeros_like(counts[:1]), counts))
    return starts.int(), pattern.nonzero()[:, 1].int()


def block_sparse_attention(q, k, v, pattern, scale, block):
    heads, N, head = q.shape
    starts, columns = compress(pattern)
    out = torch.empty_like(q)
    block_sparse_attention_kernel[(triton.cdiv(N, block), heads)](q, k, v, out, starts, columns, scale, N, HEAD=head,
                                                                  BLOCK=block)
    return out


if __name__ == "__main__":
    block = 32
    for heads, N, head in ((1, 64, 16), (2, 150, 32)):
        q, k, v = (torch.randn((heads, N, head), device="cuda").half() for _ in range(3))
        blocks = triton.cdiv(N, block)
        # Neighbours and the first block; the last block of queries sees nothing.
        at = torch.arange(blocks, device="cuda")
        pattern = ((at[:, None] - at[None, :]).abs() <= 1) | (at[None, :] == 0)
        pattern[-1, :] = False
        out = block_sparse_attention(q, k, v, pattern, head**-0.5, block)
        visible = pattern.repeat_interleave(block, 0).repeat_interleave(block, 1)[:N, :N]
        scores = (q.double() @ k.double().transpose(1, 2) * head**-0.5).masked_fill(~visible, float("-inf"))
        expected = torch.nan_to_num(torch.softmax(scores, dim=2)) @ v.double()
        torch.testing.assert_close(out.double(), expected, rtol=1e-2, atol=5e-3)
    print("block_sparse_attention: ok")

"""The K largest values of each row with their positions, for rows longer than a block.

The K best so far are merged with the K best of each block.
"""

import torch
import triton
import triton.language as tl
from ordered import from_ordered, to_ordered


@triton.jit
def topk_kernel(x_ptr, values_ptr, indices_ptr, row_stride, n_cols, K: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """values = the K largest of each row, largest first, indices = where they are; equal ones in their order"""
    row = tl.program_id(0)
    best = tl.full((K,), -0x8000000000000000, dtype=tl.int64)
    for start in range(0, n_cols, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        mask = columns < n_cols
        x = tl.load(x_ptr + row * row_stride + columns, mask=mask, other=0.0)
        # The value above, and below it what is larger for smaller positions.
        keys = (to_ordered(x).to(tl.int64) << 32) | (0x7FFFFFFF - columns)
        keys = tl.where(mask, keys, -0x8000000000000000)
        best = tl.topk(tl.join(best, tl.topk(keys, K)).reshape(2 * K), K)
    at = tl.arange(0, K)
    tl.store(values_ptr + row * K + at, from_ordered((best >> 32).to(tl.int32)))
    tl.store(indices_ptr + row * K + at, 0x7FFFFFFF - best.to(tl.int32))


def topk(x, k):
    rows, columns = x.shape
    values = torch.empty((rows, k), device=x.device, dtype=x.dtype)
    indices = torch.empty((rows, k), device=x.device, dtype=torch.int32)
    topk_kernel[(rows,)](x, values, indices, x.stride(0), columns, K=k, BLOCK_SIZE=128)
    return values, indices


if __name__ == "__main__":
    for rows, columns, k in ((1, 4, 4), (5, 1000, 8), (3, 300, 16)):
        x = torch.randn((rows, columns), device="cuda")
        values, indices = topk(x, k)
        expected = x.topk(k, dim=1)
        assert torch.equal(values, expected.values) and torch.equal(indices.long(), expected.indices)
    print("topk: ok")

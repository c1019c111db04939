"""Sorted rows, and sorted rows with the positions that the values come from.

Positions travel with the values as the lower half of 64-bit keys, which also makes the order of equal values that of
the input.
"""

import torch
import triton
import triton.language as tl
from ordered import from_ordered, to_ordered


@triton.jit
def sort_kernel(x_ptr, output_ptr, row_stride, n_cols, DESCENDING: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """output = each row in order, one row per program; a row fits in a block, whose rest sorts behind it"""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    last = float("-inf") if DESCENDING else float("inf")
    x = tl.load(x_ptr + row * row_stride + columns, mask=mask, other=last)
    tl.store(output_ptr + row * row_stride + columns, tl.sort(x, descending=DESCENDING), mask=mask)


@triton.jit
def sort_pairs_kernel(x_ptr, values_ptr, indices_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """values = each row in ascending order, indices = where its elements were; equal ones stay in order"""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * row_stride + columns, mask=mask, other=0.0)
    keys = (to_ordered(x).to(tl.int64) << 32) | columns
    keys = tl.sort(tl.where(mask, keys, 0x7FFFFFFFFFFFFFFF))
    tl.store(values_ptr + row * row_stride + columns, from_ordered((keys >> 32).to(tl.int32)), mask=mask)
    tl.store(indices_ptr + row * row_stride + columns, keys.to(tl.int32), mask=mask)


def sort_rows(x, descending=False):
    output = torch.empty_like(x)
    rows, columns = x.shape
    sort_kernel[(rows,)](x, output, x.stride(0), columns, DESCENDING=descending,
                         BLOCK_SIZE=triton.next_power_of_2(columns))
    return output


def sort_pairs(x):
    values = torch.empty_like(x)
    indices = torch.empty(x.shape, device=x.device, dtype=torch.int32)
    rows, columns = x.shape
    sort_pairs_kernel[(rows,)](x, values, indices, x.stride(0), columns, BLOCK_SIZE=triton.next_power_of_2(columns))
    return values, indices


if __name__ == "__main__":
    for rows, columns in ((1, 2), (5, 100), (3, 512)):
        x = torch.randn((rows, columns), device="cuda")
        for descending in (False, True):
            assert torch.equal(sort_rows(x, descending), x.sort(dim=1, descending=descending).values)
        # Many equal values, so that a wrong order of them would show.
        x = torch.randint(-9, 9, (rows, columns), device="cuda").float()
        values, indices = sort_pairs(x)
        expected = torch.sort(x, dim=1, stable=True)
        assert torch.equal(values, expected.values) and torch.equal(indices.long(), expected.indices)
    print("sort: ok")

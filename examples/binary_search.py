"""Binary search of many values in one sorted vector, as torch.searchsorted does it."""

import torch
import triton
import triton.language as tl


@triton.jit
def searchsorted_kernel(sorted_ptr, values_ptr, output_ptr, n_sorted, n_values, STEPS: tl.constexpr,
                        RIGHT: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """output = how many elements of `sorted` are < value (with RIGHT: <= value), found in STEPS halvings"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_values
    values = tl.load(values_ptr + offsets, mask=mask, other=0.0)
    low = tl.zeros((BLOCK_SIZE,), dtype=tl.int32)
    high = tl.zeros((BLOCK_SIZE,), dtype=tl.int32) + n_sorted
    for _ in range(STEPS):
        searching = low < high
        middle = (low + high) // 2
        element = tl.load(sorted_ptr + middle, mask=searching, other=0.0)
        if RIGHT:
            is_before = element <= values
        else:
            is_before = element < values
        low = tl.where(searching & is_before, middle + 1, low)
        high = tl.where(searching & (is_before == 0), middle, high)
    tl.store(output_ptr + offsets, low, mask=mask)


def searchsorted(sequence, values, right=False):
    output = torch.empty(values.shape, device=values.device, dtype=torch.int32)
    n = values.numel()
    # Each step halves what is left of up to `len` candidates.
    searchsorted_kernel[(triton.cdiv(n, 256),)](sequence, values, output, sequence.numel(), n,
                                                STEPS=sequence.numel().bit_length(), RIGHT=right, BLOCK_SIZE=256)
    return output


if __name__ == "__main__":
    for n_sorted, n_values in ((1, 5), (1000, 777), (4096, 300)):
        sequence = torch.randint(0, 500, (n_sorted,), device="cuda").float().sort().values
        values = torch.randint(-5, 505, (n_values,), device="cuda").float()
        for right in (False, True):
            expected = torch.searchsorted(sequence, values, right=right)
            assert torch.equal(searchsorted(sequence, values, right).long(), expected)
    print("binary_search: ok")

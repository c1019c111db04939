"""Random integers from a counter: element i of a seed is always the same, on any device and in any order."""

import torch
import triton
import triton.language as tl


@triton.jit
def random_bits_kernel(output_ptr, seed, n_elements, BLOCK_SIZE: tl.constexpr):
    """output = 32 random bits for each element"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    bits = tl.randint(seed, offsets)
    tl.store(output_ptr + offsets, bits.to(tl.int32, bitcast=True), mask=offsets < n_elements)


@triton.jit
def random_range_kernel(output_ptr, seed, low, high, n_elements, BLOCK_SIZE: tl.constexpr):
    """output = integers in [low, high): the upper half of 32 random bits times the range, which needs no division"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    span = tl.zeros((BLOCK_SIZE,), dtype=tl.uint32) + (high - low).to(tl.uint32)
    drawn = tl.umulhi(tl.randint(seed, offsets).to(tl.uint32), span)
    tl.store(output_ptr + offsets, low + drawn.to(tl.int32), mask=offsets < n_elements)


def random_bits(n, seed, device):
    output = torch.empty(n, device=device, dtype=torch.int32)
    random_bits_kernel[(triton.cdiv(n, 512),)](output, seed, n, BLOCK_SIZE=512)
    return output


def random_range(low, high, n, seed, device):
    output = torch.empty(n, device=device, dtype=torch.int32)
    random_range_kernel[(triton.cdiv(n, 512),)](output, seed, low, high, n, BLOCK_SIZE=512)
    return output


if __name__ == "__main__":
    bits = random_bits(100003, 42, "cuda")
    assert torch.equal(bits, random_bits(100003, 42, "cuda")) and not torch.equal(bits, random_bits(100003, 43, "cuda"))
    # Half of all bits are set: each of 32 columns within 5 standard deviations.
    ones = torch.stack([(bits >> at & 1).double().mean() for at in range(32)])
    assert ((ones - 0.5).abs() < 5 * 0.5 / 100003**0.5).all(), ones
    dice = random_range(1, 7, 60000, 7, "cuda")
    counts = torch.bincount(dice.long(), minlength=8)
    assert counts.numel() == 8 and counts[0] == 0 and counts[7] == 0
    assert ((counts[1:7] - 10000).abs() < 500).all(), counts
    print("random_integers: ok")

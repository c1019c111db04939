"""Dropout with a seed that lives in device memory: the mask is made again from the seed instead of being stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, output_ptr, seed_ptr, n_elements, p, BLOCK_SIZE: tl.constexpr):
    """output = x / (1 - p) where a uniform number exceeds p, else 0"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    seed = tl.load(seed_ptr)
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def dropout(x: torch.Tensor, seed: torch.Tensor, p: float) -> torch.Tensor:
    output = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 1024),)](x, output, seed, n, p, BLOCK_SIZE=1024)
    return output


if __name__ == "__main__":
    x = torch.ones(100003, device="cuda")
    seed = torch.tensor([1234], device="cuda", dtype=torch.int32)
    first, again = dropout(x, seed, 0.3), dropout(x, seed, 0.3)
    other = dropout(x, seed + 1, 0.3)
    assert torch.equal(first, again) and not torch.equal(first, other)
    kept = (first != 0).float().mean().item()
    assert abs(kept - 0.7) < 0.01, kept
    torch.testing.assert_close(first[first != 0], torch.full_like(first[first != 0], 1 / 0.7))
    print("dropout: ok")

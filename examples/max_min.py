"""Larger and smaller of two values, where one NaN decides about the result, or where it counts as missing."""

import torch
import triton
import triton.language as tl


@triton.jit
def max_min_kernel(x_ptr, y_ptr, max_ptr, min_ptr, n_elements, PROPAGATE_NAN: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """max = larger of x and y, min = smaller; a NaN gives NaN with PROPAGATE_NAN, else the other value"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    if PROPAGATE_NAN:
        larger = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
        smaller = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
    else:
        larger = tl.maximum(x, y)
        smaller = tl.minimum(x, y)
    tl.store(max_ptr + offsets, larger, mask=mask)
    tl.store(min_ptr + offsets, smaller, mask=mask)


def max_min(x, y, propagate_nan):
    larger, smaller = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()
    max_min_kernel[(triton.cdiv(n, 512),)](x, y, larger, smaller, n, PROPAGATE_NAN=propagate_nan, BLOCK_SIZE=512)
    return larger, smaller


if __name__ == "__main__":
    for size in (1, 777, 10000):
        x, y = torch.randn(size, device="cuda"), torch.randn(size, device="cuda")
        x[::7] = float("nan")
        y[::5] = float("nan")
        for propagate, functions in ((True, (torch.maximum, torch.minimum)), (False, (torch.fmax, torch.fmin))):
            for result, function in zip(max_min(x, y, propagate), functions):
                torch.testing.assert_close(result, function(x, y), rtol=0, atol=0, equal_nan=True)
        whole, other = (torch.randint(-99, 99, (size,), device="cuda", dtype=torch.int32) for _ in range(2))
        assert torch.equal(max_min(whole, other, False)[0], torch.maximum(whole, other))
    print("max_min: ok")

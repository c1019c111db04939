"""Dot product of two vectors through partial sums: every program reduces its share, a second launch adds the shares."""

import torch
import triton
import triton.language as tl


@triton.jit
def partial_dot_kernel(x_ptr, y_ptr, partial_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """partial[pid] = sum over this program's stripes of x * y"""
    pid = tl.program_id(0)
    step = tl.num_programs(0) * BLOCK_SIZE
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in range(pid * BLOCK_SIZE, n_elements, step):
        offsets = start + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        total += x * y
    tl.store(partial_ptr + pid, tl.sum(total, axis=0))


@triton.jit
def sum_kernel(partial_ptr, output_ptr, n_partials, BLOCK_SIZE: tl.constexpr):
    """output[0] = sum of partial[0:n_partials], in one program"""
    offsets = tl.arange(0, BLOCK_SIZE)
    partial = tl.load(partial_ptr + offsets, mask=offsets < n_partials, other=0.0)
    tl.store(output_ptr, tl.sum(partial, axis=0))


@triton.jit
def atomic_dot_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """output[0] += sum of this program's block of x * y, with one atomic add per program"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    tl.atomic_add(output_ptr, tl.sum(x * y, axis=0))


def dot(x: torch.Tensor, y: torch.Tensor, programs: int = 64) -> torch.Tensor:
    partial = torch.empty(programs, device=x.device, dtype=torch.float32)
    output = torch.empty(1, device=x.device, dtype=torch.float32)
    partial_dot_kernel[(programs,)](x, y, partial, x.numel(), BLOCK_SIZE=512)
    sum_kernel[(1,)](partial, output, programs, BLOCK_SIZE=triton.next_power_of_2(programs))
    return output[0]


def atomic_dot(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    output = torch.zeros(1, device=x.device, dtype=torch.float32)
    n = x.numel()
    atomic_dot_kernel[(triton.cdiv(n, 1024),)](x, y, output, n, BLOCK_SIZE=1024)
    return output[0]


if __name__ == "__main__":
    for size in (1, 5000, 300001):
        x = torch.rand(size, device="cuda")
        y = torch.rand(size, device="cuda")
        expected = (x.double() @ y.double()).float()
        torch.testing.assert_close(dot(x, y), expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(atomic_dot(x, y), expected, rtol=1e-4, atol=1e-4)
    print("dot_product: ok")

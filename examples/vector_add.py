"""Elementwise kernels on vectors: scale, add, multiply.

Each program handles BLOCK_SIZE consecutive elements; a mask cuts the last block, so that any length works.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, output_ptr, alpha, n_elements, BLOCK_SIZE: tl.constexpr):
    """output = alpha * x"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x * alpha, mask=mask)


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """output = x + y"""
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


@triton.jit
def multiply_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """output = x * y"""
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, x * y, mask=mask)


def scale(x: torch.Tensor, alpha: float) -> torch.Tensor:
    output = torch.empty_like(x)
    n = x.numel()
    scale_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)](x, output, alpha, n, BLOCK_SIZE=1024)
    return output


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(x)
    n = output.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n, BLOCK_SIZE=1024)
    return output


def multiply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(x)
    n = output.numel()
    multiply_kernel[(triton.cdiv(n, 1024),)](x, y, output, n, BLOCK_SIZE=1024)
    return output


if __name__ == "__main__":
    for size in (1, 1000, 98432):
        x = torch.randn(size, device="cuda")
        y = torch.randn(size, device="cuda")
        torch.testing.assert_close(scale(x, 2.5), x * 2.5)
        torch.testing.assert_close(add(x, y), x + y)
        torch.testing.assert_close(multiply(x, y), x * y)
    print("vector_add: ok")

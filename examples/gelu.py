"""GELU, exact and in the tanh approximation, with the approximation's backward pass."""

import torch
import triton
import triton.language as tl
from activations import gelu_tanh, gelu_tanh_derivative


@triton.jit
def gelu_kernel(x_ptr, output_ptr, n_elements, APPROXIMATE: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """output = gelu(x)"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    if APPROXIMATE:
        y = gelu_tanh(x)
    else:
        y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(output_ptr + offsets, y, mask=mask)


@triton.jit
def gelu_backward_kernel(dx_ptr, dy_ptr, x_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """dx = dy * gelu'(x), in the tanh approximation"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(dx_ptr + offsets, dy * gelu_tanh_derivative(x), mask=mask)


def gelu(x: torch.Tensor, approximate: bool) -> torch.Tensor:
    output = torch.empty_like(x)
    n = x.numel()
    gelu_kernel[(triton.cdiv(n, 512),)](x, output, n, APPROXIMATE=approximate, BLOCK_SIZE=512)
    return output


def gelu_backward(dy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    dx = torch.empty_like(x)
    n = x.numel()
    gelu_backward_kernel[(triton.cdiv(n, 512),)](dx, dy, x, n, BLOCK_SIZE=512)
    return dx


if __name__ == "__main__":
    for size in (1, 777, 10000):
        x = torch.randn(size, device="cuda", requires_grad=True)
        dy = torch.randn(size, device="cuda")
        expected = torch.nn.functional.gelu(x, approximate="tanh")
        expected.backward(dy)
        torch.testing.assert_close(gelu(x.detach(), True), expected.detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(gelu(x.detach(), False), torch.nn.functional.gelu(x.detach()), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(gelu_backward(dy, x.detach()), x.grad, rtol=1e-4, atol=1e-4)
    print("gelu: ok")

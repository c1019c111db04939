"""The activations around ReLU and tanh, chosen by name when the kernel is compiled, with their derivatives."""

import torch
import triton
import triton.language as tl
from activations import activate, activate_derivative


@triton.jit
def activation_kernel(x_ptr, output_ptr, n_elements, FUNCTION: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """output = FUNCTION(x): relu, leaky_relu, relu6, elu, hardswish, silu, softplus or tanh"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(output_ptr + offsets, activate(x, FUNCTION).to(output_ptr.dtype.element_ty), mask=mask)


@triton.jit
def activation_backward_kernel(dx_ptr, dy_ptr, x_ptr, n_elements, FUNCTION: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """dx = dy * FUNCTION'(x)"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    dx = dy * activate_derivative(x, FUNCTION)
    tl.store(dx_ptr + offsets, dx.to(dx_ptr.dtype.element_ty), mask=mask)


def activation(x, function):
    output = torch.empty_like(x)
    n = x.numel()
    activation_kernel[(triton.cdiv(n, 512),)](x, output, n, FUNCTION=function, BLOCK_SIZE=512)
    return output


def activation_backward(dy, x, function):
    dx = torch.empty_like(x)
    n = x.numel()
    activation_backward_kernel[(triton.cdiv(n, 512),)](dx, dy, x, n, FUNCTION=function, BLOCK_SIZE=512)
    return dx


if __name__ == "__main__":
    for name in ("relu", "leaky_relu", "relu6", "elu", "hardswish", "silu", "softplus", "tanh"):
        x = (4 * torch.randn(1777, device="cuda")).requires_grad_()
        dy = torch.randn(1777, device="cuda")
        expected = torch.tanh(x) if name == "tanh" else getattr(torch.nn.functional, name)(x)
        expected.backward(dy)
        torch.testing.assert_close(activation(x.detach(), name), expected.detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(activation_backward(dy, x.detach(), name), x.grad, rtol=1e-4, atol=1e-5)
    print("activation_family: ok")

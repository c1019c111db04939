"""A custom torch.autograd.Function of two kernels: the soft cap of logits, cap * tanh(x / cap), and its gradient."""

import torch
import triton
import triton.language as tl
from activations import tanh


@triton.jit
def softcap_kernel(x_ptr, output_ptr, n_elements, cap, BLOCK_SIZE: tl.constexpr):
    """output = cap * tanh(x / cap)"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(output_ptr + offsets, cap * tanh(x / cap), mask=mask)


@triton.jit
def softcap_backward_kernel(dx_ptr, dy_ptr, output_ptr, n_elements, cap, BLOCK_SIZE: tl.constexpr):
    """dx = dy * (1 - (output / cap)^2): the forward pass's result is all that the gradient needs"""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    dy = tl.load(dy_ptr + offsets, mask=mask, other=0.0)
    t = tl.load(output_ptr + offsets, mask=mask, other=0.0) / cap
    tl.store(dx_ptr + offsets, dy * (1 - t * t), mask=mask)


class SoftCap(torch.autograd.Function):
    """SoftCap.apply(x, cap)"""

    @staticmethod
    def forward(ctx, x, cap):
        x = x.contiguous()
        output = torch.empty_like(x)
        n = x.numel()
        softcap_kernel[(triton.cdiv(n, 256),)](x, output, n, cap, BLOCK_SIZE=256)
        ctx.save_for_backward(output)
        ctx.cap = cap
        return output

    @staticmethod
    def backward(ctx, dy):
        (output,) = ctx.saved_tensors
        dy = dy.contiguous()
        dx = torch.empty_like(dy)
        n = dy.numel()
        softcap_backward_kernel[(triton.cdiv(n, 256),)](dx, dy, output, n, ctx.cap, BLOCK_SIZE=256)
        return dx, None


if __name__ == "__main__":
    for shape in ((1,), (7, 111), (3, 5, 64)):
        x = (40 * torch.randn(shape, device="cuda")).requires_grad_()
        y = x.detach().clone().requires_grad_()
        dy = torch.randn(shape, device="cuda")
        result, expected = SoftCap.apply(x, 30.0), 30 * torch.tanh(y / 30)
        result.backward(dy)
        expected.backward(dy)
        torch.testing.assert_close(result.detach(), expected.detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-5)
    # The gradient against differences of the function itself, in float64.
    x = torch.randn(20, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: SoftCap.apply(x, 2.0), (x,))
    print("softcap: ok")

"""Rotary position embedding as an operator that torch.compile looks into: torch.library.triton_op, with its gradient.

A rotation's gradient is the rotation back, so one kernel serves both. PyTorch has triton_op since 2.6; with an older
one the script checks the kernel alone, and says so.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, output_ptr, n_heads, HALF: tl.constexpr, INVERSE: tl.constexpr,
                  BLOCK_HEADS: tl.constexpr):
    """Rotates each pair (x[i], x[HALF + i]) of a token's heads by the token's i-th angle, with INVERSE the other way"""
    token = tl.program_id(0)
    heads = tl.program_id(1) * BLOCK_HEADS + tl.arange(0, BLOCK_HEADS)
    pairs = tl.arange(0, HALF)
    c = tl.load(cos_ptr + token * HALF + pairs)[None, :]
    s = tl.load(sin_ptr + token * HALF + pairs)[None, :]
    if INVERSE:
        s = -s
    mask = heads[:, None] < n_heads
    at = (token * n_heads + heads[:, None]) * 2 * HALF + pairs[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    y = tl.load(x_ptr + at + HALF, mask=mask, other=0.0)
    tl.store(output_ptr + at, x * c - y * s, mask=mask)
    tl.store(output_ptr + at + HALF, y * c + x * s, mask=mask)


def launch(kernel, x, cos, sin, inverse):
    """Tokens x heads x 2 * HALF, contiguous; cos and sin are tokens x HALF."""
    x = x.contiguous()
    output = torch.empty_like(x)
    tokens, heads, size = x.shape
    kernel[(tokens, triton.cdiv(heads, 4))](x, cos, sin, output, heads, HALF=size // 2, INVERSE=inverse, BLOCK_HEADS=4)
    return output


def make_op():
    """rotate(x, cos, sin, inverse) as a custom operator; its kernel is visible to torch.compile through wrap_triton."""
    from torch.library import triton_op, wrap_triton

    @triton_op("tilerun_examples::rotate", mutates_args={})
    def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, inverse: bool) -> torch.Tensor:
        return launch(wrap_triton(rotary_kernel), x, cos, sin, inverse)

    def keep(ctx, inputs, output):
        _, cos, sin, ctx.inverse = inputs
        ctx.save_for_backward(cos, sin)

    def backward(ctx, gradient):
        return rotate(gradient, *ctx.saved_tensors, not ctx.inverse), None, None, None

    rotate.register_autograd(backward, setup_context=keep)
    return rotate


def reference(x, cos, sin):
    a, b = x.chunk(2, dim=2)
    c, s = cos[:, None, :], sin[:, None, :]
    return torch.cat((a * c - b * s, b * c + a * s), dim=2)


if __name__ == "__main__":
    tokens, heads, half = 9, 6, 16
    x = torch.randn((tokens, heads, 2 * half), device="cuda", requires_grad=True)
    dy = torch.randn_like(x)
    angles = torch.arange(tokens, device="cuda")[:, None] * 10000.0**(-torch.arange(half, device="cuda") / half)
    cos, sin = angles.cos(), angles.sin()
    expected = reference(x, cos, sin)
    expected.backward(dy)
    y = launch(rotary_kernel, x.detach(), cos, sin, False)
    torch.testing.assert_close(y, expected.detach(), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(launch(rotary_kernel, dy, cos, sin, True), x.grad, rtol=1e-5, atol=1e-5)
    if hasattr(torch.library, "triton_op"):
        y = x.detach().requires_grad_()
        result = make_op()(y, cos, sin, False)
        result.backward(dy)
        torch.testing.assert_close(result.detach(), expected.detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(y.grad, x.grad, rtol=1e-5, atol=1e-5)
    else:
        print(f"rotary: triton_op not run: PyTorch {torch.__version__} does not have it (2.6 and later do)")
    print("rotary: ok")

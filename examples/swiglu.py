"""SwiGLU, the gated unit of today's transformers: silu(gate) * up of the two halves of each row, with its gradient."""

import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_fwd_kernel(X, Y, N, BLOCK_SIZE: tl.constexpr):
    """Y[m, n] = silu(X[m, n]) * X[m, N + n], for X of 2 * N columns"""
    row = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    gate = tl.load(X + row * 2 * N + columns, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(X + row * 2 * N + N + columns, mask=mask, other=0.0).to(tl.float32)
    y = gate * tl.sigmoid(gate) * up
    tl.store(Y + row * N + columns, y.to(Y.dtype.element_ty), mask=mask)


@triton.jit
def swiglu_bwd_kernel(DX, DY, X, N, BLOCK_SIZE: tl.constexpr):
    """Gradients of both halves; the sigmoid is computed again instead of being stored"""
    row = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    gate = tl.load(X + row * 2 * N + columns, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(X + row * 2 * N + N + columns, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * N + columns, mask=mask, other=0.0).to(tl.float32)
    s = tl.sigmoid(gate)
    dgate = dy * up * s * (1 + gate * (1 - s))
    dup = dy * gate * s
    tl.store(DX + row * 2 * N + columns, dgate.to(DX.dtype.element_ty), mask=mask)
    tl.store(DX + row * 2 * N + N + columns, dup.to(DX.dtype.element_ty), mask=mask)


def swiglu(x):
    M, N = x.shape[0], x.shape[1] // 2
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    swiglu_fwd_kernel[(M, triton.cdiv(N, 256))](x, y, N, BLOCK_SIZE=256)
    return y


def swiglu_backward(dy, x):
    M, N = dy.shape
    dx = torch.empty_like(x)
    swiglu_bwd_kernel[(M, triton.cdiv(N, 256))](dx, dy, x, N, BLOCK_SIZE=256)
    return dx


if __name__ == "__main__":
    for M, N in ((1, 1), (13, 300), (4, 1024)):
        x = torch.randn((M, 2 * N), device="cuda", requires_grad=True)
        dy = torch.randn((M, N), device="cuda")
        gate, up = x.chunk(2, dim=1)
        expected = torch.nn.functional.silu(gate) * up
        expected.backward(dy)
        torch.testing.assert_close(swiglu(x.detach()), expected.detach(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(swiglu_backward(dy, x.detach()), x.grad, rtol=1e-4, atol=1e-5)
    print("swiglu: ok")

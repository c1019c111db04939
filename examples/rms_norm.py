"""RMS norm over rows, forward and backward: the norm without a mean and without a bias."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_fwd_kernel(X, Y, W, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    """Y = X / sqrt(mean(X^2) + eps) * W, one row per program; a row fits in a block"""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    x = tl.load(X + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + eps)
    w = tl.load(W + columns, mask=mask, other=0.0)
    tl.store(Y + row * stride + columns, (x * rstd * w).to(Y.dtype.element_ty), mask=mask)
    tl.store(Rstd + row, rstd)


@triton.jit
def rms_norm_bwd_kernel(DX, PartialDW, DY, X, W, Rstd, stride, M, N, BLOCK_SIZE: tl.constexpr):
    """dX of every num_programs(0)-th row, and the sum of dY * normalized X over these rows"""
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    w = tl.load(W + columns, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for row in range(program, M, tl.num_programs(0)):
        x = tl.load(X + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(Rstd + row)
        normalized = x * rstd
        weighted = w * dy
        projection = tl.sum(normalized * weighted, axis=0) / N
        dx = (weighted - normalized * projection) * rstd
        tl.store(DX + row * stride + columns, dx.to(DX.dtype.element_ty), mask=mask)
        dw += dy * normalized
    tl.store(PartialDW + program * N + columns, dw, mask=mask)


def rms_norm(x, weight, eps=1e-6):
    M, N = x.shape
    y = torch.empty_like(x)
    rstd = torch.empty(M, device=x.device, dtype=torch.float32)
    rms_norm_fwd_kernel[(M,)](x, y, weight, rstd, x.stride(0), N, eps, BLOCK_SIZE=triton.next_power_of_2(N))
    return y, rstd


def rms_norm_backward(dy, x, weight, rstd, programs=8):
    M, N = x.shape
    dx = torch.empty_like(x)
    partial = torch.empty((programs, N), device=x.device, dtype=torch.float32)
    rms_norm_bwd_kernel[(programs,)](dx, partial, dy, x, weight, rstd, x.stride(0), M, N,
                                     BLOCK_SIZE=triton.next_power_of_2(N))
    return dx, partial.sum(dim=0)


if __name__ == "__main__":
    for M, N in ((1, 16), (67, 781), (32, 1024)):
        x = torch.randn((M, N), device="cuda", requires_grad=True)
        weight = torch.rand(N, device="cuda", requires_grad=True)
        dy = torch.randn((M, N), device="cuda")
        y, rstd = rms_norm(x.detach(), weight.detach())
        dx, dw = rms_norm_backward(dy, x.detach(), weight.detach(), rstd)
        expected = x * torch.rsqrt(x.square().mean(dim=1, keepdim=True) + 1e-6) * weight
        expected.backward(dy)
        torch.testing.assert_close(y, expected.detach(), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(dx, x.grad, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(dw, weight.grad, rtol=1e-3, atol=1e-3)
    print("rms_norm: ok")

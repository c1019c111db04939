"""Layer norm over rows, forward and backward.

The backward pass computes dX row by row, and dW, dB in two steps: partial sums over stripes of rows, then a sum over the stripes.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_fwd_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    """Y = (X - mean) * rstd * W + B for one row per program; keeps mean and rstd for the backward pass"""
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    sums = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        sums += tl.load(X + columns, mask=columns < N, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / N
    squares = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + columns, mask=columns < N, other=0.0).to(tl.float32)
        centred = tl.where(columns < N, x - mean, 0.0)
        squares += centred * centred
    variance = tl.sum(squares, axis=0) / N
    rstd = 1 / tl.sqrt(variance + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        mask = columns < N
        w = tl.load(W + columns, mask=mask)
        b = tl.load(B + columns, mask=mask)
        x = tl.load(X + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + columns, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def layer_norm_bwd_dx_kernel(DX, DY, X, W, Mean, Rstd, stride, N, BLOCK_SIZE: tl.constexpr):
    """Gradient of the input, one row per program; a row fits in a block"""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    x = tl.load(X + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + columns, mask=mask, other=0.0).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    normalized = tl.where(mask, (x - mean) * rstd, 0.0)
    weighted = tl.where(mask, w * dy, 0.0)
    projection = tl.sum(normalized * weighted, axis=0) / N
    average = tl.sum(weighted, axis=0) / N
    dx = (weighted - (normalized * projection + average)) * rstd
    tl.store(DX + row * stride + columns, dx, mask=mask)


@triton.jit
def layer_norm_bwd_partial_kernel(DY, X, Mean, Rstd, PartialDW, PartialDB, stride, M, N, ROWS: tl.constexpr,
                                  COLUMNS: tl.constexpr):
    """Sums of dY * normalized X and of dY over every num_programs(0)-th group of ROWS rows, for COLUMNS columns"""
    stripe = tl.program_id(0)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    dw = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    db = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(stripe * ROWS, M, tl.num_programs(0) * ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        offsets = rows[:, None] * stride + columns[None, :]
        x = tl.load(X + offsets, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + offsets, mask=mask, other=0.0).to(tl.float32)
        mean = tl.load(Mean + rows, mask=rows < M, other=0.0)
        rstd = tl.load(Rstd + rows, mask=rows < M, other=0.0)
        dw += dy * (x - mean[:, None]) * rstd[:, None]
        db += dy
    tl.store(PartialDW + stripe * N + columns, tl.sum(dw, axis=0), mask=columns < N)
    tl.store(PartialDB + stripe * N + columns, tl.sum(db, axis=0), mask=columns < N)


@triton.jit
def sum_rows_kernel(Partial, Out, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Out[n] = sum over m of Partial[m, n]"""
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    acc = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        acc += tl.load(Partial + rows[:, None] * N + columns[None, :], mask=mask, other=0.0)
    tl.store(Out + columns, tl.sum(acc, axis=0), mask=columns < N)


def layer_norm(x, weight, bias, eps=1e-5):
    M, N = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(M, device=x.device, dtype=torch.float32)
    rstd = torch.empty(M, device=x.device, dtype=torch.float32)
    block = min(triton.next_power_of_2(N), 1024)
    layer_norm_fwd_kernel[(M,)](x, y, weight, bias, mean, rstd, x.stride(0), N, eps, BLOCK_SIZE=block)
    return y, mean, rstd


def layer_norm_backward(dy, x, weight, mean, rstd, stripes=16):
    M, N = x.shape
    dx = torch.empty_like(x)
    layer_norm_bwd_dx_kernel[(M,)](dx, dy, x, weight, mean, rstd, x.stride(0), N,
                                   BLOCK_SIZE=triton.next_power_of_2(N))
    partial_dw = torch.empty((stripes, N), device=x.device, dtype=torch.float32)
    partial_db = torch.empty((stripes, N), device=x.device, dtype=torch.float32)
    layer_norm_bwd_partial_kernel[(stripes, triton.cdiv(N, 64))](dy, x, mean, rstd, partial_dw, partial_db,
                                                                 x.stride(0), M, N, ROWS=4, COLUMNS=64)
    dw = torch.empty_like(weight)
    db = torch.empty_like(weight)
    for partial, out in ((partial_dw, dw), (partial_db, db)):
        sum_rows_kernel[(triton.cdiv(N, 64),)](partial, out, stripes, N, ROWS=16, COLUMNS=64)
    return dx, dw, db


if __name__ == "__main__":
    for M, N in ((1, 16), (67, 781), (128, 1024)):
        x = torch.randn((M, N), device="cuda", requires_grad=True)
        weight = torch.rand(N, device="cuda", requires_grad=True)
        bias = torch.rand(N, device="cuda", requires_grad=True)
        dy = torch.randn((M, N), device="cuda")
        y, mean, rstd = layer_norm(x.detach(), weight.detach(), bias.detach())
        dx, dw, db = layer_norm_backward(dy, x.detach(), weight.detach(), mean, rstd)
        expected = torch.nn.functional.layer_norm(x, (N,), weight, bias, 1e-5)
        expected.backward(dy)
        torch.testing.assert_close(y, expected.detach(), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(dx, x.grad, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(dw, weight.grad, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(db, bias.grad, rtol=1e-3, atol=1e-3)
    print("layer_norm: ok")

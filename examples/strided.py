"""Inputs that are views: batches with arbitrary strides, transposed copies, rows of different length."""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, output_ptr, M, N, stride_xb, stride_xm, stride_xn, stride_ob, stride_on, stride_om,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """output[b, n, m] = x[b, m, n] for any strides"""
    batch = tl.program_id(2)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + batch * stride_xb + rows[:, None] * stride_xm + columns[None, :] * stride_xn,
                mask=(rows[:, None] < M) & (columns[None, :] < N))
    tl.store(output_ptr + batch * stride_ob + columns[:, None] * stride_on + rows[None, :] * stride_om, tl.trans(x),
             mask=(columns[:, None] < N) & (rows[None, :] < M))


@triton.jit
def segment_sum_kernel(values_ptr, starts_ptr, output_ptr, BLOCK_SIZE: tl.constexpr):
    """output[s] = sum of values[starts[s] : starts[s + 1]]; empty segments leave early"""
    segment = tl.program_id(0)
    start = tl.load(starts_ptr + segment)
    end = tl.load(starts_ptr + segment + 1)
    if start >= end:
        tl.store(output_ptr + segment, 0.0)
        return
    total = 0.0
    while start < end:
        offsets = start + tl.arange(0, BLOCK_SIZE)
        total += tl.sum(tl.load(values_ptr + offsets, mask=offsets < end, other=0.0), axis=0)
        start += BLOCK_SIZE
    tl.store(output_ptr + segment, total)


def transpose(x: torch.Tensor) -> torch.Tensor:
    B, M, N = x.shape
    output = torch.empty((B, N, M), device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 16), B)
    transpose_kernel[grid](x, output, M, N, *x.stride(), *output.stride(), BLOCK_M=32, BLOCK_N=16)
    return output


def segment_sum(values: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    output = torch.empty(starts.numel() - 1, device=values.device, dtype=torch.float32)
    segment_sum_kernel[(output.numel(),)](values, starts, output, BLOCK_SIZE=64)
    return output


if __name__ == "__main__":
    x = torch.randn((3, 50, 70), device="cuda")
    torch.testing.assert_close(transpose(x), x.transpose(1, 2).contiguous())
    view = x[:, ::2, 5:60]
    torch.testing.assert_close(transpose(view), view.transpose(1, 2).contiguous())
    values = torch.randn(1000, device="cuda")
    starts = torch.tensor([0, 10, 10, 300, 999, 1000], device="cuda", dtype=torch.int32)
    expected = torch.stack([values[a:b].sum() for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())])
    torch.testing.assert_close(segment_sum(values, starts), expected, rtol=1e-4, atol=1e-4)
    print("strided: ok")

"""Products of quantized matrices: 8-bit integers on both sides, 8-bit weights of 16-bit activations, 8-bit floats.

A scale belongs to a row of A, to a column of B, or to a group of elements along k of a column of B.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def load_tile(base, rows, columns, M, N):
    """A tile of a contiguous M x N matrix; what is outside is 0"""
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    return tl.load(base + rows[:, None] * N + columns[None, :], mask=mask, other=0.0)


@triton.jit
def store_tile(base, rows, columns, values, M, N):
    tl.store(base + rows[:, None] * N + columns[None, :], values.to(base.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def quantize_rows_kernel(x_ptr, output_ptr, scale_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    """scale = max(|row|) / 127, output = round(row / scale) in int8, one row per program"""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0).to(tl.float32)
    largest = tl.max(tl.abs(x), axis=0)
    scale = tl.where(largest > 0, largest, 1.0) / 127
    q = tl.floor(x / scale + 0.5).to(tl.int8)
    tl.store(output_ptr + row * n_cols + columns, q, mask=mask)
    tl.store(scale_ptr + row, scale)


@triton.jit
def int8_matmul_kernel(a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K, BLOCK_M: tl.constexpr,
                       BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C = (A @ B) * a_scale[:, None] * b_scale[None, :], A and B in int8, summed exactly in int32"""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        a = load_tile(a_ptr, rows, inner, M, K)
        b = load_tile(b_ptr, inner, columns, K, N)
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + columns, mask=columns < N, other=0.0)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    store_tile(c_ptr, rows, columns, c, M, N)


@triton.jit
def int8_weight_matmul_kernel(a_ptr, b_ptr, c_ptr, scale_ptr, M, N, K, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
                              BLOCK_N: tl.constexpr):
    """C = A @ (B * scale), A in 16 bits, B in int8 with a scale for each GROUP elements along k of a column"""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for group in range(0, tl.cdiv(K, GROUP)):
        inner = group * GROUP + tl.arange(0, GROUP)
        a = load_tile(a_ptr, rows, inner, M, K)
        b = load_tile(b_ptr, inner, columns, K, N)
        # 8 bits are exact in 16-bit floats; the scale goes to the sum of the group instead of to each element.
        scale = tl.load(scale_ptr + group * N + columns, mask=columns < N, other=0.0)
        acc += tl.dot(a, b.to(a.dtype)) * scale[None, :]
    store_tile(c_ptr, rows, columns, acc, M, N)


@triton.jit
def float8_matmul_kernel(a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K, BLOCK_M: tl.constexpr,
                         BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C = (A @ B) * a_scale[:, None] * b_scale[None, :], A and B in 8-bit floats, summed in float32"""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        a = load_tile(a_ptr, rows, inner, M, K)
        b = load_tile(b_ptr, inner, columns, K, N)
        acc = tl.dot(a, b, acc)
    a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + columns, mask=columns < N, other=0.0)
    c = acc * a_scale[:, None] * b_scale[None, :]
    store_tile(c_ptr, rows, columns, c, M, N)


def quantize_rows(x):
    M, N = x.shape
    output = torch.empty((M, N), device=x.device, dtype=torch.int8)
    scale = torch.empty(M, device=x.device, dtype=torch.float32)
    quantize_rows_kernel[(M,)](x, output, scale, N, BLOCK_SIZE=triton.next_power_of_2(N))
    return output, scale


def scaled_matmul(kernel, a, b, a_scale, b_scale):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.float32)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    kernel[grid](a, b, c, a_scale, b_scale, M, N, K, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
    return c


def int8_weight_matmul(a, b, scale, group):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    int8_weight_matmul_kernel[grid](a, b, c, scale, M, N, K, GROUP=group, BLOCK_M=32, BLOCK_N=32)
    return c


def check_float8(a, b):
    """Only where PyTorch has the type, and the GPU has it too."""
    kind = getattr(torch, "float8_e4m3fn", None)
    if kind is None:
        return f"PyTorch {torch.__version__} does not have float8_e4m3fn (2.1 and later do)"
    if torch.cuda.is_available() and torch.version.cuda and torch.cuda.get_device_capability() < (8, 9):
        return "this GPU does not have float8e4nv"
    a_scale, b_scale = a.abs().amax(dim=1) / 448, b.abs().amax(dim=0) / 448
    a8, b8 = (a / a_scale[:, None]).to(kind), (b / b_scale[None, :]).to(kind)
    expected = (a8.double() @ b8.double()) * a_scale.double()[:, None] * b_scale.double()[None, :]
    c = scaled_matmul(float8_matmul_kernel, a8, b8, a_scale, b_scale)
    # Tensor cores add 8-bit products in fewer bits than float32 has.
    torch.testing.assert_close(c.double(), expected, rtol=1e-2, atol=2e-2)
    return None


if __name__ == "__main__":
    for M, N, K in ((16, 16, 32), (50, 70, 100)):
        a, b = torch.randn((M, K), device="cuda"), torch.randn((K, N), device="cuda")
        a8, a_scale = quantize_rows(a)
        b8, b_scale = quantize_rows(b.t().contiguous())
        torch.testing.assert_close(a8.float() * a_scale[:, None], a, rtol=0, atol=float(a_scale.max()) * 0.51)
        b8 = b8.t().contiguous()
        exact = (a8.double() @ b8.double()) * a_scale.double()[:, None] * b_scale.double()[None, :]
        c = scaled_matmul(int8_matmul_kernel, a8, b8, a_scale, b_scale)
        torch.testing.assert_close(c.double(), exact, rtol=1e-5, atol=1e-5)
        scale = torch.rand((triton.cdiv(K, 32), N), device="cuda") / 127
        half = a.half()
        exact = half.double() @ (b8.double() * scale.double().repeat_interleave(32, 0)[:K])
        torch.testing.assert_close(int8_weight_matmul(half, b8, scale, 32).double(), exact, rtol=1e-2, atol=1e-2)
        missing = check_float8(a, b)
    if missing:
        print(f"quantized: float8_matmul_kernel not run: {missing}")
    print("quantized: ok")

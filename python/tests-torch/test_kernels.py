"""Kernels of the user's in compiled graphs: with and without autotuning, through triton_op, and which tensors they write."""

import importlib
import logging
import pathlib

import pytest
import torch
import triton
import triton.language as tl
from torch._higher_order_ops.triton_kernel_wrap import identify_mutated_tensors
from torch.library import triton_op, wrap_triton


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=8)], key=["n"])
@triton.jit
def scale_kernel(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def double_in_place(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def row_sums(x, out, columns, STRIDE, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * STRIDE + i, mask=i < columns, other=0)
    tl.atomic_add(out + row, tl.sum(total, 0))


@triton.jit
def optional_bias(x, bias, out, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    if HAS_BIAS:
        value += tl.load(bias + i, mask=i < n)
    tl.store(out + i, value, mask=i < n)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        right = tl.load(b + k[:, None] * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N), other=0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def swap_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)
    tl.debug_barrier()
    tl.store(x + i, b, mask=i < n)
    tl.store(y + i, a, mask=i < n)


def add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](x, y, out, n, BLOCK=64)
    return out


def test_between_fused_code(compare):
    compare(lambda x, y: add(x.sin(), y * 2).relu() + 1, [torch.randn(100), torch.randn(100)], min_kernels=3)


def test_alone(compare):
    compare(add, [torch.randn(33), torch.randn(33)])


def test_autotuned(compare):

    def function(x):
        out = torch.empty_like(x)
        scale_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]), )](x, out, x.numel(), 2.5)
        return out + 1

    compare(function, [torch.randn(200)], min_kernels=2)


def test_in_place(compare):

    def function(x, y):
        x = x + y
        double_in_place[(2, )](x, x.numel(), BLOCK=64)
        double_in_place[(2, )](y, y.numel(), BLOCK=64)
        return x * y

    compare(function, [torch.randn(100), torch.randn(100)])


def test_atomics_and_loops(compare):

    def function(x):
        out = torch.zeros(x.shape[0])
        row_sums[(x.shape[0], )](x * 2, out, x.shape[1], x.stride(0), BLOCK=32)
        return out

    compare(function, [torch.randn(5, 100)], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("has_bias", (False, True))
def test_none_as_an_argument(compare, has_bias):

    def function(x, bias):
        out = torch.empty_like(x)
        optional_bias[(2, )](x, bias, out, x.numel(), bias is not None, BLOCK=64)
        return out.sin()

    compare(function, [torch.randn(100), torch.randn(100) if has_bias else None])


def test_products(compare):

    def function(a, b):
        c = torch.empty(a.shape[0], b.shape[1])
        grid = triton.cdiv(a.shape[0], 16), triton.cdiv(b.shape[1], 16)
        matmul_kernel[grid](a, b, c, a.shape[0], b.shape[1], a.shape[1], BLOCK=16)
        return torch.relu(c)

    compare(function, [torch.randn(20, 24), torch.randn(24, 17)], rtol=1e-4, atol=1e-4)


def test_dynamic_shapes(loaded):
    compiled = torch.compile(lambda x, y: add(x * 2, y) - 1, dynamic=True, fullgraph=True)
    for n in (3, 64, 65, 1000):
        x, y = torch.randn(n), torch.randn(n)
        torch.testing.assert_close(compiled(x, y), x * 2 + y - 1)
    assert loaded


def test_two_outputs(compare):

    def function(x, y):
        x, y = x.clone(), y + 1
        swap_kernel[(1, )](x, y, x.numel(), BLOCK=64)
        return x, y * 2

    compare(function, [torch.randn(50), torch.randn(50)])


@triton_op("tilerun_tests::add", mutates_args=())
def add_op(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(add_kernel)[(triton.cdiv(out.numel(), 64), )](x, y, out, out.numel(), BLOCK=64)
    return out


add_op.register_autograd(lambda ctx, grad: (grad, grad))


@triton_op("tilerun_tests::double_", mutates_args={"x"})
def double_op(x: torch.Tensor) -> None:
    wrap_triton(double_in_place)[(triton.cdiv(x.numel(), 64), )](x, x.numel(), BLOCK=64)


def test_triton_op(compare):
    compare(lambda x, y: add_op(x.cos(), y) * 3, [torch.randn(70), torch.randn(70)])


def test_triton_op_with_gradients(compare):
    compare(lambda x, y: add_op(x.cos(), y) * x, [torch.randn(70, requires_grad=True), torch.randn(70, requires_grad=True)],
            min_kernels=2)


def test_triton_op_that_writes(compare):

    def function(x):
        double_op(x)
        return x + 1

    compare(function, [torch.randn(70)])


EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(monkeypatch):
    """Imports a file of the examples, which import helpers from beside them."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


def test_example_rotary(compare, example):
    rotate = example("rotary").make_op()
    angles = torch.rand(9, 16)
    compare(lambda x: rotate(x * 2, angles.cos(), angles.sin(), False) + 1, [torch.randn(9, 6, 32, requires_grad=True)],
            min_kernels=2)


def test_example_softcap(compare, example):
    cap = example("softcap").SoftCap.apply
    compare(lambda x: cap(x.exp(), 2.0), [torch.randn(300, requires_grad=True)], min_kernels=2)


# -- Which tensors a kernel writes


def find(kernel, caplog, **arguments):
    with caplog.at_level(logging.WARNING):
        found = identify_mutated_tensors(kernel, arguments, {})
    assert not caplog.records, caplog.text
    return found


def test_writes(caplog):
    x, y, z = torch.randn(64), torch.randn(64), torch.randn(64)
    assert find(add_kernel, caplog, x=x, y=y, out=z, n=64, BLOCK=64) == ["out"]
    assert find(scale_kernel, caplog, x=x, out=z, n=64, factor=2.0) == ["out"]
    assert find(double_in_place, caplog, x=x, n=64, BLOCK=64) == ["x"]
    assert find(row_sums, caplog, x=x, out=y, columns=8, STRIDE=8, BLOCK=8) == ["out"]
    assert find(swap_kernel, caplog, x=x, y=y, n=64, BLOCK=64) == ["x", "y"]
    assert find(optional_bias, caplog, x=x, bias=None, out=z, n=64, HAS_BIAS=False, BLOCK=64) == ["out"]


@triton.jit
def write_if_large(x, y, out, n):
    if n > 100:
        tl.store(y, tl.load(x))
    tl.store(out, n)


@triton.jit
def carry(x, out, n):
    for _ in range(n):
        tl.store(out, tl.load(x))
        x += 1
        out += 1


@triton.jit
def choose(x, y, use_x):
    tl.store(tl.where(use_x, x, y), 1.0)


@triton.jit
def only_reads(x, n):
    tl.device_assert(tl.load(x) < n)


def test_writes_behind_control_flow(caplog):
    x, y, z = torch.randn(8), torch.randn(8), torch.randn(8)
    # Whatever the number is now: another launch may pass another one.
    assert find(write_if_large, caplog, x=x, y=y, out=z, n=3) == ["y", "out"]
    assert find(carry, caplog, x=x, out=y, n=4) == ["out"]
    assert find(choose, caplog, x=x, y=y, use_x=True) == ["x", "y"]
    assert find(only_reads, caplog, x=x, n=3) == []


def test_inputs_that_are_only_read_are_not_copied():
    def function(x, y):
        out = torch.empty_like(x)
        add_kernel[(2, )](x, y, out, x.numel(), BLOCK=64)
        return out

    x, y = torch.randn(100), torch.randn(100)
    found, (code, ) = torch._inductor.utils.run_and_get_code(torch.compile(function, fullgraph=True), x, y)
    torch.testing.assert_close(found, x + y)
    assert code.count("empty_strided_cpu(") == 1 and "clone" not in code  # The result.

"""Kernels whose tensors may be large; compare.py measures their compile time."""
import triton
import triton.language as tl


@triton.jit
def elementwise(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(y_ptr + offsets, x * 2.0 + tl.exp(x), mask=mask)


@triton.jit
def total(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr, tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0), 0))


@triton.jit
def softmax(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + tl.program_id(0) * n + offsets, mask=mask, other=-float('inf'))
    power = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + tl.program_id(0) * n + offsets, power / tl.sum(power, 0), mask=mask)


@triton.jit
def cumsum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.cumsum(tl.load(x_ptr + offsets), 0))


@triton.jit
def first_order(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    a, b = tl.associative_scan((x, x + 1), 0, first_order)
    tl.store(y_ptr + offsets, a + b)


@triton.jit
def sort(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.sort(tl.load(x_ptr + offsets)))


@triton.jit
def topk(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + tl.arange(0, 16), tl.topk(tl.load(x_ptr + offsets), 16))

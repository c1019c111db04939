"""Kernels with one fault each, and one whose meaning depends on the device."""

import triton
import triton.language as tl


@triton.jit
def divide(x, y, out):
    tl.store(out, tl.load(x) // tl.load(y))


@triton.jit
def remainder(x, y, out):
    tl.store(out, tl.load(x) % tl.load(y))


@triton.jit
def shift(x, by, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) << tl.load(by + i))


@triton.jit
def misaligned(x, out):
    p = (x.to(tl.pointer_type(tl.int8)) + 2).to(tl.pointer_type(tl.float32))
    tl.store(out, tl.load(p))


@triton.jit
def product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + i, tl.dot(tl.load(a + i), tl.load(b + i)))


@triton.jit
def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
    # It has this name because a driver over host memory only knows the plugins' self-tests.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)

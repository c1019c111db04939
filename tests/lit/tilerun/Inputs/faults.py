"""Kernels that do wrong in one way each."""

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

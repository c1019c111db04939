"""The module that python.py imports."""

import triton
import triton.language as tl

SCALE = 3
OFFSET = tl.constexpr(100)


@triton.jit
def scaled(x, by: tl.constexpr = SCALE):
    return x * by

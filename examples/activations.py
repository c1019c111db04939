"""Helper functions that kernels in other files import."""

import triton
import triton.language as tl

SQRT_2_OVER_PI = tl.constexpr(0.7978845608028654)
CUBIC: tl.constexpr = tl.constexpr(0.044715)


@triton.jit
def tanh(x):
    """tanh through a logistic function, in a form that cannot overflow"""
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def gelu_tanh(x):
    return 0.5 * x * (1 + tanh(SQRT_2_OVER_PI * (x + CUBIC * x * x * x)))


@triton.jit
def gelu_tanh_derivative(x):
    t = tanh(SQRT_2_OVER_PI * (x + CUBIC * x * x * x))
    inner = SQRT_2_OVER_PI * (1 + 3 * CUBIC * x * x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner

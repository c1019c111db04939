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


@triton.jit
def activate(x, FUNCTION: tl.constexpr):
    """The function called FUNCTION, of float32"""
    if FUNCTION == "relu":
        y = tl.maximum(x, 0.0)
    elif FUNCTION == "leaky_relu":
        y = tl.where(x > 0, x, 0.01 * x)
    elif FUNCTION == "relu6":
        y = tl.minimum(tl.maximum(x, 0.0), 6.0)
    elif FUNCTION == "elu":
        y = tl.where(x > 0, x, tl.exp(tl.minimum(x, 0.0)) - 1)
    elif FUNCTION == "hardswish":
        y = x * tl.minimum(tl.maximum(x + 3, 0.0), 6.0) / 6
    elif FUNCTION == "silu":
        y = x * tl.sigmoid(x)
    elif FUNCTION == "softplus":
        y = tl.maximum(x, 0.0) + tl.log(1 + tl.exp(-tl.abs(x)))
    else:
        tl.static_assert(FUNCTION == "tanh", "an unknown activation")
        y = tanh(x)
    return y


@triton.jit
def activate_derivative(x, FUNCTION: tl.constexpr):
    """Its derivative; at a kink the left one, as PyTorch has it"""
    if FUNCTION == "relu":
        d = tl.where(x > 0, 1.0, 0.0)
    elif FUNCTION == "leaky_relu":
        d = tl.where(x > 0, 1.0, 0.01)
    elif FUNCTION == "relu6":
        d = tl.where((x > 0) & (x < 6), 1.0, 0.0)
    elif FUNCTION == "elu":
        d = tl.where(x > 0, 1.0, tl.exp(tl.minimum(x, 0.0)))
    elif FUNCTION == "hardswish":
        d = tl.where(x >= 3, 1.0, tl.where(x > -3, x / 3 + 0.5, 0.0))
    elif FUNCTION == "silu":
        s = tl.sigmoid(x)
        d = s * (1 + x * (1 - s))
    elif FUNCTION == "softplus":
        d = tl.sigmoid(x)
    else:
        tl.static_assert(FUNCTION == "tanh", "an unknown activation")
        t = tanh(x)
        d = 1 - t * t
    return d

# Functions of which Python makes kernels, kernels in Gluon, and one of the language.
import functools
import triton
import triton.language as tl
from library import pointwise_dynamic, libentry
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@pointwise_dynamic(promotion_methods=[(0, "DEFAULT")])
@triton.jit
def double(x):
    return x * 2


@gluon.jit
def first(x, B: gl.constexpr):
    gl.store(x + gl.arange(0, B), 1.0)


@libentry()
@triton.jit
def fill(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), helper(1.0))


@triton.jit
def helper(x):
    return x + 1


@pointwise_dynamic()
@triton.jit
def triple(x):
    return x * 3


@gluon.jit
def second(x):
    gl.store(x, 1.0)

"""Functions that run while a kernel is compiled: those of compile time, and those with the mark of the language."""

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


def run(kernel, *args, size=4, dtype=np.float32, **named):
    out = np.zeros(size, dtype)
    kernel[(1, )](out, *args, **named)
    return out.tolist()


def test_constexpr_functions():

    @triton.constexpr_function
    def half(n):
        k = n // 2
        return k

    @triton.jit
    def kernel(out, N: tl.constexpr):
        M: tl.constexpr = half(N)
        tl.store(out + tl.arange(0, half(N)), M)

    assert run(kernel, 8, size=4) == [4] * 4 and half(9) == 4 and type(half(tl.constexpr(9))) is int


def _width(kind):
    return kind.value.primitive_bitwidth if isinstance(kind, tl.constexpr) else kind.primitive_bitwidth


def _half(n):
    return _width(tl.int8) * 0 + n // 2


@triton.constexpr_function
def size_of(kind, n):
    """Functions of compile time call plain ones, as Python does."""
    return _half(n * _width(kind) // 8)


def test_constexpr_functions_call_plain_ones():

    @triton.jit
    def kernel(out, N: tl.constexpr):
        n: tl.constexpr = size_of(tl.float32, N)
        tl.store(out + tl.arange(0, N), n)

    assert run(kernel, N=4) == [8] * 4 and size_of(tl.float32, 4) == 8


def marked(x, n, _semantic=None):
    k = _half(n)
    return tl.add(x, k, _semantic=_semantic)


marked.__triton_builtin__ = True


@tl.core.builtin
def also_marked(x, n, _semantic):
    return marked(x, n, _semantic=_semantic)


def test_functions_with_the_mark_of_the_language():

    @triton.jit
    def kernel(out, n):
        tl.store(out, also_marked(n, 8) + marked(n, 2))

    assert run(kernel, 5, size=1) == [15]
    assert tl.core.is_builtin(also_marked) and tl.core.is_builtin(tl.load) and not tl.core.is_builtin(_half)


def test_what_functions_of_compile_time_cannot_call(tmp_path):

    @triton.constexpr_function
    def size(n):
        return int(np.prod((n, 2)))

    @triton.jit
    def kernel(out, N: tl.constexpr):
        tl.store(out, size(N))

    with pytest.raises(triton.CompilationError, match="prod"):
        run(kernel, 2, size=1)


def test_constexpr_as_the_decorator_of_a_function():

    @tl.constexpr
    def wide(dtype):
        return tl.int64 if dtype.is_int() else tl.float64

    @triton.jit
    def kernel(out, N: tl.constexpr):
        T: tl.constexpr = wide(out.dtype.element_ty)
        tl.static_assert(T == tl.int64)
        tl.store(out + tl.arange(0, N), tl.zeros((N, ), T) + T.primitive_bitwidth)

    assert run(kernel, 4, size=4, dtype=np.int32) == [64] * 4 and wide(tl.float32) == tl.float64

def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


def is_even(n):
    return is_odd(n - 1) if n else True


def is_odd(n):
    return is_even(n - 1) if n else False


def endless(n):
    return endless(n + 1)


@triton.constexpr_function
def count(n):
    return factorial(n) + is_even(n)


@triton.constexpr_function
def never(n):
    return endless(n)


def test_plain_functions_that_call_themselves():

    @triton.jit
    def kernel(out, N: tl.constexpr):
        tl.store(out, count(N))

    @triton.jit
    def stuck(out, N: tl.constexpr):
        tl.store(out, never(N))

    assert run(kernel, 4)[0] == 25 and run(kernel, 5)[0] == 120
    with pytest.raises(triton.CompilationError, match="calls nest deeper than 64; 'endless' calls itself") as caught:
        run(stuck, 4)
    assert str(caught.value).count("in call to") == 6


def test_constexpr_of_a_lambda():
    """It has no source to compile; host code calls it."""
    assert tl.constexpr(lambda x: x + 1)(1) == 2

"""Records and named tuples: of the kernel's file, of closures, and as arguments of a launch."""

import collections
from typing import NamedTuple
from typing import NamedTuple as Named

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton.language.core import _aggregate as record

STEP = 10
Point = collections.namedtuple("Point", ["x", "y"], defaults=[7])


class Sizes(NamedTuple):
    width: tl.constexpr
    name: tl.constexpr = "plain"


@triton.jit
def helper(v):
    return v + STEP


@record
class Inner:
    x: tl.tensor

    @triton.jit
    def moved(self):
        return Outer(Inner(helper(self.x)), 3)


@triton.aggregate
class Outer:
    inner: Inner
    N: tl.constexpr

    @triton.constexpr_function
    def __init__(self, inner, N):
        self.inner = inner
        self.N = tl.constexpr(N)


def run(kernel, *args, size=1, **named):
    out = np.zeros(size, np.float32)
    kernel[(1, )](out, *args, **named)
    return out.tolist()


def test_records_of_the_file():

    @triton.jit
    def kernel(out, x, N: tl.constexpr):
        r = Outer(Inner(x), N)
        tl.static_assert(r.N == 4)
        for i in range(2):
            r = Outer(r.inner.moved().inner, N)
        tl.store(out, r.inner.x + r.inner.moved().N)

    assert run(kernel, 1.0, N=4) == [24]


def test_a_changed_global_of_a_class_is_compiled_anew():
    global STEP

    @triton.jit
    def kernel(out, x):
        tl.store(out, Inner(x).moved().inner.x)

    try:
        for STEP in (10, 20, 10):
            assert run(kernel, 1.0) == [1 + STEP]
    finally:
        STEP = 10


def test_records_of_a_function():

    def make(amount, function):

        @triton.aggregate
        class Local:
            x: tl.tensor
            inner: Inner

            @triton.jit
            def value(self):
                return function(self.x) * amount + self.inner.x

        @triton.jit
        def kernel(out, x):
            tl.store(out, Local(x, Inner(x)).value())

        return kernel

    assert run(make(2, helper), 1.0) == [23] and run(make(3, helper), 1.0) == [34]


def test_messages_show_the_lines_of_the_class():

    @triton.aggregate
    class Wrong:
        x: tl.tensor

        def __init__(self, x):
            self.y = x

    @triton.jit
    def kernel(out):
        Wrong(1)

    with pytest.raises(triton.CompilationError) as error:
        run(kernel)
    line = Wrong.__init__.__code__.co_firstlineno + 1
    assert f"{__file__}:{line}:" in str(error.value)
    assert "'Wrong' has no field 'y'; declare it in the class" in str(error.value)


def test_named_tuples_as_arguments():

    @triton.jit
    def kernel(out, p, pair, c: tl.constexpr):
        tl.static_assert(isinstance(p, Point) and isinstance(c, Sizes))
        tl.static_assert(c.name == "wide" and c.width == 4)
        i = tl.arange(0, c.width)
        tl.store(out + i, tl.load(p.x + i) * p.y + pair[1].y)

    x = np.arange(4, dtype=np.float32)
    for factor in (2, 3):
        assert run(kernel, Point(x, factor), (None, Point(1, 5)), Sizes(4, "wide"), size=4) == (x * factor + 5).tolist()


class Closure(NamedTuple):
    function: tl.constexpr
    captured: tuple
    size: "tl.constexpr" = 4


def test_constants_and_functions_in_tuples():
    """A tl.constexpr stays one in a tuple, as does a field that is declared so; functions are called."""

    @triton.jit
    def scale(x, a):
        return x * tl.load(a)

    @triton.jit
    def kernel(out, t, closure):
        tl.static_assert(t[1] == 4 and t[2][0] == "wide" and t[3] == tl.float32)
        tl.static_assert(isinstance(t[1], tl.constexpr) and closure.size == t[1])
        i = tl.arange(0, closure.size)
        x = tl.load(t[0] + tl.arange(0, t[1]))
        tl.store(out + i, closure.function(x, *closure.captured) + t[2][1](x) + t[4])

    x, a = np.arange(4, dtype=np.float32), np.array([3], np.float32)
    for n in (5, 6):
        arguments = (x, tl.constexpr(4), (tl.constexpr("wide"), helper), tl.constexpr(tl.float32), n), Closure(scale, (a, ))
        assert run(kernel, *arguments, size=4) == (x * 4 + STEP + n).tolist()
    with pytest.raises(triton.CompilationError, match="'cond' is false"):
        run(kernel, (x, tl.constexpr(8), (tl.constexpr("wide"), helper), tl.constexpr(tl.float32), 1), Closure(scale, (a, )), size=4)


def test_constants_for_undeclared_parameters():
    """An argument that is a tl.constexpr is one, whatever the parameter says."""

    @triton.jit
    def kernel(out, N, pair):
        tl.static_assert(isinstance(N, tl.constexpr) and pair[0] == 2)
        tl.store(out + tl.arange(0, N), pair[1])

    assert run(kernel, tl.constexpr(4), tl.constexpr((2, 3)), size=4) == [3] * 4
    assert run(kernel, N=tl.constexpr(2), pair=tl.constexpr((2, 5)), size=4) == [5, 5, 0, 0]


class Extended(collections.namedtuple("Base", "x y")):

    @triton.jit
    def total(self):
        return self.x + self.y


class Renamed(Named):
    x: tl.tensor
    y: tl.tensor = 3


def test_named_tuples_with_methods_and_other_names():

    @triton.jit
    def kernel(out, e):
        tl.store(out, e.total() + Extended(1, 2).total() + Renamed(1).y)

    assert run(kernel, Extended(10, 20)) == [36]


def test_named_tuples_as_constants():
    place = Point(3, (4, Point(5)))

    @triton.jit
    def kernel(out):
        q = place._replace(x=1)
        tl.store(out, place.x * 1000 + place.y[0] * 100 + place.y[1].x * 10 + place.y[1].y + q.x)

    assert run(kernel) == [3458]


def test_records_are_no_arguments():

    @triton.jit
    def kernel(out, r):
        pass

    instance = Inner.__new__(Inner)
    with pytest.raises(TypeError, match="parameter 'r' is .*Inner.*pass its fields"):
        run(kernel, instance)

"""Objects of host code from which kernels read constants: globals, captured variables, tl.constexpr
arguments. Their contents may change between launches."""

import dataclasses

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


@triton.jit
def double(x):
    return x * 2


class Part:
    depth = 4


class Settings:
    """Neither a dataclass nor frozen, and with things that no kernel can use."""

    KIND = 7

    def __init__(self):
        self.size, self.shape, self.part, self.function = 3, (1, 2), Part(), double
        self.array, self.type = np.zeros(3), np.dtype("int8")

    @property
    def twice(self):
        return self.size * 2

    def method(self):
        return 1


class Constants:
    FIRST = 1
    SECOND = FIRST + 1


@dataclasses.dataclass
class Loose:
    factor: int = 3
    array: object = None


SETTINGS, LOOSE, TABLE = Settings(), Loose(array=np.zeros(2)), {"a": 1, "b": (2, 3)}


def run(kernel, *arguments):
    out = np.zeros(1, np.float32)
    kernel[(1, )](out, *arguments)
    return out[0]


@triton.jit
def ask(o):
    return o.twice + o.part.depth


@triton.jit
def of_global(out):
    x = SETTINGS.size + SETTINGS.shape[1] + SETTINGS.KIND + SETTINGS.twice + SETTINGS.part.depth
    tl.store(out, SETTINGS.function(x) + LOOSE.factor)


@triton.jit
def of_argument(out, o: tl.constexpr):
    tl.store(out, o.function(o.size + o.shape[1] + o.KIND) + ask(o))


@triton.jit
def of_class(out):
    tl.store(out, Constants.FIRST * 10 + Constants.SECOND)


def test_attributes_of_globals():
    assert run(of_global) == (3 + 2 + 7 + 6 + 4) * 2 + 3
    SETTINGS.size, LOOSE.factor = 5, 0.5
    try:
        assert run(of_global) == (5 + 2 + 7 + 10 + 4) * 2 + 0.5
        Settings.KIND = 1
        assert run(of_global) == (5 + 2 + 1 + 10 + 4) * 2 + 0.5
    finally:
        SETTINGS.size, LOOSE.factor, Settings.KIND = 3, 3, 7
    assert run(of_global) == 47


def test_attributes_of_captured_variables():
    settings = Settings()

    @triton.jit
    def kernel(out):
        tl.store(out, settings.twice)

    assert run(kernel) == 6
    settings.size = 4
    assert run(kernel) == 8
    settings = Part()
    settings.twice = 9
    assert run(kernel) == 9


def test_attributes_of_arguments():
    settings = Settings()
    assert run(of_argument, settings) == (3 + 2 + 7) * 2 + 6 + 4
    settings.size = 4
    assert run(of_argument, settings) == (4 + 2 + 7) * 2 + 8 + 4
    with pytest.raises(triton.CompilationError, match="a Part has no field 'function'"):
        run(of_argument, Part())


def test_classes_of_constants_are_what_they_are_now():
    assert run(of_class) == 12
    Constants.FIRST = 7
    try:
        assert run(of_class) == 72
    finally:
        Constants.FIRST = 1
    assert run(of_class) == 12

    @triton.jit
    def kernel(out, c: tl.constexpr):
        tl.store(out, c.SECOND)

    assert run(kernel, Constants) == 2


def test_objects_are_true():

    @triton.jit
    def kernel(out, o: tl.constexpr):
        tl.store(out, 1 if o else 2)

    assert run(kernel, Settings()) == 1 and run(kernel, None) == 2


def test_whole_objects_go_to_helpers():

    @triton.jit
    def helper(o):
        return o.factor + 1

    @triton.jit
    def kernel(out):
        tl.store(out, helper(LOOSE))

    assert run(kernel) == 4
    LOOSE.factor = 8
    try:
        assert run(kernel) == 9
    finally:
        LOOSE.factor = 3


def test_dicts():

    @triton.jit
    def of_global(out):
        tl.store(out, TABLE["a"] + TABLE["b"][1])

    @triton.jit
    def of_argument(out, o: tl.constexpr):
        tl.store(out, o["a"] + o["b"][1])

    assert run(of_global) == 4 and run(of_argument, {"a": 5, "b": (0, 1)}) == 6
    TABLE["a"] = 10
    try:
        assert run(of_global) == 13
    finally:
        TABLE["a"] = 1
    assert run(of_argument, {"a": 5, "b": (0, 2)}) == 7
    with pytest.raises(TypeError, match="parameter 'o' is {1: 1} of type dict, which kernels do not accept"):
        run(of_argument, {1: 1})


def test_what_kernels_cannot_use_is_told():

    @triton.jit
    def method(out):
        tl.store(out, SETTINGS.method())

    @triton.jit
    def misspelt(out):
        tl.store(out, SETTINGS.siz + SETTINGS.size)

    with pytest.raises(triton.CompilationError, match="(?s)the host function 'method'.*test_objects.py:.*defined here"):
        run(method)
    with pytest.raises(triton.CompilationError, match="'<Settings of the host>' has no 'siz'; did you mean 'size'"):
        run(misspelt)


def test_objects_in_a_circle():
    one = Settings()
    one.part = one

    @triton.jit
    def kernel(out, o: tl.constexpr):
        if o.size == 3:
            tl.store(out, o.size)
        else:
            tl.store(out, o.part.part.size)

    assert run(kernel, one) == 3


def test_attributes_that_launch_the_kernel():
    deep = []

    class Odd:

        @property
        def size(self):
            if len(deep) < 3:
                deep.append(1)
                run(kernel)
            return 5 + len(deep)

    odd = Odd()

    @triton.jit
    def kernel(out):
        tl.store(out, odd.size)

    for _ in range(3):
        assert run(kernel) == 8
        deep.clear()


def test_types_that_do_not_exist():
    for kind in (ValueError, AssertionError):
        with pytest.raises(kind, match="unknown dtype 'fp7'"):
            tl.dtype("fp7")
    with pytest.raises(TypeError, match="element_ty has type `int`; expected `dtype`."):
        tl.pointer_type(3)
    with pytest.raises(TypeError, match="0d block_type is forbidden"):
        tl.block_type(tl.float32, [])
    assert triton.MockTensor.ptr_range() == 0

"""Classes, causes and places of errors, as code that is written for Triton expects them."""

import copy
import pickle

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors

X = np.zeros(64, np.float32)


@triton.jit
def stored(x, n):
    tl.store(x, n)



@triton.jit
def helper(x):
    return tl.arange(0, x)


@triton.jit
def e_static(x):
    tl.static_assert(x is None, "my text")


@triton.jit
def e_construct(x):
    tl.store(x, (lambda: 1)())


@triton.jit
def e_raise(x):
    raise ValueError("never")


@triton.jit
def e_name(x):
    tl.store(x, undefined)  # noqa: F821


@triton.jit
def e_attribute(x):
    x.nothing()


@triton.jit
def e_operands(x):
    tl.store(x, tl.load(x) & 1.0)


@triton.jit
def e_value(x):
    tl.store(x + tl.arange(16, 0), 1)


@triton.jit
def e_inner(x):
    tl.store(x + helper(-4), 1)


@pytest.mark.parametrize("kernel, kind, cause, places", [
    (e_static, "CompileTimeAssertionFailure", AssertionError, ["at 2:4: in 'e_static'"]),
    (e_construct, "UnsupportedLanguageConstruct", None, ["at 2:17: in 'e_construct'"]),
    (e_raise, "UnsupportedLanguageConstruct", None, ["at 2:4: in 'e_raise'"]),
    (e_name, "CompilationError", NameError, ["at 2:16: in 'e_name'"]),
    (e_attribute, "CompilationError", AttributeError, ["at 2:4: in 'e_attribute'"]),
    (e_operands, "CompilationError", TypeError, ["at 2:16: in 'e_operands'"]),
    (e_value, "CompilationError", ValueError, ["at 2:17: in 'e_value'"]),
    (e_inner, "CompilationError", ValueError, ["at 2:11: in 'helper'", "at 2:17: in 'e_inner'"])],
    ids=lambda value: getattr(value, "__name__", None))
def test_errors_of_compilation(kernel, kind, cause, places):
    with pytest.raises(triton.CompilationError) as caught:
        kernel.warmup(X, grid=(1, ))
    error = caught.value
    assert type(error) is getattr(triton.compiler.errors, kind)
    assert type(error.__cause__) is (type(None) if cause is None else cause)
    if cause:
        assert str(error.__cause__) in str(error)
    assert [line for line in str(error).splitlines() if line.startswith("at ")] == places
    assert str(pickle.loads(pickle.dumps(error))) == str(copy.copy(error)) == str(error)


def test_errors_of_launches():
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        stored[(1, )](X, 1 << 70)
    for kind in (AssertionError, ValueError):
        with pytest.raises(kind, match="num_warps is 3, which is not a power of two"):
            stored[(1, )](X, 1, num_warps=3)
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="parameter 'n' is not a tl.constexpr"):
            stored[(1, )](X, "text")
    assert issubclass(errors.IntegerRangeError, TypeError)

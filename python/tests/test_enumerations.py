"""Members of enumerations, as globals and as arguments of kernels."""

import enum

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


def run(kernel, *args, size=4, dtype=np.float32, **named):
    out = np.zeros(size, dtype)
    kernel[(1, )](out, *args, **named)
    return out.tolist()


class Plain(enum.Enum):
    RED = 3
    BLUE = "text"


class Counted(enum.Enum):
    RED = enum.auto()
    BLUE = enum.auto()
    ROUGE = 1


class Valued(enum.Enum):
    RED = 3

    def __init__(self, value):
        self.double = 2 * value


Functional = enum.Enum("Functional", "RED BLUE")
CHOSEN = Plain.RED
WRAPPED = tl.constexpr(Plain.BLUE)
CHOICES = (Plain.RED, Counted.BLUE)


class Text(str, enum.Enum):
    RED = "r"


class Number(int, enum.Enum):
    RED = 7


class Whole(enum.IntEnum):
    RED = 9


def test_members_of_enumerations():

    @triton.jit
    def kernel(out, C: tl.constexpr):
        tl.static_assert(Text.RED == "r")
        tl.static_assert(Plain.BLUE.value == "text" and Plain.RED.name == "RED")
        tl.store(out, Number.RED)
        tl.store(out + 1, Whole.RED)
        tl.store(out + 2, Plain.RED.value)
        tl.store(out + 3, C == Plain.RED)

    assert run(kernel, Plain.RED) == [7, 9, 3, 1]
    assert run(kernel, Plain.BLUE) == [7, 9, 3, 0]
    assert run(kernel, 3) == [7, 9, 3, 0]
    assert run(kernel, Counted.RED) == [7, 9, 3, 0]


def test_members_of_enumerations_are_objects():

    @triton.constexpr_function
    def choose(mode):
        return 10 if mode is Plain.RED else 20

    @triton.jit
    def helper(C: tl.constexpr):
        return 1 if C == Plain.RED else 2

    @triton.jit
    def kernel(out, C: tl.constexpr, T: tl.constexpr = (), D: tl.constexpr = Plain.BLUE):
        tl.static_assert(CHOSEN == Plain.RED and CHOSEN is Plain.RED and CHOSEN != Plain.BLUE and CHOSEN != 3)
        tl.static_assert(WRAPPED == Plain.BLUE and WRAPPED.value == Plain.BLUE and WRAPPED.value.value == "text")
        tl.static_assert(CHOSEN in CHOICES and WRAPPED not in CHOICES and Counted.BLUE in CHOICES)
        tl.static_assert(Counted.BLUE.value == 2 and Counted.ROUGE == Counted.RED)
        tl.static_assert(C != 3 and C.value == C and C.name == C.value.name)
        tl.store(out, helper(C) + choose(C))
        tl.store(out + 1, C in (Plain.RED, Counted.BLUE))
        tl.store(out + 2, len(T) > 0 and T[0] is C)
        tl.store(out + 3, D is C)

    assert choose(Plain.RED) == 10 and choose(tl.constexpr(Plain.BLUE)) == 20
    assert run(kernel, Plain.RED) == [11, 1, 0, 0]
    assert run(kernel, tl.constexpr(Plain.BLUE), (Plain.BLUE, 1)) == [22, 0, 1, 1]
    assert run(kernel, Counted.BLUE, ((Plain.BLUE, ), 1), Counted.BLUE) == [22, 1, 0, 1]

    @triton.jit
    def takes_any(out, pair):
        tl.store(out, pair[1] + 1 if pair[0] == Plain.RED else pair[1])

    assert run(takes_any, (Plain.RED, 5))[0] == 6
    assert run(takes_any, (Plain.BLUE, 5))[0] == 5

    # Those whose class has no source, or decides what they are, pass their value.
    @triton.jit
    def stores(out, C: tl.constexpr):
        tl.store(out, C)

    assert run(stores, Functional.BLUE)[0] == 2
    assert run(stores, Valued.RED)[0] == 3
    with pytest.raises(triton.CompilationError, match="it is the enum member 'Plain.RED'"):
        run(stores, Plain.RED)

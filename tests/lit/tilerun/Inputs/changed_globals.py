import triton
import triton.language as tl
from changed_values import MORE, Modes
import changed_values

STAR = 1
changed_values.FAST = False
changed_values.SIZES.append(8)
MORE.append(8)
Modes.MODE = 3
from changed_values import *


@triton.jit
def by_attribute(out):
    tl.store(out, changed_values.FAST + 0)


@triton.jit
def by_list(out):
    tl.store(out, changed_values.SIZES[0])


@triton.jit
def by_import(out):
    tl.store(out, MORE[0])


@triton.jit
def by_class(out):
    tl.store(out, Modes.MODE + 0)


@triton.jit
def by_star(out):
    tl.store(out, STAR)


@triton.jit
def unchanged(out):
    tl.store(out, changed_values.KEPT)

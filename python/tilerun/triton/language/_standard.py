"""Names of Triton's `triton.language.standard` and `core` that are not part of the language, but
that user code imports for reductions, scans and sorts of its own."""

from ..runtime.jit import constexpr_function, jit
from ..runtime._values import unwrap
from .. import language as tl


def _unwrap_if_constexpr(value):
    return unwrap(value)


@constexpr_function
def _log2(i):
    """Of a power of two."""
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


@jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@jit
def _sum_combine(a, b):
    return a + b


@jit
def _prod_combine(a, b):
    return a * b


@jit
def _xor_combine(a, b):
    return a ^ b


@jit
def _or_combine(a, b):
    return a | b


@jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    first = (value1 > value2) | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    first = value1 > value2
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    first = (value1 < value2) | ((value1 == value2) & (index1 < index2))
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


@jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    first = value1 < value2
    return tl.where(first, value1, value2), tl.where(first, index1, index2)

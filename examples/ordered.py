"""Helper functions that kernels in other files import: float32 values as integers of the same order."""

import triton
import triton.language as tl


@triton.jit
def to_ordered(x):
    """int32 that compare as the float32 do: the bits, with those of negative numbers but the sign inverted"""
    bits = x.to(tl.int32, bitcast=True)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


@triton.jit
def from_ordered(key):
    """The float32 of such an integer; the mapping is its own inverse"""
    return (key ^ ((key >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)

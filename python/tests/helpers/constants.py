"""Constants and helpers of another package, for test_sources.py."""

import tilerun.triton as triton
import tilerun.triton.language as tl

OFFSET = tl.constexpr(7)
PLAIN = 3


@triton.jit
def shift(x):
    return x + OFFSET

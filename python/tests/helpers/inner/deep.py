import tilerun.triton as triton
import tilerun.triton.language as tl

from ..constants import PLAIN, shift

FACTOR: tl.constexpr = 2


@triton.jit
def scaled_shift(x, TIMES: tl.constexpr = FACTOR):
    return shift(x) * TIMES + PLAIN

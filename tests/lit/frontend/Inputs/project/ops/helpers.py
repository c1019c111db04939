import triton
import triton.language as tl

from ..utils.shared import times_two as double, WIDTH
from ..utils import shared as constants

CONST = tl.constexpr(WIDTH * 2)


@triton.jit
def add_one(x):
    return double(x) + 1 + constants.WIDTH

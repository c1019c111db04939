from typing import NamedTuple

import triton
import triton.language as tl

WIDTH = 4


@triton.jit
def times_two(x):
    return x * 2


class Pair(NamedTuple):
    a: tl.tensor
    b: tl.tensor


@triton.aggregate
class Scaled:
    x: tl.tensor

    @triton.jit
    def grown(self):
        return Scaled(self.x * WIDTH)

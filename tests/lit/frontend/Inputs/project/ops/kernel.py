# Names from other files and packages, by every form of import. The numbers after lines are for x = 2.
import triton
import triton.language as tl

import project.ops.helpers
import project.utils as all_utils
from project import ops

from . import CONST, LAYERS, deep, exported, inner, something
from . import helpers as h
from .. import utils
from ..utils import WIDTH, Pair, Scaled


@triton.jit
def kernel(p, x):
    # exported(2) = 9, deep(2) = 12, CONST = 8, LAYERS[2] = 3
    y = exported(x) + deep(x) + CONST + LAYERS[2]  # 32
    y += h.add_one(x) + inner.deep(x)  # 9 + 12: 53
    y += utils.times_two(x) + utils.shared.WIDTH + ops.exported(x)  # 4 + 4 + 9: 70
    y += project.ops.helpers.add_one(x) + all_utils.shared.times_two(x)  # 9 + 4: 83
    pair = Pair(x, y)
    r = Scaled(pair.a + pair.b).grown()  # 85 * 4 = 340
    tl.static_assert(something is None)
    tl.static_assert(isinstance(utils.Scaled(x), Scaled))
    tl.store(p, r.x - utils.Pair(160, 2).a - WIDTH)  # 340 - 160 - 4

import triton

import project.utils.shared
import project.utils.shared as shared
from project.utils.shared import times_two

LAYERS = (1, 2, 3)


@triton.jit
def deep(x):
    return times_two(x) + shared.times_two(x) + project.utils.shared.WIDTH

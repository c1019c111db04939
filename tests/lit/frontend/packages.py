# Helpers, constants, named tuples and records of other files and packages: relative and absolute imports, names that
# __init__.py re-exports, stars, imports that may fail, dotted modules.
# RUN: tilerun run %S/Inputs/project/ops/kernel.py::kernel p=f32[1]:empty x=2.0 --grid 1 --expect p=176
# RUN: not tilerun compile %s::missing --signature 'p=*fp32, x=fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=MISSING
# RUN: not tilerun compile %s::nowhere --signature 'p=*fp32, x=fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=NOWHERE
# RUN: not tilerun compile %s::part --signature 'p=*fp32, x=fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=PART
import triton
import triton.language as tl

import Inputs.project.utils.shared
from .Inputs.project.ops.helpers import add_on
from .Inputs.nothing import absent


# MISSING: error: 'add_on' cannot be called in a kernel: '{{.*}}helpers' does not define it; did you mean 'add_one'?
@triton.jit
def missing(p, x):
    tl.store(p, add_on(x))


# NOWHERE: error: 'absent' from the host module {{.*}} cannot be called in a kernel: that module was not found, it was looked for beside '{{.*}}packages.py'
@triton.jit
def nowhere(p, x):
    tl.store(p, absent(x))


# A folder without __init__.py is a part of a dotted name too.
# PART: error: '{{.*}}project.utils.shared' has no 'times_tow'; did you mean 'times_two'?
@triton.jit
def part(p, x):
    tl.store(p, Inputs.project.utils.shared.times_two(x))
    tl.store(p, Inputs.project.utils.shared.times_tow(x))

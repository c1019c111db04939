# Helpers are inlined, from this file and from a sibling; locations keep the call stack.
# RUN: tilerun compile %s::kernel --signature 'p=*fp32, ACT=twice' --emit tile | FileCheck %s
import triton
import triton.language as tl

from .Inputs.shapes import SIZE, halve


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def apply(f, x, times: tl.constexpr = 2):
    for _ in tl.static_range(times):
        x = f(x)
    return x


# CHECK-LABEL: func.func @kernel
# CHECK-NOT: call
# CHECK: tile.load
# CHECK: %[[A:.*]] = arith.mulf
# CHECK: %[[B:.*]] = arith.mulf %[[A]]
# CHECK: %[[C:.*]] = arith.{{divf|mulf}} %[[B]]
# CHECK: tile.store %{{.*}}, %[[C]] {{.*}}tensor<32x!tile.ptr<f32>>
@triton.jit
def kernel(p, ACT: tl.constexpr):
    o = p + tl.arange(0, SIZE)
    tl.store(o, halve(apply(ACT, tl.load(o))))

# The products and sums inside a composed function are marked as rounded; the kernel's own are not.
# RUN: tilerun compile %s::kernel --signature 'p=*fp32' --emit tile | FileCheck %s
import triton
import triton.language as tl
from triton.language.extra import libdevice


# CHECK-LABEL: func.func @kernel
# CHECK: %[[X:.*]] = tile.load
# CHECK: arith.mulf {{.*}} {rounded}
# CHECK-NOT: arith.{{mulf|addf|subf}} {{.*}}%{{[^{]*}} : tensor
# CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[X]] : tensor
# CHECK: %[[Z:.*]] = arith.addf %[[Y]], %[[X]] : tensor
# CHECK: tile.store %{{.*}}, %[[Z]]
@triton.jit
def kernel(p):
    o = p + tl.arange(0, 32)
    x = tl.load(o)
    tl.store(o, libdevice.erfinv(x) * x + x)

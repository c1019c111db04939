# Compile-time values leave no trace in the IR.
# RUN: tilerun compile %s::kernel --signature 'p=*fp16:16, stride=1, BIAS=none, DTYPE=tl.float16, MODE="fast"' --emit tile | FileCheck %s
# RUN: tilerun compile %s::printed --signature 'N=12' --emit tile 2>&1 | FileCheck %s --check-prefix=PRINTED
import triton
import triton.language as tl

SIZES = (16, 32)


# CHECK-LABEL: func.func @kernel(
# CHECK-SAME: %arg0: !tile.ptr<f16>
# CHECK-NOT: %arg1
# CHECK-NOT: scf
# CHECK: tile.make_range 0 to 32
# CHECK-COUNT-3: arith.addf
# CHECK-NOT: arith.addf
# CHECK: tile.store
# CHECK-NEXT: return
@triton.jit
def kernel(p, stride, BIAS, DTYPE: tl.constexpr, MODE: tl.constexpr):
    SIZE: tl.constexpr = SIZES[-1] if MODE in ("fast", "faster") else SIZES[0]
    offsets = tl.arange(0, SIZE) * stride
    x = tl.load(p + offsets)
    if p.dtype.element_ty != DTYPE:
        x = x.to(DTYPE)
    for i in tl.static_range(3):
        x += 1.0
    if BIAS is not None:
        x += tl.load(BIAS + offsets)
    assert SIZE == 32, "the larger size"
    tl.store(p + offsets, x)


# PRINTED: N=12, 0x0c, twelve
@triton.jit
def printed(N: tl.constexpr):
    tl.static_print(f"{N=}, 0x{N:02x},", "twelve" if N == 12 else "other")

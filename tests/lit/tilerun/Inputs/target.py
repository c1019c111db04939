# Kernels that depend on what they are compiled for.
import triton
import triton.language as tl
from triton.language.extra import hip


@triton.jit
def reciprocal(x, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    a = tl.load(x + o)
    r = tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f, f", [a], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(y + o, r)


@triton.jit
def clock(y):
    tl.store(y, hip.memrealtime())


@triton.jit
def letter(y):
    tl.store(y, tl.inline_asm_elementwise("mov.f32 $0, $1;", "=x,f", [tl.load(y)], tl.float32, True, 1))


@triton.jit
def wide(y):
    tl.store(y, tl.inline_asm_elementwise("cvt.s64.s32 $0, $1;", "=l,r", [tl.load(y)], tl.int64, True, 1))


@triton.jit
def which(y):
    target: tl.constexpr = tl.target_info.current_target()
    tl.store(y, 1 if tl.target_info.is_cuda() else 0)
    tl.store(y + 1, 1 if tl.target_info.cuda_capability_geq(9) else 0)
    if target is not None:
        tl.store(y + 2, target.arch)
        tl.static_assert(target.backend == "cuda")
    tl.store(y + 3, 1 if target is None else 0)


@triton.jit
def other_float(y):
    tl.store(y, tl.inline_asm_elementwise("mov.f64 $0, $1;", "=d,d", [tl.load(y)], tl.float32, True, 1))

# Kernels that depend on the target.
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


@triton.jit
def read_write(x, y, n):
    o = tl.arange(0, 128)
    a = tl.load(x + o)
    r = tl.inline_asm_elementwise("fma.rn.f32 $0, $0, $1, $2;", "+f,f,f,~{memory}", [a, 2.0, n], tl.float32, True, 1)
    tl.store(y + o, r)


@triton.jit
def read_write_packed(x, y):
    o = tl.arange(0, 512)
    a, b = tl.load(x + o), tl.load(y + o)
    tl.store(y + o, tl.inline_asm_elementwise("vadd4.u32.u32.u32 $0, $0, $1, 0;", "+r,r", [a, b], tl.uint8, True, 4))


@triton.jit
def read_write_wrong(x):
    tl.store(x, tl.inline_asm_elementwise("neg.f32 $0, $0;", "+f", [], tl.float32, True, 1))


@triton.jit
def effects(x, n):
    o = tl.arange(0, 128)
    tl.inline_asm_elementwise("prefetch.global.L2 [$0];", "l", [x + o], None, False, 1)
    tl.inline_asm_elementwise("nanosleep.u32 $0;", "r", [n], (), False, 1)
    tl.inline_asm_elementwise("membar.gl;", "", [], None, False, 1)


@triton.jit
def odd_effects(x):
    tl.inline_asm_elementwise("prefetch.global.L2 [$0];", "l", [x + tl.arange(0, 48)], None, False, 1)


@triton.jit
def pure_effects(x):
    tl.inline_asm_elementwise("membar.gl;", "", [], None, True, 1)


@triton.jit
def modifier(x):
    tl.store(x, tl.inline_asm_elementwise("neg.f32 $0, ${1:x};", "=f,f", [tl.load(x)], tl.float32, True, 1))


@triton.jit
def labels(x):
    tl.store(x, tl.inline_asm_elementwise("bra.uni L${:uid}; L${:uid}: mov.b32 $0, ${1:r};", "=r,r", [tl.load(x)], tl.int32, False, 1))


@triton.jit
def unknown_instruction(x):
    o = tl.arange(0, 128)
    a = tl.load(x + o)
    r = tl.inline_asm_elementwise("""{
        .reg .f32 t;
        frobnicate.f32 t, $1;
        mov.f32 $0, t;
    }""", "=f,f", [a], tl.float32, True, 1)
    tl.store(x + o, r)


@triton.jit
def send_signal(addrs):
    # The result has the type of the address, though the flag has 32 bits and is unused.
    tl.inline_asm_elementwise("{ .reg .u32 %t; .reg .pred %p; send: atom.global.release.sys.cas.b32 %t, [$1], 0, 1; setp.eq.u32 %p, %t, 0; @!%p bra send; }",
                              "=r, l", [addrs], dtype=addrs.dtype, is_pure=False, pack=1)


@triton.jit
def barrier(pads, out):
    o = tl.arange(0, 4)
    addrs = tl.load(pads + o)
    send_signal(addrs)
    send_signal(addrs.to(tl.pointer_type(tl.uint32)))
    flag = tl.inline_asm_elementwise("ld.global.acquire.sys.b32 $0, [$1];", "=r,l", [addrs], tl.int64, False, 1)
    tl.store(out + o, flag)


@triton.jit
def immediates(x, SHIFT: tl.constexpr):
    o = tl.arange(0, 128)
    a = tl.load(x + o)
    b = tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $3, ${2};", "=r,r,n,r", [a, SHIFT, a], tl.int32, True, 1)
    c = tl.inline_asm_elementwise("prmt.b32 $0, $0, $0, $1;", "+r,n", [b, -3], tl.int32, True, 1)
    tl.store(x + o, c)


@triton.jit
def immediate_at_run_time(x, n):
    tl.store(x, tl.inline_asm_elementwise("shl.b32 $0, $1, $2;", "=r,r,n", [n, n], tl.int32, True, 1))

"""Mistakes that an emulated AMD GPU finds, most of them in assembly: the compiler makes none."""
import triton
import triton.language as tl


@triton.jit
def outside(x, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(x + i + 4096, v)


@triton.jit
def early(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    at = (x + i).to(tl.int64)
    v = tl.inline_asm_elementwise("global_load_dword $0, $1, off", "=v,v", [at], dtype=tl.float32, is_pure=False, pack=1)
    tl.store(y + i, v + 1)


@triton.jit
def unwritten(y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.inline_asm_elementwise("v_mov_b32 $0, v127", "=v,v", [i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


@triton.jit
def racing(y, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.sum(i, 0)
    v = tl.inline_asm_elementwise("v_mov_b32 $0, 0\nds_write_b32 $0, $1\ns_waitcnt lgkmcnt(0)", "=&v,v", [i], dtype=tl.int32,
                                  is_pure=False, pack=1)
    tl.store(y + i, v + total)


@triton.jit
def odd(y, B: tl.constexpr):
    i = tl.arange(0, B)
    at = (y + i).to(tl.int64) + 2
    v = tl.inline_asm_elementwise("v_mov_b32 $0, 1\nglobal_atomic_add $1, $0, off\ns_waitcnt vmcnt(0)", "=&v,v", [at],
                                  dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


@triton.jit
def parting(y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.inline_asm_elementwise("v_readfirstlane_b32 s40, $1\ns_cmp_lt_u32 s40, 64\ns_cbranch_scc1 1\ns_barrier\nv_mov_b32 $0, 1",
                                  "=&v,v,~{s40},~{scc}", [i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)


@triton.jit
def blank(y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.inline_asm_elementwise("ds_read_b32 $0, $1\ns_waitcnt lgkmcnt(0)", "=v,v", [i % 4 * 4], dtype=tl.int32, is_pure=False,
                                  pack=1)
    tl.store(y + i, v + tl.sum(i, 0))


@triton.jit
def unknown(y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.inline_asm_elementwise("s_set_gpr_idx_on s0, gpr_idx(SRC0)\nv_mov_b32 $0, 1", "=v,v", [i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(y + i, v)

# Heuristics and autotune configs whose values only host code knows.
import os

import triton
import triton.language as tl

IS_HIP = tl.constexpr(triton.runtime.driver.active.get_current_target().backend == "hip")
WIDTH = os.getpid() * 0 + 3
SIZES = [64, 128]
SIZES.append(int(os.environ.get("SIZE", "256")))
KNOWN = [16, 32]
half = lambda n: n // 2


def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"


class Widths:
    SMALL = 8
    LARGE = os.getpid() * 0 + 64


@triton.heuristics({"B": lambda args: 16 if is_hip() else 32})
@triton.jit
def by_call(out, B: tl.constexpr):
    tl.store(out, B)


@triton.heuristics({"B": lambda args: 16 if IS_HIP else 32})
@triton.jit
def by_flag(out, B: tl.constexpr):
    tl.store(out, B)


@triton.heuristics({"B": lambda args: args["n"] + WIDTH})
@triton.jit
def by_number(out, n, B: tl.constexpr):
    tl.store(out, B)


@triton.heuristics({"B": lambda args: Widths.LARGE})
@triton.jit
def by_class(out, B: tl.constexpr):
    tl.store(out, B)


@triton.heuristics({"B": lambda args: half(args["n"]) + Widths.SMALL + len(KNOWN)})
@triton.jit
def by_known(out, n, B: tl.constexpr):
    tl.store(out, B)


@triton.autotune([triton.Config({"B": 16 if IS_HIP else 32})], key=[])
@triton.jit
def tuned_by_flag(out, B: tl.constexpr):
    tl.store(out, B)


@triton.autotune([triton.Config({"B": 16}, num_warps=2 if is_hip() else 4)], key=[])
@triton.jit
def tuned_by_call(out, B: tl.constexpr):
    tl.store(out, B)


@triton.autotune([triton.Config({"B": size}) for size in SIZES], key=[])
@triton.jit
def tuned_by_list(out, B: tl.constexpr):
    tl.store(out, B)


@triton.autotune([triton.Config({"B": size}) for size in KNOWN], key=[])
@triton.jit
def tuned_by_known(out, B: tl.constexpr):
    tl.store(out, B)

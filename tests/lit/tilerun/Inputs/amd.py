# Kernels for AMD GPUs: one asks which of them it is compiled for.
import triton
import triton.language as tl


@triton.jit
def which(y):
    generation: tl.constexpr = 3 if tl.target_info.is_hip_cdna3() else 4 if tl.target_info.is_hip_cdna4() else 0
    tl.store(y, (1000 if tl.target_info.is_hip() else 0) + generation)


@triton.jit
def combine(a, b):
    return a | b


@triton.jit
def exchange(x, y, z):
    """Exchanges of lanes compute 4 i - 8, and the second load is from 4 i + 156."""
    few = tl.arange(0, 4)
    tl.store(z + few, tl.associative_scan(few, 0, combine))
    lane = tl.arange(0, 56)
    tl.atomic_xchg(y + lane, tl.load(x + lane + 39))

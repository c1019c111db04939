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


@triton.jit
def linear(f, s, g, t):
    return f * g, g * s + t


@triton.jit
def composed(x):
    """Products and sums of numbers that come from other lanes."""
    tl.store(x, tl.reduce((tl.full([4], 0, tl.int32), tl.load(x + tl.arange(0, 4))), 0, linear)[1])


@triton.jit
def branches(bits, small, numbers, words, out, n0, n1):
    """Several branches lead to the store, whose address has the program's number. A random kernel as it was found: little of it can be changed for LLVM
    to lose the number."""
    value = tl.load(small + tl.full([1, 1, 1], 1, tl.int32)).to(tl.float16)
    if ((n0 != 3) and tl.load(words + tl.program_id(0)).to(tl.int1)):
        pass
    elif (tl.load(bits + 14) if (n1 >= tl.full([], 1, tl.int32)) else (~tl.full([], 1, tl.int1))):
        pass
    else:
        value = tl.load(numbers + tl.full([1, 1, 1], 1, tl.int32),
                        mask=tl.load(bits + ((tl.full([1, 1, 1], 1, tl.int32) + tl.program_id(0) * 16) & 511)),
                        other=0).to(tl.float16)
    place = tl.arange(0, 1)[:, None, None] * 1 + tl.arange(0, 1)[None, :, None] * 1 + tl.arange(0, 1)[None, None, :]
    tl.store(out + tl.program_id(0) * 1 + place, value, eviction_policy="evict_last")

"""Kernels whose accesses are known: coalesced or not, masked, racing, or ordered by atomics."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x, mask=i < n)


@triton.jit
def strided(x_ptr, out_ptr, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i * STRIDE))


@triton.jit
def transposed(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    """The tile's first dimension is the one that is contiguous in memory."""
    i = tl.arange(0, BLOCK)[:, None]
    j = tl.arange(0, BLOCK)[None, :]
    tl.store(out_ptr + j * M + i, tl.load(x_ptr + j * M + i, mask=j < 4), mask=j < 4)


@triton.jit
def overlapping(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Each program writes one element of the next one's block."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i), mask=i <= (tl.program_id(0) + 1) * BLOCK)


@triton.jit
def last_sums(x_ptr, out_ptr, counter_ptr, BLOCK: tl.constexpr):
    """The last program reads what the others wrote, which the counter orders."""
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, tl.load(x_ptr + pid))
    if tl.atomic_add(counter_ptr, 1) == tl.num_programs(0) - 1:
        i = tl.arange(0, BLOCK)
        tl.store(out_ptr, tl.sum(tl.load(out_ptr + i, mask=i < tl.num_programs(0), other=0.0)))


@triton.jit
def shifted(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Reads what the next program writes if both are the same tensor."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + 2 * i, tl.load(x_ptr + 2 * (i + 1)))


@triton.jit
def block_of(x_ptr, i):
    return tl.load(x_ptr + i)


@triton.jit
def rows(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    """A row for each program, in a loop; each step reads through a helper."""
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(out_ptr + row * N + i, block_of(x_ptr + row * N, i))


@triton.jit
def positive(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Its second program fails."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.device_assert(x < 6, "x is small")
    tl.store(out_ptr + i, x)

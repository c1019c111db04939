"""Kernels with mistakes that a comparison finds, or a note."""

import triton
import triton.language as tl


@triton.jit
def third_program(x, out, n, BLOCK: tl.constexpr):
    """out = x + 1, but what program 3 writes is 100 too large, and one element of it is infinite."""
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n) + 1
    if pid == 3:
        value = tl.where(offsets % BLOCK == 0, float("inf"), value + 100)
    tl.store(out + offsets, value, mask=offsets < n)


@triton.jit
def tiles(out, M, N, BLOCK: tl.constexpr):
    """out[i, j] = 1, except in the last row and column of tiles, which are 2."""
    i, j = tl.program_id(0), tl.program_id(1)
    rows = i * BLOCK + tl.arange(0, BLOCK)[:, None]
    columns = j * BLOCK + tl.arange(0, BLOCK)[None, :]
    last = (i == tl.num_programs(0) - 1) | (j == tl.num_programs(1) - 1)
    tl.store(out + rows * N + columns, tl.where(last, 2.0, 1.0), mask=(rows < M) & (columns < N))


@triton.jit
def columns_in_turn(out, N, ROWS: tl.constexpr):
    """A column for each program, so that neighbours in memory are of different programs."""
    rows = tl.arange(0, ROWS)
    tl.store(out + rows * N + tl.program_id(0), tl.program_id(0))


@triton.jit
def two_outputs(x, out, extra, n, BLOCK: tl.constexpr):
    """`extra` is written by nobody if x has no negative number."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n, other=0)
    tl.store(out + offsets, value, mask=offsets < n)
    tl.store(extra + offsets, value, mask=(offsets < n) & (value < 0))


@triton.jit
def forgets_to_store(x, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK)) * 2


@triton.jit
def only_prints(x):
    tl.device_print("x", tl.load(x))


@triton.jit
def counts(counter, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counter, 1, mask=tl.max(offsets, axis=0) < 2 * BLOCK)


@triton.jit
def unused_output(x, out, extra, BLOCK: tl.constexpr):
    """`extra` is written nowhere."""
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets))


@triton.jit
def roots(x, out, BLOCK: tl.constexpr):
    """NaN where x is negative; elements from BLOCK on are not written."""
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.sqrt(tl.load(x + offsets)))

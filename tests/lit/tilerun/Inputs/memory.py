"""Kernels whose accesses leave their tensors, leave parts of them out, or meet."""

import triton
import triton.language as tl


@triton.jit
def embed(ids, table, out, D: tl.constexpr):
    program = tl.program_id(0)
    column = tl.arange(0, D)
    row = tl.load(ids + program)
    tl.store(out + program * D + column, tl.load(table + row * D + column))


@triton.jit
def store_before(x, out, DISTANCE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets - DISTANCE, tl.load(x + offsets))


@triton.jit
def reads_what_others_write(x, out):
    program = tl.program_id(0)
    before = tl.load(x)
    tl.store(x, program)
    tl.store(out + program, before)


@triton.jit
def unnamed(x):
    offsets = tl.arange(0, 2)
    values = tl.load(x + offsets)
    tl.device_print("", values)
    print(values, values)
    tl.device_print(":", values)

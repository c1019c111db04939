"""Kernels whose accesses leave their tensors, skip parts of them, or race."""

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


@triton.jit
def mean(x, out, n, BLOCK: tl.constexpr, SAFE: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    if SAFE == "other":
        values = tl.load(x + offsets, mask=mask, other=0)
    else:
        values = tl.load(x + offsets, mask=mask)
    if SAFE == "where":
        values = tl.where(mask, values, 0)
    tl.store(out, tl.sum(values) / n)


@triton.jit
def count_zeros(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    zeros = (tl.load(x + offsets, mask=mask) == 0).to(tl.int32)
    tl.store(out, tl.sum(zeros * mask.to(tl.int32)))


@triton.jit
def product(a, b, out, k, N: tl.constexpr):
    row, column = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    left = tl.load(a + row * N + column, mask=column < k)
    right = tl.load(b + row * N + column, mask=row < k, other=0)
    tl.store(out + row * N + column, tl.dot(left, right))


@triton.jit
def padded(x, ids, out, M, N, BLOCK: tl.constexpr, KIND: tl.constexpr, PADDING: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    if KIND == "block":
        p = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
        values = tl.load(p, boundary_check=(0, 1), padding_option=PADDING)
    elif KIND == "gather":
        d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, BLOCK])
        values = d.gather(tl.load(ids + rows), 0)
    else:
        d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BLOCK, BLOCK])
        values = d.load([0, 0])
    tl.store(out + rows, tl.sum(values, 1))

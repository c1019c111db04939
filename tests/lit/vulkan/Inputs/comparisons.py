# Comparisons of numbers that were widened: a driver may narrow them again.
import triton
import triton.language as tl


@triton.jit
def compare(x, less, between, least):
    i = tl.arange(0, 128)
    wide = tl.load(x + i).to(tl.int64)
    tl.store(less + i, wide < 30)
    tl.store(between + i, (wide >= -7) & (wide <= 11))
    tl.store(least + i, tl.minimum(wide, 5))


@triton.jit
def unrolled(x, out):
    i = tl.arange(0, 128)
    near = tl.load(x + i)
    limit = 0
    for step in range(3):
        limit += 10
        tl.store(out + step * 128 + i, 1, mask=near.to(tl.int64) < tl.full([1], 0, tl.int64) + limit)


@triton.jit
def copy_rows(x, z):
    rows = tl.make_block_ptr(x, (30, 32), (32, 1), (0, 0), (16, 32), (1, 0))
    out = tl.make_block_ptr(z, (30, 32), (32, 1), (0, 0), (16, 32), (1, 0))
    for _ in range(2):
        tl.store(out, tl.load(rows, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0,))
        rows = tl.advance(rows, (16, 0))
        out = tl.advance(out, (16, 0))

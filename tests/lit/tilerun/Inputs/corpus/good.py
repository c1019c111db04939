import triton
import triton.language as tl

from .deep.helpers import twice


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    tl.store(out_ptr + offsets, twice(tl.load(x_ptr + offsets, mask=mask)) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def gathered(table, idx, out, stride, eps, HEAD_DIM: tl.constexpr, IS_SCALED: tl.constexpr):
    rows = tl.load(idx + tl.arange(0, HEAD_DIM))
    value = tl.load(table + rows * stride)
    if IS_SCALED:
        value = value * eps
    tl.store(out + tl.arange(0, HEAD_DIM), value)


@triton.jit
def halves(x, BLOCK: tl.constexpr):
    # Only 16-bit floats will do.
    offsets = tl.arange(0, BLOCK)
    bits = tl.load(x + offsets).to(tl.int16, bitcast=True)
    tl.store(x + offsets, bits.to(x.dtype.element_ty, bitcast=True))

# A kernel with a helper, a loop and a mistake, for tests of --trace and the debugger.
import triton
import triton.language as tl


@triton.jit
def scale(x, factor):
    y = x * factor
    return y


@triton.jit
def normalize(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Where all elements of a block are 0, the result is NaN."""
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    total = 0.0
    for i in range(2):
        total += tl.sum(x, axis=0)
    y = scale(x, 2.0)
    if pid == 1:
        y = y + 1
    out = y / total
    tl.store(out_ptr + offsets, out, mask=mask)


@triton.jit
def stopping(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    breakpoint()
    tl.store(out_ptr, x + 1)


@triton.jit
def outside(x_ptr, n):
    i = tl.arange(0, 4)
    tl.store(x_ptr + i * n, i)


@triton.jit
def printing(out_ptr):
    value = tl.program_id(0) + 1
    tl.device_print("value", value)
    tl.store(out_ptr + value - 1, value)


@triton.jit
def pair(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 4))
    both = tl.max(x, return_indices=False), tl.argmin(x, axis=0)
    tl.store(x_ptr, both[0])

"""Small kernels that the tests of the command run."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    """out = x + y"""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@triton.jit
def add_unmasked(x, out, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets) + 1)


@triton.jit
def racy(out):
    tl.store(out, tl.program_id(0))


@triton.jit
def double(x):
    return 2 * x


@triton.jit
def square(x):
    return x * x


@triton.jit
def apply(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, FUNCTION(tl.load(x + offsets)))


@triton.jit
def both(x):
    return double(x) + square(x)


@triton.jit
def grid_ids(out, nx, ny):
    index = (tl.program_id(2) * ny + tl.program_id(1)) * nx + tl.program_id(0)
    tl.store(out + index, index)


@triton.jit
def scalars(out, i, f, flag, MODE: tl.constexpr = "plus", D: tl.constexpr = tl.float32):
    value = i + f
    if flag:
        value = -value
    if MODE == "double":
        value = value * 2
    tl.store(out, value.to(D))


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 32}, num_warps=2),
        triton.Config({"BLOCK": 64}, num_warps=8, num_stages=2),
    ],
    key=["n"],
)
@triton.heuristics(values={"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        value = tl.load(x + offsets)
    else:
        value = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + offsets, value + BLOCK, mask=offsets < n)


@triton.jit
def printing(x, BLOCK: tl.constexpr):
    tl.static_print("block", BLOCK)
    tl.device_print("value", tl.load(x))


@triton.jit
def asserting(x):
    tl.device_assert(tl.load(x) > 0, "x must be positive")


@triton.jit
def overflowing(x, out):
    tl.store(out, tl.load(x) * 2)


@triton.jit
def dividing(x, out):
    tl.store(out, 1.0 / tl.load(x))


@triton.jit
def broken(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), undefined_name)


@triton.jit(do_not_specialize=["n"])
def unspecialized(out, n):
    tl.store(out, n)


@triton.jit
def wild(x):
    # An address that no process can write: the kernel faults in a launch without checks.
    tl.store((x.to(tl.int64) * 0 + (1 << 62)).to(tl.pointer_type(tl.float32)), 1.0)

"""Launches of all kinds of kernels and arguments on a GPU, which is the fake CUDA driver's: it
reads the arguments as the code declares them, and runs nothing. With and without `debug`, which
adds assertions and line information to a kernel."""

import pytest

SCRIPT = """
import ctypes
import os
from typing import NamedTuple
from tilerun import _memory, _native
import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton import knobs
from tilerun.triton.tools.tensor_descriptor import TensorDescriptor

DEBUG = {debug}
_native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)


class Tensor:
    device = "cuda:0"

    def __init__(self, dtype, shape=(64, 128)):
        self.dtype, self.shape, self.ndim = dtype, shape, len(shape)
        self.address = _native.allocate(_memory.CUDA, 0, 1 << 16)

    def stride(self):
        return (self.shape[1], 1)

    def data_ptr(self):
        return self.address


class Pair(NamedTuple):
    first: object
    second: object


@triton.jit
def checked(x, limit):
    tl.device_assert(x < limit, "too large")
    return x * limit


@triton.jit
def printed(x):
    tl.device_print("x: ", x)
    return x


@triton.jit
def plain(x, n, s, B: tl.constexpr):
    i = tl.arange(0, B)
    assert n > 0
    tl.store(x + i, (tl.load(x + i) * s).to(x.dtype.element_ty), mask=i < n)


@triton.jit
def with_helpers(x, n, B: tl.constexpr):
    i = checked(tl.arange(0, B), n)
    tl.store(x + i, printed(tl.load(x + i)))


@triton.jit
def with_descriptor(out_ptr, desc, M, N, M_BLOCK: tl.constexpr, N_BLOCK: tl.constexpr):
    assert desc.shape[0] == M
    assert desc.strides[0] == N
    block = desc.load([M_BLOCK, 2 * N_BLOCK])
    i = tl.arange(0, M_BLOCK)[:, None] * N_BLOCK + tl.arange(0, N_BLOCK)[None, :]
    tl.store(out_ptr + i, block)


@triton.jit
def with_tuple(x, pair, F: tl.constexpr, maybe):
    assert pair[1] != 3
    tl.store(x, F(tl.load(pair[0]), pair[1]) if maybe is None else tl.load(maybe))


@triton.jit
def with_named(x, pair, both: tl.constexpr):
    tl.store(x, checked(tl.load(pair.first), pair.second) + both[0] + (0 if both[1] is None else 1))


fake = ctypes.CDLL(os.environ["TILERUN_CUDA_DRIVER"])


def launch(name, kernel, *arguments, **named):
    before = fake.fakeCudaCountCalls(b"cuLaunchKernel")
    for _ in range(2):
        kernel[(2, )](*arguments, **named)
    print(name, fake.fakeCudaCountCalls(b"cuLaunchKernel") - before)


def launch_all(how, **named):
    x, y = Tensor("float32"), Tensor("int32")
    launch(how + " plain", plain, x, 5, 2.5, B=64, **named)
    launch(how + " natural", plain, x, (1 << 63) + 5, True, B=64, **named)
    launch(how + " helpers", with_helpers, x, 1, B=64, **named)
    for dtype in ("float16", "float32", "int8"):
        a = Tensor(dtype)
        descriptor = TensorDescriptor(a, shape=a.shape, strides=a.stride(), block_shape=[8, 32])
        launch(how + " descriptor", with_descriptor, Tensor(dtype), descriptor, 64, 128, 8, 32, **named)
    launch(how + " tuple", with_tuple, y, (y, 5), checked, None, **named)
    launch(how + " pointer", with_tuple, y, (y, 1), checked, y, **named)
    launch(how + " named", with_named, y, Pair(y, 5), (2, None), **named)
    launch(how + " parts", with_named, y, Pair(y, 1), (2, "x"), **named)


launch_all("plain", **DEBUG)
launch_all("warps", num_warps=8, num_stages=2, maxnreg=64, **DEBUG)
launch_all("overlap", launch_pdl=True, **DEBUG)
knobs.runtime.launch_enter_hook.add(lambda metadata: metadata.get())
knobs.compilation.instrumentation_mode = "consan"
launch_all("hooked", instrumentation_mode="", **DEBUG)
"""

NAMES = ["plain", "natural", "helpers", *["descriptor"] * 3, "tuple", "pointer", "named", "parts"]


@pytest.mark.parametrize("debug", ["{}", '{"debug": True}'])
@pytest.mark.parametrize("decorator", ["@triton.jit", "@triton.jit(debug=True)"])
def test_every_kind_reaches_the_driver(run_on_fake_cuda, debug, decorator):
    text = SCRIPT.replace("{debug}", debug).replace("@triton.jit", decorator)
    expected = [f"{how} {name} {0 if how == 'overlap' else 2}" for how in ("plain", "warps", "overlap", "hooked") for name in NAMES]
    assert run_on_fake_cuda(text) == expected

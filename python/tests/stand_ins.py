"""Launches without a GPU and without torch: the fake CUDA driver, and tensors that the package reads as it reads torch's, by
the functions of a library that stands for torch's (native/FakeTorch.cpp). Import it before tilerun's first device is opened."""

import ctypes
import os
import struct

# TILERUN_BUILD is a build folder, where both libraries are.
BUILD = os.environ["TILERUN_BUILD"]
DRIVER = os.path.join(BUILD, "tests", "plugins", "cuda", "libfakecuda.so")
TORCH = os.path.join(BUILD, "python", "tests", "libtorch_cpu.so")
for _library in (DRIVER, TORCH):
    if not os.path.exists(_library):
        raise FileNotFoundError(f"{_library} is not built")
os.environ["TILERUN_CUDA_DRIVER"] = DRIVER

from tilerun import _memory, _native  # noqa: E402

torch, driver = ctypes.PyDLL(TORCH), ctypes.CDLL(DRIVER)


class Tensor:
    __slots__ = "contents", "address", "dtype"
    is_cuda = True
    NUMBERS = {"int32": 3, "float32": 6}  # The library's.

    def __init__(self, address, dtype="int32"):
        self.address, self.dtype = address, dtype
        self.contents = struct.pack("=Qiiii", address, 1, 0, self.NUMBERS[dtype], 0)

    _cdata = property(lambda self: id(self.contents))

    def data_ptr(self):
        return self.address

    def get_device(self):
        return 0


def start():
    """Opens the device; its context is the thread's, as torch has made it."""
    _native.register_torch((Tensor, ), {"int32": _memory.DTYPES["i32"], "float32": _memory.DTYPES["fp32"]}, _memory.CUDA)
    _memory.register_torch = lambda: None
    _native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
    context = ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxPushCurrent_v2(context)


def make(dtype="int32", size=4096):
    return Tensor(_native.allocate(_memory.CUDA, 0, size), dtype)


def count_launches():
    return driver.fakeCudaCountCalls(b"cuLaunchKernel")

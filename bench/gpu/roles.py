#!/usr/bin/env python3
"""Runs the hand-written kernel of roles.mlir on a GPU (sm_90 or later) and compares its sums exactly.

    tile-nvptx bench/gpu/roles.mlir --arch=sm_90a -o roles.ptx
    bench/gpu/roles.py roles.ptx [--programs N] [--launches N]

Needs the driver alone. A launch that does not end within a minute is a failure: a lost phase is a deadlock."""
import argparse
import array
import ctypes as c
import os
import random
import signal
import sys

ROW = 96
SHARED_BYTES = 800


class Driver:
    def __init__(self):
        self.library = c.CDLL("libcuda.so.1")

    def __call__(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            text = c.c_char_p()
            self.library.cuGetErrorName(code, c.byref(text))
            sys.exit(f"{name}: {text.value.decode() if text.value else code}")

    def allocate(self, count):
        address = c.c_uint64()
        self("cuMemAlloc_v2", c.byref(address), c.c_size_t(4 * count))
        return address


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptx")
    parser.add_argument("--programs", type=int, default=1024)
    parser.add_argument("--launches", type=int, default=200)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: (print("FAILED: a launch did not end", flush=True), os._exit(1)))
    cuda = Driver()
    cuda("cuInit", 0)
    context, module, kernel = c.c_void_p(), c.c_void_p(), c.c_void_p()
    cuda("cuDevicePrimaryCtxRetain", c.byref(context), 0)
    cuda("cuCtxSetCurrent", context)
    with open(options.ptx, "rb") as file:
        cuda("cuModuleLoadData", c.byref(module), file.read() + b"\0")
    cuda("cuModuleGetFunction", c.byref(kernel), module, b"roles")
    most = 257
    numbers = random.Random(1)
    values = array.array("I", (numbers.getrandbits(32) for _ in range(most * ROW)))
    source, out = cuda.allocate(len(values)), cuda.allocate(ROW)
    cuda("cuMemcpyHtoD_v2", source, (c.c_uint32 * len(values)).from_buffer(values), c.c_size_t(4 * len(values)))
    for launch in range(options.launches):
        rows = (0, 1, 2, 3, most)[launch] if launch < 5 else numbers.randrange(most + 1)
        # Every program writes the same sums.
        cuda("cuMemsetD32_v2", out, 0xDEADBEEF, c.c_size_t(ROW))
        count = c.c_uint32(rows)
        pointers = (c.c_void_p * 3)(*(c.cast(c.byref(x), c.c_void_p) for x in (source, out, count)))
        signal.alarm(60)
        cuda("cuLaunchKernel", kernel, options.programs, 1, 1, 128, 1, 1, SHARED_BYTES, None, pointers, None)
        cuda("cuCtxSynchronize")
        signal.alarm(0)
        result = (c.c_uint32 * ROW)()
        cuda("cuMemcpyDtoH_v2", result, out, c.c_size_t(4 * ROW))
        for i in range(ROW):
            want = sum(values[row * ROW + ROW - 1 - i] for row in range(rows)) & 0xFFFFFFFF
            if result[i] != want:
                sys.exit(f"FAILED: {rows} rows: word {i} is {result[i]}, not {want}")
    print(f"{options.launches} launches of {options.programs} programs, 0 to {most} rows: all sums equal")


main()

#!/usr/bin/env python3
"""Runs kernels with roles on a GPU (sm_90 or later). A launch that does not end within a minute is a failure: a lost
phase is a deadlock.

The hand-written kernel of roles.mlir, whose sums are compared exactly, needs the driver alone:

    tile-nvptx bench/gpu/roles.mlir --arch=sm_90a -o roles.ptx
    bench/gpu/roles.py roles.ptx [--programs N] [--launches N]

The example's matrix product, which a schedule by hand splits into a producer and a consumer, beside itself without roles;
their results must be equal to the bit, and near PyTorch's. Prints medians of launches in turns:

    PYTHONPATH=$TILERUN_BUNDLE/lib/tilerun/python bench/gpu/roles.py --matmul [--size N] [--launches N]"""
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


PLAIN, ROLES = "loop #0: slots={}", "loop #0: slots={} roles=producer:4,consumer"


def matmul(size, launches):
    import statistics

    import tilerun

    tilerun.install()  # `import triton` is Tilerun, even where Triton is installed.
    import torch

    sys.path.insert(0, os.path.join(os.environ["TILERUN_BUNDLE"], "share", "tilerun", "examples"))
    import matmul as example

    def product(a, b, c, K, block, schedule):
        M, N = c.shape
        grid = (-(-M // block[0]) * -(-N // block[1]),)
        example.matmul_grouped_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
                                            c.stride(0), c.stride(1), *block, 8, "", num_warps=4,
                                            options={"schedule": schedule})

    def run(*arguments):
        signal.alarm(60)
        product(*arguments)
        torch.cuda.synchronize()
        signal.alarm(0)

    def operands(M, N, K):
        # Rows of 16 bytes' multiples, even where there is nothing to sum: copies need that.
        a, b = (torch.randn(shape, device="cuda").to(torch.float16) for shape in ((M, max(K, 64)), (max(K, 64), N)))
        return a, b, [torch.full((M, N), float("nan"), device="cuda", dtype=torch.float16) for _ in range(2)]

    torch.manual_seed(1)
    checked = 0
    for block in ((64, 64, 32), (128, 128, 64), (64, 256, 64)):
        for slots in (2, 3, 4):
            # No iteration, one, as many as slots, many; sizes that blocks do not divide.
            for M, N, K in ((128, 128, 0), (128, 128, 16), (256, 256, 64 * slots), (999, 1008, 1008), (512, 512, 4096)):
                a, b, (plain, roles) = operands(M, N, K)
                run(a, b, plain, K, block, PLAIN.format(slots))
                run(a, b, roles, K, block, ROLES.format(slots))
                if not torch.equal(plain, roles):
                    sys.exit(f"FAILED: {M}x{N}x{K} in blocks of {block}, {slots} slots: results differ")
                wanted = a[:, :K].double() @ b[:K].double()
                if (roles.double() - wanted).norm() > 1e-3 * wanted.norm():
                    sys.exit(f"FAILED: {M}x{N}x{K} in blocks of {block}, {slots} slots: results are wrong")
                checked += 1
    print(f"{checked} products with and without roles: equal to the bit", flush=True)
    block = (128, 128, 64)
    a, b, (plain, roles) = operands(size, size, size)
    times = {PLAIN.format(4): [], ROLES.format(4): []}
    for launch in range(launches + 3):
        for (schedule, list_), c_ in zip(times.items(), (plain, roles)):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            product(a, b, c_, size, block, schedule)
            end.record()
            signal.alarm(60)
            torch.cuda.synchronize()
            signal.alarm(0)
            if launch >= 3:
                list_.append(start.elapsed_time(end))
    if not torch.equal(plain, roles):
        sys.exit(f"FAILED: {size}^3: results differ")
    for schedule, list_ in times.items():
        median = statistics.median(list_)
        print(f"{size}^3 f16, {schedule}: {median:.3f} ms, {2 * size ** 3 / median / 1e9:.1f} TFLOP/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptx", nargs="?")
    parser.add_argument("--matmul", action="store_true")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--programs", type=int, default=1024)
    parser.add_argument("--launches", type=int, default=200)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: (print("FAILED: a launch did not end", flush=True), os._exit(1)))
    if options.matmul:
        return matmul(options.size, options.launches)
    if not options.ptx:
        parser.error("which PTX?")
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

#!/usr/bin/env python3
"""Modules of examples/matmul.py's grouped kernel beside each other, launched in random order:
measures a change of the code generator without the effects of launching and of a drifting clock.
PyTorch's product is among them.

    modules.py N FILE:BLOCK_M,BLOCK_N,WARPS,SHARED...    FILE: PTX or a cubin, SHARED: bytes

`tilerun compile --emit ptx` writes such files, and Triton's `kernel.asm["ptx"]` is one. Matrices are N x N, of float16."""

import argparse
import ctypes
import random
import statistics

import torch

driver = ctypes.CDLL("libcuda.so.1")
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def check(result):
    if result:
        raise RuntimeError(f"the CUDA driver returns {result}")


def load(text, n, tensors):
    """A function that launches the module of FILE:BLOCK_M,BLOCK_N,WARPS,SHARED on PyTorch's stream."""
    path, _, numbers = text.rpartition(":")
    block_m, block_n, warps, shared = map(int, numbers.split(","))
    with open(path, "rb") as file:
        image = file.read() + b"\0"
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(driver.cuModuleLoadData(ctypes.byref(module), image))
    check(driver.cuModuleGetFunction(ctypes.byref(function), module, b"matmul_grouped_kernel"))
    check(driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, shared))
    # M, N, K and the strides that are not 1; Triton's kernels have two more parameters, pointers to
    # scratch memory.
    values = [ctypes.c_void_p(t.data_ptr()) for t in tensors] + [ctypes.c_int(n)] * 6 + [ctypes.c_void_p(0)] * 2
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
    grid = -(-n // block_m) * -(-n // block_n)

    def launch():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(driver.cuLaunchKernel(function, grid, 1, 1, 32 * warps, 1, 1, shared, stream, pointers, None))

    launch.values = values
    return path, launch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    n = options.n
    cache = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    a, b = (torch.randn(n, n, device="cuda").half() for _ in range(2))
    out = torch.empty_like(a)
    expected = torch.mm(a, b).float()
    launches = {}
    for text in options.modules:
        path, launch = load(text, n, (a, b, out))
        out.fill_(float("nan"))
        launch()
        torch.cuda.synchronize()
        error = ((out.float() - expected).norm() / expected.norm()).item()
        if not error < 2e-3:
            raise SystemExit(f"{path} is wrong: the relative norm of the error is {error:.1e}")
        launches[path] = launch
    launches["PyTorch"] = lambda: torch.mm(a, b, out=out)
    times = {name: [] for name in launches}
    for _ in range(options.rounds):
        events = []
        for name in random.sample(list(launches), len(launches)):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            cache.zero_()
            start.record()
            launches[name]()
            end.record()
            events.append((name, start, end))
        torch.cuda.synchronize()
        for name, start, end in events:
            times[name].append(start.elapsed_time(end))
    print(f"{torch.cuda.get_device_name()}, {n}^3, median of {options.rounds}")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:32} {median * 1e3:9.2f} us {2 * n**3 / median / 1e9:8.1f} TFLOP/s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tilerun's backends beside each other on one GPU: the same kernel files on cuda:0 and vulkan:0, in memory of each
device's own pool, the best of the same configurations. Every result is compared with PyTorch's first.

Times are medians: of ten launches in a row between two events of the device, a gibibyte written before. Configurations are
chosen by single launches.
Usage: TILERUN_BUNDLE=DIR devices.py [--devices cuda:0 vulkan:0] [--only TEXT] [--repeat N] [--json FILE]"""

import argparse
import ctypes as c
import functools
import json
import os
import statistics
import sys

import torch

import binding

EXAMPLES = os.path.join(binding.BUNDLE, "share", "tilerun", "examples")
TIMING = 1
# Overwrites the L2 cache, and takes long enough for the host to have all of a measurement on the stream.
FLUSH = 1 << 30
IN_A_ROW = 10  # launches


class Device(binding.Library):
    """A device with its default stream, and tensors in its memory."""

    def __init__(self, name):
        super().__init__(name)
        self.lib.tilerunGetDefaultStream.restype = c.c_void_p
        self.default = c.c_void_p(self.lib.tilerunGetDefaultStream(self.device))
        self.events = [c.c_void_p(), c.c_void_p()]
        for event in self.events:
            self.call("tilerunCreateEvent", self.device, TIMING, c.byref(event))
        self.cache = self.allocate(FLUSH)

    def stream(self, native):
        return self.default

    def allocate(self, size):
        address = c.c_uint64()
        self.call("tilerunAllocate", self.default, c.c_uint64(size), c.byref(address))
        return address.value

    def upload(self, tensor):
        """A tensor of the host's as an argument."""
        size = tensor.numel() * tensor.element_size()
        address = self.allocate(size)
        self.call("tilerunCopyToDevice", self.default, c.c_uint64(address), c.c_void_p(tensor.data_ptr()),
                  c.c_uint64(size))
        self.synchronize()
        return Remote(address, tensor.dtype, size)

    def download(self, remote, tensor):
        self.call("tilerunCopyFromDevice", self.default, c.c_void_p(tensor.data_ptr()), c.c_uint64(remote.address),
                  c.c_uint64(remote.size))
        self.synchronize()

    def fill(self, address, pattern, size):
        self.call("tilerunFill", self.default, c.c_uint64(address), c.c_uint32(pattern), c.c_uint32(4), c.c_uint64(size))

    def free(self, remote):
        self.call("tilerunFree", self.default, c.c_uint64(remote.address))

    def synchronize(self):
        self.call("tilerunSynchronizeStream", self.default)

    def time(self, launch, repeat, in_a_row=1):
        """Sorted milliseconds of a launch, with the given number of launches between two events."""
        times = []
        for _ in range(repeat):
            self.fill(self.cache, 0, FLUSH)
            self.call("tilerunRecordEvent", self.events[0], self.default)
            for _ in range(in_a_row):
                launch()
            self.call("tilerunRecordEvent", self.events[1], self.default)
            self.synchronize()
            milliseconds = c.c_double()
            self.call("tilerunGetElapsedTime", *self.events, c.byref(milliseconds))
            times.append(milliseconds.value / in_a_row)
        return sorted(times)


class Remote:
    """A tensor in a device's memory; binding.pack takes it as it takes PyTorch's."""

    def __init__(self, address, dtype, size):
        self.address, self.dtype, self.size = address, dtype, size

    def data_ptr(self):
        return self.address


class Work:
    """One row. `arguments`: tensors of the host's and scalars; `output`: which of them is written. `configs`:
    (meta-parameters, num_warps, num_stages); `amount`: bytes or operations."""

    def __init__(self, name, file, kernel, arguments, output, grid, configs, reference, amount, unit, tolerance):
        self.__dict__.update(locals())


def vector_add(n):
    x, y = torch.randn(n), torch.randn(n)
    return Work(f"vector add f32 2^{n.bit_length() - 1}", "vector_add.py", "add_kernel", [x, y, torch.empty_like(x), n],
                2, lambda m: (-(-n // m["BLOCK_SIZE"]),),
                [({"BLOCK_SIZE": b}, w, 3) for b in (512, 1024, 2048, 4096) for w in (4, 8)], lambda: x + y, 12 * n,
                "GB/s", 1e-6)


def softmax(rows, columns):
    x = torch.randn(rows, columns).half()
    block = 1 << (columns - 1).bit_length()
    return Work(f"softmax f16 {rows}x{columns}", "softmax.py", "softmax_kernel",
                [torch.empty_like(x), x, columns, columns, rows, columns], 0, lambda m: (rows,),
                [({"BLOCK_SIZE": block}, w, 2) for w in (4, 8, 16, 32)], lambda: torch.softmax(x.float(), 1),
                4 * x.numel(), "GB/s", 1e-3)


def layer_norm(rows, columns):
    x = torch.randn(rows, columns).half()
    w, b = (torch.rand(columns).half() for _ in range(2))
    return Work(f"layer norm f16 {rows}x{columns}", "layer_norm.py", "layer_norm_fwd_kernel",
                [x, torch.empty_like(x), w, b, torch.empty(rows), torch.empty(rows), columns, columns, 1e-5], 1,
                lambda m: (rows,), [({"BLOCK_SIZE": s}, k, 3) for s in (1024, 2048, 4096, 8192) if s <= columns
                                    for k in (4, 8, 16)],
                lambda: torch.nn.functional.layer_norm(x.float(), (columns,), w.float(), b.float()), 4 * x.numel(),
                "GB/s", 1e-3)


def matmul(n, dtype, tolerance):
    a, b = (torch.randn(n, n).to(dtype) for _ in range(2))
    configs = [((128, 256, 64), 8, 3), ((128, 256, 32), 8, 2), ((256, 128, 32), 8, 2), ((128, 128, 64), 4, 3),
               ((128, 128, 64), 8, 2), ((128, 128, 32), 4, 3), ((128, 128, 32), 8, 2)]
    configs = [(dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), s), GROUP_M=8, ACTIVATION=""), w, t)
               for s, w, t in configs]
    name = str(dtype).removeprefix("torch.").replace("float", "f")

    def reference():
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return (a.to(device).float() @ b.to(device).float()).cpu()
    return Work(f"matmul {name} {n}^3", "matmul.py", "matmul_grouped_kernel",
                [a, b, torch.empty(n, n, dtype=dtype), n, n, n, n, 1, n, 1, n, 1], 2,
                lambda m: (-(-n // m["BLOCK_M"]) * -(-n // m["BLOCK_N"]),), configs, reference, 2 * n**3, "TFLOP/s",
                tolerance)


WORKS = [
    *[lambda n=n: vector_add(n) for n in (1 << 28, 1 << 24, 1 << 20)],
    *[lambda s=s: softmax(*s) for s in ((8192, 4096), (4096, 12288), (2048, 32768))],
    *[lambda s=s: layer_norm(*s) for s in ((4096, 4096), (8192, 8192))],
    *[lambda n=n: matmul(n, torch.float16, 2e-3) for n in (1024, 4096, 8192)],
    lambda: matmul(8192, torch.bfloat16, 1e-2),
]


def label(config):
    meta, warps, stages = config
    return "x".join(str(v) for v in meta.values() if v != "") + f" w{warps} s{stages}"


def measure(device, work, expected, repeat):
    """The best figure, its configuration, and notes on refused or wrong configurations."""
    remotes = [device.upload(v) if isinstance(v, torch.Tensor) else v for v in work.arguments]
    result = torch.empty_like(work.arguments[work.output])
    handle = device.kernel(os.path.join(EXAMPLES, work.file), work.kernel)
    best, notes = None, []
    for config in work.configs:
        meta, warps, stages = config
        arguments = [*remotes, *meta.values()]
        launch = functools.partial(device.launch, handle, work.grid(meta), arguments, warps, stages)
        try:
            out = remotes[work.output]
            device.fill(out.address, 0x7fff7fff, out.size // 4 * 4)  # not numbers
            launch()
            device.download(out, result)
        except binding.Error as problem:
            notes.append(f"refuses {label(config)}: {str(problem).splitlines()[0][:160]}")
            continue
        error = ((result.double() - expected).norm() / expected.norm()).item()
        if not error <= work.tolerance:
            notes.append(f"is WRONG at {label(config)}: relative norm of the error {error:.1e}")
            continue
        time = statistics.median(device.time(launch, max(repeat // 5, 3)))
        if best is None or time < best[0]:
            best = time, config, launch
    if best:
        factor = work.amount / (1e6 if work.unit == "GB/s" else 1e9)
        # Several in a row, so that the cost of two events is not in the figure.
        best = round(factor / statistics.median(device.time(best[2], repeat, IN_A_ROW)), 1), best[1]
    for remote in remotes:
        if isinstance(remote, Remote):
            device.free(remote)
    device.synchronize()
    return best, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", nargs="+", default=["cuda:0", "vulkan:0"])
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.manual_seed(0)
    devices = [Device(name) for name in options.devices]
    print(f"{'work':28}" + "".join(f"{name:>11}" for name in options.devices) + "  unit     ratio  configurations")
    rows, failed = [], False
    for make in WORKS:
        work = make()
        if options.only not in work.name:
            continue
        expected = work.reference().double()
        row = {"name": work.name, "unit": work.unit, "results": {}}
        notes = []
        for name, device in zip(options.devices, devices):
            best, said = measure(device, work, expected, options.repeat)
            row["results"][name] = {"figure": best[0], "configuration": label(best[1])} if best else None
            notes += [f"    {name} {note}" for note in said]
            failed |= best is None or any("WRONG" in note for note in said)
        results = list(row["results"].values())
        if len(results) > 1 and all(results):
            row["ratio"] = round(results[-1]["figure"] / results[0]["figure"], 3)
        print(f"{work.name:28}" + "".join(f"{r['figure'] if r else '-':>11}" for r in results) +
              f"  {work.unit:8}{row.get('ratio', '-'):>6}  " +
              " | ".join(r["configuration"] if r else "-" for r in results), *notes, sep="\n", flush=True)
        rows.append(row)
        del work, expected
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    return failed


if __name__ == "__main__":
    sys.exit(main())

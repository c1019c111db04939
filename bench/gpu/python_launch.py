"""Host time of a warm launch from Python, beside Triton's in the same process: vector addition on
an idle stream. The variants take turns, round by round, so that the machine's state is the same for
all; the median round counts. The driver's own part (cuLaunchKernel) is in all. The process runs on
the cores beside the GPU: from others the driver alone takes a third longer."""

import glob
import os
import statistics
import time

import torch

import tilerun.triton as ours
import tilerun.triton.language as tl

ROUNDS, LAUNCHES, WARMUP_SECONDS = 60, 200, 3


@ours.jit
def add(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def stay_beside_the_gpu():
    """Where the system says which cores those are."""
    properties = torch.cuda.get_device_properties(0)
    if not hasattr(properties, "pci_bus_id"):
        return
    place = f"{getattr(properties, 'pci_domain_id', 0):04x}:{properties.pci_bus_id:02x}:"
    for path in glob.glob(f"/sys/bus/pci/devices/{place}*/local_cpulist"):
        with open(path) as file:
            parts = [part.split("-") for part in file.read().strip().split(",") if part]
        cores = {core for part in parts for core in range(int(part[0]), int(part[-1]) + 1)} & os.sched_getaffinity(0)
        if cores:
            os.sched_setaffinity(0, cores)
            print(f"on {len(cores)} cores beside the GPU")
            return


def make_loop(launch):
    """Many launches, by code of its own: Python specializes call sites, and in programs a call site
    has one kernel."""
    scope = {"launch": launch}
    exec(f"def loop():\n    for _ in range({LAUNCHES}):\n        launch()\n", scope)
    return scope["loop"]


def measure(ways):
    """Medians in microseconds, by name."""
    loops = {name: make_loop(launch) for name, launch in ways.items()}
    times = {name: [] for name in ways}
    end = time.perf_counter() + WARMUP_SECONDS  # A machine that was idle takes a second to run at its full speed.
    while time.perf_counter() < end:
        for loop in loops.values():
            loop()
        torch.cuda.synchronize()
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            torch.cuda.synchronize()
            start = time.perf_counter()
            loop()
            times[name].append((time.perf_counter() - start) / LAUNCHES)
    return {name: statistics.median(taken) * 1e6 for name, taken in times.items()}


def main():
    stay_beside_the_gpu()
    x, y = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out, theirs_out = torch.empty_like(x), torch.empty_like(x)
    grid = lambda meta: (ours.cdiv(1024, meta["BLOCK_SIZE"]), )
    ways = {"call without a kernel": lambda: None,
            "tilerun, no programs (arguments alone)": lambda: add[(0, )](x, y, out, 1024, BLOCK_SIZE=1024),
            "tilerun, grid as a tuple": lambda: add[(1, )](x, y, out, 1024, BLOCK_SIZE=1024),
            "tilerun, grid as a function": lambda: add[grid](x, y, out, 1024, BLOCK_SIZE=1024)}
    try:
        import triton
        import python_launch_triton
        theirs = triton.jit(python_launch_triton.add)
        ways[f"triton {triton.__version__}, grid as a tuple"] = lambda: theirs[(1, )](x, y, theirs_out, 1024, BLOCK_SIZE=1024)
    except ImportError:
        print("triton: not run: it is not installed")
    for name, microseconds in measure(ways).items():
        print(f"{name}: {microseconds:.2f} us")
    torch.testing.assert_close(out, x + y)
    if len(ways) > 4:
        torch.testing.assert_close(theirs_out, x + y)


if __name__ == "__main__":
    main()

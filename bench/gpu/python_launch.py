"""Host time of a warm launch from Python in each way of `launch_ways.py`, beside the driver's own (cuLaunchKernel) and
Triton's in the same process: vector addition on an idle stream. The variants take turns, round by round, so that the
machine's state is the same for all; the median round counts. The process runs on the cores beside the GPU: from others the
driver alone takes a third longer.

Usage: python_launch.py [--fake BUILD] [--most RATIO]. With --fake, without a GPU: over the fake CUDA driver of a build folder,
which returns at once, so that what counts is the time above it. With --most, a way that takes more than RATIO times the
driver's own time is a failure."""

import argparse
import ctypes
import glob
import os
import statistics
import sys
import time

ROUNDS, LAUNCHES, WARMUP_SECONDS = 60, 200, 3


def stay_beside_the_gpu(torch):
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


def measure(ways, wait):
    """Medians in microseconds, by name."""
    loops = {name: make_loop(launch) for name, launch in ways.items()}
    times = {name: [] for name in ways}
    end = time.perf_counter() + WARMUP_SECONDS  # A machine that was idle takes a second to run at its full speed.
    while time.perf_counter() < end:
        for loop in loops.values():
            loop()
        wait()
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            wait()
            start = time.perf_counter()
            loop()
            times[name].append((time.perf_counter() - start) / LAUNCHES)
    return {name: statistics.median(taken) * 1e6 for name, taken in times.items()}


class RawLaunch:
    """cuLaunchKernel by ctypes, and another function by ctypes with the same arguments, which it ignores: the difference is the
    driver's time."""

    PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry tilerun_test_add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) { ret; }
"""

    def __init__(self, addresses, stream):
        driver = ctypes.CDLL(os.environ.get("TILERUN_CUDA_DRIVER", "libcuda.so.1"))
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        for status in (driver.cuModuleLoadDataEx(ctypes.byref(module), self.PTX.encode(), 0, None, None),
                       driver.cuModuleGetFunction(ctypes.byref(self.function), module, b"tilerun_test_add")):
            if status:
                raise RuntimeError(f"the driver does not load the kernel of the raw launch: error {status}")
        self.values = [ctypes.c_uint64(address) for address in addresses] + [ctypes.c_uint32(1024)]
        self.parameters = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in self.values])
        kinds = [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p] * 3
        arguments = self.function, 1, 1, 1, 128, 1, 1, 0, ctypes.c_void_p(stream), self.parameters, None
        self.launch, self.nothing = (self.bind(function, kinds, arguments)
                                     for function in (driver.cuLaunchKernel, ctypes.CDLL(None).labs))
        if driver.cuLaunchKernel(*arguments):
            raise RuntimeError("the raw launch failed")

    @staticmethod
    def bind(function, kinds, arguments):
        function.argtypes = kinds
        return lambda: function(*arguments)


def get_triton_ways(x, y, out):
    """Triton's launches by name; none where it is not installed."""
    try:
        import triton
        import python_launch_triton
    except ImportError:
        print("triton: not run: it is not installed")
        return {}
    word = f"triton {triton.__version__}"
    plain = triton.jit(python_launch_triton.add)
    configs = [triton.Config({"BLOCK_SIZE": size}, num_warps=warps) for size, warps in ((1024, 4), (2048, 4), (1024, 8))]
    tuned = triton.autotune(configs, key=["n_elements"], warmup=1, rep=5)(plain)
    return {f"{word}, meta-parameter by name": lambda: plain[(1, )](x, y, out, 1024, BLOCK_SIZE=1024),
            f"{word}, autotuned": lambda: tuned[(1, )](x, y, out, 1024)}


def prepare_gpu():
    """(three tensors, the stream's handle, a function that waits, ways beside Tilerun's)"""
    import torch
    stay_beside_the_gpu(torch)
    x, y = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out = torch.empty_like(x)
    return (x, y, out), torch.cuda.current_stream().cuda_stream, torch.cuda.synchronize, get_triton_ways(x, y, torch.empty_like(x))


def prepare_fake():
    import stand_ins
    stand_ins.start()
    return tuple(stand_ins.make("float32") for _ in range(3)), 0, lambda: None, {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--fake", metavar="BUILD", help="a build folder, for its fake CUDA driver")
    parser.add_argument("--most", type=float, metavar="RATIO", help="the most that a way may take, as a multiple of the driver's time")
    options = parser.parse_args()
    if options.fake:
        os.environ["TILERUN_BUILD"] = os.path.abspath(options.fake)
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        sys.path[:0] = [os.path.join(options.fake, "python"), os.path.join(root, "python", "tests")]
    (x, y, out), stream, wait, others = prepare_fake() if options.fake else prepare_gpu()
    from launch_ways import LAUNCHES as ways  # Tilerun's first import decides about the driver.
    raw = RawLaunch([tensor.data_ptr() for tensor in (out, x, y)], stream)
    bind = lambda launch: lambda: launch(x, y, out, 1024)
    bound = {name: bind(launch) for name, launch in ways.items()}
    empty = {"call without a kernel": lambda: None, "ctypes": raw.nothing, "cuLaunchKernel by ctypes": raw.launch}
    times = measure({**empty, **bound, **others}, wait)
    driver = times["cuLaunchKernel by ctypes"] - times["ctypes"]
    print(f"{'way':48}  us     x raw\n{'cuLaunchKernel':48}  {driver:5.2f}")
    for name in (*bound, *others):
        print(f"{name:48}  {times[name]:5.2f}  {times[name] / driver:5.2f}")
    if not options.fake:
        for name, launch in bound.items():
            out.zero_()
            launch()
            assert (out == x + y).all(), f"{name}: the results are wrong"
    slow = [name for name in bound if options.most and times[name] > options.most * driver]
    if slow:
        sys.exit(f"more than {options.most} times the driver's own time: {', '.join(slow)}")


if __name__ == "__main__":
    main()

"""`triton.runtime.driver.active`: questions about the device that launches go to."""

import sys

from ... import _devices, _native, _on_cpu, _pretend
from ..._memory import CPU, CUDA, KINDS, ROCM
from .. import knobs
from ..compiler.target import GPUTarget


class _Utilities:
    """Properties by the names that frameworks know."""

    def get_device_properties(self, device=None):
        kind, current = _devices.get_default()
        index = current if device is None else getattr(device, "index", device)
        read = lambda name, otherwise=0: _devices.get_property(kind, index, name) or otherwise
        # Properties that no plugin reports, but torch does.
        torch = sys.modules.get("torch")
        known = torch.cuda.get_device_properties(index) if _devices.torch_has(kind) else None
        # The interpreter has no registers. Host code divides by the number that programs use:
        # CompiledKernel.n_regs is 1 there.
        return {"max_shared_mem": read("max-shared", 1 << 30), "max_num_regs": read("registers", 1 << 16),
                "multiprocessor_count": read("units", 1), "warpSize": read("warp-size", 1), "sm_clock_rate": read("clock-khz"),
                "mem_clock_rate": getattr(known, "memory_clock_rate", 0),
                "mem_bus_width": getattr(known, "memory_bus_width", 0), "arch": read("arch", ""), "name": read("name", "")}


    # Of Triton 3.0 to 3.2: descriptors in host memory.

    def fill_1d_tma_descriptor(self, ptr, dim, block_dim, element_size, desc_address):
        from ..tools.experimental_descriptor import fill
        fill(ptr, [dim], [block_dim], element_size, desc_address)

    def fill_2d_tma_descriptor(self, ptr, dim1, dim0, block_dim1, block_dim0, element_size, desc_address):
        from ..tools.experimental_descriptor import fill
        fill(ptr, [dim1, dim0], [block_dim1, block_dim0], element_size, desc_address)


class _Driver:

    def __init__(self):
        self.utils = _Utilities()
        self.binary_ext = {CUDA: "ptx", ROCM: "hsaco"}

    def get_device_capability(self, device=None):
        arch = str(self.get_current_target().arch)
        return (int(arch) // 10, int(arch) % 10) if arch.isdigit() else (0, 0)

    def get_empty_cache_for_benchmark(self):
        """Memory as large as any L2 cache: writing it takes the caches from a kernel that is measured."""
        import torch
        return torch.empty(256 * 1024 * 1024 // 4, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache):
        cache.zero_()

    def get_benchmarker(self):
        from ..testing import do_bench
        return do_bench



class Driver(_Driver):
    """The driver of the devices here. It follows torch's current device."""

    @staticmethod
    def is_active():
        return True

    def get_current_device(self):
        return _devices.get_default()[1]

    def set_current_device(self, device):
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.set_device(device)

    def get_current_stream(self, device=None):
        kind, index = _devices.get_default()
        return _devices._get_stream(kind, index if device is None else device) or 0

    def get_current_target(self):
        if _on_cpu.is_pretending and not knobs.runtime.device:
            return GPUTarget.parse(_pretend.TARGET, 32)
        kind, index = _devices.get_default()
        return GPUTarget.parse(_devices.get_target(kind, index), _devices.get_property(kind, index, "warp-size"))

    def get_active_torch_device(self):
        import torch
        kind, index = _devices.get_default()
        return torch.device("cpu") if kind == CPU and not _on_cpu.is_pretending else torch.device("cuda", index)

    def get_device_interface(self):
        import torch
        return torch.cuda

    def synchronize(self):
        _native.synchronize(*_devices.get_default())


class CpuDriver(_Driver):
    """The interpreter, for frameworks that ask for the backend "cpu" by name (`torch._inductor.config.cpu_backend`). It is
    never the one that queries find active: Driver answers for the CPU, too, where there is no GPU."""

    @staticmethod
    def is_active():
        return False

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_current_target(self):
        return GPUTarget.parse(_devices.get_target(CPU, 0), 1)

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        import torch
        return torch.cpu

    def synchronize(self):
        """Launches have ended when they return."""


class DriverConfig:
    """Holds the active driver, as frameworks expect it."""

    def __init__(self):
        self.active = self.default = Driver()

    def set_active(self, driver):
        self.active = driver

    def reset_active(self):
        self.active = self.default


driver = DriverConfig()
__all__ = ["CpuDriver", "Driver", "DriverConfig", "driver", "KINDS"]


def __getattr__(name):
    # `triton.runtime.driver` may be this module or the object, by what was imported: both have these.
    if name in ("active", "default", "set_active", "reset_active"):
        return getattr(driver, name)
    raise AttributeError(f"module 'triton.runtime.driver' has no attribute {name!r}", name=name)

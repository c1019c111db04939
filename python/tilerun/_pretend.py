"""The answers of `python -m tilerun --cpu` to a script that asks whether there is a GPU: there is
one, the interpreter. Tensors on the CPU say that they are on 'cuda:0', and torch.cuda has one
device. Apart from `_on_cpu`, which makes on the CPU what a script makes on a GPU: `--no-pretend`
leaves the answers as they are."""

import contextlib
import functools
import os
import time
import types

from . import _memory
from ._compiled import is_compiling
from ._places import GpuType, is_on_host, mark_host

# The properties of an H200: scripts take their path for new GPUs, which the interpreter supports as well.
CAPABILITY = (9, 0)
TARGET = "cuda:sm_90a"
CUDA_VERSION = "12.8"
NAME = "Tilerun interpreter"


class Event:
    """A point in time."""

    cuda_event = event_id = 0

    def __init__(self, *_, **__):
        self.time = None

    @property
    def device(self):
        import torch
        return torch.device("cuda", 0)

    def record(self, stream=None):
        self.time = time.perf_counter()

    def elapsed_time(self, other):
        return (other.time - self.time) * 1e3

    def synchronize(self):
        pass

    def query(self):
        return True

    def wait(self, stream=None):
        pass

    @classmethod
    def from_ipc_handle(cls, device, handle):
        return cls().ipc_handle()

    def ipc_handle(self):
        raise NotImplementedError("events of other processes are not possible with --cpu: they would have to share a GPU")


class Stream:
    """An order of work: here all work is done when it is asked for."""

    cuda_stream = native_handle = stream_id = device_index = 0

    def __init__(self, *_, priority=0, **__):
        self.priority = priority

    @property
    def device(self):
        import torch
        return torch.device("cuda", 0)

    def synchronize(self):
        pass

    def query(self):
        return True

    def is_capturing(self):
        return False

    def wait_stream(self, other):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event

    def __enter__(self):
        self._before = Stream.current
        Stream.current = self
        return self

    def __exit__(self, *_):
        Stream.current = self._before


Stream.current = Stream.default = Stream()


class StreamContext:
    """`with torch.cuda.stream(s)`. None changes nothing."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream and self.stream.__enter__()

    def __exit__(self, *args):
        if self.stream:
            self.stream.__exit__(*args)


class _Device(contextlib.nullcontext):
    """`with torch.cuda.device(0)`."""

    def __init__(self, device=0):
        super().__init__()
        self.idx = 0


class Properties:
    """What torch.cuda.get_device_properties gives."""

    name, major, minor, total_memory, warp_size = NAME, *CAPABILITY, 1 << 34, 32
    is_integrated = is_multi_gpu_board = 0
    max_threads_per_multi_processor, regs_per_multiprocessor, L2_cache_size = 2048, 1 << 16, 1 << 25
    shared_memory_per_block, shared_memory_per_block_optin = 48 << 10, 227 << 10
    shared_memory_per_multiprocessor = 228 << 10
    multi_processor_count = 1
    max_threads_per_block, clock_rate, memory_clock_rate, memory_bus_width = 1024, 1_000_000, 1_000_000, 64
    pci_bus_id = pci_device_id = pci_domain_id = 0
    gcnArchName, uuid = "", "00000000-0000-0000-0000-000000000000"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        known = sorted(known for known in dir(Properties) if not known.startswith("_"))
        raise AttributeError(f"with --cpu, nothing is known of the GPU's property '{name}'; known properties are {', '.join(known)}")

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count})")


class _Cudart:
    """What torch.cuda.cudart() gives: scripts start and stop profilers by it."""

    cudaProfilerStart = cudaProfilerStop = staticmethod(lambda: 0)
    cudaGetErrorString = staticmethod(lambda code: "no error" if code == 0 else f"error {code}")
    cudaMemGetInfo = staticmethod(lambda device=0: (Properties.total_memory, ) * 2)
    cudaHostRegister = cudaHostUnregister = staticmethod(lambda *args: 0)

    class cudaError:
        success = 0

    def __getattr__(self, name):
        raise AttributeError(f"torch.cuda.cudart().{name} is not possible with --cpu: it is of the CUDA runtime")


class _Statistics(dict):
    """Of memory that nobody counts: each is 0."""

    def __missing__(self, name):
        return 0

    def get(self, name, default=0):
        return self[name]


# What scripts may ask torch.cuda for, and has no meaning without a GPU.
_IMPOSSIBLE = ("MemPool caching_allocator_alloc caching_allocator_delete change_current_allocator CUDAPluggableAllocator "
               "current_blas_handle graph_pool_handle").split()


# What records or replays graphs.
_GRAPHS = "CUDAGraph graph make_graphed_callables".split()


def _refuse(cuda):
    def put(name, why):
        def refuse(*_, **__):
            raise NotImplementedError(why)

        refuse.__name__ = name
        # Annotations (`CUDAGraph | None`) and isinstance() need a class where PyTorch has one.
        is_class = isinstance(getattr(cuda, name, None), type)
        setattr(cuda, name, type(name, (), {"__new__": refuse, "__module__": "torch.cuda"}) if is_class else refuse)

    for name in _IMPOSSIBLE:
        put(name, f"torch.cuda.{name} is not possible with --cpu: it needs a GPU")
    for name in _GRAPHS:
        put(name, "CUDA graphs are not possible with --cpu: nothing records what torch does on the CPU; "
            "triton.testing.do_bench_cudagraph measures without one")


def _answer(module, names, function):
    """Puts a function into a module under each of the names: a separate one for each, as
    torch.compile distinguishes them by identity."""
    for name in names.split():
        setattr(module, name, types.FunctionType(function.__code__, function.__globals__, name, function.__defaults__,
                                                 function.__closure__))


def redirect_module(torch):
    """Gives torch.cuda the answers that both kinds of runs have: streams, events, sizes of memory, generators."""
    cuda = torch.cuda
    _answer(cuda, "device_count", lambda: 1)
    _answer(cuda, "current_device get_sync_debug_mode temperature power_draw clock_rate device_memory_used",
            lambda *args, **kwargs: 0)
    nothing = lambda *args, **kwargs: None
    _answer(cuda, "synchronize set_device empty_cache reset_peak_memory_stats reset_max_memory_allocated init _sleep _lazy_init "
            "set_stream ipc_collect reset_accumulated_memory_stats reset_max_memory_cached set_per_process_memory_fraction "
            "set_sync_debug_mode check_error reset_max_memory_reserved", nothing)
    _answer(cuda.memory, "_record_memory_history _set_allocator_settings", nothing)
    _answer(cuda, "cudart", lambda: _Cudart())
    torch._C._cuda_getCurrentRawStream = lambda device: 0  # Generated code imports it.
    # The seed of 'cuda' is the one seed that there is.
    _answer(cuda, "manual_seed manual_seed_all", lambda seed: torch.default_generator.manual_seed(seed) and None)
    _answer(cuda, "seed seed_all", lambda: torch.default_generator.seed() and None)
    _answer(cuda, "initial_seed", lambda: torch.default_generator.initial_seed())
    # States are the host's, of a GPU's generator as well.
    get_state = torch.get_rng_state
    torch.get_rng_state = torch.random.get_rng_state = functools.wraps(get_state)(lambda: mark_host(get_state()))
    _answer(cuda, "get_rng_state", lambda *args, **kwargs: torch.get_rng_state())
    _answer(cuda, "get_rng_state_all", lambda: [torch.get_rng_state()])
    _answer(cuda, "set_rng_state", lambda new_state, *args, **kwargs: torch.set_rng_state(new_state))
    _answer(cuda, "set_rng_state_all", lambda states: torch.set_rng_state(states[0]))
    cuda.default_generators = (torch.default_generator, )
    cuda.Event, cuda.Stream, cuda.ExternalStream = Event, Stream, Stream
    _answer(cuda, "current_stream", lambda *args, **kwargs: Stream.current)
    _answer(cuda, "default_stream", lambda *args, **kwargs: Stream.default)
    _answer(cuda, "stream", lambda stream: StreamContext(stream))
    cuda.StreamContext = StreamContext
    cuda.device = cuda.device_of = _Device
    _answer(cuda, "get_device_properties", lambda *args, **kwargs: Properties())
    _answer(cuda, "max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_cached max_memory_cached "
            "utilization memory_usage", lambda *args, **kwargs: 0)
    _answer(cuda, "memory_stats host_memory_stats", lambda *args, **kwargs: _Statistics())
    _answer(cuda, "memory_summary list_gpu_processes", lambda *args, **kwargs: "")
    _answer(cuda, "memory_snapshot", lambda *args, **kwargs: [])
    _answer(cuda, "get_per_process_memory_fraction", lambda *args, **kwargs: 1.0)
    _answer(cuda, "mem_get_info", lambda *args, **kwargs: (Properties.total_memory, ) * 2)
    _answer(cuda, "is_current_stream_capturing", lambda: False)
    _refuse(cuda)
    if hasattr(cuda, "nvtx"):
        _answer(cuda.nvtx, "range_push range_pop mark range_start range_end", nothing)
    for name in dir(cuda):
        if name.endswith("Tensor") and hasattr(torch, name):
            plain = getattr(torch, name)
            setattr(cuda, name, GpuType(name, (), {"plain": plain, "dtype": plain.dtype, "__module__": "torch.cuda"}))
    # The names that these have in the modules that define them.
    for inner in ("memory", "random", "streams", "graphs", "profiler"):
        inner = getattr(cuda, inner, None)
        for name in vars(inner) if inner is not None else ():
            if not name.startswith("_") and vars(cuda).get(name) is not None:
                setattr(inner, name, vars(cuda)[name])


def tell_truth(torch):
    """Answers of `--no-pretend`."""
    Properties.name, Properties.major, Properties.minor, Properties.warp_size = "cpu", 0, 0, 1
    Properties.shared_memory_per_block_optin = 1 << 30
    _answer(torch.cuda, "is_available", lambda: False)
    _answer(torch.cuda, "get_device_capability", lambda *args, **kwargs: (0, 0))
    _answer(torch.cuda, "get_device_name", lambda *args, **kwargs: "cpu")


def pretend(torch):
    """Makes tensors on the CPU and torch.cuda answer as with a GPU."""
    Properties.multi_processor_count = os.cpu_count() or 1
    cuda = torch.cuda
    _answer(cuda, "is_available is_initialized", lambda: True)
    _answer(cuda, "is_bf16_supported is_tf32_supported", lambda *args, **kwargs: True)
    _answer(cuda, "get_device_capability", lambda *args, **kwargs: CAPABILITY)
    _answer(cuda, "get_device_name", lambda *args, **kwargs: NAME)
    _answer(cuda, "get_arch_list", lambda: [f"sm_{CAPABILITY[0]}{CAPABILITY[1]}"])
    _answer(cuda, "can_device_access_peer", lambda *args: False)
    torch.version.cuda = torch.version.cuda or CUDA_VERSION
    _answer(torch.backends.cudnn, "is_acceptable", lambda tensor: False)
    _pretend_accelerator(torch)
    _pretend_tensors(torch)


def describe(torch, kind, index):
    """Answers with the properties of the device that all launches are sent to, as far as its plugin knows them."""
    from . import _devices  # It imports this module.
    global CAPABILITY, NAME
    read = lambda name, otherwise: _devices.get_property(kind, index, name) or otherwise
    arch = _devices.get_target(kind, index).partition(":")[2]
    p = Properties
    NAME = p.name = read("name", NAME)
    p.warp_size, p.multi_processor_count = read("warp-size", p.warp_size), read("units", p.multi_processor_count)
    p.total_memory, p.L2_cache_size = read("memory-total", p.total_memory), read("l2-bytes", p.L2_cache_size)
    p.max_threads_per_block, p.clock_rate = read("max-threads", p.max_threads_per_block), read("clock-khz", p.clock_rate)
    p.shared_memory_per_block_optin = p.shared_memory_per_multiprocessor = read("max-shared", p.shared_memory_per_block_optin)
    p.shared_memory_per_block = min(p.shared_memory_per_block, p.shared_memory_per_block_optin)
    digits = arch.removeprefix("gfx" if kind == _memory.ROCM else "sm_")
    if kind == _memory.ROCM:
        # As PyTorch on ROCm: gfx942 is 9.4, gfx1100 11.0.
        CAPABILITY = int(digits[:-2]), int(digits[-2], 16)
        p.gcnArchName = arch
        torch.version.hip, torch.version.cuda = read("driver-version", "0.0"), None
    elif kind == _memory.CUDA:
        digits = digits.rstrip("abcdefghijklmnopqrstuvwxyz")
        CAPABILITY = int(digits[:-1]), int(digits[-1])
    p.major, p.minor = CAPABILITY


def _pretend_accelerator(torch):
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    _answer(accelerator, "is_available", lambda: True)
    _answer(accelerator, "device_count", lambda: 1)
    _answer(accelerator, "current_accelerator", lambda *args, **kwargs: torch.device("cuda"))
    _answer(accelerator, "current_device_index current_device_idx", lambda: 0)
    _answer(accelerator, "synchronize set_device_index set_device_idx set_stream empty_cache reset_peak_memory_stats "
            "reset_accumulated_memory_stats", lambda *args, **kwargs: None)
    _answer(accelerator, "memory_allocated memory_reserved max_memory_allocated max_memory_reserved",
            lambda *args, **kwargs: 0)
    _answer(accelerator, "memory_stats", lambda *args, **kwargs: _Statistics())
    _answer(accelerator, "get_memory_info", lambda *args, **kwargs: (Properties.total_memory, ) * 2)
    _answer(accelerator, "current_stream", lambda *args, **kwargs: Stream.current)


def _pretend_tensors(torch):
    # Class attributes that hide those of the class below, which is written in C and stays as it is.
    base, tensor = torch.Tensor.__base__, torch.Tensor
    device, here = base.device, torch.device("cuda", 0)
    is_on_cpu = lambda self: device.__get__(self).type == "cpu"
    pretends = lambda self: is_on_cpu(self) and not is_compiling() and not is_on_host(self)
    tensor.device = property(lambda self: here if pretends(self) else device.__get__(self))
    tensor.is_cuda = property(lambda self: pretends(self) or base.is_cuda.__get__(self))
    tensor.is_cpu = property(lambda self: is_on_cpu(self) and (is_compiling() or is_on_host(self)))
    tensor.get_device = lambda self: -1 if self.device.type == "cpu" else self.device.index or 0  # torch.compile traces it.
    tensor.record_stream = lambda self, stream: None
    # The consumer of the memory must know where it is: on the host, where no stream has to be waited for.
    exported = tensor.__dlpack__
    tensor.__dlpack__ = functools.wraps(exported)(lambda self, *args, stream=None, **kwargs: exported(self, **kwargs))
    where = tensor.__dlpack_device__
    tensor.__dlpack_device__ = lambda self: (_memory.CPU, 0) if is_on_cpu(self) else where(self)

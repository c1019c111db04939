"""The device of a launch, and the native module's access to devices and streams."""

import os
import re
import sys
import warnings

from . import _frames, _memory, _native, _on_cpu, errors
from ._memory import CPU, CUDA, KINDS, ROCM

_NO_MEMORY_POOL, _HOST_MEMORY = 1, 2
# A second opening of the interpreter, where each allocation has bounds of its own.
CHECKED = 1

# TILERUN_DEVICE_PROPERTY_LIST of plugin.h.
PROPERTIES = {"name": 1, "uuid": 2, "arch": 3, "driver-version": 4, "memory-total": 5, "memory-free": 6, "units": 7,
              "warp-size": 8, "max-threads": 9, "max-shared": 10, "max-grid-x": 11, "max-grid-y": 12,
              "max-grid-z": 13, "registers": 14, "l2-bytes": 15, "clock-khz": 16, "pci-address": 17,
              "matrix-shapes": 19, "unified-memory": 20, "uses-small": 27}


def _open(kind, index):
    if kind == CPU:
        flags = _NO_MEMORY_POOL if index == CHECKED else _HOST_MEMORY
        _native.open_device(CPU, index, "cpu", flags, 1)
        return
    if kind not in KINDS:
        raise errors.UnavailableError(f"no plugin serves devices of DLPack's type {kind}")
    # An emulated device finds accesses that are outside of every allocation.
    is_emulated = kind == ROCM and os.environ.get("TILERUN_AMDSIM")
    _native.open_device(kind, index, f"{KINDS[kind]}:{index}", _NO_MEMORY_POOL if is_emulated else 0, 0)


def _get_stream(kind, index):
    """The driver's handle of torch's current stream where it has these devices, else of the default one; None where streams
    have none that could be adopted."""
    if kind not in (CUDA, ROCM):
        return None
    torch = sys.modules.get("torch")
    if torch is None or kind != _memory.get_torch_kind():
        return 0
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    if raw is not None:
        return raw(index)
    return torch.cuda.current_stream(index).cuda_stream if torch.cuda.is_available() else 0


_NOTE = re.compile(r".*:\d+:\d+: note: ")


def _log(level, text):
    if level >= 2:
        warnings.warn(text.rstrip("\n"), stacklevel=2)
    elif _NOTE.match(text):
        print(text, end="", file=sys.stderr)  # Of the compiler.
    else:
        # What static_print printed.
        print(text, end="" if text.endswith("\n") else "\n")


_native.configure(errors.make_error, _memory.resolve_plain, _open, _get_stream, _log, _frames.hide)
# Only now: a sub-interpreter, which `configure` refuses, must register nothing.
_native.register_memory(_memory.describe_memory)
# A child of fork has the library's locks as they were, and no thread that would release them.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_native.before_fork, after_in_parent=_native.after_fork, after_in_child=_native.after_fork)


def describe(kind, index):
    return "cpu" if kind == CPU else f"{KINDS.get(kind, f'device type {kind}')}:{index}"


def parse(text):
    """(type, index) of a device by its name, "hip:0", "hip" or "cpu"; ValueError if it has another form."""
    word, _, index = text.partition(":") if isinstance(text, str) else ("", "", "")
    kind = next((number for number, name in KINDS.items() if name == word), None)
    if kind is None or not (index or "0").isdecimal() or len(index) > 9 or (kind == CPU and int(index or 0)):
        raise ValueError(f"{_memory.show(text)} is not the name of a device, such as cuda:0, hip:0, vulkan:0 or cpu")
    return kind, int(index or 0)


def get_chosen():
    """(type, index) of the device that all launches are sent to (`tilerun.use`); None: each goes to its tensors' device."""
    from .triton import knobs
    if knobs.runtime.interpret:
        return CPU, 0
    return parse(knobs.runtime.device) if knobs.runtime.device else None


def torch_has(kind):
    """Whether torch has such GPUs, whose streams and events it gives; elsewhere the host's clock measures launches."""
    torch = sys.modules.get("torch")
    return torch is not None and kind == _memory.get_torch_kind() != CPU and torch.cuda.is_available()


def is_captured(kind):
    """Whether launches on torch's current stream are captured into a graph of the GPU's, and do not run."""
    return torch_has(kind) and sys.modules["torch"].cuda.is_current_stream_capturing()


def wait(kind, index):
    """For all launches on a device; those on the interpreter end before they return."""
    if kind != CPU:
        _native.synchronize(kind, index)


def is_timed(kind, index):
    """Whether the time of a launch says anything about the device: neither the interpreter's nor an emulator's does."""
    return kind != CPU and not str(get_property(kind, index, "name")).startswith("emulated ")


def get_default():
    """(type, index) for launches without a tensor, and of queries: the device that was chosen, else torch's current device,
    else the first GPU that a plugin has, else the CPU."""
    chosen = get_chosen()
    if chosen is not None or _on_cpu.is_redirected:
        return chosen or (CPU, 0)
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available():
        return _memory.get_torch_kind(), torch.cuda.current_device()
    kinds = {id.partition(":")[0] for id, _, _, _ in _native.list_devices()}
    return next(((number, 0) for number in (CUDA, ROCM) if KINDS[number] in kinds), (CPU, 0))


def get_property(kind, index, name):
    return _native.device_property(kind, index, PROPERTIES[name])


def get_target(kind, index):
    return _native.device_target(kind, index)


def cache_folder():
    return os.environ.get("TILERUN_CACHE_DIR", "")

"""The device of a launch, and the native module's access to devices and streams."""

import os
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
              "matrix-shapes": 19, "unified-memory": 20}


def _open(kind, index):
    if kind == CPU:
        flags = _NO_MEMORY_POOL if index == CHECKED else _HOST_MEMORY
        _native.open_device(CPU, index, "cpu", flags, 1)
        return
    if kind not in KINDS:
        raise errors.UnavailableError(f"no plugin serves devices of DLPack's type {kind}")
    _native.open_device(kind, index, f"{KINDS[kind]}:{index}", 0, 0)


def _get_stream(index):
    torch = sys.modules.get("torch")
    if torch is None:
        return 0
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw(index) if raw is not None else torch.cuda.current_stream(index).cuda_stream


def _log(level, text):
    if level >= 2:
        warnings.warn(text.rstrip("\n"), stacklevel=2)
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


def get_default():
    """(type, index) for launches without a tensor, and of queries: torch's current device, else the first GPU that a
    plugin has, else the CPU."""
    from .triton import knobs
    if knobs.runtime.interpret or _on_cpu.is_redirected:
        return CPU, 0
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available():
        return (ROCM if getattr(torch.version, "hip", None) else CUDA), torch.cuda.current_device()
    kinds = {id.partition(":")[0] for id, _, _, _ in _native.list_devices()}
    return next(((number, 0) for number in (CUDA, ROCM) if KINDS[number] in kinds), (CPU, 0))


def get_property(kind, index, name):
    return _native.device_property(kind, index, PROPERTIES[name])


def get_target(kind, index):
    return _native.device_target(kind, index)


def cache_folder():
    return os.environ.get("TILERUN_CACHE_DIR", "")

"""Tilerun for Python: Triton kernels, compiled natively, on any device that a plugin serves.

`tilerun.triton` is a drop-in for `triton`. `install()`, or `python -m tilerun script.py`, makes `import triton`
mean it."""

from . import errors
from ._install import install, uninstall
from .errors import CompilationError, OutOfResources, TilerunError

__version__ = "0.1.0"
__all__ = ["Buffer", "CompilationError", "OutOfResources", "TilerunError", "devices", "errors", "explain", "install", "plugins", "show",
           "triton", "uninstall", "use"]


def __getattr__(name):
    if name == "triton":
        import importlib
        return importlib.import_module("tilerun.triton")
    if name == "Buffer":
        from ._buffer import Buffer
        return Buffer
    if name in ("show", "explain"):
        from . import _pictures
        return getattr(_pictures, name)
    raise AttributeError(f"module 'tilerun' has no attribute {name!r}")


def use(device):
    """Sends every later launch to a device, "hip:0", "vulkan:0", "cuda:0" or "cpu", wherever its tensors are; None sends each
    to the device of its tensors again. Memory that the device cannot use is copied there before a launch and back after it,
    which then has ended. It is the setting `knobs.runtime.device`, which begins with the value of TILERUN_DEVICE, and sets that for
    the processes that this one starts. Raises
    UnavailableError, with the devices that exist, if there is no such device, and ValueError for a text that names none."""
    from . import _devices
    from .triton import knobs
    if device is not None:
        _devices.get_target(*_devices.parse(device))  # Opens it.
    knobs.runtime.device = device


def devices():
    """The devices at present, as (id, uuid, name, target)."""
    from . import _devices
    return _devices._native.list_devices()


def plugins():
    """The plugin files that were looked at, as (path, name, version, why it is not used or has no device)."""
    from . import _devices
    return _devices._native.list_plugins()

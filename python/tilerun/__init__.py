"""Tilerun for Python: Triton kernels, compiled natively, on any device that a plugin serves.

`tilerun.triton` is a drop-in for `triton`. `install()`, or `python -m tilerun script.py`, makes `import triton`
mean it."""

from . import errors
from ._install import install, uninstall
from .errors import CompilationError, OutOfResources, TilerunError

__version__ = "0.1.0"
__all__ = ["CompilationError", "OutOfResources", "TilerunError", "devices", "errors", "install", "plugins", "triton",
           "uninstall"]


def __getattr__(name):
    if name == "triton":
        import importlib
        return importlib.import_module("tilerun.triton")
    raise AttributeError(f"module 'tilerun' has no attribute {name!r}")


def devices():
    """The devices at present, as (id, uuid, name, target)."""
    from . import _devices
    return _devices._native.list_devices()


def plugins():
    """The plugin files that were looked at, as (path, name, version, why it is not used or has no device)."""
    from . import _devices
    return _devices._native.list_plugins()

"""`triton.backends`: frameworks query it to learn whether a driver is active; devices come from
plugins here."""

from typing import NamedTuple

from .. import _missing
from ..compiler.source import Backend as _CompilerOfTarget
from ..compiler.source import Backend as BaseBackend
from ..compiler.target import GPUTarget
from ..runtime.driver import CpuDriver, Driver
from . import compiler


class Backend(NamedTuple):
    """A compiler with its driver, as classes."""

    compiler: type
    driver: type


# One for all targets: the library finds the devices on demand. "cpu" is for frameworks that ask for it by name.
backends = {"tilerun": Backend(_CompilerOfTarget, Driver), "cpu": Backend(_CompilerOfTarget, CpuDriver)}
__all__ = ["Backend", "BaseBackend", "GPUTarget", "backends", "compiler"]
__getattr__ = _missing.explain(__name__)

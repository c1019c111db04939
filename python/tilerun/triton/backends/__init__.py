"""`triton.backends`: frameworks query it to learn whether a driver is active; devices come from
plugins here."""

from typing import NamedTuple

from .. import _missing
from ..compiler.source import Backend as _CompilerOfTarget
from ..compiler.target import GPUTarget
from ..runtime.driver import Driver
from . import compiler


class Backend(NamedTuple):
    """A compiler with its driver, as classes."""

    compiler: type
    driver: type


# One for all targets: the library finds the devices on demand.
backends = {"tilerun": Backend(_CompilerOfTarget, Driver)}
__all__ = ["Backend", "GPUTarget", "backends", "compiler"]
__getattr__ = _missing.explain(__name__)

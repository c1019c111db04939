"""`triton.backends.compiler`."""

from .. import _missing
from ..compiler import GPUTarget
from ..compiler.source import Backend as BaseBackend

__all__ = ["BaseBackend", "GPUTarget"]
__getattr__ = _missing.explain(__name__)

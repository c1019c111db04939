"""`triton.backends.compiler`."""

from .. import _missing
from ..compiler import GPUTarget

__all__ = ["GPUTarget"]
__getattr__ = _missing.explain(__name__)

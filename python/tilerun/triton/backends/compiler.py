"""`triton.backends.compiler`."""

from ..compiler import GPUTarget

__all__ = ["GPUTarget"]

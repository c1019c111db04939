"""`triton.backends`: the names that frameworks look up; devices come from plugins here."""

from ..compiler import GPUTarget

backends = {}
__all__ = ["GPUTarget", "backends"]

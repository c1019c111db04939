"""`triton.backends`: the names that frameworks look up; devices come from plugins here."""

from .. import _missing
from ..compiler import GPUTarget

backends = {}
__all__ = ["GPUTarget", "backends"]
__getattr__ = _missing.explain(__name__)

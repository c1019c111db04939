"""`triton._C.libtriton`."""

from .. import _missing
from . import ir

__all__ = ["ir"]
__getattr__ = _missing.explain(__name__)

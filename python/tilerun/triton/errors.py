"""`triton.errors`."""

from ..errors import TilerunError as TritonError

__all__ = ["TritonError"]

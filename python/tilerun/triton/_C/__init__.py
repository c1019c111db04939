"""`triton._C`: Triton's own compiler is not here. PyTorch reaches through it to learn which tensors a kernel writes; what
it needs for that is in `libtriton.ir`."""

from . import libtriton

__all__ = ["libtriton"]

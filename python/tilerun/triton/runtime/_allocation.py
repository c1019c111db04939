"""`triton.set_allocator`: allocators for kernels that need scratch space. Kernels compiled here
need none, so the functions are kept for queries, and never called."""

from contextvars import ContextVar

from .. import _missing

_allocator = ContextVar("tilerun_allocator", default=None)
_profile_allocator = ContextVar("tilerun_profile_allocator", default=None)


def set_allocator(allocator):
    """`allocator(size, alignment, stream)` would give memory for scratch space."""
    _allocator.set(allocator)


def set_profile_allocator(allocator):
    _profile_allocator.set(allocator)


def get_allocator():
    return _allocator.get()
__getattr__ = _missing.explain(__name__)

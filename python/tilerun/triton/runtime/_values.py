"""Arguments as host code passes them: plain values, and stand-ins for tensors."""

import enum

from ... import _devices, _host_values
from ..language import constexpr


def unwrap(value):
    """A plain value: without constexpr, numpy's scalars and enumerators as Python's."""
    while isinstance(value, constexpr):
        value = value.value
    if type(value) in (int, float, bool, str) or value is None:
        return value
    if isinstance(value, enum.Enum) and isinstance(value.value, (int, float, str)):
        return value.value
    if isinstance(value, bool):
        return bool(value)
    for plain in (int, float, str):
        if isinstance(value, plain):
            return plain(value)
    if hasattr(type(value), "_as_argument"):
        return value._as_argument()
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0 and hasattr(value, "item") \
            and not hasattr(value, "fill_value") and type(value).__name__ != "ndarray":
        return value.item()
    return value


def unwrap_argument(value):
    """The same for an argument, where members of plain enumerations are objects."""
    while isinstance(value, constexpr):
        value = value.value
    return value if _host_values.is_enum_member(value) else unwrap(value)


class MockTensor:
    """Stands for a tensor where only its type matters: an argument of `warmup`."""

    def __init__(self, dtype, shape=None):
        self.dtype, self.shape = dtype, shape or [1]

    @staticmethod
    def wrap_dtype(arg):
        return MockTensor(arg) if type(arg).__name__ == "dtype" and type(arg).__module__ == "torch" else arg

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        """Bytes of memory: a mock has none."""
        return 0

    @property
    def device(self):
        kind, index = _devices.get_default()
        return _devices.describe(kind, index)


class TensorWrapper:
    """A tensor whose elements are taken for another type of the same size."""

    def __init__(self, base, dtype):
        self.base, self.dtype = base, dtype
        self.data, self.device, self.shape = base, base.device, base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def untyped_storage(self):
        # PyTorch 1 has storages with a type alone.
        return self.base.untyped_storage() if hasattr(self.base, "untyped_storage") else self.base.storage()

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base if isinstance(other, TensorWrapper) else other)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """The same memory with another element type."""
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if not hasattr(base, "data_ptr"):
        raise TypeError(f"Cannot reinterpret a {type(tensor)}.")
    return base if dtype == base.dtype else TensorWrapper(base, dtype)

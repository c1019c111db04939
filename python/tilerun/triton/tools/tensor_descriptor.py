"""Tensor descriptors made on the host."""

from dataclasses import dataclass, field
from typing import Any, List

from ..._strict import is_strict
from ...errors import DescriptorError


def _is_float(dtype):
    is_floating = getattr(dtype, "is_floating_point", None)  # torch's dtypes; numpy's have a kind.
    return is_floating() if callable(is_floating) else is_floating if is_floating is not None else getattr(dtype, "kind", "f") not in "biu"


def _address(tensor):
    """None where the tensor does not tell."""
    if callable(getattr(tensor, "data_ptr", None)) and type(tensor).__name__ not in ("FakeTensor", "FunctionalTensor"):
        return tensor.data_ptr()
    return getattr(getattr(tensor, "ctypes", None), "data", None)


@dataclass
class TensorDescriptor:
    """A tensor with the shape of the blocks in which a kernel moves it."""

    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    padding: str = field(default="zero")
    round_f32_to_tf32: bool = field(default=False)

    def __post_init__(self):
        rank = len(self.shape)
        if rank == 0:
            raise DescriptorError("rank must not be zero: a descriptor has one to five dimensions")
        if rank > 5:
            raise DescriptorError(f"rank cannot be more than 5: a descriptor has one to five dimensions, not {rank}")
        if len(self.strides) != rank or len(self.block_shape) != rank:
            raise DescriptorError(f"rank mismatch: shape, strides and block_shape have {rank}, {len(self.strides)} and "
                                  f"{len(self.block_shape)} dimensions; they must agree")
        if self.strides[-1] != 1:
            raise DescriptorError(f"Last dimension must be contiguous; the last dimension's stride is {self.strides[-1]}")
        if self.padding not in ("zero", "nan"):
            raise DescriptorError(f"Illegal value for padding: {self.padding!r}; use 'zero' or 'nan'")
        if self.padding == "nan" and not _is_float(getattr(self.base, "dtype", None)):
            raise DescriptorError(f"Padding option `nan` is only supported for floating point tensors, but the elements are {self.base.dtype}")
        for size in self.block_shape:
            if int(size) < 1:
                raise ValueError(f"block_shape has {size}, but sizes of tensors are 1 or more")
        if is_strict():
            self._check_as_triton()

    def _check_as_triton(self):
        """What Triton's hardware demands of descriptors, and Tilerun does not."""
        if (_address(self.base) or 0) % 16:
            raise DescriptorError("base must be 16-byte aligned, as Triton demands")
        for i, size in enumerate(self.block_shape):
            if int(size) & (int(size) - 1):
                raise ValueError(f"Shape element {i} must be a power of 2, as Triton demands")
        if any(stride * self.base.dtype.itemsize % 16 for stride in self.strides[:-1]):
            raise DescriptorError("strides must be 16-byte aligned, as Triton demands")
        if any(size <= 0 for size in self.shape):
            raise DescriptorError("shape must be positive, as Triton demands")

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        strides = tensor.stride() if callable(getattr(tensor, "stride", None)) else [
            s // tensor.itemsize for s in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), list(strides), list(block_shape), padding, round_f32_to_tf32)

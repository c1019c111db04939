"""Tensor descriptors made on the host."""

from dataclasses import dataclass, field
from typing import Any, List


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
        if not 1 <= rank <= 5:
            raise ValueError(f"a descriptor has one to five dimensions, not {rank}")
        if len(self.strides) != rank or len(self.block_shape) != rank:
            raise ValueError(f"shape, strides and block_shape have {rank}, {len(self.strides)} and "
                             f"{len(self.block_shape)} dimensions; they must agree")
        if self.strides[-1] != 1:
            raise ValueError(f"the last dimension must be contiguous, its stride is {self.strides[-1]}")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"padding is 'zero' or 'nan', not {self.padding!r}")
        for size in self.block_shape:
            if int(size) < 1:
                raise ValueError(f"block_shape has {size}, but sizes of tensors are 1 or more")

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        strides = tensor.stride() if callable(getattr(tensor, "stride", None)) else [
            s // tensor.itemsize for s in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), list(strides), list(block_shape), padding, round_f32_to_tf32)

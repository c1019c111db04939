"""Descriptors as Triton 3.0 to 3.2 made them on the host, for kernels that read them by `tl._experimental_descriptor_load`.
Today's form is `triton.tools.tensor_descriptor.TensorDescriptor`.

A descriptor is a record of 128 bytes: the address, the sizes from the outermost on, and the strides without the last one, in
elements, as words of 64 bits. The language's library reads it like that (frontend/lang/prelude.py)."""

import ctypes
import struct
import sys

TMA_DESC_SIZE = 128


def pack(address, sizes, block, element_size):
    """The bytes of a descriptor of a contiguous tensor."""
    if len(sizes) != len(block) or not 1 <= len(sizes) <= 2:
        raise ValueError(f"a descriptor has one or two dimensions, with a block size for each, and not the sizes {list(sizes)} "
                         f"and the blocks {list(block)}")
    if any(int(n) < 1 for n in (*sizes, *block)):
        raise ValueError(f"sizes are 1 or more, and not {list(sizes)} with blocks of {list(block)}")
    if int(block[-1]) * int(element_size) < 16:
        raise ValueError(f"the last dimension of a block has at least 16 bytes, and not {int(block[-1]) * int(element_size)}")
    words = [int(address), *map(int, sizes), *map(int, sizes[1:])]
    return struct.pack(f"<{len(words)}q", *words).ljust(TMA_DESC_SIZE, b"\0")


def fill(address, sizes, block, element_size, destination):
    """Writes a descriptor to host memory."""
    ctypes.memmove(int(destination), pack(address, sizes, block, element_size), TMA_DESC_SIZE)


class TmaDescKernelParam:
    """A descriptor as an argument of a kernel."""

    TMA_DESC_SIZE = TMA_DESC_SIZE

    def __init__(self, ptr, dims, block_dims, element_size):
        self._bytes = ctypes.create_string_buffer(pack(ptr, dims, block_dims, element_size), TMA_DESC_SIZE)
        words = list(struct.unpack(f"<{TMA_DESC_SIZE // 8}q", self._bytes.raw))
        if "torch" in sys.modules:
            from ..runtime.driver import driver
            torch = sys.modules["torch"]
            self.desc = torch.tensor(words, dtype=torch.int64, device=driver.active.get_active_torch_device())
        else:
            import numpy
            self.desc = numpy.array(words, numpy.int64)

    def tma_desc_cpu_ptr(self):
        return ctypes.addressof(self._bytes)

    def _as_argument(self):
        return self.desc


def create_1d_tma_descriptor(ptr, dim, block_dim, element_size):
    return TmaDescKernelParam(ptr, [dim], [block_dim], element_size)


def create_2d_tma_descriptor(ptr, dim1, dim0, block_dim1, block_dim0, element_size):
    return TmaDescKernelParam(ptr, [dim1, dim0], [block_dim1, block_dim0], element_size)

"""Launches whose tensors cannot be used where they are: GPU tensors on the interpreter, tensors elsewhere than on the device
that was chosen for all launches, checked launches (whose bounds are those of allocations of the library's own), arrays that
must not be written. The whole memory that a tensor is a part of is copied, once, so that overlapping tensors still overlap;
after the launch it is copied back."""

import contextlib
import ctypes

from ... import _devices, _memory, _native
from ...errors import InvalidArgumentError, TilerunError


def _get_bytes(tensor):
    """The storage of a tensor, without a type; before PyTorch 2, storages have one."""
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()


class _HostCopy:
    """A copy of GPU memory on the host. Only what the launch has changed is written back, byte by byte: other streams and
    threads may write elsewhere in the memory meanwhile."""

    _PART = 1 << 20  # So that the places of changed bytes take little memory.

    def __init__(self, tensor):
        import torch
        storage = _get_bytes(tensor)
        self.origin = storage.data_ptr()
        self.there = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        self.here = torch.empty(self.there.shape, dtype=torch.uint8).copy_(self.there)
        self.before = self.here.clone()
        self.address, self.size = self.here.data_ptr(), self.here.numel()

    def write_back(self):
        parts = (memory.split(self._PART) for memory in (self.there, self.here, self.before))
        for there, here, before in zip(*parts):
            changed = here.ne(before).nonzero().squeeze(1)
            if changed.numel() == here.numel():
                there.copy_(here)
            elif changed.numel():
                there.index_copy_(0, changed.to(there.device), here[changed].to(there.device))


class _DeviceCopy:
    """A copy of host memory in an allocation of a device. Both ways wait until they are done. Only what the launch has
    changed is written back: other threads may write elsewhere in the memory meanwhile, other copies may overlap it, and what
    is only read may be mapped read-only."""

    def __init__(self, origin, size, kind, index):
        self.origin, self.size, self.kind, self.index = origin, size, kind, index
        # Empty memory has an address as well.
        self.address = _native.allocate(kind, index, size if kind == _memory.CPU else max(size, 1))
        self.before = (ctypes.c_char * size)()
        if size:
            ctypes.memmove(self.before, origin, size)
            _native.copy(kind, index, self.address, ctypes.addressof(self.before), size, True)

    def write_back(self):
        if self.size:
            now = (ctypes.c_char * self.size)()
            _native.copy(self.kind, self.index, self.address, ctypes.addressof(now), self.size, False)
            _native.merge(self.origin, ctypes.addressof(now), ctypes.addressof(self.before), self.size)

    def free(self):
        _native.free(self.kind, self.index, self.address)


class _PrivateCopy:
    """A copy of an array that must not be written."""

    def __init__(self, kernel, name, origin, size):
        self.kernel, self.name, self.origin, self.size = kernel, name, origin, size
        self.before = (ctypes.c_char * size)()
        self.buffer = (ctypes.c_char * (size + 16))()
        self.address = ctypes.addressof(self.buffer)
        if origin % 16 == 0:
            self.address = (self.address + 15) // 16 * 16
        ctypes.memmove(self.before, origin, size)
        ctypes.memmove(self.address, origin, size)

    def write_back(self):
        if _compare(self.address, ctypes.addressof(self.before), self.size):
            raise InvalidArgumentError(f"kernel '{self.kernel}': parameter '{self.name}' is a read-only array, which the "
                                       "kernel writes to; pass a copy of it")


_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t


class Copies:
    """A context in which copies live; at its end they are written back."""

    def __init__(self, kernel, kind, index):
        self.kernel, self.kind, self.index = kernel, kind, index
        self.copies = {}

    def place(self, values, tensors):
        """The arguments of a launch for values by name, some of which have memory."""
        kernel, kind, index = self.kernel, self.kind, self.index
        placed = []
        checked = (kind, index) == (_memory.CPU, _devices.CHECKED)
        where = "checks" if checked else f"copies to {_devices.describe(kind, index)}"
        for name, value in values.items():
            place = tensors.get(name)
            if place is None:
                placed.append(value)
                continue
            address, dtype, own_kind, own_index = place
            copy = extent = None
            is_elsewhere = kind != _memory.CPU and (own_kind, own_index) != (kind, index)
            if address and own_kind != _memory.CPU and (is_elsewhere or kind == _memory.CPU):
                tensor = _as_torch(kernel, name, value, own_index)
                copy = self._add(("gpu", _get_bytes(tensor).data_ptr()), lambda t=tensor: _HostCopy(t))
                address += copy.address - copy.origin
            elif address and _memory.is_read_only(value):
                extent = _memory.get_extent(value)
                if extent:
                    copy = self._add(("private", *extent), lambda n=name, e=extent: _PrivateCopy(kernel, n, *e))
                    address += copy.address - copy.origin
            if copy:
                extent = copy.address, copy.size
            if address and (checked or is_elsewhere):
                extent = extent or _memory.get_extent(value)
                if extent is None:
                    raise InvalidArgumentError(f"kernel '{kernel}': {where} need to know how much memory parameter '{name}' "
                                               "has; pass a torch tensor or a numpy array")
                bounded = self._add(("device", *extent), lambda e=extent: _DeviceCopy(*e, kind, index))
                address += bounded.address - bounded.origin
                extent = bounded.address, bounded.size
            placed.append(_memory.Pointer(address, dtype, kind, index, value, extent))
        return placed

    def _add(self, key, make):
        if key not in self.copies:
            self.copies[key] = make()
        return self.copies[key]

    def find(self, address):
        """The place of the copy of what is at an address; the address itself if it is not copied."""
        for copy in self.copies.values():
            if copy.origin <= address < copy.origin + copy.size:
                address += copy.address - copy.origin
        return address

    def _wait(self):
        """For the launch, where memory that it uses is to be read and freed. Returns its fault."""
        try:
            if self.kind != _memory.CPU and any(isinstance(copy, _DeviceCopy) for copy in self.copies.values()):
                _native.synchronize(self.kind, self.index)
        except TilerunError as fault:
            return fault
        return None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        fault = self._wait()
        # Last made first: a copy may be one of a copy. Data written before a fault is kept, as on a device, unless
        # that was lost.
        try:
            for copy in reversed(list(self.copies.values())):
                try:
                    copy.write_back()
                except TilerunError as failure:
                    fault = fault or failure
        finally:
            for copy in self.copies.values():
                if hasattr(copy, "free"):
                    with contextlib.suppress(*(TilerunError, ) if fault else ()):
                        copy.free()
        if fault is not None and error is None:
            raise fault


def _as_torch(kernel, name, value, index):
    """Memory of a GPU as a torch tensor, which knows how to copy it."""
    base = getattr(value, "base", None)
    if hasattr(value, "untyped_storage"):
        return base if not hasattr(value, "set_") and hasattr(base, "untyped_storage") else value
    try:
        import torch
        if hasattr(value, "__cuda_array_interface__"):
            return torch.as_tensor(value, device=torch.device("cuda", index))
        if not hasattr(value, "__dlpack__"):
            raise TypeError("it has neither the CUDA array interface nor DLPack")
        return torch.from_dlpack(value)
    except Exception as error:
        raise InvalidArgumentError(f"kernel '{kernel}': parameter '{name}' has memory of a GPU, which torch copies to "
                                   f"the host, but: {error}; pass a torch tensor") from error

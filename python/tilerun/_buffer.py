"""`tilerun.Buffer`: an array in the memory of any plugin's device, which launches take as they take tensors, and DLPack's consumers, too."""

import ctypes

from . import _devices, _memory, _native
from ._memory import CPU, DTYPE_NAMES, DTYPES, Pointer

# Of dlpack.h: kInt, kUInt, kFloat, kBfloat, kBool and the 8-bit floats.
_CODES = {"i": 0, "u": 1, "fp": 2, "bf": 4}
_OTHER_CODES = {"i1": 6, "fp8e4nv": 10, "fp8e4b8": 11, "fp8e5": 12, "fp8e5b16": 13}


class _Exported(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Exported._fields_ = [("tensor", _memory._DlTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
# What consumers have not released yet: what keeps the memory, by the address of its description.
_exported = {}


@_Deleter
def _release(address):
    _exported.pop(address, None)


_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@_Destructor
def _drop(capsule):
    """A capsule that nobody has consumed still has its first name."""
    if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), b"dltensor"):
        get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
        _release(get(capsule, b"dltensor"))


class _Layout:
    """What checks of bounds know of an argument."""

    __slots__ = ("shape", "strides", "itemsize")

    def __init__(self, shape, strides, itemsize):
        self.shape, self.strides, self.itemsize = shape, strides, itemsize


def _count(shape):
    count = 1
    for size in shape:
        count *= size
    return count


class Buffer(Pointer):
    """Memory of a device as a dense array: `shape`, `dtype` (a name of the language, "fp32"), `device` ("vulkan:0"), `nbytes`.

    Buffer(array, device="vulkan:0") copies an array or a tensor; Buffer((64, 64), "fp32", device="hip:0") is memory that nobody has written. The device is
    by default the one of launches without tensors. `copy_from(array)` writes it, `numpy()` gives a copy of its contents. The memory is freed with the
    object, or the last array that DLPack made of it."""

    __slots__ = ("shape", "nbytes", "device", "__weakref__")

    def __init__(self, source, dtype=None, device=None):
        kind, index = _devices.get_default() if device is None else _devices.parse(device)
        array = None
        if isinstance(source, (int, tuple, list)):
            self.shape = tuple(int(size) for size in (source if isinstance(source, (tuple, list)) else (source, )))
            if any(size < 0 for size in self.shape):
                raise ValueError(f"a shape of {self.shape} has a negative size")
            number = DTYPES.get(dtype, 0) if isinstance(dtype, str) else _memory.find_dtype(dtype) if dtype is not None else 0
            if not number:
                raise TypeError(f"an element type such as 'fp32' is expected, not {_memory.show(dtype)}")
        else:
            if dtype is not None:
                raise TypeError("the element type of an array is its own; dtype goes with a shape")
            array, number = _to_host(source)
            self.shape = array.shape
        item = _memory.item_bytes(number)
        self.nbytes, self.device = _count(self.shape) * item, _devices.describe(kind, index)
        strides, step = [], item
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        address = _native.allocate(kind, index, max(self.nbytes, 1))
        super().__init__(address, number, kind, index, _Layout(self.shape, tuple(strides), item), (address, self.nbytes))
        if array is not None:
            self.copy_from(source)

    def __del__(self):
        if getattr(self, "address", None):
            try:
                _native.synchronize(self.device_type, self.device_index)
                _native.free(self.device_type, self.device_index, self.address)
            except Exception:  # A lost device has no memory left.
                pass

    def __repr__(self):
        return f"Buffer({self.shape}, {DTYPE_NAMES[self.dtype]!r}, device={self.device!r})"

    def __len__(self):
        return self.shape[0]

    def copy_from(self, array):
        """Writes an array or a tensor of the same shape and element type; waits for launches before."""
        array, number = _to_host(array)
        if array.shape != self.shape or number != self.dtype:
            raise ValueError(f"{self!r} cannot take an array of {array.shape} elements of {DTYPE_NAMES[number]}")
        _native.synchronize(self.device_type, self.device_index)
        if self.nbytes:
            _native.copy(self.device_type, self.device_index, self.address, array.ctypes.data, self.nbytes, True)

    def numpy(self):
        """A copy of the contents, after the launches before; elements that numpy lacks are bytes ('V1', 'V2')."""
        import numpy
        name = DTYPE_NAMES[self.dtype]
        kind = {"fp16": "f2", "fp32": "f4", "fp64": "f8", "i1": "?"}.get(name) or (
            f"{name[0]}{int(name[1:]) // 8}" if name[0] in "iu" else f"V{_memory.item_bytes(self.dtype)}")
        made = numpy.empty(self.shape, kind)
        _native.synchronize(self.device_type, self.device_index)
        if self.nbytes:
            _native.copy(self.device_type, self.device_index, self.address, made.ctypes.data, self.nbytes, False)
        return made

    def __dlpack_device__(self):
        return self.device_type, self.device_index

    def __dlpack__(self, *, stream=None, **_):
        """Shares the memory; launches before have ended."""
        _native.synchronize(self.device_type, self.device_index)
        name = DTYPE_NAMES[self.dtype]
        code = _OTHER_CODES.get(name, _CODES.get(name.rstrip("0123456789")))
        if code is None:
            raise BufferError(f"DLPack has no elements of {name}")
        shape = (ctypes.c_int64 * max(len(self.shape), 1))(*self.shape)
        made = _Exported()
        tensor = made.tensor
        tensor.data, tensor.ndim, tensor.code = self.address, len(self.shape), code
        tensor.bits, tensor.lanes, tensor.shape = 8 * _memory.item_bytes(self.dtype), 1, ctypes.addressof(shape)
        tensor.device.type, tensor.device.index = self.device_type, self.device_index
        made.deleter = _release
        _exported[ctypes.addressof(made)] = self, made, shape
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(made), b"dltensor", ctypes.cast(_drop, ctypes.c_void_p))


def _to_host(value):
    """(dense array, number of its element type) of an array, a tensor, or another buffer."""
    import numpy
    if isinstance(value, Buffer):
        return value.numpy(), value.dtype
    if _memory.torch_is_loaded() and hasattr(value, "detach"):
        import torch
        number, tensor = _memory.find_dtype(value.dtype), value.detach().cpu().contiguous()
        if number and DTYPE_NAMES[number] == "bf16" or number and DTYPE_NAMES[number].startswith("fp8"):
            tensor = tensor.view(torch.int16 if tensor.element_size() == 2 else torch.uint8)
        array = tensor.numpy()
    else:
        array = numpy.ascontiguousarray(value).reshape(numpy.shape(value))
        number = _memory.find_dtype(array.dtype)
    if not number:
        raise TypeError(f"elements of {getattr(value, 'dtype', type(value).__name__)} are not the language's")
    return array, number

"""Objects with memory: torch tensors, numpy arrays, and any object with DLPack, the CUDA array interface or
`data_ptr`. The native module reads torch tensors by itself; the rest comes here."""

import ctypes
import operator
import re
import sys

from . import _native

# TILERUN_DTYPE_LIST of tilerun.h: names in signatures, by number.
DTYPE_NAMES = ["", "i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp8e5", "fp8e4nv", "fp8e4b8",
               "fp8e5b16", "fp8e4b15", "fp16", "bf16", "fp32", "fp64"]
DTYPES = {name: number for number, name in enumerate(DTYPE_NAMES) if name}

_BY_WORD = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8",
            "uint16": "u16", "uint32": "u32", "uint64": "u64", "float8_e5m2": "fp8e5", "float8_e4m3fn": "fp8e4nv",
            "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16", "float16": "fp16", "bfloat16": "bf16",
            "float8_e8m0fnu": "u8", "float4_e2m1fn_x2": "u8",  # As tl.dot_scaled takes them: bytes.
            "float32": "fp32", "float64": "fp64"}
_ITEM_BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "fp8e5": 1,
               "fp8e4nv": 1, "fp8e4b8": 1, "fp8e5b16": 1, "fp8e4b15": 1, "fp16": 2, "bf16": 2, "fp32": 4, "fp64": 8}

# DLPack's numbers of devices.
CPU, CUDA, VULKAN, ROCM = 1, 2, 7, 10
KINDS = {CPU: "cpu", CUDA: "cuda", VULKAN: "vulkan", ROCM: "hip"}
_TORCH_KINDS = {"cpu": CPU, "cuda": CUDA, "hip": ROCM}


class Pointer:
    """An address in a device's memory, with the type of its elements: an argument of launches."""

    __slots__ = ("address", "dtype", "device_type", "device_index", "owner", "extent")

    def __init__(self, address, dtype, device_type=CPU, device_index=0, owner=None, extent=None):
        self.address, self.dtype = address, DTYPES[dtype] if isinstance(dtype, str) else dtype
        self.device_type, self.device_index, self.owner = device_type, device_index, owner
        self.extent = extent  # As get_extent returns it, where it differs from the owner's.


def find_dtype(dtype):
    """The number of an element type, given as torch, numpy, ml_dtypes and the language name theirs; 0: none."""
    if getattr(dtype, "isnative", True) is False:
        return 0  # Numpy's arrays of the other byte order.
    word = getattr(dtype, "name", None)
    word = word if isinstance(word, str) else str(dtype)
    word = word.rpartition(".")[2]
    return DTYPES.get(_BY_WORD.get(word, word), 0)


def item_bytes(dtype):
    return _ITEM_BYTES[DTYPE_NAMES[dtype]]


def torch_is_loaded():
    return "torch" in sys.modules and hasattr(sys.modules["torch"], "Tensor")


def treat_cuda_as_cpu():
    """For `python -m tilerun --cpu`: tensors that claim to be on 'cuda' are on the CPU."""
    global _cuda_is_cpu
    _cuda_is_cpu = True
    _TORCH_KINDS["cuda"] = CPU


def get_torch_kind():
    """The type of the devices that torch calls 'cuda'; with `python -m tilerun --cpu` and the like these are on the CPU."""
    if _cuda_is_cpu:
        return CPU
    torch = sys.modules.get("torch")
    return ROCM if getattr(getattr(torch, "version", None), "hip", None) else CUDA


def register_torch():
    """Makes launches read torch's tensors natively. Called once torch is there."""
    global _torch_registered
    if _torch_registered or not torch_is_loaded():
        return
    torch = sys.modules["torch"]
    dtypes = {getattr(torch, word): DTYPES[name] for word, name in _BY_WORD.items() if hasattr(torch, word)}
    _TORCH_KINDS["cuda"] = get_torch_kind()
    _native.register_torch((torch.Tensor, torch.nn.Parameter), dtypes, _TORCH_KINDS["cuda"])
    _torch_registered = True


_torch_registered = _cuda_is_cpu = False


class _DlDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class _DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("device", _DlDevice), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


_DL_KINDS = {0: "i{}", 1: "u{}", 2: "fp{}", 4: "bf{}", 6: "i1", 10: "fp8e4nv", 11: "fp8e4b8", 12: "fp8e5",
             13: "fp8e5b16"}


def _read_dlpack(value, keep):
    capsule = value.__dlpack__(**_name_stream(value))
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        tensor = _DlTensor.from_address(get_pointer(capsule, b"dltensor"))
    except ValueError as error:
        raise TypeError(f"its __dlpack__ gave {show(capsule)}, which is not an unconsumed DLPack tensor") from error
    # It may export a copy, which lives as long as the capsule.
    keep.append(capsule)
    name = _DL_KINDS.get(tensor.code, "").format(tensor.bits) if tensor.lanes == 1 else ""
    kind = CPU if tensor.device.type == 3 else tensor.device.type
    return tensor.data + tensor.byte_offset if tensor.data else 0, DTYPES.get(name, 0), kind, tensor.device.index


def share_pinned(values, places):
    """`places` of `values`, where page-locked memory of the host, which CUDA's and HIP's devices reach at the same address,
    counts as memory of the device that the others are on."""
    devices = {place[2:] for place in places.values() if place[2] in (CUDA, ROCM)}
    if len(devices) != 1:
        return places
    device, = devices
    return {name: (*place[:2], *device) if place[2] == CPU and _is_pinned(values[name]) else place
            for name, place in places.items()}


def _is_pinned(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor) and value.is_pinned()


def _name_stream(value):
    """The stream to pass to __dlpack__, so that the launch waits for its work: torch's current one."""
    kind, index = _ask_dlpack_device(value)
    torch = sys.modules.get("torch")
    if kind not in (CUDA, ROCM) or torch is None or not torch.cuda.is_available():
        return {}
    # By the standard, 1 is the legacy default stream of CUDA.
    return {"stream": torch.cuda.current_stream(index).cuda_stream or (1 if kind == CUDA else 0)}


def _ask_dlpack_device(value):
    """(type, index), or (0, 0) if the object does not say."""
    ask = getattr(value, "__dlpack_device__", None)
    kind, index = ask() if callable(ask) else (0, 0)
    return int(kind), int(index)


def _read_cuda_interface(value, interface):
    try:
        address, typestr = as_address(interface["data"][0] or 0), interface["typestr"]
    except (IndexError, KeyError, TypeError) as error:
        raise TypeError(f"its __cuda_array_interface__ is {show(interface)}, without an address as 'data' and a 'typestr'") \
            from error
    dtype = find_dtype(value.dtype) if hasattr(value, "dtype") else 0
    kind, index = _get_pointer_device(value)
    _wait_for(interface.get("stream"), kind, index)
    return _checked(value, address, dtype or _from_typestr(typestr), kind, index)


def _get_pointer_device(value):
    """The device of memory from the CUDA array interface, which does not say: DLPack does, and CuPy's arrays do."""
    kind, index = _ask_dlpack_device(value)
    if kind in (CUDA, ROCM):
        return kind, index
    index = getattr(getattr(value, "device", None), "id", None)
    if isinstance(index, int):
        return _TORCH_KINDS["cuda"], index
    torch = sys.modules.get("torch")
    return _TORCH_KINDS["cuda"], torch.cuda.current_device() if torch is not None and torch.cuda.is_available() else 0


def _wait_for(stream, kind, index):
    """Makes the stream of the launch wait for the one that the CUDA array interface names."""
    if not isinstance(stream, int):
        return
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        if stream not in (0, 1):  # Launches go to the default stream, which is one of these.
            _native.synchronize(kind, index)
        return
    current = torch.cuda.current_stream(index)
    if current.cuda_stream != (0 if stream == 1 else stream):
        current.wait_stream(torch.cuda.default_stream(index) if stream in (0, 1) else
                            torch.cuda.ExternalStream(stream, device=index))


def as_address(value):
    """An address as an integer; TypeError for anything else."""
    try:
        address = operator.index(value)
    except TypeError:
        address = -1
    if not 0 <= address < 1 << 64:
        raise TypeError(f"its address is {show(value)}; an integer of 64 bits is expected")
    return address


def _read_pointer(value):
    """For objects that resemble torch's tensors."""
    pointer = value.data_ptr
    device = str(getattr(value, "device", "") or "cuda")
    kind, _, index = device.partition(":")
    if kind not in _TORCH_KINDS or not (index or "0").isdecimal() or len(index) > 9:
        raise TypeError(f"memory on '{device}' cannot be passed to a kernel: no plugin serves such devices")
    return _checked(value, as_address(pointer() if callable(pointer) else pointer), find_dtype(value.dtype),
                    _TORCH_KINDS[kind], int(index or 0))


def resolve_plain(value):
    """For the native module: like `resolve`, except objects that need a copy or must be kept alive."""
    return None if is_read_only(value) else resolve(value)


def resolve(value, keep=None):
    """(address, dtype, device type, device index) of anything with memory, or None. Raises TypeError for memory that
    no kernel can take. Objects that must live as long as the launch are added to `keep`; without
    `keep`, the result is None for them."""
    if isinstance(value, Pointer):
        return value.address, value.dtype, value.device_type, value.device_index
    if torch_is_loaded() and isinstance(value, sys.modules["torch"].Tensor):
        register_torch()
        dtype = find_dtype(value.dtype)
        if not dtype:
            raise TypeError(f"a tensor of {value.dtype} cannot be passed to a kernel")
        kind = _TORCH_KINDS.get(value.device.type)
        if kind is None:
            raise TypeError(f"a tensor on '{value.device}' cannot be passed to a kernel: no plugin serves such devices")
        return _get_torch_address(value), dtype, kind, value.device.index or 0
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _read_cuda_interface(value, interface)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None and hasattr(value, "dtype") and hasattr(value, "strides"):
        # Numpy's numbers look like arrays; they have no memory of their own.
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.generic):
            return None
        return _checked(value, as_address(interface["data"][0] or 0), find_dtype(value.dtype), CPU, 0)
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        return _read_pointer(value)
    if keep is not None and hasattr(value, "__dlpack__"):
        return _checked(value, *_read_dlpack(value, keep))
    return None


def _get_torch_address(tensor):
    if any(base.__name__ == "FakeTensor" for base in type(tensor).__mro__):
        raise TypeError("a FakeTensor has no memory; wrap the launch in torch.library.triton_op")
    try:
        address = tensor.data_ptr()
    except RuntimeError as error:
        first = str(error).strip().splitlines()[0]
        raise TypeError(f"a tensor without memory of its own (layout {tensor.layout}) cannot be passed to a kernel: {first}") \
            from error
    if not address and tensor.numel():
        raise TypeError(f"a tensor of {tensor.numel()} elements has no memory")
    return address


def _from_typestr(text):
    """The number of an element type by the array interfaces' string, as '<f4'; 0: none."""
    found = re.fullmatch(r"([<>=|])([biuf])(\d+)", text) if isinstance(text, str) else None
    if found is None or (found[1] in "<>" and found[3] != "1" and found[1] != ("<" if sys.byteorder == "little" else ">")):
        return 0
    kinds = {"b": "i1", "i": "i{}", "u": "u{}", "f": "fp{}"}
    return DTYPES.get(kinds[found[2]].format(int(found[3]) * 8), 0)


def _checked(value, address, dtype, kind, index):
    if not dtype:
        own = getattr(value, "dtype", None)
        swapped = own is not None and getattr(own, "isnative", True) is False
        raise TypeError(f"an array of {'an unknown type' if own is None else own} cannot be passed to a kernel" +
                        (": its bytes are swapped; x.astype(x.dtype.newbyteorder('=')) turns them" if swapped else ""))
    return address, dtype, kind, index


def show(value):
    """The text for a value in a message: its repr, if there is one, no longer than a line."""
    try:
        text = repr(value)
    except Exception:
        text = object.__repr__(value)
    return text if len(text) <= 200 else text[:160] + " … " + text[-20:]


def get_extent(value):
    """(first address, bytes) of the whole memory that an argument's memory is a part of."""
    if hasattr(value, "untyped_storage") or torch_is_loaded() and isinstance(value, sys.modules["torch"].Tensor) and hasattr(
            value, "storage"):
        storage = value.untyped_storage() if hasattr(value, "untyped_storage") else value.storage()
        size = storage.nbytes() if hasattr(storage, "nbytes") else len(storage) * storage.element_size()
        return storage.data_ptr(), size
    owner = value
    while hasattr(owner, "__array_interface__") and getattr(owner, "base", None) is not None and hasattr(
            owner.base, "__array_interface__"):
        owner = owner.base
    if hasattr(owner, "nbytes") and hasattr(owner, "__array_interface__"):
        flags = owner.flags
        if flags.c_contiguous or flags.f_contiguous:
            return owner.__array_interface__["data"][0], owner.nbytes
        low = high = owner.__array_interface__["data"][0]
        for size, stride in zip(owner.shape, owner.strides):
            low, high = low + min(0, (size - 1) * stride), high + max(0, (size - 1) * stride)
        return low, high - low + owner.itemsize
    return None


def describe_memory(value):
    """For the native module, about an argument of a launch on the CPU, or on a device whose code depends on it: (first
    address, bytes, shape, strides in elements) of the memory that accesses must stay in; None if unknown."""
    extent = None
    if isinstance(value, Pointer):
        extent, value = value.extent, value.owner
    extent = extent or get_extent(value)
    return extent and (*extent, *_get_layout(value))


def is_small(pointer):
    """Whether launches on devices whose code depends on it take a pointer's memory for small (TILERUN_SMALL_BYTES and
    TILERUN_SMALL_BEFORE of plugin.h), or its size is not known."""
    memory = describe_memory(pointer)
    return not memory or memory[1] < 1 << 31 and pointer.address - memory[0] <= 0x7ff00000


def _get_layout(value):
    if torch_is_loaded() and isinstance(value, sys.modules["torch"].Tensor):
        return tuple(value.shape), tuple(value.stride())
    shape, strides = getattr(value, "shape", None), getattr(value, "strides", None)
    item = getattr(value, "itemsize", 0)
    if not (isinstance(shape, tuple) and isinstance(strides, tuple) and isinstance(item, int) and item > 0):
        return (), ()
    return shape, tuple(stride // item for stride in strides)


def is_read_only(value):
    flags = getattr(value, "flags", None)
    return flags is not None and getattr(flags, "writeable", True) is False

"""Where the tensors of a script that was written for a GPU would be (`python -m tilerun --cpu`): all are on the CPU, and the
storages that would be the host's are known."""

import contextlib
import functools
import threading


def redirected(device):
    """A device with 'cuda' replaced."""
    import torch
    if device is None or isinstance(device, int) and not isinstance(device, bool):
        return device if device is None else "cpu"
    if isinstance(device, (str, torch.device)) and str(device).split(":")[0] == "cuda":
        return torch.device("cpu") if isinstance(device, torch.device) else "cpu"
    return device


def is_gpu(device):
    return device is not None and redirected(device) is not device


class _Storages:
    """Storages that are known. The weak references keep an address from being that of another storage; those of storages
    that are gone are dropped now and then."""

    def __init__(self):
        self._known, self._most = {}, 64

    def __len__(self):
        return len(self._known)

    def __contains__(self, storage):
        return storage is not None and storage._cdata in self._known

    def add(self, storage):
        from torch.multiprocessing.reductions import StorageWeakRef
        if storage is None or storage._cdata in self._known:
            return
        self._known[storage._cdata] = StorageWeakRef(storage)
        if len(self._known) > self._most:
            for key in [key for key, known in list(self._known.items()) if known.expired()]:
                del self._known[key]
            self._most = max(64, 2 * len(self._known))

    def discard(self, storage):
        if storage is not None:
            self._known.pop(storage._cdata, None)

    def clear(self):
        self._known.clear()


# Those of the host: what a script makes without naming its GPU, and what it computes of that. And what it pins of them.
host_storages, pinned_storages = _Storages(), _Storages()


def get_storage(tensor):
    """None for tensors without one: sparse ones, and those of torch.func."""
    try:
        return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    except RuntimeError:
        return None


def mark_host(tensor):
    host_storages.add(get_storage(tensor))
    return tensor


def unmark_host(tensor):
    host_storages.discard(get_storage(tensor))


def is_on_host(tensor):
    """Whether a tensor is known to be a host tensor."""
    return get_storage(tensor) in host_storages


def place_storage(storage, device):
    """Makes a storage known to be where a device is."""
    (host_storages.discard if is_gpu(device) else host_storages.add)(storage)
    return storage


# Whether a script makes on its GPU what it makes without naming a device: by torch.set_default_device, or as innermost
# `with torch.device(…)`.
_default = threading.local()
_context_type = None


def is_default_gpu():
    import torch
    if _context_type is not None:
        for mode in reversed(torch.overrides._get_current_function_mode_stack()):
            if isinstance(mode, _context_type):
                return mode.is_gpu
    return getattr(_default, "is_gpu", False)


def redirect_defaults(torch, pretend):
    """torch.device as a context, and the functions that set a default; `pretend`: as they answer."""
    global _context_type
    with contextlib.suppress(ImportError):
        from torch.utils._device import DeviceContext as _context_type
    if _context_type is not None:
        start = _context_type.__init__

        def start_context(self, device):
            self.is_gpu = is_gpu(device) or getattr(_default, "is_being_set", False)
            start(self, redirected(device))

        _context_type.__init__ = start_context
    if hasattr(torch, "set_default_device"):
        set_default, get_default = torch.set_default_device, getattr(torch, "get_default_device", None)

        @functools.wraps(set_default)
        def set_default_device(device):
            _default.is_being_set = is_gpu(device)
            try:
                set_default(redirected(device))
            finally:
                _default.is_being_set = False
            _default.is_gpu = is_gpu(device)

        torch.set_default_device = set_default_device
        if pretend and get_default is not None:
            torch.get_default_device = functools.wraps(get_default)(
                lambda: torch.device("cuda", 0) if is_default_gpu() else get_default())
    set_type = torch.set_default_tensor_type

    @functools.wraps(set_type)
    def set_default_tensor_type(t):
        of_gpu = isinstance(t, GpuType) or isinstance(t, str) and t.startswith("torch.cuda.")
        set_type(t.plain if isinstance(t, GpuType) else t.replace("torch.cuda.", "torch.", 1) if of_gpu else t)
        _default.is_gpu = of_gpu

    torch.set_default_tensor_type = set_default_tensor_type


class GpuType(type):
    """torch.cuda.FloatTensor and its relatives."""

    def __call__(cls, *args, **kwargs):
        made = cls.plain(*args, **kwargs)
        unmark_host(made)
        return made

    def __instancecheck__(cls, value):
        # The types of torch ask what the tensor says of itself.
        return getattr(value, "is_cuda", False) and value.dtype == cls.dtype

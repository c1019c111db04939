"""Storages of torch with `--cpu`. They say that they are where their tensors say that they are, and torch.load, which makes
them, puts them there. The parts of torch that send them to other processes and write them to files are told the truth: it
is the CPU's memory that they move. Pickles alone keep the place."""

import functools
import threading

from ._places import host_storages, is_gpu, pinned_storages, place_storage, redirected

_thread = threading.local()


def _truthfully(function):
    """A function to which storages say that they are on the CPU."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        before = getattr(_thread, "is_told", False)
        _thread.is_told = not getattr(_thread, "is_pickled", False)
        try:
            return function(*args, **kwargs)
        finally:
            _thread.is_told = before

    return call


def _keeping_places(reduce):
    """`__reduce__` of a storage that is pickled: it comes back to where it is, as a GPU's does."""

    @functools.wraps(reduce)
    def call(self):
        before, _thread.is_pickled = getattr(_thread, "is_pickled", False), True
        try:
            return reduce(self)
        finally:
            _thread.is_pickled = before

    return call


def redirect_storages(torch, pretend):
    _redirect_load(torch)
    kind = getattr(torch, "UntypedStorage", None)
    if kind is None:
        return
    _redirect_class(torch, kind)
    _redirect_pinning(kind)
    if pretend:
        _pretend_storages(torch, kind)
    # Of what the workers of a DataLoader hand over.
    make = getattr(kind, "_new_shared", None)
    if make is not None:
        kind._new_shared = classmethod(
            lambda cls, *args, device="cpu", **kwargs: make.__func__(cls, *args, device=redirected(device), **kwargs))


def _redirect_class(torch, kind):
    make = kind.__new__

    def new(cls, *args, device=None, **kwargs):
        if device is not None:
            kwargs["device"] = redirected(device)
        return place_storage(make(cls, *args, **kwargs), device)

    def copy(self, device):
        return place_storage(make(kind, self.nbytes()).copy_(self), device)

    def to(self, *, device, non_blocking=False):
        device = torch.device(device) if not isinstance(device, int) else torch.device("cuda", device)
        if device.type not in ("cpu", "cuda"):
            raise NotImplementedError(f"a storage cannot be moved to '{device}' with --cpu; choose 'cpu' or 'cuda'")
        return self if is_gpu(device) != (self in host_storages) else copy(self, device)

    kind.__new__ = new
    kind.to = to
    kind.cuda = lambda self, device=None, non_blocking=False: to(self, device="cuda")
    kind.cpu = lambda self: to(self, device="cpu")
    kind.clone = lambda self: copy(self, "cpu" if self in host_storages else "cuda")


def _redirect_pinning(kind):
    def pin_memory(self, device=None):
        if self in pinned_storages:
            return self
        pinned = place_storage(self.clone(), "cpu")
        pinned_storages.add(pinned)
        return pinned

    kind.pin_memory = pin_memory
    kind.is_pinned = lambda self, device=None: self in pinned_storages


def _pretend_storages(torch, kind):
    where, here = kind.device, torch.device("cuda", 0)

    def pretends(self):
        return where.__get__(self).type == "cpu" and not getattr(_thread, "is_told", False) and self not in host_storages

    kind.device = property(lambda self: here if pretends(self) else where.__get__(self))
    kind.is_cuda = property(lambda self: pretends(self) or where.__get__(self).type == "cuda")
    kind.get_device = lambda self: 0 if pretends(self) else -1
    for name in ("share_memory_", "_share_memory_", "is_shared"):
        if hasattr(kind, name):
            setattr(kind, name, _truthfully(getattr(kind, name)))
    for name in ("_save", "_legacy_save"):
        if hasattr(torch.serialization, name):
            setattr(torch.serialization, name, _truthfully(getattr(torch.serialization, name)))
    for storage in (kind, getattr(torch, "TypedStorage", None)):
        if storage is not None:
            storage.__reduce__ = _keeping_places(storage.__reduce__)
    reductions = torch.multiprocessing.reductions
    for name in dir(reductions):
        if name.startswith("reduce_"):
            setattr(reductions, name, _truthfully(getattr(reductions, name)))
    reductions.init_reductions()  # It has them in a table.


def _redirect_load(torch):
    load = torch.load

    @functools.wraps(load)
    def load_here(f, map_location=None, *args, **kwargs):

        def place(storage, location):
            # Files of this run say 'cpu' of everything.
            if callable(map_location):
                moved = map_location(place_storage(storage, location), location)
                return storage if moved is None else moved
            wanted = location if map_location is None else \
                map_location.get(location, location) if isinstance(map_location, dict) else map_location
            return place_storage(storage, wanted)

        return load(f, place, *args, **kwargs)

    torch.load = load_here

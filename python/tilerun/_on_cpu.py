"""`python -m tilerun --cpu`: a script that was written for a GPU runs where there is none. What it makes on 'cuda' is
made on the CPU, and what it asks of torch.cuda gets an answer (`_pretend`); nothing is done to scripts that do not ask for
it."""

import functools
import os
import weakref

from . import _memory, _pretend

is_redirected = is_pretending = False


def _redirected(device):
    """A device with 'cuda' replaced."""
    import torch
    if device is None or isinstance(device, int) and not isinstance(device, bool):
        return device if device is None else "cpu"
    if isinstance(device, (str, torch.device)) and str(device).split(":")[0] == "cuda":
        return torch.device("cpu") if isinstance(device, torch.device) else "cpu"
    return device


def _is_gpu(device):
    return device is not None and _redirected(device) is not device


# Tensors that a script has made on its GPU or brought there, by identity: only what comes from elsewhere is copied when it is
# brought there, so that the two have memory of their own, as on a GPU.
_on_gpu = {}


def _mark(tensor):
    key = id(tensor)
    _on_gpu[key] = weakref.ref(tensor, lambda _: _on_gpu.pop(key, None))
    return tensor


def _is_marked(tensor):
    known = _on_gpu.get(id(tensor))
    return known is not None and known() is tensor


def _with_device(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        device = kwargs.get("device")
        if device is not None:
            kwargs["device"] = _redirected(device)
        kwargs.pop("pin_memory", None)
        made = function(*args, **kwargs)
        return _mark(made) if _is_gpu(device) else made

    return call


_FACTORIES = ("arange as_tensor asarray empty empty_like empty_strided eye from_numpy full full_like linspace logspace ones "
              "ones_like empty_permuted empty_quantized normal rand rand_like randint randint_like randn randn_like randperm scalar_tensor sparse_bsr_tensor "
              "sparse_compressed_tensor sparse_coo_tensor sparse_csr_tensor tensor tril_indices triu_indices zeros "
              "zeros_like range bartlett_window blackman_window hamming_window hann_window kaiser_window").split()
_FFT_FACTORIES = ("fftfreq", "rfftfreq")
_METHODS = "new_empty new_full new_ones new_tensor new_zeros new_empty_strided".split()


def _in_float32(function):
    """Where torch's CPU code lacks 16-bit floats (older versions do, for many functions), in float32 and rounded back."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        import torch
        try:
            return function(*args, **kwargs)
        except RuntimeError as error:
            halves = [a for a in args if isinstance(a, torch.Tensor) and a.dtype in (torch.float16, torch.bfloat16)]
            if "not implemented for" not in str(error) or not halves:
                raise
            widen = lambda a: a.float() if isinstance(a, torch.Tensor) and a.is_floating_point() else a
            return function(*map(widen, args), **{name: widen(value) for name, value in kwargs.items()}).to(halves[0].dtype)

    return call


def _redirect_generator(torch):
    plain = torch.Generator

    class Kind(type(plain)):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

    class Generator(plain, metaclass=Kind):
        def __new__(cls, device="cpu"):
            return plain(_redirected(device))

    torch.Generator = Generator


_FLOAT_FUNCTIONS = "baddbmm bmm exp log log_softmax matmul mm rsqrt sigmoid softmax sqrt tanh".split()
_FLOAT_NN_FUNCTIONS = "gelu layer_norm leaky_relu linear log_softmax relu silu softmax".split()


def _redirect_tensors(torch):
    """`x.to(…)`, `x.cuda()`, `x.cpu()`: a copy where a GPU would make one."""
    to, parameter = torch.Tensor.to, torch.nn.Parameter

    def tensor_to(self, *args, **kwargs):
        wanted = kwargs.get("device", next((a for a in args if isinstance(a, (str, torch.device)) or type(a) is int), None))
        if wanted is None:
            return to(self, *args, **kwargs)
        kwargs = {name: _redirected(value) if name == "device" else value for name, value in kwargs.items()}
        moved = to(self, *(_redirected(a) if a is wanted else a for a in args), **kwargs)
        if moved is self and not (_is_gpu(wanted) and (_is_marked(self) or isinstance(self, parameter))):
            moved = self.clone()
        return _mark(moved) if _is_gpu(wanted) else moved

    torch.Tensor.to = tensor_to
    torch.Tensor.cuda = lambda self, *args, **kwargs: tensor_to(self, "cuda")
    torch.Tensor.cpu = lambda self, *args, **kwargs: tensor_to(self, "cpu")
    torch.Tensor.pin_memory = lambda self, *args, **kwargs: self


def _redirect_modules(torch):
    module_to = torch.nn.Module.to

    def move(self, *args, **kwargs):
        # Its parameters are where they are to be.
        args = [a for a in args if not _is_gpu(a)]
        kwargs = {name: value for name, value in kwargs.items() if name != "device" or not _is_gpu(value)}
        return module_to(self, *args, **kwargs) if args or kwargs.keys() - {"non_blocking"} else self

    torch.nn.Module.to = move
    torch.nn.Module.cuda = lambda self, *args, **kwargs: self
    if hasattr(torch.nn.Module, "to_empty"):
        torch.nn.Module.to_empty = _with_device(torch.nn.Module.to_empty)


def _redirect_storages(torch):
    load = torch.load

    @functools.wraps(load)
    def load_here(f, map_location=None, *args, **kwargs):
        plain = map_location is None or isinstance(map_location, (str, torch.device))
        return load(f, _redirected(map_location) if _is_gpu(map_location) else "cpu" if plain else map_location, *args, **kwargs)

    torch.load = load_here
    # Of what the workers of a DataLoader hand over.
    make = getattr(getattr(torch, "UntypedStorage", None), "_new_shared", None)
    if make is not None:
        torch.UntypedStorage._new_shared = classmethod(
            lambda cls, *args, device="cpu", **kwargs: make.__func__(cls, *args, device=_redirected(device), **kwargs))


def redirect(pretend=True):
    """Puts the replacements into torch, if it can be imported. `pretend`: tensors and torch.cuda say that there is a GPU."""
    global is_redirected, is_pretending
    is_redirected, is_pretending = True, pretend
    # What is not redirected fails, where there is a GPU as well.
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    try:
        import torch
    except ImportError:
        return
    for name in _FACTORIES:
        if hasattr(torch, name) and not isinstance(getattr(torch, name), type):
            setattr(torch, name, _with_device(getattr(torch, name)))
    for name in _FFT_FACTORIES:
        setattr(torch.fft, name, _with_device(getattr(torch.fft, name)))
    for name in _METHODS:
        if hasattr(torch.Tensor, name):
            setattr(torch.Tensor, name, _with_device(getattr(torch.Tensor, name)))
    for module, names in ((torch, _FLOAT_FUNCTIONS), (torch.nn.functional, _FLOAT_NN_FUNCTIONS)):
        for name in names:
            setattr(module, name, _in_float32(getattr(module, name)))
    _redirect_tensors(torch)
    _redirect_modules(torch)
    _redirect_storages(torch)
    _redirect_generator(torch)
    if hasattr(torch, "set_default_device"):
        set_default = torch.set_default_device
        torch.set_default_device = lambda device: set_default(_redirected(device))
    _memory.treat_cuda_as_cpu()
    _pretend.redirect_module(torch)
    (_pretend.pretend if pretend else _pretend.tell_truth)(torch)

"""`python -m tilerun --cpu`: a script that was written for a GPU runs where there is none. What it makes on 'cuda' is
made on the CPU, and what it asks of torch.cuda gets an answer; nothing is done to scripts that do not ask for it."""

import contextlib
import functools

is_redirected = False


def _redirected(device):
    """A device with 'cuda' replaced."""
    import torch
    if device is None or isinstance(device, int) and not isinstance(device, bool):
        return device if device is None else "cpu"
    if isinstance(device, (str, torch.device)) and str(device).split(":")[0] == "cuda":
        return torch.device("cpu") if isinstance(device, torch.device) else "cpu"
    return device


def _with_device(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        if "device" in kwargs:
            kwargs["device"] = _redirected(kwargs["device"])
        kwargs.pop("pin_memory", None)
        return function(*args, **kwargs)

    return call


_FACTORIES = ("arange as_tensor asarray empty empty_like empty_strided eye from_numpy full full_like linspace logspace ones "
              "ones_like normal rand rand_like randint randint_like randn randn_like randperm scalar_tensor sparse_bsr_tensor "
              "sparse_compressed_tensor sparse_coo_tensor sparse_csr_tensor tensor tril_indices triu_indices zeros "
              "zeros_like bartlett_window blackman_window hamming_window hann_window kaiser_window").split()
_METHODS = "new_empty new_full new_ones new_tensor new_zeros new_empty_strided".split()


class _Event:
    """A point in time."""

    def __init__(self, enable_timing=False, **_):
        self.time = None

    def record(self, stream=None):
        import time
        self.time = time.perf_counter()

    def elapsed_time(self, other):
        return (other.time - self.time) * 1e3

    def synchronize(self):
        pass

    def query(self):
        return True

    def wait(self, stream=None):
        pass


class _Stream:
    cuda_stream = 0

    def __init__(self, *_, **__):
        pass

    def synchronize(self):
        pass

    def wait_stream(self, other):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or _Event()
        event.record()
        return event

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class _Properties:
    name, major, minor, multi_processor_count, total_memory, warp_size = "cpu", 0, 0, 1, 1 << 34, 1
    shared_memory_per_block_optin = 1 << 30


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


def redirect():
    """Puts the replacements into torch, if it can be imported."""
    global is_redirected
    is_redirected = True
    try:
        import torch
    except ImportError:
        return
    for name in _FACTORIES:
        if hasattr(torch, name) and not isinstance(getattr(torch, name), type):
            setattr(torch, name, _with_device(getattr(torch, name)))
    for name in _METHODS:
        if hasattr(torch.Tensor, name):
            setattr(torch.Tensor, name, _with_device(getattr(torch.Tensor, name)))
    for module, names in ((torch, _FLOAT_FUNCTIONS), (torch.nn.functional, _FLOAT_NN_FUNCTIONS)):
        for name in names:
            setattr(module, name, _in_float32(getattr(module, name)))
    to, module_to = torch.Tensor.to, torch.nn.Module.to
    redirect_all = lambda args: [_redirected(a) if isinstance(a, (str, torch.device)) else a for a in args]

    def tensor_to(self, *args, **kwargs):
        if "device" in kwargs:
            kwargs["device"] = _redirected(kwargs["device"])
        return to(self, *redirect_all(args), **kwargs)

    def move_module(self, *args, **kwargs):
        if "device" in kwargs:
            kwargs["device"] = _redirected(kwargs["device"])
        return module_to(self, *redirect_all(args), **kwargs)

    torch.Tensor.to, torch.nn.Module.to = tensor_to, move_module
    torch.Tensor.cuda = lambda self, *args, **kwargs: self
    torch.nn.Module.cuda = lambda self, *args, **kwargs: self
    torch.Tensor.pin_memory = lambda self, *args, **kwargs: self
    _redirect_generator(torch)
    cuda = torch.cuda
    cuda.is_available = lambda: False
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    for name in ("synchronize", "set_device", "empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated", "init",
                 "_sleep"):
        setattr(cuda, name, lambda *args, **kwargs: None)
    # The seed of 'cuda' is the one seed that there is.
    cuda.manual_seed = cuda.manual_seed_all = lambda seed: torch.default_generator.manual_seed(seed) and None
    cuda.get_rng_state = lambda *args: torch.get_rng_state()
    cuda.set_rng_state = lambda state, *args: torch.set_rng_state(state)
    cuda.Event, cuda.Stream = _Event, _Stream
    cuda.current_stream = cuda.default_stream = lambda *args: _Stream()
    cuda.stream = lambda stream: contextlib.nullcontext()
    cuda.device = lambda device: contextlib.nullcontext()
    cuda.get_device_capability = lambda *args: (0, 0)
    cuda.get_device_name = lambda *args: "cpu"
    cuda.get_device_properties = lambda *args: _Properties()
    for name in ("max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved"):
        setattr(cuda, name, lambda *args: 0)
    cuda.memory_stats, cuda.memory_summary = lambda *args: {}, lambda *args, **kwargs: ""
    cuda.mem_get_info = lambda *args: (_Properties.total_memory, ) * 2
    cuda.is_current_stream_capturing = lambda: False
    for name in dir(cuda):
        if name.endswith("Tensor") and hasattr(torch, name):
            setattr(cuda, name, getattr(torch, name))  # torch.cuda.FloatTensor and its relatives.

"""`python -m tilerun --cpu` and `--device`: runs a script that was written for a GPU where torch has none. Tensors that it
makes on 'cuda' are made on the CPU, and its queries of torch.cuda are answered (`_pretend`);
scripts that make no use of a GPU are unaffected."""

import atexit
import functools
import os
import types

from . import _memory, _pretend
from ._autocast import redirect_autocast
from ._compiled import is_compiling, redirect_compile
from ._places import (get_storage, host_storages, is_default_gpu, is_gpu, is_on_host, mark_host, pinned_storages,
                      redirect_defaults, redirected, unmark_host)
from ._storages import redirect_storages

is_redirected = is_pretending = False


def _is_traced():
    """Whether torch.compile is tracing the calling code."""
    import torch
    ask = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    return ask is not None and ask() or is_compiling()  # Dynamo knows the first.


def _find_tensors(values, found, tensor_type):
    """The tensors among arguments or results, in lists, tuples and dicts as well."""
    for value in values:
        if isinstance(value, tensor_type):
            found.append(value)
        elif type(value) in (list, tuple, dict) or isinstance(value, tuple):
            _find_tensors(value.values() if type(value) is dict else value, found, tensor_type)
    return found


def _mark_like(made, args, kwargs, alone):
    """Marks results as the host's if the operands are; without operands, if `alone` is true."""
    import torch
    results = _find_tensors((made, ), [], torch.Tensor)
    if not results or "out" in kwargs:
        return made
    tensors = _find_tensors((*args, *kwargs.values()), [], torch.Tensor)
    # A GPU takes numbers of the host's.
    tensors = [tensor for tensor in tensors if tensor.dim()] or tensors
    if all(map(is_on_host, tensors)) if tensors else alone:
        for result in results:
            mark_host(result)
    return made


def _with_device(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        device = kwargs.get("device")
        if device is not None:
            kwargs["device"] = redirected(device)
        pinned = kwargs.pop("pin_memory", None)
        made = function(*args, **kwargs)
        if _is_traced() or is_gpu(device):
            return made
        made = _mark_like(made, args, kwargs, not is_default_gpu()) if device is None else mark_host(made)
        return _pin(made) if pinned else made

    return call


def _pin(tensor):
    pinned_storages.add(get_storage(tensor))
    return tensor


def _with_copy(function):
    """torch.as_tensor and its relatives, which share memory with their argument, but on a GPU not
    with the host's memory."""
    make = _with_device(function)

    @functools.wraps(function)
    def call(data, *args, **kwargs):
        import torch
        made = make(data, *args, **kwargs)
        if not is_gpu(kwargs.get("device")) or isinstance(data, torch.Tensor) and not is_on_host(data):
            return made
        copy = made.clone() if made is data or not isinstance(data, torch.Tensor) else made
        unmark_host(copy)
        return copy

    return call


def _like_operands(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        made = function(*args, **kwargs)
        return _mark_like(made, args, kwargs, False) if host_storages and not _is_traced() else made

    return call


_FACTORIES = ("arange empty from_dlpack empty_like empty_strided eye from_numpy frombuffer full full_like linspace logspace ones "
              "ones_like empty_permuted empty_quantized normal rand rand_like randint randint_like randn randn_like randperm scalar_tensor sparse_bsr_tensor "
              "sparse_compressed_tensor sparse_coo_tensor sparse_csr_tensor tensor tril_indices triu_indices zeros "
              "zeros_like range bartlett_window blackman_window hamming_window hann_window kaiser_window").split()
_FFT_FACTORIES = ("fftfreq", "rfftfreq")
_SHARING = "as_tensor asarray".split()
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


def _with_wide_result(function, names):
    """`out_dtype` of products of 16-bit floats, which PyTorch has for GPUs alone: the product of wide operands. `names` are those of
    the tensors, in order, the factors last."""

    @functools.wraps(function)
    def call(*args, out_dtype=None, out=None, **kwargs):
        import torch
        out_dtype = next((a for a in args if isinstance(a, torch.dtype)), out_dtype)
        if out_dtype is None:
            return function(*args, **kwargs) if out is None else function(*args, out=out, **kwargs)
        tensors = {**dict(zip(names, (a for a in args if isinstance(a, torch.Tensor)))), **kwargs}
        for dtype in (tensors[name].dtype for name in names[-2:] if name in tensors):
            if out_dtype != dtype and (out_dtype != torch.float32 or dtype not in (torch.float16, torch.bfloat16)):
                raise RuntimeError(f"torch.{function.__name__}: out_dtype is {out_dtype}, but an operand is {dtype}; it is the dtype of "
                                   "the operands, or torch.float32 for those of 16 bits")
        if out is not None and out.dtype != out_dtype:
            raise RuntimeError(f"torch.{function.__name__}: out has dtype {out.dtype}, but out_dtype is {out_dtype}")
        wide = [tensors.pop(name).to(out_dtype) for name in names if name in tensors]
        made = function(*wide, **tensors)
        return made if out is None else out.resize_(made.shape).copy_(made)

    return call


def _redirect_generator(torch):
    plain = torch.Generator

    class Kind(type(plain)):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

    class Generator(plain, metaclass=Kind):
        def __new__(cls, device="cpu"):
            return plain(redirected(device))

    torch.Generator = Generator


def _redirect_streams(torch):
    """torch.Stream and torch.Event, of which those of torch.cuda are kinds."""
    for name, own in (("Stream", _pretend.Stream), ("Event", _pretend.Event)):
        plain = getattr(torch, name, None)
        if plain is None:
            continue

        class Kind(type):
            def __instancecheck__(cls, value):
                return isinstance(value, (cls.plain, cls.own))

            def __call__(cls, *args, device=None, **kwargs):
                first = args[0] if device is None and args else device
                return cls.own(*args, **kwargs) if first is None or is_gpu(first) else \
                    cls.plain(*args, **kwargs, **({} if device is None else {"device": device}))

        setattr(torch, name, Kind(name, (), {"plain": plain, "own": own, "__module__": "torch"}))


def _tell_jit(torch):
    """torch.jit knows the functions that it does not compile by their identity."""
    builtins = getattr(torch.jit, "_builtins", None)
    find, register = getattr(builtins, "_find_builtin", None), getattr(builtins, "_register_builtin", None)
    if find is None or register is None:
        return
    for module in (torch, torch.nn.functional, torch.fft, torch.linalg, torch.special):
        for function in list(vars(module).values()):
            plain = function
            while plain.__class__ is types.FunctionType and hasattr(plain, "__wrapped__"):
                plain = plain.__wrapped__
            if plain is not function and (name := find(plain)) is not None:
                register(function, name)


def _redirect_constructor(torch):
    """`torch.Tensor(3, 4)`, which is a tensor of the host unless the default is another."""
    make = torch.Tensor.__new__

    def new(cls, *args, device=None, **kwargs):
        made = make(cls, *args, **kwargs, **({} if device is None else {"device": redirected(device)}))
        of_tensor = any(isinstance(a, torch.Tensor) for a in args)
        return made if of_tensor or _is_traced() or (is_default_gpu() if device is None else is_gpu(device)) else mark_host(made)

    torch.Tensor.__new__ = new


# Methods that give no tensor, or have an answer of their own here.
_OTHER_METHODS = ("backward cpu cuda data_ptr dim element_size get_device item ndimension numel numpy pin_memory record_stream "
                  "register_hook retain_grad share_memory_ size storage storage_offset storage_type stride to tolist type "
                  "untyped_storage").split()
_FLOAT_FUNCTIONS = "baddbmm bmm exp log log_softmax matmul mm rsqrt sigmoid softmax sqrt tanh".split()
_PRODUCTS = {"addmm": ("input", "mat1", "mat2"), "baddbmm": ("input", "batch1", "batch2"), "bmm": ("input", "mat2"), "mm": ("input", "mat2")}
_FLOAT_NN_FUNCTIONS = "gelu layer_norm leaky_relu linear log_softmax relu silu softmax".split()


def _redirect_tensors(torch):
    """`x.to(…)`, `x.cuda()`, `x.cpu()`: a copy where a GPU would make one."""
    to, clone, parameter = torch.Tensor.to, torch.Tensor.clone, torch.nn.Parameter

    def tensor_to(self, *args, **kwargs):
        other = kwargs.get("other", args[0] if args else None)
        wanted = kwargs.get("device", next((a for a in args if isinstance(a, (str, torch.device)) or type(a) is int), None))
        if isinstance(other, torch.Tensor):
            wanted = torch.device("cpu" if is_on_host(other) else "cuda")
            moved = to(self, *args, **kwargs)
        elif wanted is None:
            return _mark_like(to(self, *args, **kwargs), (self, ), {}, False)
        else:
            kwargs = {name: redirected(value) if name == "device" else value for name, value in kwargs.items()}
            moved = to(self, *(redirected(a) if a is wanted else a for a in args), **kwargs)
        if not is_gpu(wanted):
            copy = clone(self) if moved is self else moved
            return copy if is_compiling() else mark_host(copy)
        # Tensors that are not known to be the host's are on the GPU already: a copy would lose what kernels write.
        return clone(self) if moved is self and not is_compiling() and is_on_host(self) and not isinstance(self, parameter) else moved

    type_of = torch.Tensor.type

    def tensor_type(self, dtype=None, *args, **kwargs):
        if dtype is None:
            # It is a GPU's only without --no-pretend.
            return type_of(self).replace("torch.", "torch.cuda.", 1) if self.is_cuda else type_of(self)
        if isinstance(dtype, str):
            where = "cuda" if dtype.startswith("torch.cuda.") else "cpu"
            converted = type_of(self, dtype.replace("torch.cuda.", "torch.", 1))
            return tensor_to(_mark_like(converted, (self, ), {}, False), where)
        return _mark_like(type_of(self, dtype, *args, **kwargs), (self, ), {}, False)

    torch.Tensor.type = tensor_type
    torch.Tensor.to = tensor_to
    torch.Tensor.cuda = lambda self, *args, **kwargs: tensor_to(self, "cuda")
    torch.Tensor.cpu = lambda self, *args, **kwargs: tensor_to(self, "cpu")
    torch.Tensor.is_pinned = lambda self, *args: get_storage(self) in pinned_storages
    torch.Tensor.pin_memory = lambda self, *args, **kwargs: self if self.is_pinned() else _pin(mark_host(clone(self)))


def _redirect_operations(torch):
    """Results of operations on host tensors are host tensors: for all functions that torch lets subclasses of tensors override."""
    for space, functions in torch.overrides.get_overridable_functions().items():
        known = set(map(id, functions))
        for name in dir(space):
            function = getattr(space, name)
            if id(function) not in known or isinstance(function, type) or not callable(function):
                continue
            if name.startswith(("is_", "__dlpack")) or name in _OTHER_METHODS or name in _METHODS:
                continue
            # Those with two underscores are operators; with one, torch's own.
            if name.startswith("_") and not (name.startswith("__") and name[2:-2] in _OPERATORS):
                continue
            setattr(space, name, _like_operands(function))


_OPERATORS = ("abs add and floordiv getitem iadd iand ifloordiv imul invert ior ipow isub itruediv ixor lshift matmul mod mul neg "
              "or pos pow radd rdiv rfloordiv rlshift rmatmul rmod rmul rpow rshift rsub rtruediv sub truediv xor div eq ne lt le "
              "gt ge rand ror rxor").split()


def _redirect_modules(torch):
    module_to = torch.nn.Module.to

    def settle(self):
        for tensor in (*self.parameters(), *self.buffers()):
            unmark_host(tensor)
        return self

    def move(self, *args, **kwargs):
        # Its parameters are where they are to be.
        if any(map(is_gpu, (*args, kwargs.get("device")))):
            settle(self)
        args = [a for a in args if not is_gpu(a)]
        kwargs = {name: value for name, value in kwargs.items() if name != "device" or not is_gpu(value)}
        return module_to(self, *args, **kwargs) if args or kwargs.keys() - {"non_blocking"} else self

    torch.nn.Module.to = move
    torch.nn.Module.cuda = lambda self, *args, **kwargs: settle(self)

    def start_parallel(self, module, device_ids=None, output_device=None, dim=0):
        torch.nn.Module.__init__(self)  # As with one GPU: the module by itself.
        self.module, self.dim, self.device_ids = module, dim, []

    torch.nn.DataParallel.__init__ = start_parallel
    if hasattr(torch.nn.Module, "to_empty"):
        torch.nn.Module.to_empty = _with_device(torch.nn.Module.to_empty)


def redirect(pretend=True):
    """Puts the replacements into torch, if it can be imported. `pretend`: tensors and torch.cuda say that there is a GPU, the
    device that all launches are sent to, if one was chosen."""
    from . import _devices  # It imports this module.
    global is_redirected, is_pretending
    is_redirected, is_pretending = True, pretend
    chosen = _devices.get_chosen()
    if chosen is None or chosen[0] != _memory.CUDA:
        # Functions that are not redirected fail, even where there is a GPU.
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    try:
        import torch
    except ImportError:
        return
    for name in _FACTORIES:
        if hasattr(torch, name) and not isinstance(getattr(torch, name), type):
            setattr(torch, name, _with_device(getattr(torch, name)))
    for name in _SHARING:
        if hasattr(torch, name):
            setattr(torch, name, _with_copy(getattr(torch, name)))
    for name in _FFT_FACTORIES:
        setattr(torch.fft, name, _with_device(getattr(torch.fft, name)))
    if hasattr(torch, "nested"):
        torch.nested.nested_tensor = _with_device(torch.nested.nested_tensor)
    for name in _METHODS:
        if hasattr(torch.Tensor, name):
            setattr(torch.Tensor, name, _with_device(getattr(torch.Tensor, name)))
    for module, names in ((torch, _FLOAT_FUNCTIONS), (torch.nn.functional, _FLOAT_NN_FUNCTIONS)):
        for name in names:
            setattr(module, name, _like_operands(_in_float32(getattr(module, name))))
    for name, tensors in _PRODUCTS.items():
        setattr(torch, name, _with_wide_result(getattr(torch, name), tensors))
    _redirect_tensors(torch)
    atexit.register(host_storages.clear)  # Weak references need torch.
    atexit.register(pinned_storages.clear)
    _redirect_operations(torch)
    _redirect_modules(torch)
    redirect_storages(torch, pretend)
    redirect_defaults(torch, pretend)
    redirect_autocast(torch)
    _redirect_generator(torch)
    _redirect_constructor(torch)
    _redirect_streams(torch)
    _tell_jit(torch)
    redirect_compile(torch, pretend)
    _memory.treat_cuda_as_cpu()
    _pretend.redirect_module(torch)
    (_pretend.pretend if pretend else _pretend.tell_truth)(torch)
    if pretend and chosen is not None:
        _pretend.describe(torch, *chosen)

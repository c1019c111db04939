"""`@triton.jit`: functions that become kernels. A plain launch is the native module's alone; this file prepares kernels,
and takes the launches that are not plain: first ones, those with hooks, copies, checks, tuples, functions or mistakes."""

import ast
import functools
import inspect
import sys
import time
import weakref
from collections import defaultdict
from dataclasses import dataclass

from .. import _missing
from ... import _devices, _host_values, _memory, _native, _source
from ...errors import DeprecatedOptionError, IntegerRangeError, InvalidArgumentError, UnsupportedError, name_parts
from .. import knobs
from ..compiler.kernel import CompiledKernel
from ..language import constexpr, dtype
from . import _copies, _variants
from ._async_compile import active_mode
from ._callables import (ConstexprFunction, JITCallable, KernelInterface, KernelParam, constexpr_function, entry, lock)
from ._options import (AMD_OPTIONS, IGNORED_OPTIONS, OPTIONS, leave_out_overflow, make_cache_key, pack_options, read_option,
                       read_target_options)
from ._values import MockTensor, TensorWrapper, reinterpret, unwrap, unwrap_argument


class _JITFunctionType(type):
    """The hooks that are set on the class, as knobs: launches must know that there are some. So must they of a `run` that
    takes the place of the class's own, as tracers do."""

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if name == "run":
            cls._launch_through(value)

    def _launch_through(cls, run):
        cls.__getitem__ = _native.Kernel.__getitem__ if run is _plain_run else KernelInterface.__getitem__

    cache_hook = property(lambda cls: knobs.runtime.jit_cache_hook,
                          lambda cls, hook: setattr(knobs.runtime, "jit_cache_hook", hook))
    compiled_hook = property(lambda cls: knobs.runtime.jit_post_compile_hook,
                             lambda cls, hook: setattr(knobs.runtime, "jit_post_compile_hook", hook))


class JITFunction(_native.Kernel, JITCallable, KernelInterface, metaclass=_JITFunctionType):
    """A function that is compiled when it is launched."""

    _is_jit_function = True
    cache_hook = property(lambda self: knobs.runtime.jit_cache_hook)
    compiled_hook = property(lambda self: knobs.runtime.jit_post_compile_hook)

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        if "run" in vars(cls) and "__getitem__" not in vars(cls):
            cls._launch_through(cls.run)

    def __init__(self, fn, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None,
                 noinline=None, repr=None, launch_metadata=None):
        JITCallable.__init__(self, fn)
        self.module = fn.__module__
        self.version = version
        self.signature = inspect.signature(fn)
        self.arg_names = list(self.signature.parameters)
        # `**meta`, as in Triton 1.x: what it collects is a dict of constants.
        self._meta = next((p.name for p in self.signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)
        self.do_not_specialize = tuple(do_not_specialize or ())
        self.do_not_specialize_on_alignment = tuple(do_not_specialize_on_alignment or ())
        self.debug, self.noinline = debug, noinline
        self.launch_metadata = launch_metadata
        self._repr = repr
        self.repr = (lambda _: fn.__name__) if repr is None else repr
        for name in (*self.do_not_specialize, *self.do_not_specialize_on_alignment):
            if isinstance(name, int) and not 0 <= name < len(self.arg_names):
                raise IndexError(f"@triton.jit of '{fn.__name__}': unknown parameter {name}; it has "
                                 f"{len(self.arg_names)}")
        listed = lambda names, i, name: i in names or name in names
        self.params = [KernelParam(i, p, listed(self.do_not_specialize, i, name),
                                   listed(self.do_not_specialize_on_alignment, i, name))
                       for i, (name, p) in enumerate(self.signature.parameters.items())]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.decorator = self._make_decorator()
        self.kernel = None
        self._sources = None
        functools.update_wrapper(self, fn, updated=())
        self._begin()

    def _begin(self):
        """What no process inherits from another."""
        self.pre_run_hooks = []
        self.device_caches = defaultdict(lambda: ({}, {}, None, None, None))
        self._variants, self._seen, self._loaded, self._overrides = {}, set(), set(), {}
        defaults = {p.name: unwrap_argument(p.default) for p in self.params if p.has_default}
        self._setup(tuple(self.arg_names), tuple(p.is_constexpr for p in self.params), defaults,
                    (0, 0, 0, 0, 1 if self.debug else 0))

    def _make_decorator(self):
        settings = []
        for name in ("do_not_specialize", "do_not_specialize_on_alignment"):
            given = [self.arg_names[x] if isinstance(x, int) else x for x in getattr(self, name)]
            if given:
                settings.append(f"{name}={given!r}")
        if self.noinline:
            settings.append("noinline=True")
        if self.debug:
            settings.append("debug=True")
        return f"@triton.jit({', '.join(settings)})" if settings else "@triton.jit"

    # -- Attributes that frameworks read

    def _forget(self):
        """The code compiled with sources that have been replaced."""
        self._sources = None
        self._variants.clear()
        self._seen.clear()
        self._loaded.clear()
        self._set_slow(True)

    @property
    def used_global_vals(self):
        """The globals that it uses, with their values when it was compiled: {(name, id of the scope): (value, scope)}."""
        if self.fn is None:
            return {}
        _, _, watched = _source.Collector().collect(self)
        return {(name, id(scope)): (value[0], scope) for scope, name, *value in watched if value and name is not None}

    @used_global_vals.setter
    def used_global_vals(self, value):
        """Ignored: code that takes a kernel apart to pickle it sets this, and sets it back."""

    @property
    def cache(self):
        """The compiled kernels by device and signature."""
        return {device: kernels[0] for device, kernels in self.device_caches.items()}

    @property
    def __globals__(self):
        return None if self.fn is None else self.fn.__globals__

    @__globals__.setter
    def __globals__(self, value):
        """Ignored, as for used_global_vals."""

    @property
    def _fn_name(self):
        return f"{self.module}.{self.__qualname__}"

    def get_capture_scope(self):
        """The names that the function sees: its globals and its captured variables."""
        return {**self.fn.__globals__, **inspect.getclosurevars(self.fn).nonlocals}

    def parse(self):
        return ast.parse(self.text)

    # As functions are: copied by reference, and pickled by name. A kernel without its function, as left by code that sends
    # kernels to another process, is pickled with its sources.

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        if self.fn is not None:
            return self.__qualname__
        self._ensure_loaded()
        left_out = "__wrapped__", "_variants", "_seen", "_loaded", "_overrides", "_users", "device_caches", "pre_run_hooks", "_hash_lock"
        return _restore, ({name: value for name, value in vars(self).items() if name not in left_out}, )

    def __hash__(self):
        return hash((self.module, self.__qualname__, id(self)))

    def __eq__(self, other):
        return self is other

    def __repr__(self):
        return f"JITFunction({self.module}:{self.__qualname__})"

    def _repr_html_(self):
        from ... import _pictures
        return _pictures.describe(self)

    @entry
    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def add_pre_run_hook(self, hook):
        """`hook(*args, **kwargs)` is called before each launch."""
        self.pre_run_hooks.append(hook)
        self._set_slow(True)

    def run(self, *args, grid, warmup=False, **kwargs):
        if warmup:
            return self._launch(grid, args, kwargs, warmup=True)
        return _native.Kernel.__getitem__(self, grid)(*args, **kwargs)

    def preload(self, specialization_data):
        """Compiles what `CompiledKernel.specialization_data` of an earlier process describes."""
        import json
        try:
            data = json.loads(specialization_data)
            name, signature, options = data["name"], str(data["signature"]), tuple(data["options"])
            numbers, own = options[:len(OPTIONS) + 1], options[len(OPTIONS) + 1:]
            if len(numbers) != len(OPTIONS) + 1 or not all(type(n) is int and 0 <= n < 1 << 32 for n in numbers):
                raise ValueError(f"its options are {options}")
            options = numbers + tuple(tuple((str(option), str(value)) for option, value in pairs) for pairs in own[:1])
        except (KeyError, TypeError, ValueError) as error:
            self._fail(f"{_memory.show(specialization_data)} is not the specialization_data of a compiled kernel ({error})",
                       ValueError)
        if name != self.__name__:
            raise RuntimeError(f"Specialization data is for {name} but trying to preload for {self.__name__}")
        self._ensure_loaded()
        kind, index = _devices.get_default()
        self._specialize(kind, index, signature, options)
        return self._make_compiled(kind, index, signature, options)

    # -- Launches that are not plain

    def _needs_python(self):
        """Whether launches go through Python code: the native module knows no hooks, and takes a name for a parameter or an option."""
        return bool(self.pre_run_hooks) or self._meta is not None or any(name in OPTIONS for name in self.arg_names)

    def _ensure_loaded(self):
        with lock:
            if self._sources is not None and self._is_loaded():
                return
            if self.fn is None and self._sources is not None:
                self._load(self._sources, self.__name__, "", [])
                return
            if self._meta is not None:
                code = self.fn.__code__
                print(f"{code.co_filename}:{code.co_firstlineno}: note: '**{self._meta}' of the kernel '{self.__name__}' is of an "
                      "earlier Triton; today it is a tl.constexpr parameter for each value", file=sys.stderr)
            collector = _source.Collector()
            sources, name, watched = collector.collect(self)
            self._load(sources, name, "", watched)
            self._sources = sources
            self._variants.clear()
            collector.note_user(self)
            self._set_slow(self._needs_python())

    def _fail(self, what, kind=TypeError):
        raise kind(f"kernel '{self.__name__}': {name_parts(what)}")

    def _bind(self, args, kwargs):
        """(values by parameter in order, options) of a call."""
        values = {}
        if len(args) > len(self.params):
            self._fail(f"{len(args)} arguments were passed; it takes {len(self.params)}: {', '.join(self.arg_names)}")
        for param, value in zip(self.params, args):
            values[param.name] = value
        options = dict.fromkeys(OPTIONS, 0)
        options["debug"] = int(bool(self.debug))
        options["enable_fp_fusion"] = knobs.language.default_fp_fusion
        for name, value in kwargs.items():
            if name in self.signature.parameters and name != self._meta:
                if name in values:
                    self._fail(f"parameter '{name}' is passed twice, by position and by name")
                values[name] = value
                if name in OPTIONS:  # A kernel that looks at how it is launched.
                    options[name] = self._read_option(name, value)
            elif name in OPTIONS or name in AMD_OPTIONS:
                options[name] = self._read_option(name, value)
            elif name in ("launch_pdl", "enable_fp_fusion"):
                options[name] = bool(unwrap(value))
            elif name == "ir_override":
                options[name] = unwrap(value)
            elif name == "options":
                options[name] = self._read_target_options(value)
            elif name == "launch_cooperative_grid" and unwrap(value):
                self._fail("cooperative launches (launch_cooperative_grid=True) are not supported", UnsupportedError)
            elif name in ("device", "stream"):
                self._fail(f"unknown parameter or option '{name}'; the {name} is the current one: {name} option is deprecated", DeprecatedOptionError)
            elif self._meta is not None:
                values.setdefault(self._meta, {})[name] = value
            elif name not in IGNORED_OPTIONS:
                import difflib
                near = difflib.get_close_matches(name, self.arg_names + list(OPTIONS) + ["options"], 1)
                self._fail(f"unknown parameter or option '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""),
                           KeyError)
        if knobs.runtime.debug:
            options["debug"] = 1  # Whatever kernel and launch say, as in Triton.
        if kwargs.get("sanitize_overflow", True) is False and "sanitize_overflow" not in self.signature.parameters:
            options["debug"] = leave_out_overflow(options["debug"])
        missing = [p for p in self.params if p.name not in values and not p.has_default]
        if missing:
            self._fail("no value is passed for " + ", ".join(
                f"'{p.name}'" + (" (tl.constexpr)" if p.is_constexpr else "") for p in missing))
        for name, value in values.items():
            self._check_nesting(name, value)
        return {p.name: values[p.name] if p.name in values else p.default for p in self.params}, options

    def _check_nesting(self, name, value):
        nesting = _host_values.explain_nesting(unwrap(value)) if not isinstance(value, (int, float, str)) else None
        if nesting is not None:
            self._fail(f"parameter '{name}' is a {type(unwrap(value)).__name__} that {nesting}")

    def _read_option(self, name, value):
        return read_option(self.__name__, name, value)

    def _read_target_options(self, value):
        """The target's own options, as pairs of texts."""
        try:
            return read_target_options(unwrap(value))
        except TypeError as error:
            self._fail(str(error))

    def _launch(self, grid, args, kwargs, warmup=False):
        _memory.register_torch()
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        bound, options = self._bind(args, kwargs)
        values = {name: unwrap_argument(value) for name, value in bound.items()}
        constants = frozenset(name for name, value in bound.items() if isinstance(value, constexpr))
        kernel, values = self._find_variant(values, constants)
        keep = []
        tensors = self._resolve_all(values, keep)
        kind, index = self._choose_device(tensors)
        checks = int(knobs.checks_are_on() and kind == _memory.CPU)
        own = dict(options.get("options", ())).get("checks", "false") if kind == _memory.CPU else "false"
        if checks or own == "true" or "overflow" in own.split(","):
            options["debug"] = options["debug"] or 1  # Overflow is checked where the compiler has left marks.
        packed = pack_options(options, checks, kind)
        if checks or own != "false":
            index = _devices.CHECKED
        if knobs.compilation.override or options.get("ir_override") is not None:
            kernel, values = self._replace(kernel, kind, index, values, tensors, packed, options.get("ir_override"))
        if warmup:
            if self._ask_cache_hook(kernel, values, tensors, kind, index, packed, is_warmup=True):
                return None
            plain = [_memory.Pointer(*tensors[name]) if name in tensors else value for name, value in values.items()]
            return self._compile_only(kernel, kind, index, plain, packed)
        if callable(grid):
            grid = grid({**bound, **bound[self._meta]} if self._meta is not None else bound)
        if self._ask_cache_hook(kernel, values, tensors, kind, index, packed):
            return None
        with _copies.Copies(self.__name__, kind, index) as copies:
            return self._launch_with_hooks(kernel, kind, index, grid, bound, copies.place(values, tensors), packed,
                                           options.get("launch_pdl", False))

    def _replace(self, kernel, kind, index, values, tensors, options, path=None):
        """The kernel and its values, or those of the file that replaces it (TRITON_KERNEL_OVERRIDE, or `path`)."""
        from ._tile_ir import find_override
        knobs._refresh()  # Later launches come here, too.
        plain = [_memory.Pointer(*tensors[name]) if name in tensors else value for name, value in values.items()]
        found = find_override(self, kernel, kernel._describe(plain), _devices.get_target(kind, index), options, path)
        return (kernel, values) if found is None else (found, {name: values[name] for name in found.arg_names})

    def _launch_with_hooks(self, kernel, kind, index, grid, bound, values, options, overlap):
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        metadata = None
        if enter or leave:
            from ..compiler.kernel import LaunchMetadata
            make = lambda: kernel._make_compiled(kind, index, kernel._describe(values), options)
            metadata = LaunchMetadata(self, kind, index, grid, bound, make)
        if enter:
            enter(metadata)
        compiled = kernel._launch_on(kind, index, grid, values, options, overlap)
        if leave:
            leave(metadata)
        return compiled

    def _ask_cache_hook(self, kernel, values, tensors, kind, index, options, is_warmup=False):
        """Calls the hooks of the first launch or warmup of a kind; true if one of them takes it over."""
        before, after = knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook
        load_start, load_end = knobs.runtime.kernel_load_start_hook, knobs.runtime.kernel_load_end_hook
        listener = knobs.compilation.listener
        if before is None and after is None and listener is None and not load_start and not load_end:
            return False
        plain = [_memory.Pointer(*tensors[name]) if name in tensors else value for name, value in values.items()]
        key = kind, index, kernel._describe(plain), options
        if key not in self._seen:
            self._seen.add(key)
            if self._tell_of_compilation(kernel, plain, key, is_warmup):
                return True
        if not is_warmup and key not in self._loaded:
            self._loaded.add(key)
            compiled = kernel._make_compiled(*key[:2], *key[2:])
            if load_start:
                load_start(None, None, compiled.name, {}, compiled.hash)
            if load_end:
                self._compile_only(kernel, kind, index, plain, options)
                load_end(None, None, compiled.name, {}, compiled.hash)
        return False

    def _tell_of_compilation(self, kernel, plain, key, is_warmup):
        """Calls the hooks around a compilation, and the listener; true if the first hook takes it over."""
        kind, index, signature, options = key
        before, after, listener = knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook, knobs.compilation.listener
        compiled = kernel._make_compiled(kind, index, signature, options)
        name = make_cache_key(signature, options)
        call = dict(key=name, repr=f"{self.__name__}({signature})", fn=JitFunctionInfo(self.module, self.__name__, self),
                    is_manual_warmup=is_warmup, compile={}, already_compiled=False)
        call["compile"] = {
            "key": name, "signature": compiled.src.signature, "device": index, "constants": compiled.src.constants, "configs": [compiled.src.attrs],
            "num_warps": compiled.num_warps, "num_stages": compiled.num_stages, "num_ctas": compiled.num_ctas,
            "enable_fp_fusion": compiled.metadata.enable_fp_fusion, "launch_cooperative_grid": False, "extern_libs": (), "is_warmup": is_warmup,
            "specialization_data": compiled.specialization_data}
        if before is not None and before(**call):
            return True
        if after is not None or listener is not None:
            start = time.perf_counter()
            self._compile_only(kernel, kind, index, plain, options)
            compiled._tell(time.perf_counter() - start)
        if after is not None:
            after(**call)
        return False

    def _note_small(self, kernel, kind, index, values):
        """The signature that a launch on the device compiles for: `_describe` is of none, and so does not look at memory.
        What stands in for a tensor counts as small, as in Triton."""
        signature = kernel._describe(values)
        if not _devices.get_property(kind, index, "uses-small"):
            return signature
        from ..compiler.source import add_small
        fixed = {param.name for param in self.params if param.do_not_specialize}
        return add_small(signature, {name for name, value in zip(kernel.arg_names, values)
                                     if isinstance(value, _memory.Pointer) and name not in fixed and _memory.is_small(value)})

    def _compile_only(self, kernel, kind, index, values, options):
        signature = self._note_small(kernel, kind, index, values)

        def compile():
            kernel._specialize(kind, index, signature, options)
            return kernel._make_compiled(kind, index, signature, options)

        mode = active_mode.get()
        if mode is None:
            return compile()
        return mode.submit((kernel, kind, index, signature, options), compile, lambda compiled: None)

    def _find_variant(self, values, constants=frozenset()):
        """The native kernel for a call, and the values it takes."""
        self._ensure_loaded()
        return _variants.find(self, values, lock, constants)

    def _resolve_all(self, values, keep):
        """The place of each value's memory, if it has any; objects that must live as long as the launch are added to `keep`."""
        places = {name: self._resolve(name, value, keep) for name, value in values.items()}
        return _memory.share_pinned(values, {name: place for name, place in places.items() if place is not None})

    def _resolve(self, name, value, keep):
        """The place of a value's memory, or None if it has none; anything else is an error that names the parameter."""
        if value is None or isinstance(value, (bool, int, float, str, dtype)):
            return self._check_plain(name, value)
        try:
            place = _memory.resolve(value, keep)
        except TypeError as error:
            self._fail(f"parameter '{name}': {error}")
        if place is None and getattr(type(value), "_is_record", False):
            self._fail(f"parameter '{name}' is a record of class {type(value).__name__}, which only kernels can make; pass "
                       "its fields, or a named tuple of them")
        if place is None and inspect.isfunction(value):
            self._fail(f"parameter '{name}' is the host function '{value.__name__}', which kernels cannot call; decorate it with "
                       "@triton.jit")
        if place is None:
            self._fail(f"parameter '{name}' is {_memory.show(value)} of type {type(value).__name__}, which kernels do not accept; "
                       "a tensor, an array, a number, None or a tl.constexpr value is expected")
        return place

    def _check_plain(self, name, value):
        """Refuses values that the library cannot express."""
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            shown = value if value.bit_length() <= 256 else f"an integer of {value.bit_length()} bits"
            self._fail(f"parameter '{name}' is {shown}, which does not fit 64 bits", IntegerRangeError)
        if isinstance(value, str):
            bad = "a NUL" if "\0" in value else ""
            if any("\ud800" <= c <= "\udfff" for c in value):
                bad = "half of a surrogate pair"
            if bad:
                self._fail(f"parameter '{name}' is a string with {bad}, which a kernel's string cannot contain")
        if isinstance(value, dtype) and (value.is_ptr() or value.is_block()):
            self._fail(f"parameter '{name}' is the type {value}; only element types can be passed")

    def _choose_device(self, tensors):
        chosen = _devices.get_chosen()
        if chosen is not None:
            return chosen  # What is elsewhere is copied there.
        first = None
        for name, (_, _, kind, index) in tensors.items():
            if first is None:
                first = name, kind, index
            elif (kind, index) != first[1:]:
                here, there = _devices.describe(kind, index), _devices.describe(*first[1:])
                self._fail(f"parameter '{name}' is on {here}, but '{first[0]}' is on {there}; all tensors of a launch must "
                           f"be on one device: move '{name}' to {there}", InvalidArgumentError)
        return first[1:] if first else _devices.get_default()

    def _make_compiled(self, kind, index, signature, options):
        compiled = CompiledKernel(self, self, kind, index, signature, options)
        self.device_caches[index][0][make_cache_key(signature, options)] = compiled
        return compiled


_plain_run = JITFunction.run


def _restore(attributes):
    """A kernel that was pickled with its sources."""
    function = JITFunction.__new__(JITFunction)
    vars(function).update(attributes, _users=weakref.WeakSet())
    function._begin()
    return function


@dataclass
class JitFunctionInfo:
    """The argument `fn` of cache hooks: a kernel."""

    module: str
    name: str
    jit_function: "JITFunction"


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None):
    """Makes a function a kernel, or a helper of kernels."""

    def decorate(fn):
        if not inspect.isfunction(fn):
            raise TypeError(f"@triton.jit takes a function, not {fn!r}")
        return JITFunction(fn, version=version, do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug, noinline=noinline,
                           repr=repr, launch_metadata=launch_metadata)

    return decorate if fn is None else decorate(fn)


def get_jit_fn_file_line(fn):
    """(path, line of the `def`) of a kernel, under whatever decorators."""
    function = _host_values.find_function(fn)
    return function.path, function.starting_line_number


def mangle_type(arg, specialize=False):
    """The type of an argument, as signatures write it; "constexpr" for what can only be a constant."""
    from ..tools.tensor_descriptor import TensorDescriptor
    arg = unwrap_argument(arg)
    if isinstance(arg, (tuple, list)):
        return tuple(mangle_type(item) for item in arg)
    if isinstance(arg, TensorDescriptor):
        padding = ",nan" if arg.padding == "nan" else ""
        return f"tensordesc<{mangle_type(arg.base)[1:]}[{','.join(str(unwrap(n)) for n in arg.block_shape)}]{padding}>"
    if isinstance(arg, bool):
        return "u1"
    if isinstance(arg, int):
        return "i32" if -(1 << 31) <= arg < 1 << 31 else "i64" if arg < 1 << 63 else "u64"
    if isinstance(arg, float):
        return "fp32"
    number = _memory.find_dtype(getattr(arg, "dtype", None)) if hasattr(arg, "dtype") else 0
    return "*" + _memory.DTYPE_NAMES[number] if number else "constexpr"


def native_specialize_impl(backend, arg, is_const=False, specialize_value=True, align=True):
    """(the type of an argument, "D" if launches specialize on it as a multiple of 16, or None)."""
    kind, value = mangle_type(arg), None
    if kind.startswith("*"):
        value = arg.data_ptr() if hasattr(arg, "data_ptr") else None
    elif kind in ("i32", "i64", "u64") and specialize_value:
        value = unwrap(arg)
    return kind, "D" if align and isinstance(value, int) and value % 16 == 0 else None


def preload(specialization_data, function):
    """Compiles for one function what an earlier process had compiled."""
    return function.preload(specialization_data)


__getattr__ = _missing.explain(__name__)

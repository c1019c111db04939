"""`triton.knobs`: settings of the process, from the environment and from code. An assignment to one that has a variable sets
that, too, for the processes to come; deleting it gives the variable's value again, whatever that is by then."""

import contextlib
import dataclasses
import difflib
import functools
import importlib
import os
import re
import shutil
import subprocess
import warnings

from . import _missing
from .. import _native


def _truth(name, default=False):
    text = os.environ.get(name)
    return default if text is None else text.lower() in ("1", "true", "yes", "on", "y")


class HookChain:
    """Functions that are called around an event; empty means none."""

    def __init__(self, reversed=False):
        self.calls, self.reversed = [], reversed

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
        _refresh()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
        _refresh()

    def __call__(self, *arguments, **named):
        for function in self.calls[::-1 if self.reversed else 1]:
            function(*arguments, **named)

    def __bool__(self):
        return bool(self.calls)


class Env:
    """The class of `env`, which is assigned to a setting in order to take it from the environment again."""


env = Env()
propagate_env = True  # Whether assignments change the environment.


class _Live:
    """A default that is read again at each access, usually from the environment. An assignment to one with a `key` sets the
    variable of this name. One that is an attribute of a class of settings is a setting of its instances."""

    name = None  # As such an attribute.

    def __init__(self, read, key=None, variable=None):
        self.read, self.key = read, key
        self.variable = variable or key  # What it is read from.

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, settings, owner=None):
        return self if settings is None else settings._values[self.name] if self.name in settings._values else self.read()

    def transform(self, value):
        """What the setting is once `value` has been assigned."""
        return value


class _Plain(_Live):
    """An attribute of a class of settings that is not read from anywhere: its value there is the default of instances."""

    def __init__(self, value, name):
        super().__init__(lambda: value)
        self.name = name

    def __get__(self, settings, owner=None):
        return self.read() if settings is None else super().__get__(settings, owner)


def _flag(name, default=False, propagates=True):
    return _Live(lambda: _truth(name, default), name if propagates else None, name)


def _text(name, default=None, propagates=True):
    return _Live(lambda: os.environ.get(name, default), name if propagates else None, name)


def _computed(name, compute):
    """A text whose default is a function's."""
    return _Live(lambda: os.environ[name] if name in os.environ else compute(), name)


def _number(name, default):
    def read():
        text = os.environ.get(name)
        try:
            return default if text is None else int(text)
        except ValueError as error:
            raise RuntimeError(f"{name} is '{text}': expected int") from error

    return _Live(read, name)


def _class(name, base):
    """A class by its module and name, MODULE:CLASS, which is or inherits from one with the name `base`."""
    def read():
        text = os.environ.get(name)
        if text is None:
            return None
        module, _, word = text.partition(":")
        if not module or not word:
            raise RuntimeError(f"{name} is '{text}', which is not of the form MODULE:CLASS")
        found = getattr(importlib.import_module(module), word)
        if all(parent.__name__ != base for parent in found.__mro__):
            raise RuntimeError(f"{name} is '{text}', which is not of type '{base}'")
        return found

    return _Live(read, name)


# Settings of other packages: `name = env_bool("MY_VARIABLE", True)` in a class of settings (base_knobs).
def env_bool(key, default=False):
    return _flag(key, default)


def env_opt_bool(key):
    return _flag(key, None)


def env_str(key, default):
    return _text(key, default)


def env_opt_str(key):
    return _text(key)


def env_str_callable_default(key, default_factory):
    return _computed(key, default_factory)


def env_int(key, default=0):
    return _number(key, default)


def env_class(key, type):
    return _class(key, type)


class _Inherited(_Live):
    """A text that is read once, and that processes inherit which begin later."""

    def __init__(self, key):
        value = os.environ.get(key)
        super().__init__(lambda: value, key)


def _set_variable(key, value):
    """For what can be written as a text; None removes the variable."""
    if key is None or not propagate_env:
        return
    if value is None:
        os.environ.pop(key, None)
    elif isinstance(value, bool):
        os.environ[key] = "1" if value else "0"
    elif isinstance(value, (str, int)):
        os.environ[key] = str(value)


class Tool:
    """A program of NVIDIA's toolkit."""

    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def version(self):
        """The release that the program names, as "12.8"; None if it names none."""
        try:
            said = subprocess.run([self.path, "--version"], capture_output=True, text=True, timeout=60).stdout
        except (OSError, subprocess.SubprocessError):
            return None
        found = re.search(r"release (\d+\.\d+)", said)
        return found and found[1]

    def __eq__(self, other):
        return isinstance(other, Tool) and self.path == other.path

    def __hash__(self):
        return hash(self.path)

    def __repr__(self):
        return f"Tool(path={self.path!r}, version={self.version!r})"


class _FindTool(_Live):
    """A program by its variable, on the path, or in a toolkit's folder. None is needed to compile or launch."""

    def __init__(self, name):
        super().__init__(lambda: self.find(os.environ.get(self.key)), f"TRITON_{name.upper().replace('-', '_')}_PATH")
        self.name = name

    def transform(self, value):
        return Tool(os.fspath(value)) if isinstance(value, (str, os.PathLike)) else value

    def find(self, given):
        folders = [os.environ.get("PATH", os.defpath), os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")]
        for name in (given, self.name, self.name.partition("-")[0]):
            path = shutil.which(name, path=os.pathsep.join(folders)) if name else None
            if path:
                return Tool(path)
        raise RuntimeError(f"{self.name} was not found on the path or in a CUDA toolkit ({self.key} names one); "
                           "kernels are compiled without it")


class base_knobs:
    """A group of settings: attributes with their defaults; `del` restores one default, `reset` all of them. Other names
    may be set as well: code that is written for other versions of Triton does."""

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        # Instances would give the class's value whatever is assigned to them. Descriptors and functions stay what they are.
        for name, value in list(vars(cls).items()):
            if not name.startswith("__") and not hasattr(type(value), "__get__"):
                setattr(cls, name, _Plain(value, name))

    def __init__(self, **defaults):
        declared = {name: value for kind in reversed(type(self).__mro__) for name, value in vars(kind).items() if isinstance(value, _Live)}
        object.__setattr__(self, "_defaults", declared | defaults)
        object.__setattr__(self, "_values", {})
        self._fill()

    def _fill(self):
        self._values.clear()
        for name, default in self._defaults.items():
            if not isinstance(default, _Live):
                self._values[name] = default() if callable(default) else default
        _refresh()

    def reset(self):
        self._fill()
        for default in self._defaults.values():
            if isinstance(default, _Inherited):
                _set_variable(default.key, default.read())
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        if name in self._defaults:
            return self._defaults[name].read()
        near = difflib.get_close_matches(name, self._defaults, 1)
        raise AttributeError(f"unknown setting '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))

    def __setattr__(self, name, value):
        if isinstance(value, Env):
            delattr(self, name)
            return
        default = self._defaults.get(name)
        if isinstance(default, _Live):
            _set_variable(default.key, value)
            value = default.transform(value)
        if isinstance(self._values.get(name), HookChain) and not isinstance(value, HookChain):
            chain = HookChain(self._values[name].reversed)
            if value is not None:
                chain.calls.append(value)
            value = chain
        self._values[name] = value
        _refresh()

    def __delattr__(self, name):
        if name not in self._values and name not in self._defaults:
            raise AttributeError(f"unknown setting '{name}'")
        default = self._defaults.get(name)
        self._values.pop(name, None)
        if name in self._defaults and not isinstance(default, _Live):
            self._values[name] = default() if callable(default) else default
        if isinstance(default, _Inherited):
            _set_variable(default.key, default.read())
        _refresh()

    def __dir__(self):
        return [*super().__dir__(), *self._defaults, *self._values]

    @property
    def knob_descriptors(self):
        """The settings that have a variable, each with its name as `key`."""
        return {name: default for name, default in self._defaults.items() if getattr(default, "key", None)}

    @property
    def knobs(self):
        """All settings by name; a missing tool is None."""
        out = {}
        for name in {**self._defaults, **self._values}:
            try:
                out[name] = getattr(self, name)
            except RuntimeError:
                out[name] = None
        return out

    def copy(self):
        made = object.__new__(type(self))  # The `__init__` of a package's own class may take anything.
        vars(made).update(vars(self), _values=dict(self._values))
        return made

    @contextlib.contextmanager
    def scope(self):
        """Restores all settings, and their variables, at the end of a `with` block."""
        saved = dict(self._values)
        variables = {default.key: os.environ.get(default.key) for default in self.knob_descriptors.values()}
        calls = {name: list(value.calls) for name, value in saved.items() if isinstance(value, HookChain)}
        try:
            yield self
        finally:
            self._values.clear()
            self._values.update(saved)
            for name, functions in calls.items():
                saved[name].calls[:] = functions
            for key, text in variables.items():
                if text is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = text
            _refresh()


class _Cache(base_knobs):
    def get_triton_dir(self, dirname):
        """A folder below Triton's home, for files that frameworks keep there; the library keeps
        nothing in it."""
        return os.path.join(self.home_dir, ".triton", dirname)


class _Language(base_knobs):
    def __setattr__(self, name, value):
        if name == "fp32_default" and value not in (None, "tf32"):
            warnings.warn(f"knobs.language.fp32_default = {value!r} has no effect in Tilerun: write input_precision= in tl.dot",
                          stacklevel=2)
        super().__setattr__(name, value)


@dataclasses.dataclass
class CompileTimes:
    """How long a compilation took, in microseconds. The library compiles in one step: `lowering_stages` has one entry, with the last
    stage's name."""
    ir_initialization: int
    lowering_stages: list
    store_results: int

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


class _Build(base_knobs):
    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


def _refresh():
    """Tells the native module whether launches must pass Python code."""
    if "language" not in globals():
        return  # While this module is imported.
    ours = runtime
    _native.set_bounds_checks(bool(interpreter.bounds_checks))
    _native.set_slow_only(bool(ours.launch_enter_hook or ours.launch_exit_hook or ours.jit_cache_hook
                               or ours.jit_post_compile_hook or ours.kernel_load_start_hook or ours.kernel_load_end_hook
                               or ours.interpret or ours.device or ours.debug or checks_are_on() or compilation.override
                               or compilation.listener or compilation.disable_line_info or not language.default_fp_fusion))


def checks_are_on():
    """Whether launches on the interpreter look for out-of-bounds accesses, uninitialized reads, races and
    overflow."""
    return bool(interpreter.checks)


def _find_cache():
    from .runtime.cache import default_cache_dir
    return default_cache_dir()


# The interpreter's own: TILERUN_CHECKS=1, or knobs.interpreter.checks = True; TILERUN_BOUNDS_CHECKS=0, or bounds_checks =
# False, which leaves accesses out of bounds to chance; and whether @triton.autotune measures where TRITON_INTERPRET has put
# launches there.
interpreter = base_knobs(checks=_flag("TILERUN_CHECKS", propagates=False),
                         bounds_checks=_flag("TILERUN_BOUNDS_CHECKS", True, propagates=False),
                         autotune=_flag("TILERUN_INTERPRETER_AUTOTUNE", propagates=False))
compilation = base_knobs(always_compile=_flag("TRITON_ALWAYS_COMPILE"), override=_flag("TRITON_KERNEL_OVERRIDE"),
                         dump_ir=_flag("TRITON_KERNEL_DUMP"), store_binary_only=_flag("TRITON_STORE_BINARY_ONLY"),
                         dump_ir_extract_di_local_variables=_flag("LLVM_EXTRACT_DI_LOCAL_VARIABLES"),
                         use_ir_loc=_text("USE_IR_LOC"), enable_asan=_flag("TRITON_ENABLE_ASAN"),
                         disable_line_info=_flag("TRITON_DISABLE_LINE_INFO"),
                         front_end_debugging=_flag("TRITON_FRONT_END_DEBUGGING"),
                         allow_non_constexpr_globals=_flag("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"),
                         enable_experimental_consan=False,
                         instrumentation_mode=_text("TRITON_INSTRUMENTATION_MODE", "", propagates=False), listener=None)
runtime = base_knobs(interpret=_flag("TRITON_INTERPRET"), device=_Inherited("TILERUN_DEVICE"),
                     debug=_flag("TRITON_DEBUG", propagates=False),
                    launch_enter_hook=HookChain, launch_exit_hook=lambda: HookChain(reversed=True),
                    kernel_load_start_hook=HookChain, kernel_load_end_hook=lambda: HookChain(reversed=True),
                    jit_cache_hook=None, jit_post_compile_hook=None, override_arch=_text("TRITON_OVERRIDE_ARCH"),
                    sanitize_overflow=True, add_stages_inspection_hook=None)
autotuning = base_knobs(print=_flag("TRITON_PRINT_AUTOTUNING"), cache=_flag("TRITON_CACHE_AUTOTUNING"),
                        progress=_flag("TILERUN_AUTOTUNE_PROGRESS"), warmup=25, rep=100)
cache = _Cache(home_dir=_computed("TRITON_HOME", lambda: os.path.expanduser("~")), dir=_computed("TRITON_CACHE_DIR", _find_cache),
               dump_dir=_computed("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump")),
               override_dir=_computed("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override")),
               manager_class=_class("TRITON_CACHE_MANAGER", "CacheManager"),
               remote_manager_class=_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend"))
language = _Language(fp32_default=_text("TRITON_F32_DEFAULT"), default_fp_fusion=_flag("TRITON_DEFAULT_FP_FUSION", True))
nvidia = base_knobs(cuobjdump=_FindTool("cuobjdump"), nvdisasm=_FindTool("nvdisasm"), ptxas=_FindTool("ptxas"),
                    ptxas_blackwell=_FindTool("ptxas-blackwell"), dump_nvptx=_flag("NVPTX_ENABLE_DUMP"),
                    disable_ptxas_opt=_flag("DISABLE_PTXAS_OPT"), ptxas_options=_text("PTXAS_OPTIONS"),
                    mock_ptx_version=_text("TRITON_MOCK_PTX_VERSION"), dump_ptxas_log=_flag("TRITON_DUMP_PTXAS_LOG"),
                    libdevice_path=_text("TRITON_LIBDEVICE_PATH"), libcuda_path=_text("TRITON_LIBCUDA_PATH"))
amd = base_knobs(use_buffer_ops=_flag("AMDGCN_USE_BUFFER_OPS", True), use_buffer_atomics=_flag("AMDGCN_USE_BUFFER_ATOMICS", True),
                 buffer_ops_analyze_small_tensor_range=_flag("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE"),
                 dump_amdgcn=_flag("AMDGCN_ENABLE_DUMP"), libhip_path=_text("TRITON_LIBHIP_PATH"),
                 use_block_pingpong=_flag("TRITON_HIP_USE_BLOCK_PINGPONG", None),
                 use_in_thread_transpose=_flag("TRITON_HIP_USE_IN_THREAD_TRANSPOSE", None),
                 global_prefetch=_number("TRITON_HIP_GLOBAL_PREFETCH", 0), local_prefetch=_number("TRITON_HIP_LOCAL_PREFETCH", 0),
                 use_async_copy=_flag("TRITON_HIP_USE_ASYNC_COPY"), scalarize_packed_fops=_flag("AMDGCN_SCALARIZE_PACKED_FOPS"))
build = _Build(cc=_text("CC"), cudacrt_path=_text("TRITON_CUDACRT_PATH"), cudart_path=_text("TRITON_CUDART_PATH"), impl=None)
proton = base_knobs(disable=_flag("TRITON_PROTON_DISABLE"), cupti_lib_dir=_text("TRITON_CUPTI_LIB_PATH"), cupti_dir=None,
                    enable_nvtx=_flag("TRITON_ENABLE_NVTX", True))
redis = base_knobs(key_format=_text("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}"),
                   host=_text("TRITON_REDIS_HOST", "localhost"), port=_number("TRITON_REDIS_PORT", 6379))


def refresh_knobs():
    """Takes the settings that Triton reads once from the environment again."""
    del runtime.debug, compilation.instrumentation_mode


_refresh()
# Launches are native code, which looks whether one of these has been set since it last asked.
_native.watch_environment(os.environ._data, tuple(map(os.environ.encodekey, ("TRITON_DEBUG", "TRITON_INTERPRET"))),
                          tuple(map(os.environ.encodekey, ("TILERUN_CHECKS", "TILERUN_BOUNDS_CHECKS"))), _refresh)
__getattr__ = _missing.explain(__name__)

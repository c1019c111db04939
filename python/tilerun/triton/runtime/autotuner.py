"""`@triton.autotune` and `@triton.heuristics`. Configurations are measured, and the choices kept on disk, by the
library's own engine; Python prunes, names the key, and calls hooks."""

import contextlib
import functools
import inspect
import operator
import os
import threading
import time
import warnings
import weakref
from collections.abc import Mapping

from ... import _devices, _memory, _native
from ...errors import InvalidArgumentError, TilerunError, make_error
from .. import knobs
from ..language import constexpr
from ..tools.tensor_descriptor import TensorDescriptor
from . import _copies
from ._callables import Named
from ._heuristics import Heuristics, check_kernel, heuristics
from ._progress import Progress
from ._values import unwrap
from .errors import AutotunerError, OutOfResources, PTXASError
from ._options import AMD_OPTIONS, CODE_OPTIONS, IGNORED_OPTIONS, OPTIONS, pack_options
from .jit import KernelInterface, entry


# TILERUN_TUNE_FORGET and TILERUN_TUNE_COMPILE of tilerun.h.
_FORGET, _COMPILE_ONLY = 2, 4


class Config:
    """One way to launch a kernel: values of meta-parameters, and options."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None,
                 **other):
        if not isinstance(kwargs, Mapping):
            raise TypeError(f"a configuration begins with a dict of meta-parameters, not {kwargs!r}")
        vars(self).update(kwargs={**kwargs, **other}, num_warps=num_warps, num_stages=num_stages, num_ctas=num_ctas,
                          maxnreg=maxnreg, pre_hook=pre_hook, ir_override=ir_override)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        _native.forget_configs()  # Launches by the native module have the values of configurations.

    def all_kwargs(self):
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages, "num_ctas": self.num_ctas,
                   "maxnreg": self.maxnreg, "ir_override": self.ir_override}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self):
        parts = [f"{name}: {value}" for name, value in self.kwargs.items()]
        return ", ".join(parts + [f"num_warps: {self.num_warps}", f"num_ctas: {self.num_ctas}",
                                  f"num_stages: {self.num_stages}", f"maxnreg: {self.maxnreg}"])

    def __hash__(self):
        return hash((*((name, str(value)) for name, value in self.all_kwargs().items()), self.pre_hook))

    def __eq__(self, other):
        return isinstance(other, Config) and self.all_kwargs() == other.all_kwargs() and self.pre_hook == other.pre_hook


# A child of fork must not inherit their locks in the locked state.
_tuners = weakref.WeakSet()


def _renew_locks():
    for tuner in _tuners:
        tuner._tuning = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class Autotuner(_native.Tuner, Named, KernelInterface):
    """Launches the configuration that was the fastest for the key. Its `run`, and launches whose choice is known, are the native
    module's."""

    _wraps_kernel = True

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
        self.configs = _read_configs(fn, configs)
        self.keys = [key] if isinstance(key, str) else list(key)
        self.fn, self.arg_names = fn, arg_names
        self.cache = {}
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        unknown = [n for n in self.reset_to_zero + self.restore_value if n not in arg_names]
        if unknown:
            raise ValueError(f"autotune of '{_name(fn)}': unknown parameter '{unknown[0]}'; known are "
                             f"{', '.join(arg_names)}")
        stale = [n for n in self.keys if n not in arg_names]
        if stale:
            # Triton leaves it out, so that scripts have such names.
            warnings.warn(f"autotune of '{_name(fn)}': the key names {', '.join(map(repr, stale))}, which are not "
                          f"parameters; known are {', '.join(arg_names)}", stacklevel=4)
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.pre_hook, self.post_hook = pre_hook or self._prepare_memory, post_hook or self._restore_memory
        self.restore_copies = {}
        prune = prune_configs_by or {}
        self.perf_model, self.configs_top_k = prune.get("perf_model"), prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn):
            self.base_fn = self.base_fn.fn
        self.num_warmups, self.num_reps = warmup, rep
        self.use_cuda_graph, self.do_bench, self.cache_results = use_cuda_graph, do_bench, cache_results
        self.bench_time, self.configs_timings = None, None
        self._tuning = threading.RLock()  # Threads that want the same choice wait for it; a hook may launch.
        _tuners.add(self)
        functools.update_wrapper(self, self.base_fn, updated=())

    # -- The choice

    def _make_key(self, arguments):
        key = [unwrap(arguments[name]) for name in self.keys if name in arguments]
        # Arguments with memory count by their type.
        for value in arguments.values():
            if hasattr(value, "dtype"):
                key.append(str(value.dtype))
        # What is the best for one device is not for another.
        key.append(_devices.get_target(*_find_device(arguments.values())))
        return tuple(value if isinstance(value, (int, float, str, bool, type(None))) else str(value) for value in key)

    def prune_configs(self, kwargs, arguments=None):
        """The configurations left after pruning, for a call with `kwargs` besides its arguments, by default `self.nargs`."""
        configs, arguments = self.configs, self.nargs if arguments is None else arguments
        if self.early_config_prune:
            # As in Triton, what was passed by name is not among the second argument.
            configs = self.early_config_prune(configs, {n: v for n, v in arguments.items() if n not in kwargs}, **kwargs)
            if configs is None:
                raise TypeError(f"early_config_prune of '{_name(self.fn)}' gave None; a list of configurations is expected")
            configs = list(configs)
            if not configs:
                raise AutotunerError("No valid autotuner configs after pruning. `early_config_prune` should return at "
                                     "least one config.")
        if self.perf_model:
            top = self.configs_top_k
            if isinstance(top, float) and top <= 1.0:
                top = max(1, int(len(self.configs) * top))
            elif not isinstance(top, int) or top < 1:
                raise TypeError(f"Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int above 0; top_k is {top!r}")
            if len(configs) > top:
                cost = {config: self.perf_model(**{**arguments, **kwargs, **config.all_kwargs()}) for config in configs}
                configs = sorted(cost, key=cost.get)[:top]
        return configs

    def _choose(self, args, kwargs, arguments):
        """A configuration, and whether it is the choice for the key: not where nothing is to be launched."""
        configs = self.prune_configs(kwargs, arguments)
        # Times of the interpreter and of an emulator say nothing about a device: they are measured only on request.
        asked = self.do_bench is not None or knobs.interpreter.autotune
        if len(configs) == 1 or (not asked and not _devices.is_timed(*_find_device(arguments.values()))):
            return configs[0], True
        if _devices.is_captured(_find_device(arguments.values())[0]):
            raise AutotunerError(f"autotune of '{_name(self.fn)}': {len(configs)} configurations are to be measured, but the current "
                                 "stream is captured into a CUDA graph, where launches do not run; launch the kernel once with "
                                 "arguments of the same key before the capture begins")
        start = time.perf_counter()
        progress = Progress(_name(self.fn), configs)
        try:
            if self.do_bench is not None or knobs.runtime.interpret:
                # The engine cannot measure launches of a GPU's tensors on the interpreter.
                self._compile_ahead(kwargs, arguments, configs, progress)
                best = self._time_with(self.do_bench or self._time_call, args, kwargs, arguments, configs, progress)
            else:
                best = self._time(args, kwargs, arguments, configs, progress)
        finally:
            progress.finish()
        self.bench_time = time.perf_counter() - start
        self.configs_timings = {**progress.times, **progress.given}
        return (best, True) if best is not None else (configs[0], False)

    def _time(self, args, kwargs, arguments, configs, progress):
        """By the library's engine. None if the grid is empty."""
        ways, tried, metas, memory, keep = [], [], [], None, []
        refusal = None
        with contextlib.ExitStack() as stack:
            copies = None
            for config in configs:
                meta = {**arguments, **kwargs, **config.all_kwargs()}
                try:
                    meta = self._with_heuristics(meta)
                    if config.pre_hook:
                        config.pre_hook(meta)  # It may give tensor descriptors the configuration's blocks.
                    kernel, grid, plain, tensors, options = self._prepare(meta, kwargs.get("grid", (1, )), keep)
                except TilerunError as error:
                    refusal = refusal or error
                    progress.failures[config] = str(error)
                    continue
                if any(hasattr(type(n), "__index__") and operator.index(n) == 0 for n in grid):
                    return None
                kind, index = _jit_function(self.fn)._choose_device(tensors)
                if copies is None:
                    copies = stack.enter_context(_copies.Copies(_name(self.fn), kind, index))
                ways.append((kernel, grid, copies.place(plain, tensors), pack_options(options, kind=kind)))
                if memory is None:
                    memory = [self._memory_of(name, arguments, tensors, restore, copies) for names, restore in
                              ((self.reset_to_zero, False), (self.restore_value, True)) for name in names if name in tensors]
                tried.append(config)
                metas.append(meta)
            if not ways:
                raise refusal
            progress.configs = tried
            best, milliseconds, cached = self._measure(copies.kind, copies.index, ways, metas, memory, tried, arguments,
                                                       progress)
        if cached:
            progress.times[tried[best]] = milliseconds
        return tried[best]

    def _prepare(self, meta, grid, keep):
        """The launch of a configuration: (kernel, grid, values by name, the places of their memory, options)."""
        function = _jit_function(self.fn)
        given = {name: value for name, value in meta.items() if name in function.signature.parameters or name in OPTIONS
                 or name in AMD_OPTIONS or name in CODE_OPTIONS or name in ("options", "ir_override")}
        values, options = function._bind((), given)
        grid = grid(values) if callable(grid) else grid
        grid = tuple(grid) if isinstance(grid, (tuple, list)) else (grid, )
        if any(hasattr(type(n), "__index__") and operator.index(n) < 0 for n in grid):
            raise InvalidArgumentError(f"kernel '{_name(self.fn)}': the grid is {grid}, with a negative number of programs")
        kernel, plain = function._find_variant(
            {name: unwrap(value) for name, value in values.items()},
            frozenset(name for name, value in values.items() if isinstance(value, constexpr)))
        tensors = function._resolve_all(plain, keep)
        if options.get("ir_override") is not None:
            device = function._choose_device(tensors)
            kernel, plain = function._replace(kernel, *device, plain, tensors, pack_options(options, kind=device[0]), options["ir_override"])
        return kernel, grid, plain, tensors, options

    def _measure(self, kind, index, ways, metas, memory, configs, arguments, progress):
        hooks = self.user_defined_pre_hook or self.user_defined_post_hook or any(c.pre_hook for c in configs)
        running = None

        def before(i):
            nonlocal running
            running = i
            if self.user_defined_pre_hook:
                self.pre_hook(metas[i])
            if configs[i].pre_hook:
                configs[i].pre_hook(metas[i])

        def after(i):
            nonlocal running
            running = None
            if self.user_defined_post_hook:
                self.post_hook(metas[i], exception=None)

        def report(i, count, best, status, rough, milliseconds, message, *state):
            nonlocal running
            progress(i, count, best, status, rough, milliseconds, message, *state)
            if status and running == i and i is not None and self.user_defined_post_hook:
                running = None
                self.post_hook(metas[i], exception=make_error(status, message))

        key = repr((_name(self.fn), self._make_key(arguments)))
        # Hooks may do anything, so that nothing is known of another process's runs.
        flags = _FORGET if hooks else 0
        best, milliseconds, cached, _ = _native.tune(
            kind, index, ways, memory, key, _whole(self.num_warmups or knobs.autotuning.warmup),
            _whole(self.num_reps or knobs.autotuning.rep), flags, report, before if hooks else None, after if hooks else None)
        return best, milliseconds, cached

    def _memory_of(self, name, arguments, tensors, restore, copies):
        value = arguments[name]
        self._check_writable(name, value)
        extent = _memory.get_extent(value)
        if extent is None:
            size = getattr(value, "nbytes", None)
            if size is None:
                raise TilerunError(f"autotune of '{_name(self.fn)}': it is not known how much memory parameter '{name}' "
                                   "has, which is to be reset")
            extent = tensors[name][0], int(size)
        # From the first element on, as far as the tensor reaches.
        start = tensors[name][0]
        size = min(_reach(value) or extent[1], extent[0] + extent[1] - start)
        return copies.find(start), size, restore

    def _compile_ahead(self, kwargs, arguments, configs, progress):
        """Compiles on all cores what a bench of the caller's launches one after another."""
        # Hooks of configurations may decide what is compiled; memory that launches copy is not copied for this.
        if knobs.runtime.interpret or _devices.get_chosen() is not None or any(config.pre_hook for config in configs):
            return
        ways, keep, device = [], [], None
        for config in configs:
            try:
                meta = self._with_heuristics({**arguments, **kwargs, **config.all_kwargs()})
                kernel, grid, plain, tensors, options = self._prepare(meta, kwargs.get("grid", (1, )), keep)
                device = _jit_function(self.fn)._choose_device(tensors)
            except TilerunError:
                continue  # Its launch says so.
            if device[0] == _memory.CPU or any(place[2:] != device for place in tensors.values()):
                return
            values = [_memory.Pointer(*tensors[name]) if name in tensors else value for name, value in plain.items()]
            ways.append((kernel, grid, values, pack_options(options, kind=device[0])))
        if len(ways) > 1:
            with contextlib.suppress(TilerunError):  # None compiles, which each launch says.
                _native.tune(*device, ways, [], "", 1, 1, _COMPILE_ONLY,
                             lambda index, *rest: progress(index, *rest) if index is None else None, None, None)

    def _time_with(self, bench, args, kwargs, arguments, configs, progress):
        """By a function of the caller's."""
        best, best_time = None, None
        for i, config in enumerate(configs):
            try:
                took = self._time_config(bench, config, args, kwargs, arguments)
            except TilerunError as error:
                progress(i, len(configs), 0, 1, 0, 0.0, str(error))
                failure = error
                continue
            given, took = took, took[0] if isinstance(took, (tuple, list)) and took else took
            try:
                took = float(took)
            except (TypeError, ValueError) as error:
                raise TypeError(f"do_bench of '{_name(self.fn)}' gave {_memory.show(took)}; a time in milliseconds is "
                                "expected") from error
            progress(i, len(configs), 0, 0, 0, took, "")
            progress.given[config] = given  # All of it, as Triton keeps it.
            if best is None or took < best_time:
                best, best_time = config, took
        if best is None:
            raise AutotunerError(f"none of {len(configs)} configurations of '{_name(self.fn)}' works; the last one: "
                                 f"{failure}") from failure
        return best

    def _time_config(self, bench, config, args, kwargs, arguments):
        meta = {**arguments, **kwargs, **config.all_kwargs()}

        def call():
            if self.user_defined_pre_hook:
                self._prepare_memory(arguments)
            self.pre_hook(meta)
            if config.pre_hook:
                config.pre_hook(meta)
            try:
                self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
            except TilerunError as error:
                self.post_hook(meta, exception=error)
                raise
            self.post_hook(meta, exception=None)
            if self.user_defined_post_hook:
                self._restore_memory(arguments)

        return bench(call, quantiles=(0.5, 0.2, 0.8))

    def _bench(self, *args, config, **kwargs):
        """Milliseconds of a configuration, as the median and two quantiles; infinite if it does not work. Subclasses that
        choose by themselves call it."""
        arguments = {**dict(zip(self.arg_names, args)), **{n: v for n, v in kwargs.items() if n in self.arg_names}}
        try:
            return self._time_config(self.do_bench or self._time_call, config, args, kwargs, arguments)
        except TilerunError:
            return [float("inf")] * 3

    def _time_call(self, call, quantiles):
        from ..testing import do_bench
        return do_bench(call, warmup=self.num_warmups or knobs.autotuning.warmup,
                        rep=self.num_reps or knobs.autotuning.rep, quantiles=quantiles)

    def _check_writable(self, name, value):
        if _memory.is_read_only(value):
            raise InvalidArgumentError(f"autotune of '{_name(self.fn)}': parameter '{name}' is a read-only array, which cannot "
                                       "be reset or restored")

    def _prepare_memory(self, kwargs, reset_only=False):
        """The hook before a run that is measured, if the decorator has none."""
        for name in self.reset_to_zero:
            self._check_writable(name, kwargs.get(name))
            if hasattr(kwargs.get(name), "zero_"):
                kwargs[name].zero_()
            elif hasattr(kwargs.get(name), "fill"):
                kwargs[name].fill(0)
        if not reset_only:
            self.restore_copies = {name: _clone(kwargs[name]) for name in self.restore_value if name in kwargs}

    def _restore_memory(self, kwargs, exception=None):
        """The wrapped hook."""
        for name, value in self.restore_copies.items():
            _assign(kwargs[name], value)
        self.restore_copies = {}

    def _with_heuristics(self, meta):
        function = self.fn
        while isinstance(function, Heuristics):
            for name, value in function.values.items():
                meta[name] = value(meta)
            function = function.fn
        return meta

    # -- Launches

    def _run_slowly(self, *args, **kwargs):
        """Launches for which the native module knows no choice, or that are not plain."""
        arguments = dict(zip(self.arg_names, args))
        arguments.update((name, value) for name, value in kwargs.items() if name in self.arg_names)
        for name, value in arguments.items():
            _jit_function(self.fn)._check_nesting(name, value)
        self.nargs = dict(zip(self.arg_names, args))
        try:
            key, config = (None, self.configs[0]) if len(self.configs) == 1 else self._find(args, kwargs, arguments)
            self.best_config = config
            if not kwargs.keys().isdisjoint(config.kwargs):
                self._refuse_conflicts(kwargs)
            if config.pre_hook is not None:
                config.pre_hook({**arguments, **kwargs, **config.all_kwargs()})
            result = self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
            items = self._list_items(config) if result is not None else None
            if items is not None and (key is None or self.cache.get(key) is config):
                self._remember(args, kwargs, key, config, items)
            return result
        finally:
            self.nargs = None

    def _list_items(self, config):
        """What a configuration adds to a call, as (name, value, whether the launch uses it); None where only Python code knows."""
        if config.pre_hook is not None or type(config).all_kwargs is not Config.all_kwargs:
            return None
        known, items = _jit_function(self.fn).signature.parameters, []
        for name, value in config.all_kwargs().items():
            is_used = name in known or name in OPTIONS or name == "launch_pdl"
            # The native module launches what is fused, and asks Python code where that is not the default.
            is_ignored = bool(unwrap(value)) if name == "enable_fp_fusion" else name in IGNORED_OPTIONS
            if not is_used and (not is_ignored or name == "launch_cooperative_grid"):
                return None
            items.append((name, value, is_used))
        return tuple(items)

    def _refuse_conflicts(self, arguments):
        for config in self.configs:
            names = [name for name in config.kwargs if name in arguments]
            if names:  # Begins as Triton's message does, on which scripts match.
                raise ValueError(f"Conflicting meta-parameters: {', '.join(names)}. Kernel '{_name(self.fn)}': parameter '{names[0]}' is passed, "
                                 "but the configurations of its @triton.autotune choose it; pass it or tune it")

    def _find(self, args, kwargs, arguments):
        """(key, the configuration for it), which is tuned if it is not known."""
        key = self._make_key(arguments)
        config = self.cache.get(key)
        if config is not None:
            return key, config
        with self._tuning:
            config = self.cache.get(key)
            if config is not None:
                return key, config
            self._refuse_conflicts(arguments)
            config, is_known = self._choose(args, kwargs, arguments)
            if not is_known:
                return key, config
            self.cache[key] = config
            # The launch must not begin with the contents that measuring left. Later launches keep what they find.
            self._prepare_memory(arguments, reset_only=True)
            if self.user_defined_pre_hook:
                self.pre_hook({**arguments, **kwargs, **config.all_kwargs()}, reset_only=True)
            if knobs.autotuning.print:
                print(f"Triton autotuning for function {_name(self.fn)},\nwith key as {key},\nfinished after "
                      f"{self.bench_time or 0:.2f}s,\nbest config selected: {config};")
        return key, config

    @entry
    def warmup(self, *args, **kwargs):
        arguments = dict(zip(self.arg_names, args))
        out = []
        for config in self.prune_configs(kwargs, arguments):
            out.append(self.fn.warmup(*args, **{**kwargs, **config.all_kwargs()}))
        return out

    @entry
    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")


def _clone(value):
    return value.clone() if hasattr(value, "clone") else value.copy() if hasattr(value, "copy") else None


def _assign(value, saved):
    if hasattr(value, "copy_"):
        value.copy_(saved)
    elif saved is not None:
        value[...] = saved


def _find_places(values):
    """The devices, as (type, index), of the memory of a launch's arguments."""
    places = set()
    pending = list(values)
    while pending:
        value = unwrap(pending.pop())
        if isinstance(value, (tuple, list)):
            pending += value
        elif isinstance(value, TensorDescriptor):
            pending.append(value.base)
        elif value is not None and not isinstance(value, (bool, int, float, str)):
            with contextlib.suppress(TypeError):  # The launch reports the error.
                place = _memory.resolve(value, [])
                places |= {place[2:]} if place else set()
    return places


def _find_device(values):
    """(type, index) of the device of a launch with these arguments. Beside a GPU's there may be pinned memory of the host."""
    chosen = _devices.get_chosen()
    if chosen is None:
        places = _find_places(values)
        chosen = max(places, key=lambda place: place[0] != _memory.CPU) if places else _devices.get_default()
    return chosen


def _whole(milliseconds):
    """A number of milliseconds as the library takes it."""
    return min(max(int(milliseconds), 1), 1 << 30)


def _reach(value):
    """Bytes from a tensor's first element to its last one, or None."""
    if callable(getattr(value, "stride", None)):
        if not value.numel():
            return 0
        return (sum((n - 1) * s for n, s in zip(value.shape, value.stride()) if s > 0) + 1) * value.element_size()
    if hasattr(value, "strides") and hasattr(value, "itemsize") and value.strides is not None:
        return 0 if not value.size else sum((n - 1) * s for n, s in zip(value.shape, value.strides) if s > 0) + value.itemsize
    return None


def _name(function):
    while hasattr(function, "fn"):
        function = function.fn
    return function.__name__


def _jit_function(function):
    while not hasattr(function, "_is_jit_function"):
        function = function.fn
    return function


def _read_configs(fn, configs):
    """A list of configurations; the default one where there are none."""
    configs = () if configs is None else configs
    if isinstance(configs, (Config, str)) or not hasattr(configs, "__iter__"):
        raise TypeError(f"autotune of '{_name(fn)}': a list of configurations is expected, not {configs!r}")
    configs = list(configs)
    for config in configs:
        if not isinstance(config, Config):
            raise TypeError(f"autotune of '{_name(fn)}': {config!r} is not a triton.Config")
    return configs or [Config({})]


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Measures configurations, once for each value of the key's parameters, and launches the fastest."""

    def decorate(fn):
        check_kernel("autotune", fn)
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook,
                         post_hook=post_hook, prune_configs_by=prune_configs_by, warmup=warmup, rep=rep,
                         use_cuda_graph=use_cuda_graph, do_bench=do_bench, cache_results=cache_results)

    return decorate


__all__ = ["Autotuner", "Config", "Heuristics", "OutOfResources", "autotune", "heuristics"]

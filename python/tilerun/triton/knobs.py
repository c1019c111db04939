"""`triton.knobs`: settings of the process, from the environment and from code."""

import os

from . import _missing
from .. import _native


def _truth(name, default=False):
    text = os.environ.get(name)
    return default if text is None else text.lower() in ("1", "true", "yes", "on")


class HookChain:
    """Functions that are called around something; empty means none."""

    def __init__(self):
        self.calls = []

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
        _refresh()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
        _refresh()

    def __call__(self, *arguments, **named):
        for function in list(self.calls):
            function(*arguments, **named)

    def __bool__(self):
        return bool(self.calls)


class _Settings:
    """Attributes with their defaults; what is set back to None is the default again."""

    def __init__(self, **defaults):
        object.__setattr__(self, "_defaults", defaults)
        self.reset()

    def reset(self):
        for name, default in self._defaults.items():
            object.__setattr__(self, name, default() if callable(default) else default)

    def __setattr__(self, name, value):
        if isinstance(getattr(self, name, None), HookChain) and not isinstance(value, HookChain):
            chain = HookChain()
            if value is not None:
                chain.calls.append(value)
            value = chain
        object.__setattr__(self, name, value)
        _refresh()

    def scope(self):
        """Restores all settings at the end of a `with` block."""
        return _Scope(self)


class _Scope:
    def __init__(self, settings):
        self.settings = settings

    def __enter__(self):
        self.saved = {name: getattr(self.settings, name) for name in self.settings._defaults}
        return self.settings

    def __exit__(self, *_):
        for name, value in self.saved.items():
            setattr(self.settings, name, value)


def _refresh():
    """Tells the native module whether launches must pass Python code."""
    ours = globals().get("runtime")
    if ours is None:
        return
    _native.set_slow_only(bool(ours.launch_enter_hook or ours.launch_exit_hook or ours.jit_cache_hook
                               or ours.jit_post_compile_hook or ours.kernel_load_start_hook or ours.kernel_load_end_hook
                               or ours.interpret or ours.debug or checks_are_on()))


def checks_are_on():
    """Whether launches on the interpreter look for accesses out of bounds, reads of what nothing has written, races and
    overflow."""
    return bool(interpreter.checks)


# The interpreter's own: TILERUN_CHECKS=1, or knobs.interpreter.checks = True; and whether @triton.autotune measures where
# TRITON_INTERPRET has put launches there.
interpreter = _Settings(checks=lambda: _truth("TILERUN_CHECKS"), autotune=lambda: _truth("TILERUN_INTERPRETER_AUTOTUNE"))
runtime = _Settings(interpret=lambda: _truth("TRITON_INTERPRET"), debug=lambda: _truth("TRITON_DEBUG"),
                    launch_enter_hook=HookChain, launch_exit_hook=HookChain, kernel_load_start_hook=HookChain,
                    kernel_load_end_hook=HookChain, jit_cache_hook=None, jit_post_compile_hook=None,
                    override_arch=lambda: os.environ.get("TRITON_OVERRIDE_ARCH"),
                    sanitize_overflow=True, add_stages_inspection_hook=None)
autotuning = _Settings(print=lambda: _truth("TRITON_PRINT_AUTOTUNING"), cache=lambda: _truth("TRITON_CACHE_AUTOTUNING"),
                       warmup=25, rep=100)
compilation = _Settings(always_compile=lambda: _truth("TRITON_ALWAYS_COMPILE"), override=False, dump_ir=False,
                        store_binary_only=False, use_ir_loc=None, enable_asan=False, disable_line_info=False,
                        front_end_debugging=False, allow_non_constexpr_globals=True, enable_experimental_consan=False,
                        listener=None)
cache = _Settings(dir=lambda: os.environ.get("TRITON_CACHE_DIR"), dump_dir=None, override_dir=None)
language = _Settings(fp32_default=None, default_fp_fusion=True)
nvidia = _Settings(ptxas=None, cuobjdump=None, nvdisasm=None, mock_ptx_version=None, dump_nvptx=False, libdevice_path=None)
amd = _Settings(use_buffer_ops=True, use_block_pingpong=True, global_prefetch=0, local_prefetch=0, use_async_copy=False)
build = _Settings(cc=None, impl=None)
proton = _Settings(disable=True, cupti_dir=None)
redis = _Settings(key_format=None, host="localhost", port=6379)
_refresh()
__getattr__ = _missing.explain(__name__)

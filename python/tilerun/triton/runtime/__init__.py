"""`triton.runtime`."""

from .. import _missing
from ._async_compile import AsyncCompileMode, FutureKernel
from .autotuner import Autotuner, Config, Heuristics, autotune, heuristics
from .driver import driver
from .errors import AutotunerError, InterpreterError, OutOfResources
from .jit import (ConstexprFunction, JITFunction, KernelInterface, MockTensor, TensorWrapper, constexpr_function, preload,
                  reinterpret)
from . import cache, jit
from .cache import RemoteCacheBackend
from ._allocation import set_allocator, set_profile_allocator

__all__ = ["AsyncCompileMode", "Autotuner", "AutotunerError", "Config", "ConstexprFunction", "FutureKernel", "Heuristics", "InterpreterError",
           "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "RemoteCacheBackend", "TensorWrapper", "autotune",
           "constexpr_function", "driver", "heuristics", "jit", "preload", "reinterpret", "set_allocator",
           "set_profile_allocator"]
__getattr__ = _missing.explain(__name__)

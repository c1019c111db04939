"""The drop-in for `triton`: the names of Triton's package, on Tilerun's library."""

from .. import _devices as _devices
from . import knobs
from .runtime import (Autotuner, Config, Heuristics, InterpreterError, JITFunction, KernelInterface, MockTensor,
                      TensorWrapper, autotune, constexpr_function, driver, heuristics, jit, preload, reinterpret,
                      set_allocator)
from .runtime.errors import OutOfResources, TritonError
from .compiler import ASTSource, CompilationError, GPUTarget, compile
from . import compiler, language, runtime, testing, tools
from ._host import cdiv, next_power_of_2

# Of the language that is followed, not of this package: host code asks for it.
__version__ = "3.7.0"
__all__ = ["ASTSource", "Autotuner", "CompilationError", "Config", "GPUTarget", "Heuristics", "InterpreterError",
           "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "autotune",
           "cdiv", "compile", "compiler", "constexpr_function", "driver", "heuristics", "jit", "knobs", "language",
           "must_use_result", "next_power_of_2", "preload", "reinterpret", "runtime", "set_allocator", "testing", "tools"]


def must_use_result(x, s=True):
    """Marks a function whose result must be used; the compiler here does not ask."""
    return (lambda function: function) if isinstance(x, str) else x

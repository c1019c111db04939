"""The drop-in for `triton`: the names of Triton's package, on Tilerun's library."""

from .. import _devices as _devices
from . import knobs
from .runtime import (AsyncCompileMode, Autotuner, Config, FutureKernel, Heuristics, InterpreterError, JITFunction, KernelInterface, MockTensor,
                      TensorWrapper, autotune, constexpr_function, driver, heuristics, preload, reinterpret, set_allocator)
from .runtime.jit import jit
from .runtime.errors import OutOfResources, TritonError
from .compiler import ASTSource, CompilationError, GPUTarget, compile
from . import _C, _utils, backends, compiler, errors, language, runtime, testing, tools
from ._host import cdiv, next_power_of_2
from .language import must_use_result
from .language import aggregate

# The version of Triton that this package follows, not its own: host code queries it, and avoids mistakes of versions before this one,
# which Tilerun does not make.
__version__ = "3.7.1"
__all__ = ["ASTSource", "AsyncCompileMode", "Autotuner", "CompilationError", "Config", "FutureKernel", "GPUTarget", "Heuristics", "InterpreterError",
           "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate",
           "autotune", "cdiv", "compile", "compiler", "constexpr_function", "driver", "errors", "heuristics", "jit", "knobs", "language",
           "must_use_result", "next_power_of_2", "preload", "reinterpret", "runtime", "set_allocator", "testing", "tools"]

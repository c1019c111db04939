"""`triton.compiler`: compiling without a launch, also for targets without a device."""

from .. import _missing
from ...errors import CompilationError
from .kernel import CompiledKernel, LaunchMetadata
from .source import ASTSource, compile, find_late, make_backend
from .target import GPUTarget
from . import compiler, errors

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "GPUTarget", "IRSource", "LaunchMetadata", "compile", "compiler",
           "errors", "make_backend"]
__getattr__ = _missing.explain(__name__, find_late)

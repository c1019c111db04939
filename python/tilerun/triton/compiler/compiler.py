"""`triton.compiler.compiler`."""

from .. import _missing
from . import ASTSource, CompiledKernel, GPUTarget, LaunchMetadata, compile, make_backend
from .source import find_late
from ..runtime.cache import triton_key

__all__ = ["triton_key", "ASTSource", "CompiledKernel", "GPUTarget", "IRSource", "LaunchMetadata", "compile", "make_backend"]
__getattr__ = _missing.explain(__name__, find_late)

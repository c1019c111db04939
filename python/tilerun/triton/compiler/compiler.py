"""`triton.compiler.compiler`."""

from . import ASTSource, CompiledKernel, GPUTarget, LaunchMetadata, compile, make_backend
from ..runtime.cache import triton_key

__all__ = ["triton_key", "ASTSource", "CompiledKernel", "GPUTarget", "LaunchMetadata", "compile", "make_backend"]

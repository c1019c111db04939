"""`triton.compiler.compiler`."""

from . import ASTSource, CompiledKernel, GPUTarget, LaunchMetadata, compile, make_backend

__all__ = ["ASTSource", "CompiledKernel", "GPUTarget", "LaunchMetadata", "compile", "make_backend"]

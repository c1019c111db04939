"""`triton.compiler.errors`."""

from ...errors import CompilationError

CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompilationError
__all__ = ["CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct"]

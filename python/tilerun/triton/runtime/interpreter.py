"""`triton.runtime.interpreter`: with TRITON_INTERPRET=1, launches of the same JITFunctions run on the library's interpreter."""

from .. import _missing
from .errors import InterpreterError


class InterpretedFunction:
    """The class that frameworks tell interpreted kernels by. No kernel is one: JITFunctions run on the interpreter, too."""

    def __init__(self, *args, **kwargs):
        raise TypeError("kernels are made by @triton.jit; TRITON_INTERPRET=1 runs them on the interpreter")


__all__ = ["InterpretedFunction", "InterpreterError"]
__getattr__ = _missing.explain(__name__)

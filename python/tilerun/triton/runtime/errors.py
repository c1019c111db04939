"""`triton.runtime.errors`."""

from ...errors import OutOfResources, TilerunError as TritonError


class InterpreterError(TritonError):
    """A kernel failed on the interpreter."""


class AutotunerError(TritonError):
    """No configuration of a kernel works."""


class PTXASError(TritonError):
    """An error of Triton's assembler. Tilerun uses the driver's compiler, whose errors are CompilationErrors."""


__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]

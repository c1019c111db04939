"""`triton.runtime.errors`."""

from ...errors import OutOfResources, TilerunError as TritonError


class InterpreterError(TritonError):
    """A kernel did wrong on the interpreter."""


class AutotunerError(TritonError):
    """No configuration of a kernel works."""


class PTXASError(TritonError):
    """Of Triton's assembler; the driver's compiler is used here, whose errors are CompilationErrors."""


__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]

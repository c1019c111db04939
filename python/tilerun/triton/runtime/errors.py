"""`triton.runtime.errors`."""

from ...errors import OutOfResources, TilerunError as TritonError


class InterpreterError(TritonError):
    """A kernel failed on the interpreter."""


class AutotunerError(TritonError):
    """No configuration of a kernel works."""

    def __str__(self):
        return f"Autotuner error: {super().__str__()}"


class PTXASError(TritonError):
    """NVIDIA's assembler refuses a kernel whose machine code (`asm["cubin"]`) was asked for. No launch of Tilerun uses it; errors of
    the driver's compiler are CompilationErrors."""

    def __str__(self):
        return f"PTXAS error: {super().__str__()}"


__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]

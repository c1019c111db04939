"""`triton.runtime.errors`."""

from ...errors import OutOfResources, TilerunError as TritonError


class _Told(TritonError):
    """An error with a message alone, which is its `error_message`, too."""

    def __init__(self, error_message=None):
        super().__init__(*(() if error_message is None else (error_message, )))
        self.error_message = error_message


class InterpreterError(_Told):
    """A kernel failed on the interpreter."""


class AutotunerError(_Told):
    """No configuration of a kernel works."""

    def __str__(self):
        return f"Autotuner error: {super().__str__()}"


class PTXASError(_Told):
    """NVIDIA's assembler refuses a kernel whose machine code (`asm["cubin"]`) was asked for. No launch of Tilerun uses it; errors of
    the driver's compiler are CompilationErrors."""

    def __str__(self):
        return f"PTXAS error: {super().__str__()}"


__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]

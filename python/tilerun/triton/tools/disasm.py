"""Machine code for NVIDIA's GPUs as text, by the tools of a CUDA toolkit (knobs.nvidia)."""

import re

from ... import _assembler
from .. import _missing


def get_sass(cubin_asm, fun=None):
    """The instructions of machine code (bytes), or those of one function. RuntimeError if there is neither nvdisasm nor cuobjdump, or no
    such function."""
    text = _assembler.disassemble(cubin_asm)
    if fun is None:
        return text
    # nvdisasm: sections; cuobjdump: "Function : NAME".
    parts = re.split(r"(?m)^(?=\s*(?:\.section\s+\.text\.|//-+ \.text\.|Function : ))", text)
    found = [part for part in parts if re.match(rf"\s*(?:\.section\s+\.text\.|//-+ \.text\.|Function : ){re.escape(fun)}\b", part)]
    if not found:
        raise RuntimeError(f"the machine code has no function '{fun}'")
    return "".join(found)


def extract(file_path, fun):
    """The same for a file."""
    with open(file_path, "rb") as file:
        return get_sass(file.read(), fun)


def path_to_cuobjdump():
    """(path, version) of the tool; RuntimeError if it is not found."""
    from .. import knobs
    return knobs.nvidia.cuobjdump.path, knobs.nvidia.cuobjdump.version


__getattr__ = _missing.explain(__name__)

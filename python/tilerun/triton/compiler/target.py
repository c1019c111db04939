"""The target of a compilation, in Triton's terms and in the library's."""

from dataclasses import dataclass
from typing import Union


@dataclass(frozen=True)
class GPUTarget:
    backend: str
    arch: Union[int, str]
    warp_size: int = 32

    @property
    def text(self):
        """The library's name of it: "cuda:sm_90a"."""
        if self.backend == "cuda":
            arch = str(self.arch)
            if arch.isdigit():
                # Hopper's and Blackwell's matrix units are in the architecture with the suffix.
                arch = f"sm_{arch}{'a' if int(arch) >= 90 else ''}"
            return f"cuda:{arch}"
        if self.backend == "cpu":
            return "cpu:interpreter"  # Frameworks write the number of no architecture, or nothing.
        return f"{self.backend}:{self.arch}"

    @staticmethod
    def parse(text, warp_size=None):
        backend, _, arch = text.partition(":")
        if backend == "cuda":
            digits = "".join(c for c in arch if c.isdigit())
            arch = int(digits) if digits else arch
        lanes = {"cuda": 32, "hip": 64 if str(arch).startswith("gfx9") else 32}.get(backend, 1)
        return GPUTarget(backend, arch or "", warp_size or lanes)

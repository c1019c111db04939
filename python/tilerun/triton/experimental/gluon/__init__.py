"""Gluon, the language of Triton's package that states layouts by hand: another language than Triton's, which is not compiled
here. Its names are there, so that packages with kernels in both can be imported; a launch of such a kernel is an error."""

from ... import constexpr_function, must_use_result
from ._parts import GluonJITFunction, jit, make_modules

make_modules(__name__)
from . import amd, language, nvidia  # They are in sys.modules now.

__all__ = ["amd", "constexpr_function", "jit", "language", "must_use_result", "nvidia"]

"""What stands for Gluon's names, and its kernels, which are refused when they are launched."""

import functools
import importlib.machinery
import sys
import types

from ....errors import UnsupportedError
from ... import language as triton_language
from ...runtime.jit import JITFunction
from ._names import MODULES, NAMES


class Part:
    """A name of Gluon's without a meaning here. Layouts are made of them, and annotations, while a package is imported."""

    def __init__(self, text):
        self._text = text

    def __call__(self, *args, **kwargs):
        arguments = [repr(a) for a in args] + [f"{name}={value!r}" for name, value in kwargs.items()]
        return Part(f"{self._text}({', '.join(arguments)})")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"'{self._text}' has no '{name}'")
        return Part(f"{self._text}.{name}")

    def __getitem__(self, index):
        return Part(f"{self._text}[{index!r}]")

    def __or__(self, other):
        return self  # In annotations.

    __ror__ = __or__

    def __mro_entries__(self, bases):
        return ()  # As a base class.

    def __eq__(self, other):
        return isinstance(other, Part) and other._text == self._text

    def __hash__(self):
        return hash(self._text)

    def __repr__(self):
        return self._text


class GluonJITFunction(JITFunction):
    """A kernel in Gluon: it has a name, parameters and decorators, and does not run."""

    def is_gluon(self):
        return True

    def _ensure_loaded(self):
        code = self.fn.__code__
        raise UnsupportedError(f"kernel '{self.__name__}' ({code.co_filename}:{code.co_firstlineno}) is in Gluon (@gluon.jit), which states layouts by hand for "
                               "Triton's own compiler and is not supported; take the package's kernel for @triton.jit, if it has one")

    def _bind(self, args, kwargs):
        self._ensure_loaded()

    def __repr__(self):
        return f"GluonJITFunction({self.module}:{self.__qualname__})"


def jit(fn=None, **options):
    """`@gluon.jit`"""
    make = functools.partial(GluonJITFunction, **options)
    return make if fn is None else make(fn)


def _find(module, name):
    """Types and constants that are those of triton.language; else what stands for the name."""
    if name == "libdevice":
        return triton_language.extra.libdevice
    same = getattr(triton_language, name, None) if module == "language" else None
    return same if isinstance(same, (type, triton_language.dtype)) else Part(f"gluon.{module}.{name}")


def make_modules(package):
    """Puts the modules below `package` into sys.modules and into each other."""
    made = {}
    for path in sorted(NAMES):
        module = types.ModuleType(f"{package}.{path}", f"Gluon's names: see {package}.")
        module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None, is_package=True)
        module.__path__, module.__file__ = [], __file__
        module.__all__ = NAMES[path].split()
        vars(module).update((name, _find(path, name)) for name in module.__all__)
        made[path] = module
    made |= {second: made[first] for second, first in MODULES.items()}
    for path, module in made.items():
        above, _, name = path.rpartition(".")
        sys.modules[f"{package}.{path}"] = module
        setattr(made[above] if above else sys.modules[package], name, module)

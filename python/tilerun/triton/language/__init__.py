"""`triton.language` for host code: a marker for every name, listed from the compiler's own table. Markers stand in
annotations, defaults, constants and globals; what they mean, the compiler knows from the kernel's source."""

import builtins
import sys
import types

from .. import _missing
from ... import _native
from ..._memory import DTYPES

_OURS, _THEIRS = "tilerun.triton", "triton"


class constexpr:
    """A value that is known when a kernel is compiled; as an annotation, a parameter that takes one."""

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((constexpr, self.value))

    def __index__(self):
        return self.value.__index__()

    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __call__(self, *arguments, **named):
        return self.value(*arguments, **named)

    def __getitem__(self, index):
        return self.value[_plain(index)]

    def __iter__(self):
        return iter(self.value)

    def __len__(self):
        return len(self.value)


def _plain(x):
    return x.value if isinstance(x, constexpr) else x


def _add_operators():
    import operator
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
        function = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", lambda a, b, f=function: constexpr(f(a.value, _plain(b))))
        setattr(constexpr, f"__r{name}__", lambda a, b, f=function: constexpr(f(_plain(b), a.value)))
    for name in ("neg", "pos", "invert", "abs"):
        setattr(constexpr, f"__{name}__", lambda a, f=getattr(operator, name): constexpr(f(a.value)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(constexpr, f"__{name}__", lambda a, b, f=getattr(operator, name): constexpr(f(a.value, _plain(b))))


_hash = constexpr.__hash__
_add_operators()
constexpr.__hash__ = _hash


class dtype:
    """An element type. `code` is its number in the library."""

    def __init__(self, name):
        name = _plain(name)
        if name != "void" and name not in DTYPES and name not in _SHORT:
            raise ValueError(f"there is no dtype {name!r}; there are {', '.join(DTYPES)}")
        self.name = _SHORT.get(name, name)
        self.code = DTYPES.get(_LIBRARY.get(self.name, self.name), 0)
        digits = "".join(c for c in self.name.replace("fp8e", "") if c.isdigit())
        self.primitive_bitwidth = 8 if self.name.startswith("fp8") else int(digits or 0)

    @property
    def itemsize(self):
        return builtins.max(1, self.primitive_bitwidth // 8)

    @property
    def scalar(self):
        return self

    @property
    def element_ty(self):
        return self

    int_bitwidth = property(lambda self: self.primitive_bitwidth)
    bitwidth = property(lambda self: self.primitive_bitwidth)

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name.startswith(("fp", "bf"))

    def is_standard_floating(self):
        return self.name in ("fp16", "bf16", "fp32", "fp64")

    def is_int(self):
        return self.name.startswith(("int", "uint"))

    def is_int_signed(self):
        return self.name.startswith("int") and self.name != "int1"

    def is_int_unsigned(self):
        return self.name.startswith("uint") or self.name == "int1"

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    def is_ptr(self):
        return False

    def is_block(self):
        return False

    def is_const(self):
        return False

    def __eq__(self, other):
        return isinstance(_plain(other), dtype) and str(self) == str(_plain(other))

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{_LONG.get(self.name, self.name)}"

    def __getattr__(self, name):
        # is_fp16, is_int32, is_uf8, …
        if name.startswith("is_"):
            return lambda: self.name == name[3:]
        raise AttributeError(f"a dtype has no attribute {name!r}")


# Triton's own names of types, and what signatures call them.
_LONG = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "fp8e5": "float8e5",
         "fp8e4nv": "float8e4nv", "fp8e4b8": "float8e4b8", "fp8e5b16": "float8e5b16", "fp8e4b15": "float8e4b15"}
_LIBRARY = {f"{kind}{bits}": f"{kind[0]}{bits}" for kind in ("int", "uint") for bits in (1, 8, 16, 32, 64)}
_SHORT = {short: long for long, short in _LIBRARY.items()} | {long: short for short, long in _LONG.items()} | {
    name: name for name in _LIBRARY if name != "uint1"}


class pointer_type(dtype):
    """The type of pointers to elements of another."""

    def __init__(self, element_ty, address_space=1, const=False):
        self._element, self.address_space, self.const = _plain(element_ty), address_space, const
        self.name, self.code, self.primitive_bitwidth = str(self), 0, 64

    element_ty = property(lambda self: self._element)
    scalar = property(lambda self: self)

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def is_floating(self):
        return False

    def is_int(self):
        return False

    def __str__(self):
        return f"*{'k' if self.const else ''}{self._element}"


class block_type(dtype):
    """The type of tensors of a shape."""

    def __init__(self, element_ty, shape):
        self._element, self.shape = element_ty, builtins.tuple(_plain(n) for n in shape)
        self.name, self.code, self.primitive_bitwidth = str(self), 0, element_ty.primitive_bitwidth

    element_ty = property(lambda self: self._element)
    scalar = property(lambda self: self._element)

    def get_block_shapes(self):
        return self.shape

    def is_block(self):
        return True

    def __str__(self):
        return f"<{list(self.shape)}, {self._element}>"


class tensor:
    """An annotation: a run-time value of a kernel. There are none outside of kernels."""

    def __init__(self, *_, **__):
        raise RuntimeError("a triton.language.tensor exists in kernels alone")


class tensor_descriptor:
    """An annotation: a descriptor, made in the kernel or on the host (triton.tools.tensor_descriptor)."""


class _Tuple(builtins.tuple):
    """A tuple of a kernel."""


class Function:
    """A marker for a function of the language, which kernels alone can call."""

    def __init__(self, path, name, signature, documentation):
        self._language_name = path, name
        self.__name__ = self.__qualname__ = name
        self.__module__ = path
        self.__doc__ = f"{name}({signature})\n\n{documentation}"

    def __call__(self, *arguments, **named):
        path, name = self._language_name
        raise RuntimeError(f"{path}.{name} can be called in a kernel alone; did you forget @triton.jit?")

    def __repr__(self):
        return f"<function {'.'.join(self._language_name)} of kernels>"


def _get_target():
    """What launches are compiled for now; None on the interpreter, as in a kernel."""
    from ..runtime import driver
    target = driver.active.get_current_target()
    return None if target.backend == "cpu" else target


_QUESTIONS = {
    "current_target": lambda target: target,
    "is_cuda": lambda target: target is not None and target.backend == "cuda",
    "cuda_capability_geq": lambda target, major, minor=0: (
        target is not None and target.backend == "cuda" and target.arch >= major * 10 + minor),
    "is_hip": lambda target: target is not None and target.backend == "hip",
    "is_hip_cdna3": lambda target: target is not None and target.arch == "gfx942",
    "is_hip_cdna4": lambda target: target is not None and target.arch == "gfx950",
}


class _Question(Function):
    """A function of `triton.language.target_info`: the host may ask too, about its current device."""

    def __call__(self, *arguments, **named):
        return _QUESTIONS[self.__name__](_get_target(), *arguments, **named)


def _aggregate(cls):
    """Makes a class a record: its annotations are fields, which `__init__` sets; kernels make its values."""
    cls._is_record = True
    return cls


_aggregate._language_name = "triton.language.core", "_aggregate"
aggregate = _aggregate

# Classes of this file that the compiler knows as functions or annotations.
_CLASSES = {"constexpr": constexpr, "dtype": dtype, "pointer_type": pointer_type, "block_type": block_type,
            "tensor": tensor, "tensor_descriptor": tensor_descriptor, "tuple": _Tuple}


def _make(path, name, kind, value, documentation):
    if kind == "dtype":
        return dtype(value)
    if kind == "constant":
        return int(value) if value else None
    is_question = path == "triton.language.target_info" and name in _QUESTIONS
    return (_Question if is_question else Function)(path, name, value, documentation)


_LIBDEVICE = "triton.language.extra.libdevice"


def _fill(module, path):
    """Puts a marker for each name of a namespace into a module; makes modules of nested namespaces."""
    module._language_path = path
    for name, kind, value, documentation in _native.list_language(path):
        if kind != "namespace":
            if path != "triton.language" or name not in _CLASSES:
                setattr(module, name, _make(path, name, kind, value, documentation))
            continue
        # A second name of a namespace is the same module.
        ours = _OURS + value[len(_THEIRS):]
        nested = module if value == path else sys.modules.get(ours)
        if nested is None:
            nested = types.ModuleType(ours, f"Markers for the names in {value}.")
            nested.__path__ = []
            sys.modules[ours] = nested
            _fill(nested, value)
        setattr(module, name, nested)
        sys.modules[module.__name__ + "." + name] = nested


_here = sys.modules[__name__]
for _name, _class in _CLASSES.items():
    setattr(_here, _name, _class)
    _class._language_name = "triton.language", _name
_fill(_here, "triton.language")
void = dtype("void")
N_ROUNDS_DEFAULT = constexpr(10)  # Of Philox, as triton.language.random calls it.


def get_int_dtype(bitwidth, signed):
    """The integer type of a width."""
    return dtype(f"{'int' if signed or bitwidth == 1 else 'uint'}{bitwidth}")


def must_use_result(x, s=True):
    """Marks a function whose result must be used; the compiler here does not ask."""
    return (lambda function: function) if isinstance(x, str) else x


_native.register_dtype(dtype)
str_to_ty = {name: value for name, value in vars(_here).items() if isinstance(value, dtype)}
_OWN = ("builtins", "sys", "types", "Function", "DTYPES")
__all__ = [name for name in vars(_here) if not name.startswith("_") and name not in _OWN]
__getattr__ = _missing.explain(__name__)

"""`triton.language` for host code: a marker for every name, listed from the compiler's own table.
Markers stand in annotations, defaults, constants and globals; the compiler gets their meaning from
the kernel's source."""

import builtins
import enum
import functools
import importlib
import inspect
import sys
import types

from .. import _host, _missing
from ... import _native
from ..._memory import DTYPES
from ...errors import DtypeError, OutsideKernelError

_OURS, _THEIRS = "tilerun.triton", "triton"


class constexpr:
    """A value that is known when a kernel is compiled; as an annotation, a parameter that takes one; as the decorator of a
    function, `triton.constexpr_function`."""

    def __new__(cls, value=None):
        if type(value) is types.FunctionType and value.__name__ != "<lambda>":  # Which host code alone calls.
            from ..runtime.jit import ConstexprFunction
            return ConstexprFunction(value)
        return super().__new__(cls)

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

    def logical_and(self, other):
        return constexpr(self.value and _plain(other))

    def logical_or(self, other):
        return constexpr(self.value or _plain(other))

    def __not__(self):
        return constexpr(not self.value)

    @property
    def type(self):
        return constexpr_type(self.value)


class constexpr_type:
    """The type of a compile-time value, which is the value's own."""

    def __init__(self, value):
        self.value = _plain(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        return repr(self)


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

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", *STANDARD_FP_TYPES]
    OTHER_TYPES = ["void"]

    def __init__(self, name):
        name = _plain(name)
        if name != "void" and name not in DTYPES and name not in _SHORT:
            raise DtypeError(f"unknown dtype {name!r}; known are {', '.join(DTYPES)}")
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
    cache_key_part = property(lambda self: self.name)

    @property
    def int_signedness(self):
        if not self.is_int():
            raise AttributeError(f"{self} is not an integer type")
        return self.SIGNEDNESS.SIGNED if self.is_int_signed() else self.SIGNEDNESS.UNSIGNED

    @property
    def fp_mantissa_width(self):
        return self._find_float()[0]

    @property
    def exponent_bias(self):
        return self._find_float()[1]

    def _find_float(self):
        if self.name not in _FLOATS:
            raise AttributeError(f"{self} is not a floating-point type")
        return _FLOATS[self.name]

    def kind(self):
        return (self.KIND.BOOLEAN if self.is_bool() else self.KIND.INTEGRAL if self.is_int() else self.KIND.FLOATING)

    def get_int_max_value(self):
        return (1 << self.int_bitwidth - (self.int_signedness == self.SIGNEDNESS.SIGNED)) - 1

    def get_int_min_value(self):
        return -(1 << self.int_bitwidth - 1) if self.int_signedness == self.SIGNEDNESS.SIGNED else 0

    def with_element_ty(self, element_ty):
        return element_ty

    def codegen_name(self):
        return _LONG.get(self.name, self.name)

    def mangle(self):
        """The name as signatures write it."""
        return _LIBRARY.get(self.name, self.name)

    @staticmethod
    def is_dtype(name):
        return name in dtype.SINT_TYPES + dtype.UINT_TYPES + dtype.FP_TYPES + dtype.OTHER_TYPES

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


# Names of types in signatures, by all their names in Python.
DTYPE_NAMES = {name: _LIBRARY.get(_SHORT.get(name, name), _SHORT.get(name, name))
               for name in [*_SHORT, *_SHORT.values(), *_LONG] if name != "uint1"}
# (bits of the mantissa, bias of the exponent) of floating-point types.
_FLOATS = {"fp8e4b15": (3, 15), "fp8e4nv": (3, 7), "fp8e4b8": (3, 8), "fp8e5": (2, 15), "fp8e5b16": (2, 16),
           "fp16": (10, 15), "bf16": (7, 127), "fp32": (23, 127), "fp64": (52, 1023)}


class pointer_type(dtype):
    """The type of pointers to elements of another."""

    def __init__(self, element_ty, address_space=1, const=False):
        if not isinstance(_plain(element_ty), dtype):
            raise TypeError(f"element_ty has type `{type(element_ty).__name__}`; expected `dtype`.")
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

    def mangle(self):
        return f"*{'k' if self.const else ''}{self._element.mangle()}"

    def __str__(self):
        return f"{'const_' if self.const else ''}pointer<{self._element}>"

    __repr__ = __str__


class block_type(dtype):
    """The type of tensors of a shape."""

    def __init__(self, element_ty, shape):
        self._element, self.shape = element_ty, builtins.tuple(_plain(n) for n in shape)
        if not self.shape:
            raise TypeError("0d block_type is forbidden")
        self.name, self.code, self.primitive_bitwidth = str(self), 0, element_ty.primitive_bitwidth

    element_ty = property(lambda self: self._element)
    scalar = property(lambda self: self._element)

    @property
    def numel(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    nbytes = property(lambda self: self.numel * (self._element.primitive_bitwidth // 8))

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    def is_block(self):
        return True

    def __str__(self):
        return f"<{[str(n) for n in self.shape]}, {self._element}>"

    __repr__ = __str__


class tensor:
    """An annotation: a run-time value of a kernel. There are none outside of kernels."""

    def __init__(self, *_, **__):
        raise RuntimeError("a triton.language.tensor exists only in kernels")


class tensor_descriptor:
    """An annotation: a descriptor, made in the kernel or on the host (triton.tools.tensor_descriptor)."""


class _Tuple(builtins.tuple):
    """A tuple of a kernel."""


class _Default:
    """A default value that only kernels have."""

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text


def _make_parameter(argument, kind, default):
    import ast
    if default is None:
        return inspect.Parameter(argument.arg, kind)
    value = default.value if isinstance(default, ast.Constant) else _Default(ast.unparse(default))
    return inspect.Parameter(argument.arg, kind, default=value)


class Function:
    """A marker for a function of the language, which only kernels can call."""

    def __init__(self, path, name, signature, documentation):
        self._language_name, self._parameters = (path, name), signature
        self.__name__ = self.__qualname__ = name
        self.__module__ = path
        self.__doc__ = f"{name}({signature})\n\n{documentation}"

    @property
    def __signature__(self):
        """For `help` and editors; a default that is not a literal is its text."""
        import ast
        arguments = ast.parse(f"def f({self._parameters}): ...").body[0].args
        plain = arguments.posonlyargs + arguments.args
        kinds = inspect.Parameter
        parameters = [_make_parameter(a, kinds.POSITIONAL_OR_KEYWORD, d)
                      for a, d in zip(plain, [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults)]
        if arguments.vararg:
            parameters.append(_make_parameter(arguments.vararg, kinds.VAR_POSITIONAL, None))
        parameters += [_make_parameter(a, kinds.KEYWORD_ONLY, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
        if arguments.kwarg:
            parameters.append(_make_parameter(arguments.kwarg, kinds.VAR_KEYWORD, None))
        return inspect.Signature(parameters)

    def __call__(self, *arguments, **named):
        path, name = self._language_name
        raise OutsideKernelError(f"{path}.{name} can only be called in a kernel. Did you forget to add @triton.jit ?")

    def __repr__(self):
        return f"<function {'.'.join(self._language_name)} of kernels>"


class _HostFunction(Function):
    """A function of the language that host code may call as well."""

    def __call__(self, *arguments, **named):
        return _ON_HOST[self.__name__](*arguments, **named)


_ON_HOST = {"cdiv": _host.cdiv, "next_power_of_2": _host.next_power_of_2}


def _get_target():
    """The target of launches at present; None on the interpreter, as in a kernel."""
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


def builtin(fn):
    """Marks a function that kernels call as Python would: with compile-time values, or with what they compute. Host code calls
    what it wraps."""

    @functools.wraps(fn)
    def refuse(*arguments, **named):
        raise OutsideKernelError(f"'{fn.__name__}' can only be called in a kernel. Did you forget to add @triton.jit ?")

    refuse.signature = inspect.signature(fn)
    refuse.__triton_builtin__ = True
    return refuse


def is_builtin(fn):
    """Whether a function is the language's own, or marked as such."""
    return isinstance(fn, Function) or getattr(fn, "__triton_builtin__", False) is True


TRITON_BUILTIN = "__triton_builtin__"

# Classes of this file that the compiler knows as functions or annotations.
_CLASSES = {"constexpr": constexpr, "constexpr_type": constexpr_type, "dtype": dtype, "pointer_type": pointer_type, "block_type": block_type,
            "tensor": tensor, "tensor_descriptor": tensor_descriptor, "tuple": _Tuple}


def _make(path, name, kind, value, documentation):
    if kind == "dtype":
        return dtype(value)
    if kind == "constant":
        return int(value) if value else None
    if path == "triton.language.target_info" and name in _QUESTIONS:
        return _Question(path, name, value, documentation)
    return (_HostFunction if name in _ON_HOST else Function)(path, name, value, documentation)


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


def _add_module(parent, name, names):
    """A submodule for some of a module's names, which Triton keeps in a file of their own."""
    path = f"{parent.__name__}.{name}"
    module = sys.modules[path] = types.ModuleType(path, f"Some of the markers of {parent._language_path}.")
    module._language_path = parent._language_path
    for word in names.split():
        setattr(module, word, getattr(parent, word))
    setattr(parent, name, module)


_add_module(_here.extra.cuda, "gdc", "gdc_launch_dependents gdc_wait")
_add_module(_here.extra.cuda, "utils", "convert_custom_float8_sm70 convert_custom_float8_sm80 globaltimer num_threads num_warps "
            "smid")
void = dtype("void")
pi32_t = pointer_type(dtype("int32"))
N_ROUNDS_DEFAULT = constexpr(10)  # Of Philox, as triton.language.random calls it.


def get_int_dtype(bitwidth, signed):
    """The integer type of a width."""
    return dtype(f"{'int' if signed or bitwidth == 1 else 'uint'}{bitwidth}")


def must_use_result(x, s=True):
    """Marks a function whose result must be used: a kernel with a call that stands alone does not compile. As a decorator with a
    text, what the error says besides."""
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = s
    return x


must_use_result(_here.advance, "it moves no block pointer, but gives one that is moved")


def str_to_ty(name, c=None):
    """The type that a signature's text means; `c` makes the constants of tuples."""
    if name == "constexpr":
        return constexpr(c)
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(str_to_ty(name[2 if const else 1:]), const=const)
    return dtype({"u1": "int1", "B": "int1"}.get(name, name))


def _find_private(name):
    """A name of Triton's that is not part of the language, but that user code imports."""
    if name not in _PRIVATE:
        return None
    return getattr(importlib.import_module("tilerun.triton.language._standard"), name)


_PRIVATE = frozenset(("_argmax_combine_tie_break_fast", "_argmax_combine_tie_break_left", "_argmin_combine_tie_break_fast",
                      "_argmin_combine_tie_break_left", "_elementwise_max", "_elementwise_min", "_is_power_of_two", "_log2",
                      "_or_combine", "_prod_combine", "_sum_combine", "_unwrap_if_constexpr", "_xor_combine"))
_native.register_dtype(dtype)
_OWN = ("builtins", "enum", "functools", "importlib", "inspect", "sys", "types", "DTYPE_NAMES", "DTYPES", "Function",
        "OutsideKernelError")
__all__ = [name for name in vars(_here) if not name.startswith("_") and name not in _OWN]
__getattr__ = _missing.explain(__name__, _find_private)

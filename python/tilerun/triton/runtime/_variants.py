"""Kernels with constants that no launch can carry bound into them (tuples, functions), and kernels of the package's own
around a function whose arguments a launch takes in parts (descriptors, tuples of run-time values, named tuples)."""

import functools
import re
import typing
import weakref

from ... import _host_values, _memory, _native, _source
from ...errors import UnsupportedError
from ..compiler.kernel import CompiledKernel
from ..language import constexpr, dtype
from ..tools.tensor_descriptor import TensorDescriptor
from ._values import unwrap, unwrap_argument


class Part:
    """A run-time value in an argument that a launch takes in parts: its name in the native kernel's signature. With `block`,
    the base of a tensor descriptor."""

    def __init__(self, name, block=None, padding="zero"):
        self.name, self.block, self.padding = name, block, padding


class Bound:
    """A constant among an argument's parts. (constexpr of a function would be another function.)"""

    def __init__(self, value):
        self.value = value


class _Weak:
    """An argument as a tree of tuples, `Part`s and constants (as `Bound`), without keeping alive the functions and classes
    in it: a variant ends with them."""

    def __init__(self, value):
        if isinstance(value, Bound):
            self.kind, self.value = Bound, _Weak(value.value)
        elif isinstance(value, (tuple, list)):
            self.kind, self.value = weakref.ref(type(value)), [_Weak(item) for item in value]
        elif _is_dict(value):
            self.kind, self.value = dict, {key: _Weak(item) for key, item in value.items()}
        else:
            is_plain = value is None or isinstance(value, (bool, int, float, str, dtype, Part))
            self.kind, self.value = (None, value) if is_plain else (weakref.ref, weakref.ref(value))

    def get(self):
        """The value. ReferenceError if something in it is gone."""
        if self.kind is None:
            return self.value
        if self.kind is Bound:
            return Bound(self.value.get())
        if self.kind is dict:
            return {key: item.get() for key, item in self.value.items()}
        found = self.kind() if self.kind is not weakref.ref else self.value()
        if found is None:
            raise ReferenceError("a function or class among the kernel's constants no longer exists")
        if self.kind is weakref.ref:
            return found
        items = [item.get() for item in self.value]
        return items if found is list else _host_values.make_like(found, items)


def find(function, values, lock, constants=frozenset()):
    """The native kernel of a function for a call, and the values that it takes. `constants`: the parameters that get a
    constexpr, whatever the function declares."""
    bound, functions, rest = [], [], {}
    parts = _Parts(function, functions, constants)
    for param in function.params:
        value = values[param.name]
        if param.is_constexpr and _host_values.is_of_user(value):
            value = _host_values.as_named_tuple(value, _list_attributes(function))
        if parts.takes(param, value):
            parts.add(param, value, rest)
        elif isinstance(value, (tuple, list)) or _host_values.find_function(value) is not None or \
                param.name in constants and not param.is_constexpr:
            bound.append(f"{param.name}={write_constant(function, param, value, functions)}")
            parts.wholes[param.name] = Bound(_unwrap_items(value))
        else:
            rest[param.name] = unwrap(value)
    if not bound and not parts.expressions:
        return function, values
    wrapper = parts.write(rest, [entry.partition("=")[0] for entry in bound])
    key = wrapper, tuple(bound), tuple(id(helper) for helper in functions), tuple(map(id, parts.classes))
    with lock:
        variant = function._variants.get(key)
        if variant is None or not variant._is_loaded():
            variant = function._variants[key] = _Variant(function, ", ".join(bound), functions, list(rest), wrapper,
                                                         parts.classes, parts.wholes)
            # Its key has their ids, which other objects may get once they are gone.
            forget = lambda _, variants=function._variants: variants.pop(key, None)
            variant.guards = [weakref.ref(used, forget) for used in (*functions, *parts.classes)]
    return variant, rest


def _list_attributes(function):
    """The names of all attributes that a kernel and its helpers read."""
    known = vars(function).get("_attributes")
    if known is None or known[0] is not function._sources:
        names = {name for _, _, text in function._sources for name in re.findall(r"\.\s*([A-Za-z_]\w*)", text)}
        known = function._attributes = function._sources, sorted(name for name in names if not name.startswith("_"))
    return known[1]


def _find_helper(value):
    """A function that kernels can call: a jit function, or one of the language's; otherwise None."""
    return _host_values.find_function(value) or (value if _host_values.language_name(value) is not None else None)


def write_constant(function, param, value, functions):
    """The text of a constant in a signature; adds the functions that it names to `functions`."""
    value = unwrap(value)
    helper = _find_helper(value)
    if helper is not None:
        if helper not in functions:
            functions.append(helper)
        return f"__a{functions.index(helper)}"
    if isinstance(value, (tuple, list)):
        items = "".join(write_constant(function, param, item, functions) + ", " for item in value)
        return f"[{items}]" if isinstance(value, list) else f"({items})"
    if isinstance(value, dtype):
        return "tl." + repr(value).rpartition(".")[2]
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return ascii(value)
    function._fail(f"parameter '{param.name}' is a tuple with {_memory.show(value)} of type {type(value).__name__}; a tuple "
                   "holds constants here: pass run-time values as separate parameters")


class _Parts:
    """Arguments that a launch takes in parts: tensor descriptors, tuples of run-time values, and named tuples. A kernel of
    the package's own takes the parts, makes the whole, and calls the function. `wholes` has these arguments, and those that
    are bound, by parameter: a constant as a Bound, a run-time value as a Part, a tuple as one of these."""

    def __init__(self, function, functions, constants):
        self.function, self.functions, self.expressions, self.classes = function, functions, {}, []
        self.wholes = {}
        self.constants = {param.name for param in function.params if param.is_constexpr} | constants

    def takes(self, param, value):
        if isinstance(value, TensorDescriptor):
            return True
        if isinstance(value, (tuple, list)):
            return param.name not in self.constants or _holds_names(value)
        if _is_dict(value):
            return param.name in self.constants
        # No signature has names of the language, or classes.
        return _host_values.language_name(value) is not None or param.name in self.constants and _host_values.is_enum_member(value)

    def add(self, param, value, rest):
        """Puts the parts into `rest` under names of their own, and keeps the expression of the whole."""
        made = self._bind(param, value) if param.name in self.constants else self._express(param, param.name, value, rest)
        self.expressions[param.name], self.wholes[param.name] = made

    def _make_tuple(self, value, items):
        """The expression of a tuple, by its class if it has names."""
        if not _host_values.is_named_tuple(type(value)):
            # Messages call a list one.
            opening, closing = "[]" if isinstance(value, list) else "()"
            return opening + "".join(item + ", " for item in items) + closing
        return f"{self._name_class(type(value))}(" + ", ".join(items) + ")"

    def _name_class(self, kind):
        if kind not in self.classes:
            self.classes.append(kind)
        return f"__c{self.classes.index(kind)}"

    def _express_constant(self, param, value):
        value = unwrap_argument(value)
        if _host_values.is_enum_member(value):
            return f"tl.constexpr({self._name_class(type(value))}.{value.name})"
        if isinstance(value, (tuple, list)):
            return self._make_tuple(value, [self._express_constant(param, item) for item in value])
        if _is_dict(value):
            return "{" + ", ".join(f"{key!r}: {self._express_constant(param, item)}" for key, item in value.items()) + "}"
        if isinstance(value, float):
            return f'float("{value!r}")'
        return write_constant(self.function, param, value, self.functions)

    def _bind(self, param, value):
        return self._express_constant(param, value), Bound(_unwrap_items(value))

    def _express(self, param, name, value, rest):
        """(the expression of a value, the whole)."""
        if isinstance(value, constexpr):
            return self._bind(param, value)
        value = unwrap_argument(value)
        if _host_values.is_enum_member(value):
            return self._bind(param, value)
        if isinstance(value, TensorDescriptor):
            if value.round_f32_to_tf32:
                self.function._fail(f"parameter '{param.name}' is a tensor descriptor with round_f32_to_tf32, which is not "
                                    "supported; round in the kernel", UnsupportedError)
            rest[name] = value.base
            sizes = lambda word, numbers: [self._express(param, f"{name}__{word}{i}", int(n), rest)[0]
                                           for i, n in enumerate(numbers)]
            shape, strides = sizes("shape", value.shape), sizes("stride", value.strides[:-1])
            block = [int(unwrap(n)) for n in value.block_shape]
            return (f"tl.make_tensor_descriptor({name}, [{', '.join(shape)}], [{', '.join(strides + ['1'])}], {block}, "
                    f"padding_option={value.padding!r})"), Part(name, block, value.padding)
        if isinstance(value, (tuple, list)):
            constants = constant_fields(type(value))
            items = [self._bind(param, v) if i in constants else self._express(param, f"{name}__{i}", v, rest)
                     for i, v in enumerate(value)]
            return (self._make_tuple(value, [text for text, _ in items]),
                    _host_values.make_like(type(value), [whole for _, whole in items]))
        if value is None or isinstance(value, (str, dtype)) or _find_helper(value) is not None:
            return write_constant(self.function, param, value, self.functions), Bound(value)
        rest[name] = value
        return name, Part(name)

    def write(self, names, bound):
        """The text of that kernel; "" if there is none."""
        if not self.expressions:
            return ""
        meanings = {p.name: f": {p.meaning!r}" for p in self.function.params if p.meaning}
        parameters = ", ".join(n + meanings.get(n, "") for n in [*names, *bound])
        arguments = ", ".join(("**" if p.is_meta else f"{p.name}=") + self.expressions.get(p.name, p.name)
                              for p in self.function.params)
        return (f"{self.function.decorator}\ndef {self.function.__name__}({parameters}):\n    __inner({arguments})\n")


def _unwrap_items(value):
    """A constant without constexpr, also around items."""
    value = unwrap_argument(value)
    if isinstance(value, tuple):
        return _host_values.make_like(type(value), map(_unwrap_items, value))
    if isinstance(value, list):
        return list(map(_unwrap_items, value))
    return {key: _unwrap_items(item) for key, item in value.items()} if _is_dict(value) else value


@functools.lru_cache(maxsize=None)
def constant_fields(kind):
    """The places of the fields that a named tuple declares as tl.constexpr."""
    if not _host_values.is_named_tuple(kind):
        return frozenset()
    declared = getattr(kind, "__annotations__", {})
    return frozenset(i for i, field in enumerate(kind._fields) if _is_constexpr(declared.get(field)))


def _is_constexpr(annotation):
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    return annotation is constexpr or isinstance(annotation, str) and annotation.split("[")[0].rpartition(".")[2] == "constexpr"


def _holds_names(value):
    """Whether there is a named tuple in a tuple, a dict, or a name of the language."""
    if not isinstance(value, (tuple, list)):
        return _host_values.language_name(value) is not None or _is_dict(value) or _host_values.is_enum_member(value)
    return _host_values.is_named_tuple(type(value)) or any(map(_holds_names, value))


def _is_dict(value):
    """Whether it is a dict as kernels have them."""
    return type(value) is dict and all(type(key) is str for key in value)


class _Variant(_native.Kernel):
    """A kernel with constants bound, or with a wrapper around it."""

    def __init__(self, function, bound, helpers, names, wrapper, classes, wholes):
        self.function, self.fn = function, function.fn
        self.bound, self.wrapper = bound, wrapper
        self._wholes = {name: _Weak(whole) for name, whole in wholes.items()}
        constants = {p.name for p in function.params if p.is_constexpr}
        self.arg_names = names
        self._begin(tuple(names), tuple(name in constants for name in names))
        extra = [(f"__a{i}", helper) for i, helper in enumerate(helpers)]
        extra += [(f"__c{i}", found) for i, found in enumerate(classes)]
        collector = _source.Collector()
        if wrapper:
            sources, name, watched = collector.collect_wrapped(function, extra, wrapper)
        else:
            sources, name, watched = collector.collect(function, extra)
        self._load(sources, name, bound, watched)
        self._sources = sources, name
        collector.note_user(function)

    def _begin(self, names, flags):
        self._flags = flags
        self._setup(names, flags, {}, (0, 0, 0, 0, 1 if self.function.debug else 0))

    def __reduce__(self):
        """It is pickled with its sources, as the function is that has lost its own."""
        return _restore_variant, (self.function, self.bound, self.wrapper, self.arg_names, self._flags, self._sources, self.wholes)

    @property
    def wholes(self):
        """The arguments that the signature has in parts or not at all, by parameter: see _Parts."""
        return {name: whole.get() for name, whole in self._wholes.items()}

    def _make_compiled(self, kind, index, signature, options):
        compiled = CompiledKernel(self.function, self, kind, index, signature, options)
        key = ", ".join(filter(None, (signature, self.bound))) + str(options) + self.wrapper
        self.function.device_caches[index][0][key] = compiled
        return compiled


def _restore_variant(function, bound, wrapper, names, flags, sources, wholes):
    variant = _Variant.__new__(_Variant)
    variant.function, variant.fn, variant.bound, variant.wrapper = function, function.fn, bound, wrapper
    variant._wholes = {name: _Weak(whole) for name, whole in wholes.items()}
    variant.arg_names, variant._sources = names, sources
    variant._begin(tuple(names), flags)
    variant._load(*sources, bound, [])
    return variant

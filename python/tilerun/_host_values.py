"""What host values are to kernels: constants, objects that are read attribute by attribute, functions and classes of the
language, or nothing that they can use."""

import ast
import collections
import dataclasses
import enum
import functools
import inspect
import sys
import types
import typing

from .triton.language import constexpr, dtype


class Unknown:
    pass


# Functions that the compiler evaluates where classes are made.
TUPLE_MAKERS = (collections.namedtuple, typing.NamedTuple)


def look_up(scope, name):
    """The value in a dict or a cell; Unknown if there is none."""
    if name is not None:
        return scope.get(name, Unknown)
    try:
        return scope.cell_contents
    except ValueError:
        return Unknown  # Bound later, or never.


def _capture(fn):
    """The current values of a function's free variables."""
    cells = {name: look_up(cell, None) for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ())}
    return {name: value for name, value in cells.items() if value is not Unknown}


_MOST_NESTED = 32  # As in signatures.


def explain_nesting(value):
    """What is wrong with how tuples, lists and dicts lie in each other: text for a message; None if nothing is."""
    if not isinstance(value, (tuple, list, dict)):
        return None
    path, pending = [], [(value, 0)]
    while pending:
        holder, depth = pending.pop()
        del path[depth:]
        if any(holder is outer for outer in path):
            return "contains itself"
        if depth >= _MOST_NESTED:
            return f"nests deeper than {_MOST_NESTED} levels"
        path.append(holder)
        pending += [(item, depth + 1) for item in (holder.values() if isinstance(holder, dict) else holder)
                    if isinstance(item, (tuple, list, dict))]
    return None


def is_frozen(value):
    """Whether it is an object of a frozen dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen


def is_enum_member(value):
    """Whether it is a member of an enumeration that kernels compare as an object, not by its value."""
    return isinstance(value, enum.Enum) and _is_plain_enum(type(value))


@functools.lru_cache(maxsize=256)
def _is_plain_enum(kind):
    if issubclass(kind, (int, float, str, enum.Flag)) or kind._new_member_ is not object.__new__ or \
            kind._generate_next_value_ is not enum.Enum._generate_next_value_:
        return False
    for base in kind.__mro__[:kind.__mro__.index(enum.Enum)]:
        if any(name in vars(base) for name in _OF_MEMBERS):
            return False
    try:
        return bool(inspect.getsource(kind))
    except (OSError, TypeError):
        return False  # `Enum("Mode", "A B")`


# What decides what members are, or what they equal; `Enum` itself puts a `__new__` into each class.
_OF_MEMBERS = ("__init__", "__eq__", "__ne__", "__bool__", "__len__", "value", "name")


def is_plain_class(value):
    """Whether kernels use only the constants of a class, unlike those of enumerations, records and named tuples."""
    return not (issubclass(value, (enum.Enum, tuple)) or getattr(value, "_is_record", False) or language_name(value))


def is_of_user(value):
    """Whether it is an object of a host class, or a class of constants; not an object with memory."""
    if isinstance(value, type):
        return value.__flags__ & _HEAP_TYPE and is_plain_class(value)
    kind = type(value)
    return (kind.__flags__ & _HEAP_TYPE or isinstance(value, types.SimpleNamespace)) and not (
        isinstance(value, (tuple, list, dict, enum.Enum, constexpr, dtype)) or callable(value) or
        getattr(kind, "_is_record", False) or any(hasattr(kind, name) for name in _OF_MEMORY))


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: of a class statement.
_OF_MEMORY = ("data_ptr", "__dlpack__", "__array_interface__", "__cuda_array_interface__", "block_shape")


def get_attribute(value, name):
    try:
        return getattr(value, name)
    except Exception:  # Properties run any code.
        return Unknown


def get_fields(value):
    """The attributes of a user's object itself."""
    if isinstance(value, type) or not is_of_user(value):
        return {}
    return {name: held for name, held in getattr(value, "__dict__", {}).items() if not name.startswith("_")}


def as_tuple_of(value, fields):
    made = _make_named_tuple(type(value).__name__, tuple(fields)) if fields else None
    return value if made is None else made(*fields.values())


def as_named_tuple(value, names=None, path=()):
    """An object of the user's, or a class of constants, as a named tuple of those attributes that `names` lists (of its
    fields, if it is None); anything else as it is."""
    if not is_of_user(value) or id(value) in path or len(path) > 8:
        return value
    fields = {}
    for name in [field.name for field in dataclasses.fields(value)] if names is None else names:
        held = get_attribute(value, name)
        if held is Unknown:
            continue  # A class as well, which has none of the names either.
        held = held if names is None else as_named_tuple(held, names, (*path, id(value)))
        if names is None or is_constant(held):
            fields[name] = held
    # One that nothing is asked of is still an object, which is true.
    made = _make_named_tuple((value if isinstance(value, type) else type(value)).__name__, tuple(fields or ("is_object", )))
    return value if made is None else made(*(fields.values() if fields else (True, )))


def is_constant(value):
    """Whether kernels take it as a constant: a number, a text, a type, what they can call, or a tuple of such."""
    if isinstance(value, (tuple, list)):
        return all(map(is_constant, value))
    return value is None or isinstance(value, (bool, int, float, str, enum.Enum, constexpr)) or \
        isinstance(value, dtype) and not value.is_block() and not value.is_ptr() or \
        find_function(value) is not None or language_name(value) is not None


@functools.lru_cache(maxsize=None)
def _make_named_tuple(name, fields):
    try:
        return collections.namedtuple(name, fields)
    except ValueError:  # Named tuples have no names that begin with an underscore.
        return None


def is_of_compile_time(function):
    return getattr(function, "decorator", "") == "@triton.constexpr_function"


def is_marked(value):
    """Whether a plain function has the mark of those that kernels call as Python would."""
    return getattr(value, "__triton_builtin__", False) is True


def is_named_tuple(value):
    """Whether it is a class that `collections.namedtuple` or `typing.NamedTuple` made."""
    return isinstance(value, type) and issubclass(value, tuple) and isinstance(getattr(value, "_fields", None), tuple)


def make_like(kind, items):
    """A tuple of `items`, of the class `kind` if that is a named tuple."""
    return kind._make(items) if is_named_tuple(kind) else tuple(items)


def follow(value, chain):
    """An attribute of an attribute; a module if there is none."""
    for name in chain:
        if not isinstance(value, types.ModuleType):
            break
        value = getattr(value, name, types)
    return value


def add_local_scope(value, tree, scope):
    """Adds what a class sees beyond its file: variables of the functions around its methods, its annotations and bases."""
    for member in vars(value).values():
        for _ in range(4):
            inner = getattr(member, "fget", None) or getattr(member, "__func__", None) or getattr(member, "fn", None)
            if inner is None:
                break
            member = inner
        if isinstance(member, types.FunctionType):
            scope.update(_capture(member))
    given = vars(value).get("__annotations__") or getattr(value, "__annotations__", {})
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(node.annotation, ast.Name):
            found = given.get(node.target.id, Unknown)
            if isinstance(found, type):
                scope.setdefault(node.annotation.id, found)
    for base, node in zip(value.__bases__, getattr(tree.body[0], "bases", [])):
        if isinstance(node, ast.Name):
            scope.setdefault(node.id, base)


def is_of_kernels(value, user):
    """Whether a class uses something: of other classes, those that kernels make values of, and its file's."""
    if isinstance(value, types.FunctionType):
        return value.__module__ == user.__module__ or language_name(value) is not None or value in TUPLE_MAKERS
    if not isinstance(value, type) or language_name(value) is not None:
        return True
    return getattr(value, "_is_record", False) or is_named_tuple(value) or value.__module__ == user.__module__


ARRAY_LIBRARIES = ("numpy", "torch")


def find_library(function):
    """The module of torch's or numpy's that has a function by its name; None for others."""
    name = getattr(function, "__name__", None)
    for path in (*ARRAY_LIBRARIES, "torch.nn.functional") if name else ():
        if path in sys.modules and get_attribute(sys.modules[path], name) is function:
            return path
    return None


def is_array_function(value):
    """Whether it is one of numpy's functions that are objects of its own classes."""
    return type(value).__name__ in ("ufunc", "_ArrayFunctionDispatcher")


def is_asked_for_functions(module, chains):
    """Whether the uses of torch or numpy are host functions, or names of theirs that the compiler knows."""
    if not all(len(chain) == 1 for chain in chains):
        return False
    used = {chain[0]: get_attribute(module, chain[0]) for chain in chains}
    functions = {name for name, value in used.items() if not is_marked(value) and
                 (isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) or is_array_function(value))}
    return bool(functions) and all(name in functions or name in ("finfo", "iinfo") or type(value).__name__ == "dtype"
                                   for name, value in used.items())


def language_name(value):
    """(namespace, name) of what the language itself has: functions and classes, not values of these classes."""
    if isinstance(value, (constexpr, dtype)):
        return None
    found = getattr(value, "_language_name", None)
    return found if isinstance(found, tuple) else None


def find_function(value):
    """The jit function behind a decorated one (autotune, heuristics), or None."""
    for _ in range(16):
        # Of the class: there are objects that have whatever they are asked for.
        if getattr(type(value), "_is_jit_function", False):
            return value
        if getattr(type(value), "_wraps_kernel", False):
            value = value.fn
            continue
        return None
    return None

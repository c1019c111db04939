"""What kernels and their helpers have in common: how they are declared, and the source that they have."""

import functools
import hashlib
import inspect
import os
import threading
import types
import weakref

from ... import _native, _source
from ..language import DTYPE_NAMES, constexpr, dtype
from ._values import MockTensor, unwrap_argument

# Held while sources are collected. Taken before a fork, so that no child finds it held.
lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


class entry:
    """Decorates methods that host code calls: what they raise shows the caller's frames."""

    def __init__(self, method):
        self._method = method
        functools.update_wrapper(self, method)

    def __get__(self, owner, kind=None):
        return self._method if owner is None else _native.make_entry(self._method.__get__(owner, kind))


class Named:
    """As Python's functions: a copy is the same, so that objects that hold kernels can be copied, and what is pickled is
    the name."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return self.__qualname__


class KernelInterface:
    """Objects that can be launched by `kernel[grid](…)`."""

    __class_getitem__ = classmethod(types.GenericAlias)  # Annotations name the type of the function.

    def __getitem__(self, grid):
        return _native.make_entry(lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs))

    @entry
    def warmup(self, *args, grid, **kwargs):
        return self.run(*(MockTensor.wrap_dtype(arg) for arg in args), grid=grid, warmup=True,
                        **{name: MockTensor.wrap_dtype(value) for name, value in kwargs.items()})


def get_meaning(annotation):
    """What an annotation, as a text, says to the compiler: "constexpr", "const", a type as signatures write it, or ""."""
    word = annotation.split("[")[0]
    if "constexpr" in word:
        return "constexpr"
    return "const" if "const" in annotation else DTYPE_NAMES.get(annotation.strip().rpartition(".")[2], "")


class KernelParam:
    """A parameter as the function declares it."""

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment):
        self.num, self._param = num, param
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment

    name = property(lambda self: self._param.name)
    is_meta = property(lambda self: self._param.kind is inspect.Parameter.VAR_KEYWORD)
    default = property(lambda self: {} if self.is_meta else self._param.default)
    has_default = property(lambda self: self.is_meta or self._param.default is not inspect.Parameter.empty)

    @property
    def annotation(self):
        annotation = self._param.annotation
        if annotation is inspect.Parameter.empty:
            return ""
        if isinstance(annotation, dtype):
            return get_meaning(annotation.name)  # As signatures write it.
        return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))

    @property
    def meaning(self):
        """See get_meaning."""
        annotation = self._param.annotation
        return get_meaning(annotation.name if isinstance(annotation, dtype) else self.annotation)

    @property
    def annotation_type(self):
        """The type that the annotation says, as signatures write it; "" if it says none."""
        annotation = self._param.annotation
        name = annotation.name if isinstance(annotation, dtype) else self.annotation.rpartition(".")[2]
        return DTYPE_NAMES.get(name, "")

    @property
    def is_constexpr(self):
        return self.is_meta or self.annotation.rpartition(".")[2] == "constexpr" or "constexpr" in self.annotation.split("[")[0]

    @property
    def is_const(self):
        return "const" in self.annotation and not self.is_constexpr


class JITCallable(Named):
    """Objects that kernels can call: JITFunction and ConstexprFunction."""

    def __init__(self, fn):
        self.fn = fn
        self.text, self.starting_line_number, self.path = _source.read_function(fn)
        self._users = weakref.WeakSet()  # The kernels that were compiled with it.

    def is_gluon(self):
        return False

    @property
    def src(self):
        return self.text

    @src.setter
    def src(self, value):
        raise AttributeError("'src' cannot be set; _unsafe_update_src(text) takes another source")

    def _unsafe_update_src(self, text):
        """Replaces the file's source. It and the kernels that use it, by name or as an argument, are recompiled when
        they are launched."""
        with lock:
            self.text, self._is_replaced = text, True
            self._forget_users()

    def _forget_users(self):
        for user in list(self._users):
            user._forget()

    @property
    def raw_src(self):
        """The file's lines of the function, with its decorators and indentation; of a source that was given, its own."""
        if self._is_replaced or self.fn is None:
            return self.text.splitlines(keepends=True)
        try:
            return inspect.getsourcelines(self.fn)[0]
        except OSError:
            return self.text.splitlines(keepends=True)

    @property
    def cache_key(self):
        """The key of the source and of the helpers and constants that it uses."""
        sources, name, _ = _source.Collector().collect(self)
        return hashlib.sha256(repr((name, sources)).encode()).hexdigest()

    _is_replaced = False

    # Code that changes a source by Triton's rules sets this to None in all users of it.
    hash = property(lambda self: self.cache_key, lambda self, _: self._forget_users())


class ConstexprFunction(JITCallable):
    """A function that kernels call while they are compiled, and host code as it is."""

    _is_jit_function = True
    decorator = "@triton.constexpr_function"

    def __init__(self, fn):
        super().__init__(fn)
        functools.update_wrapper(self, fn, updated=())

    def __call__(self, *args, **kwargs):
        plain = [unwrap_argument(arg) for arg in args]
        result = self.fn(*plain, **{name: unwrap_argument(value) for name, value in kwargs.items()})
        return unwrap_argument(result)


def constexpr_function(fn):
    """Makes a function of compile-time values usable in kernels."""
    return ConstexprFunction(fn)

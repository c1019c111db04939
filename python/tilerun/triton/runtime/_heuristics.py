"""`@triton.heuristics`."""

import functools
import inspect

from ... import _native
from ._callables import KernelInterface, Named, entry


def check_kernel(decorator, fn):
    if not hasattr(fn, "arg_names"):
        raise TypeError(f"@triton.{decorator} decorates a kernel, not {fn!r}; put @triton.jit below it")


class Heuristics(_native.Heuristics, Named, KernelInterface):
    """Computes values of meta-parameters from the other arguments. Its `run`, and warm launches, are the native module's."""

    _wraps_kernel = True

    def __init__(self, fn, arg_names, values):
        self.fn, self.arg_names, self.values = fn, arg_names, values
        base = fn
        while not inspect.isfunction(base):
            base = base.fn
        functools.update_wrapper(self, base, updated=())

    def _run_slowly(self, *args, **kwargs):
        for name, value in self.values.items():
            kwargs[name] = value({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)

    @entry
    def warmup(self, *args, **kwargs):
        for name, value in self.values.items():
            kwargs[name] = value({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.warmup(*args, **kwargs)

    @entry
    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")


def heuristics(values):
    """`values`: functions of the arguments (as a dict) by the name of the meta-parameter that they give."""

    def decorate(fn):
        check_kernel("heuristics", fn)
        return Heuristics(fn, fn.arg_names, values)

    return decorate

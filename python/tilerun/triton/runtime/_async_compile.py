"""`triton.AsyncCompileMode`: `warmup` hands the compilation to an executor and goes on."""

from concurrent.futures import as_completed
from contextvars import ContextVar

active_mode = ContextVar("tilerun_async_compile_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled."""

    def __init__(self, finalize_compile, future):
        self.finalize_compile, self.future, self.kernel = finalize_compile, future, None

    def result(self, ignore_errors=False):
        """Waits for the kernel. None instead of an error if errors are to be ignored."""
        if self.kernel is None:
            try:
                kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize_compile(kernel)
            self.kernel = kernel
        return self.kernel

    def __getattr__(self, name):
        # Every access to the compiled kernel waits for it.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.result(), name)


class AsyncCompileMode:
    """A context in which `kernel.warmup(…)` gives FutureKernels of an executor (threads compile at the same time: the
    library does not hold Python's lock). The end of the context waits for all of them."""

    def __init__(self, executor, *, ignore_errors=False):
        self.executor, self.ignore_errors = executor, ignore_errors
        self.future_kernels = {}

    def submit(self, key, compile_fn, finalize_fn):
        """The FutureKernel of a key, begun if it is new."""
        known = self.future_kernels.get(key)
        if known is None:
            known = self.future_kernels[key] = FutureKernel(finalize_fn, self.executor.submit(compile_fn))
        return known

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("an AsyncCompileMode is active already")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, *_):
        active_mode.reset(self._token)
        by_future = {kernel.future: kernel for kernel in self.future_kernels.values()}
        for future in as_completed(by_future):
            by_future[future].result(self.ignore_errors)

// What `kernel[grid]` is: a callable that holds both until it is called.
#pragma once

#include "python/native/Kernel.h"

namespace tilerun::python {

/// The interpreter's convention of calls without a tuple. Its stable ABI has it since 3.12; 3.11
/// and 3.8 before it have the same.
using Vectorcall = PyObject *(*)(PyObject * callable, PyObject *const *given, size_t numGiven,
                                 PyObject *names);
constexpr size_t kCountMask = SIZE_MAX >> 1; // The highest bit has another meaning.

struct LauncherObject {
  PyObject_HEAD Vectorcall call;
  PyObject *kernel, *grid;
};

/// A launcher that calls `call`, whose first argument it is.
PyObject *makeLauncher(PyObject *kernel, PyObject *grid, Vectorcall call);
/// kernel[grid], of the type `Kernel`.
PyObject *makeKernelLauncher(PyObject *kernel, PyObject *grid);
bool addLauncherType(PyObject *module);

} // namespace tilerun::python

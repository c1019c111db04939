// The type `Kernel`, the base of the package's JITFunction: a kernel's parameters, its handle, and
// the launch.
#pragma once

#include "python/native/Devices.h"
#include "python/native/DictShape.h"

#include <array>

namespace tilerun::python {

constexpr size_t kMaxArguments = 256;

/// A global, a captured variable or an attribute that the source was compiled with: when it holds
/// another object, the source is read again. All owned.
struct Watched {
  PyObject
      *scope; ///< The globals' dict, the variable's cell, a list in another value, or any object.
  PyObject *name;  ///< In the dict, or of the attribute; null for a cell.
  PyObject *value; ///< What it held; null: nothing.
  PyObject *items; ///< If that was a list: its contents.
  bool isEntry;    ///< Of a dict, and not a list: checked in place.
};

/// Earlier launches, by the library's number of the compiled code.
struct Compiled {
  uint64_t code;
  PyObject *object; ///< The package's CompiledKernel. Owned.
};

/// Where the named arguments of a call go: the place of a parameter, or that of an option after the
/// parameters.
struct NamedPlaces {
  PyObject *names = nullptr; ///< The call's tuple. Owned.
  std::vector<uint16_t> places;
  /// The number of arguments by place after which those by name are all that is missing, in the
  /// order of the parameters; beyond all if there is none.
  size_t completes = SIZE_MAX;
};

struct KernelState {
  std::vector<PyObject *> names;    ///< Of the parameters; interned, owned.
  std::vector<PyObject *> defaults; ///< Owned; null where there is none.
  std::vector<bool> isConstexpr;
  TilerunKernel *handle = nullptr;
  std::vector<TilerunKernel *> oldHandles; ///< Launches of other threads may be in them.
  TilerunCompileOptions options = {};      ///< Defaults of this kernel.
  bool slow = true;                        ///< Until the package says that it is plain.
  std::vector<Watched> watched;
  std::array<NamedPlaces, 4> named; ///< Of the last calls, the latest one first.
  DictShape gridShape;              ///< For functions that give a grid.
  std::vector<Compiled> compiled;   ///< The one that was launched last is first.
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
};

/// One value for each parameter, in order.
struct Values {
  PyObject *const *values = nullptr; ///< Borrowed; the call's own array or `room`.
  size_t count = 0;
  PyObject *room[kMaxArguments];
};

struct LaunchOptions {
  TilerunCompileOptions compile;
  uint32_t flags; ///< TILERUN_LAUNCH_*
};

/// Launches with values for all parameters, and the arguments that were read from them, on a
/// device. New reference to the CompiledKernel; None for a grid without programs. `grid` has three
/// entries.
PyObject *launch(KernelObject *kernel, Device &device, const uint64_t grid[3],
                 const LaunchOptions &options, PyObject *const *values, TilerunArgument *arguments,
                 size_t count);

/// Whether a cell, an attribute, or the contents of a list, are unchanged.
bool isUnchanged(Watched watched);

/// Whether everything that the source was compiled with is unchanged.
inline bool isUnchanged(const KernelState &state) {
  // Attributes may be computed by code that launches this kernel, which may change what is watched.
  for (size_t i = 0; i < state.watched.size(); ++i) {
    const Watched &watched = state.watched[i];
    if (watched.isEntry ? PyDict_GetItemWithError(watched.scope, watched.name) != watched.value
                        : !isUnchanged(watched))
      return PyErr_Clear(), false;
  }
  return true;
}

/// Reads (x[, y[, z]]). False with an error.
bool readGrid(PyObject *object, uint64_t grid[3]);

/// Values as _launch_on takes them. False with an error.
bool readValues(const KernelState &state, PyObject *values, TilerunArgument *arguments);
/// The target's own options; their texts are the tuple's from which they were read.
using TargetOptions = std::vector<TilerunPluginOption>;
/// Options as a tuple of OPTIONS and `checks`, and of pairs of texts if there are options of the
/// target's own. False with an error.
bool readOptions(PyObject *tuple, TilerunCompileOptions &options, TargetOptions &own);
/// The opposite. New reference.
PyObject *makeOptions(const TilerunCompileOptions &options);
/// Methods of the type (Inspect.cpp).
PyObject *describeValues(PyObject *self, PyObject *values);
PyObject *specialize(PyObject *self, PyObject *given);
PyObject *emit(PyObject *self, PyObject *given);
/// The numbers of loaded code, by word: a dict. Null with an error.
PyObject *describeSpecialization(TilerunSpecialization *made);
/// Whether an object is of the type or one below it; sets an error if not.
bool isKernel(PyObject *object);

bool addSpecializedType(PyObject *module);

} // namespace tilerun::python

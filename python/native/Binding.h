// From a call's arguments to those of a launch: which parameter or option each of them is for, and
// the values in the library's form. Used by launches of kernels (Launcher.cpp) and of kernels with
// decorators (Wrapper.cpp). What every warm launch runs is inline.
#pragma once

#include "python/native/Kernel.h"

namespace tilerun::python {

// Places beyond the parameters: the launch options, in the order of `kOptions` (Binding.cpp), and
// the words that only `run` takes. Those from kUnknownPlace on are not such words.
constexpr size_t kNumOptions = 6, kGridPlace = kNumOptions, kWarmupPlace = kNumOptions + 1,
                 kUnknownPlace = kNumOptions + 2;

/// Creates the names of the options. False with an error.
bool addOptionNames();

/// The place of a name: that of a parameter, or one of the above after those.
size_t findPlace(const KernelState &state, PyObject *name);

/// Where the named arguments of a call go, if it is not the first of `state.named`.
const NamedPlaces &findOtherPlaces(KernelState &state, PyObject *names);

/// The same. A place in a program calls with the same tuple of names each time. The reference ends
/// with the next call.
inline const NamedPlaces &findPlaces(KernelState &state, PyObject *names) {
  return state.named[0].names == names ? state.named[0] : findOtherPlaces(state, names);
}

/// Sets an option. False without an error if it is not a plain value, or none of the options.
bool readOption(size_t which, PyObject *value, LaunchOptions &launch);

/// Reads a tuple of one to three plain integers, as nearly every grid is written; false without an
/// error otherwise.
inline bool readPlainGrid(PyObject *object, uint64_t grid[3]) {
  Py_ssize_t size = Py_TYPE(object) == &PyTuple_Type ? PyTuple_Size(object) : 0;
  if (size < 1 || size > 3)
    return false;
  grid[1] = grid[2] = 1;
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *item = PyTuple_GetItem(object, i);
    if (Py_TYPE(item) != &PyLong_Type)
      return false;
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(item, &overflow);
    if (value < 0 || overflow)
      return false;
    grid[i] = static_cast<uint64_t>(value);
  }
  return true;
}

/// Reads any grid, for which a function is called with the values of all parameters by name. False
/// with an error.
bool findGrid(PyObject *object, KernelState &state, PyObject *const *values, uint64_t grid[3]);

/// The arguments of a launch in the library's form, and the device that their tensors are on.
struct Reading {
  TilerunArgument arguments[kMaxArguments];
  Tensor tensor; ///< The last one.
  bool hasTensor = false;

  /// Reads a value. `Other`: a plain launch does not take it, by itself or beside the others.
  Read read(PyObject *value, size_t place) {
    Tensor next;
    const Read read = readArgument(value, arguments[place], next);
    if (read == Read::Value) [[likely]]
      return read;
    // The package's code names the parameter.
    if (read == Read::Failed && PyErr_ExceptionMatches(PyExc_TypeError))
      return PyErr_Clear(), Read::Other;
    if (read != Read::Tensor)
      return read;
    if (hasTensor &&
        (next.deviceType != tensor.deviceType || next.deviceIndex != tensor.deviceIndex))
      return Read::Other;
    hasTensor = true;
    tensor = next;
    return read;
  }
};

/// Launches with what was read. `launchSlowly` is called where a plain launch cannot be made.
template <typename Function>
PyObject *launchRead(KernelObject *kernel, PyObject *gridObject, const LaunchOptions &options,
                     PyObject *const *values, Reading &reading, Function launchSlowly) {
  KernelState &state = *kernel->state;
  Device *device = reading.hasTensor
                       ? findDevice(reading.tensor.deviceType, reading.tensor.deviceIndex)
                       : nullptr;
  if (device && device->type == kCpu && !followEnvironment(/*onInterpreter=*/true))
    return nullptr;
  if (!device || slowOnly)
    return launchSlowly();
  uint64_t grid[3];
  if (!readPlainGrid(gridObject, grid) && !findGrid(gridObject, state, values, grid))
    return nullptr;
  return launch(kernel, *device, grid, options, values, reading.arguments, state.names.size());
}

} // namespace tilerun::python

// The type `Specialized`: the code of one signature on one device, as `triton.compile` made it, and
// its launch with the calling convention of Triton's launchers. Nothing is specialized again by
// what a launch passes: a frontend that has chosen the types (PyTorch's Inductor) gets the code
// that it compiled.
#include "python/native/Kernel.h"

#include <optional>

using namespace tilerun;
using namespace tilerun::python;

namespace {
struct SpecializedState {
  PyObject *kernel; ///< Whose code it is. Owned.
  PyObject *slowly; ///< Takes launches that are not plain. Owned.
  Device *device;
  TilerunSpecialization *handle = nullptr;
  /// By the arguments of a launch: the dtype of the parameter's type in the signature, or nothing
  /// for a constant, which is not passed on.
  std::vector<std::optional<uint16_t>> dtypes = {};
  size_t numPassed = 0;
};

struct SpecializedObject {
  PyObject_HEAD SpecializedState *state;
};

// Three sizes of the grid, the stream, and five that only other compilers' launchers need.
constexpr Py_ssize_t kBefore = 9;
} // namespace

static SpecializedState &getState(PyObject *self) {
  return *reinterpret_cast<SpecializedObject *>(self)->state;
}

// An argument of the type that the signature has: pointers are addresses, whatever the tensor's
// own type is (`own`), and integers go to parameters of a floating-point type.
static bool readTyped(PyObject *value, uint16_t dtype, const Device &device,
                      TilerunArgument &argument, uint16_t &own) {
  Tensor tensor;
  Read read = readArgument(value, argument, tensor);
  if (read == Read::Failed)
    return false;
  if (read == Read::Other) {
    PyErr_Format(PyExc_TypeError, "%R cannot be passed to a compiled kernel", value);
    return false;
  }
  // Memory of the host may be pinned, which GPUs reach.
  if (read == Read::Tensor && tensor.deviceType != kCpu &&
      (tensor.deviceType != device.type || tensor.deviceIndex != device.index)) {
    PyErr_SetString(PyExc_ValueError,
                    "a tensor is on another device than the one that the kernel was compiled for");
    return false;
  }
  own = argument.dtype;
  if (argument.kind == TILERUN_ARGUMENT_NONE)
    argument.kind = TILERUN_ARGUMENT_POINTER, argument.value.address = 0;
  const bool isFloat = dtype >= TILERUN_DTYPE_FP16 && dtype <= TILERUN_DTYPE_FP64;
  if (isFloat &&
      (argument.kind == TILERUN_ARGUMENT_INTEGER || argument.kind == TILERUN_ARGUMENT_NATURAL ||
       argument.kind == TILERUN_ARGUMENT_BOOL)) {
    argument.value.number = argument.kind == TILERUN_ARGUMENT_NATURAL
                                ? static_cast<double>(argument.value.natural)
                                : static_cast<double>(argument.value.integer);
    argument.kind = TILERUN_ARGUMENT_FLOAT;
  }
  if (argument.kind == TILERUN_ARGUMENT_POINTER)
    argument.dtype = dtype;
  return true;
}

static bool readSize(PyObject *object, uint32_t &size) {
  Ref number(PyNumber_Index(object));
  const unsigned long long value = number ? PyLong_AsUnsignedLongLong(number.get()) : 0;
  if (PyErr_Occurred())
    return false;
  if (value > UINT32_MAX)
    return PyErr_Format(PyExc_ValueError,
                        "the grid has %R programs on an axis, which is more than any device takes",
                        object),
           false;
  size = static_cast<uint32_t>(value);
  return true;
}

// launch(x, y, z, stream, function, metadata, launch metadata, enter hook, exit hook, arguments…)
static PyObject *launchPlainly(PyObject *self, PyObject *const *given, Py_ssize_t numGiven) {
  SpecializedState &state = getState(self);
  auto count = static_cast<size_t>(std::max(numGiven - kBefore, Py_ssize_t(0)));
  const bool isWhole = count == state.dtypes.size();
  if (numGiven < kBefore || (!isWhole && count != state.numPassed)) {
    PyErr_Format(PyExc_TypeError,
                 "a launch of this compiled kernel takes %zu arguments, or %zu without the "
                 "constants; %zu were passed",
                 state.dtypes.size(), state.numPassed, count);
    return nullptr;
  }
  TilerunLaunchOptions options = {sizeof(options), {}, nullptr, 0, 0, nullptr};
  for (int i = 0; i < 3; ++i)
    if (!readSize(given[i], options.grid[i]))
      return nullptr;
  if (!options.grid[0] || !options.grid[1] || !options.grid[2])
    Py_RETURN_NONE;

  TilerunArgument arguments[kMaxArguments];
  PyObject *values[kMaxArguments];
  uint16_t dtypes[kMaxArguments];
  uint32_t passed = 0;
  PyObject *const *next = given + kBefore;
  for (std::optional<uint16_t> dtype : state.dtypes) {
    if (!dtype) {
      next += isWhole;
      continue;
    }
    values[passed] = *next++;
    if (!readTyped(values[passed], *dtype, *state.device, arguments[passed], dtypes[passed]))
      return nullptr;
    ++passed;
  }

  Ranges ranges;
  if (state.device->type == kCpu) {
    options.flags |= getBoundsFlag();
    if (!boundsChecksOff && !ranges.read(values, arguments, passed, dtypes))
      return nullptr;
    options.ranges = ranges.get();
  } else if (state.device->usesSmall) {
    if (!ranges.read(values, arguments, passed, dtypes))
      return nullptr;
    options.ranges = ranges.get();
  }
  uint64_t native = 0;
  if (!state.device->synchronous && given[3] != Py_None) {
    native = PyLong_AsUnsignedLongLong(given[3]);
    if (PyErr_Occurred())
      return nullptr;
  }
  StreamLease lease(*state.device, native);
  TilerunStream *stream = lease.get();
  if (!stream)
    return nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunLaunchSpecializedWith(stream, state.handle, &options, arguments, passed);
    if (!status && state.device->synchronous)
      status = tilerunSynchronizeStream(stream);
  }
  if (status)
    return raise(status);
  Py_RETURN_NONE;
}

// run(…): the same, unless there are hooks, checks or another device to run on.
static PyObject *run(PyObject *self, PyObject *const *given, Py_ssize_t numGiven) {
  SpecializedState &state = getState(self);
  if (!followEnvironment(/*onInterpreter=*/state.device->type == kCpu))
    return nullptr;
  if (!slowOnly)
    return launchPlainly(self, given, numGiven);
  Ref arguments(PyTuple_New(numGiven));
  for (Py_ssize_t i = 0; arguments && i < numGiven; ++i)
    if (PyTuple_SetItem(arguments.get(), i, Py_NewRef(given[i])))
      return nullptr;
  return arguments ? PyObject_Call(state.slowly, arguments.get(), nullptr) : nullptr;
}

// numbers() -> what the loaded code needs, by word.
static PyObject *getNumbers(PyObject *self, PyObject *) {
  return describeSpecialization(getState(self).handle);
}

// Specialized(kernel, device type, device index, signature, options, dtypes by argument, function
// for launches that are not plain)
static PyObject *create(PyTypeObject *type, PyObject *given, PyObject *) {
  PyObject *kernel = nullptr, *optionsObject = nullptr, *dtypes = nullptr, *slowly = nullptr;
  int deviceType = 0, index = 0;
  const char *signature = nullptr;
  TilerunCompileOptions options;
  TargetOptions own;
  if (!PyArg_ParseTuple(given, "OiisO!O!O", &kernel, &deviceType, &index, &signature, &PyTuple_Type,
                        &optionsObject, &PyTuple_Type, &dtypes, &slowly) ||
      !isKernel(kernel) || !readOptions(optionsObject, options, own))
    return nullptr;
  TilerunKernel *handle = reinterpret_cast<KernelObject *>(kernel)->state->handle;
  Py_ssize_t count = PyTuple_Size(dtypes);
  if (!handle || count > static_cast<Py_ssize_t>(kMaxArguments))
    return raise(PyExc_RuntimeError, "the kernel is not loaded, or has more than 256 parameters");
  Device *device = getDevice(deviceType, index);
  if (!device)
    return nullptr;
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (!self)
    return nullptr;
  Ref made(self);
  auto *state = new SpecializedState{Py_NewRef(kernel), Py_NewRef(slowly), device};
  reinterpret_cast<SpecializedObject *>(self)->state = state;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *dtype = PyTuple_GetItem(dtypes, i);
    if (dtype == Py_None) {
      state->dtypes.emplace_back();
      continue;
    }
    long code = PyLong_AsLong(dtype);
    if (PyErr_Occurred())
      return nullptr;
    state->dtypes.emplace_back(static_cast<uint16_t>(code));
    ++state->numPassed;
  }
  std::string text = signature;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunSpecialize(handle, device->handle, text.c_str(), &options, &state->handle);
  }
  return status ? raise(status) : made.take();
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (const SpecializedState *state = reinterpret_cast<SpecializedObject *>(self)->state) {
    Py_VISIT(state->kernel);
    Py_VISIT(state->slowly);
  }
  return 0;
}

// The kernel stays, and so does its code; the other function is what closes cycles.
static int clear(PyObject *self) {
  if (SpecializedState *state = reinterpret_cast<SpecializedObject *>(self)->state) {
    PyObject *old = std::exchange(state->slowly, Py_NewRef(Py_None));
    Py_DECREF(old);
  }
  return 0;
}

static void destroy(PyObject *self) {
  PyObject_GC_UnTrack(self);
  if (SpecializedState *state = reinterpret_cast<SpecializedObject *>(self)->state) {
    if (state->handle) {
      Unlocked unlocked;
      tilerunReleaseSpecialization(state->handle);
    }
    Py_DECREF(state->kernel);
    Py_DECREF(state->slowly);
    delete state;
  }
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

bool python::addSpecializedType(PyObject *module) {
  using Fast = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t);
  // Through the type that compilers take for any function's.
  auto fast = [](Fast function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
  };
  static PyMethodDef methods[] = {
      {"run", fast(run), METH_FASTCALL, "Launches it, as Triton's launchers are called."},
      {"launch", fast(launchPlainly), METH_FASTCALL, "The same, without hooks and checks."},
      {"numbers", getNumbers, METH_NOARGS, "Numbers of the loaded code."},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                         {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                         {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                         {Py_tp_clear, reinterpret_cast<void *>(clear)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {"tilerun._native.Specialized", sizeof(SpecializedObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "Specialized", type.get()) == 0;
}

// The warm launch: `kernel[grid](arguments…)`. Everything that is not plain goes to the package's
// Python code (`Kernel._launch`), which knows hooks, copies, errors and other devices.
#include "python/native/Kernel.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::python;

namespace {
struct LauncherObject {
  PyObject_HEAD PyObject *kernel, *grid;
};
struct OptionNames {
  PyObject *numWarps, *numStages, *numCtas, *maxnreg, *debug, *launch;
};
} // namespace

static PyObject *launcherType;
static OptionNames optionNames;

bool python::readGrid(PyObject *object, uint64_t grid[3]) {
  grid[0] = grid[1] = grid[2] = 1;
  auto readOne = [](PyObject *item, uint64_t &out) {
    int over = 0;
    if (Py_TYPE(item) == &PyLong_Type) // As nearly every grid is written.
      if (long long value = PyLong_AsLongLongAndOverflow(item, &over); value >= 0 && !over)
        return out = static_cast<uint64_t>(value), true;
    Ref index(PyNumber_Index(item));
    if (!index) {
      if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "the grid has %R, which is no integer; divide by // or triton.cdiv", item);
      return false;
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (value < 0 || overflow) {
      Ref text(PyObject_Str(index.get()));
      std::string number;
      if (text && getText(text.get(), number))
        raise(PyExc_ValueError, "the grid has " + number + " programs on an axis");
      return false;
    }
    out = static_cast<uint64_t>(value);
    return true;
  };
  if (PyLong_Check(object))
    return readOne(object, grid[0]);
  bool isTuple = PyTuple_Check(object);
  if (!isTuple && !PyList_Check(object)) {
    PyErr_Format(PyExc_TypeError,
                 "a grid is a tuple of one to three integers, or a function that gives one, not %R",
                 object);
    return false;
  }
  Py_ssize_t size = isTuple ? PyTuple_Size(object) : PyList_Size(object);
  if (size < 1 || size > 3) {
    PyErr_Format(PyExc_ValueError, "a grid has one to three axes, not %zd", size);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!readOne(isTuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i), grid[i]))
      return false;
  return true;
}

static bool isSame(PyObject *a, PyObject *b) {
  // Names in calls are interned; others are compared by contents.
  return a == b || PyUnicode_Compare(a, b) == 0;
}

static size_t findName(const KernelState &state, PyObject *name) {
  for (size_t i = 0; i < state.names.size(); ++i)
    if (state.names[i] == name)
      return i;
  for (size_t i = 0; i < state.names.size(); ++i)
    if (isSame(state.names[i], name))
      return i;
  return state.names.size();
}

// False without an error if the option is none of these, or no plain number.
static bool readOption(PyObject *name, PyObject *value, TilerunCompileOptions &options) {
  uint32_t *slot = isSame(name, optionNames.numWarps)    ? &options.num_warps
                   : isSame(name, optionNames.numStages) ? &options.num_stages
                   : isSame(name, optionNames.numCtas)   ? &options.num_ctas
                   : isSame(name, optionNames.maxnreg)   ? &options.maxnreg
                   : isSame(name, optionNames.debug)     ? &options.debug
                                                         : nullptr;
  if (!slot)
    return false;
  if (value == Py_None)
    return true;
  int overflow = 0;
  long long number =
      PyLong_Check(value) ? PyLong_AsLongLongAndOverflow(value, &overflow) : (overflow = 1);
  // Numbers of stages below 1 mean no pipelining, which is one stage.
  if (slot == &options.num_stages && !overflow && number < 1)
    number = 1;
  bool mayBeZero = slot == &options.maxnreg || slot == &options.debug;
  if (overflow || number < !mayBeZero || number > UINT32_MAX)
    return false;
  *slot = static_cast<uint32_t>(number);
  return true;
}

// Whether the globals are still those that the source was compiled with.
static bool isUnchanged(const KernelState &state) {
  for (const Watched &watched : state.watched)
    if (PyDict_GetItemWithError(watched.scope, watched.name) != watched.value)
      return PyErr_Clear(), false;
  return true;
}

// False, with or without an error, if the call is not plain: wrong names, missing values, …
static bool bind(const KernelState &state, PyObject *const *given, Py_ssize_t numGiven,
                 PyObject *names, Values &values, TilerunCompileOptions &options) {
  size_t count = state.names.size();
  if (static_cast<size_t>(numGiven) > count || count > kMaxArguments)
    return false;
  values.count = count;
  std::copy_n(given, numGiven, values.values);
  for (size_t i = static_cast<size_t>(numGiven); i < count; ++i)
    values.values[i] = nullptr;
  for (Py_ssize_t i = 0, n = names ? PyTuple_Size(names) : 0; i < n; ++i) {
    PyObject *name = PyTuple_GetItem(names, i);
    size_t index = findName(state, name);
    if (index < count) {
      if (values.values[index])
        return false;
      values.values[index] = given[numGiven + i];
    } else if (!readOption(name, given[numGiven + i], options)) {
      return false;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (!values.values[i])
      values.values[i] = state.defaults[i];
    if (!values.values[i])
      return false;
  }
  return true;
}

// The function's answer for what is bound. New reference.
static PyObject *callGrid(PyObject *function, const KernelState &state, const Values &values) {
  Ref bound(PyDict_New());
  for (size_t i = 0; bound && i < values.count; ++i)
    if (PyDict_SetItem(bound.get(), state.names[i], values.values[i]))
      return nullptr;
  return bound ? PyObject_CallFunctionObjArgs(function, bound.get(), nullptr) : nullptr;
}

static PyObject *launchSlowly(LauncherObject *self, PyObject *const *given, Py_ssize_t numGiven,
                              PyObject *names) {
  Ref positional(PyTuple_New(numGiven)), named(PyDict_New());
  if (!positional || !named)
    return nullptr;
  for (Py_ssize_t i = 0; i < numGiven; ++i)
    if (PyTuple_SetItem(positional.get(), i, Py_NewRef(given[i])))
      return nullptr;
  for (Py_ssize_t i = 0, n = names ? PyTuple_Size(names) : 0; i < n; ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GetItem(names, i), given[numGiven + i]))
      return nullptr;
  return PyObject_CallMethodObjArgs(self->kernel, optionNames.launch, self->grid, positional.get(),
                                    named.get(), nullptr);
}

static PyObject *call(PyObject *object, PyObject *const *given, Py_ssize_t numGiven,
                      PyObject *names) {
  auto *self = reinterpret_cast<LauncherObject *>(object);
  auto *kernel = reinterpret_cast<KernelObject *>(self->kernel);
  const KernelState &state = *kernel->state;
  if (slowOnly || state.slow || !state.handle || !isUnchanged(state))
    return launchSlowly(self, given, numGiven, names);
  Values values;
  TilerunCompileOptions options = state.options;
  if (!bind(state, given, numGiven, names, values, options))
    return PyErr_Occurred() ? nullptr : launchSlowly(self, given, numGiven, names);

  TilerunArgument arguments[kMaxArguments];
  Tensor first, tensor;
  bool hasTensor = false;
  for (size_t i = 0; i < values.count; ++i) {
    Read read = readArgument(values.values[i], arguments[i], tensor);
    // The package's code says which parameter it is.
    if (read == Read::Failed && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      read = Read::Other;
    }
    if (read == Read::Failed)
      return nullptr;
    if (read == Read::Other)
      return launchSlowly(self, given, numGiven, names);
    if (read == Read::Value)
      continue;
    if (hasTensor &&
        (tensor.deviceType != first.deviceType || tensor.deviceIndex != first.deviceIndex))
      return launchSlowly(self, given, numGiven, names);
    hasTensor = true;
    first = tensor;
  }
  Device *device = hasTensor ? findDevice(first.deviceType, first.deviceIndex) : nullptr;
  if (!device)
    return launchSlowly(self, given, numGiven, names);

  uint64_t grid[3];
  if (PyTuple_Check(self->grid)) {
    if (!readGrid(self->grid, grid))
      return nullptr;
  } else if (PyCallable_Check(self->grid)) {
    Ref answer(callGrid(self->grid, state, values));
    if (!answer || !readGrid(answer.get(), grid))
      return nullptr;
  } else if (!readGrid(self->grid, grid)) {
    return nullptr;
  }
  return launch(kernel, *device, grid, options, arguments, values.count);
}

static PyMethodDef callDefinition = {
    "launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
    METH_FASTCALL | METH_KEYWORDS, "Launches the kernel."};

PyObject *python::makeLauncher(PyObject *kernel, PyObject *grid) {
  auto *type = reinterpret_cast<PyTypeObject *>(launcherType);
  Ref object(PyType_GenericAlloc(type, 0));
  if (!object)
    return nullptr;
  auto *launcher = reinterpret_cast<LauncherObject *>(object.get());
  launcher->kernel = Py_NewRef(kernel);
  launcher->grid = Py_NewRef(grid);
  // A builtin function is what the interpreter calls without packing arguments.
  return PyCFunction_NewEx(&callDefinition, object.get(), nullptr);
}

static void destroyLauncher(PyObject *object) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  Py_XDECREF(launcher->kernel);
  Py_XDECREF(launcher->grid);
  PyTypeObject *type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

bool python::addLauncherType(PyObject *) {
  const std::pair<PyObject **, const char *> wanted[] = {
      {&optionNames.numWarps, "num_warps"}, {&optionNames.numStages, "num_stages"},
      {&optionNames.numCtas, "num_ctas"},   {&optionNames.maxnreg, "maxnreg"},
      {&optionNames.debug, "debug"},        {&optionNames.launch, "_launch"}};
  for (auto [slot, text] : wanted) {
    *slot = PyUnicode_InternFromString(text);
    if (!*slot)
      return false;
  }
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(destroyLauncher)}, {0, nullptr}};
  PyType_Spec spec = {"tilerun._native.Launcher", sizeof(LauncherObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  launcherType = PyType_FromSpec(&spec);
  return launcherType != nullptr;
}

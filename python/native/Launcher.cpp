// The warm launch: `kernel[grid](arguments…)`. Everything else goes to the package's Python code
// (`Kernel._launch`), which handles hooks, copies, errors and other devices.
#include "python/native/Kernel.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <structmember.h>

using namespace tilerun;
using namespace tilerun::python;

namespace {
// The interpreter's convention of calls without a tuple. Its stable ABI has it since 3.12; 3.11 and
// 3.8 before it have the same.
using Vectorcall = PyObject *(*)(PyObject * callable, PyObject *const *given, size_t numGiven,
                                 PyObject *names);
constexpr unsigned long kHasVectorcall = 1ul << 11;
constexpr size_t kCountMask = SIZE_MAX >> 1; // The highest bit has another meaning.

struct LauncherObject {
  PyObject_HEAD Vectorcall call;
  PyObject *kernel, *grid;
};

// The launch options that the library knows, by their place after the parameters.
struct Option {
  const char *name;
  uint32_t TilerunCompileOptions::*slot;
  uint32_t least;
};
constexpr Option kOptions[] = {{"num_warps", &TilerunCompileOptions::num_warps, 1},
                               {"num_stages", &TilerunCompileOptions::num_stages, 0},
                               {"num_ctas", &TilerunCompileOptions::num_ctas, 1},
                               {"maxnreg", &TilerunCompileOptions::maxnreg, 0},
                               {"debug", &TilerunCompileOptions::debug, 0}};
// Another option, of the launch alone: its place is after those.
constexpr const char *kOverlapName = "launch_pdl";
constexpr size_t kOverlap = std::size(kOptions), kNumOptions = kOverlap + 1;
} // namespace

static PyObject *launcherType;
static LauncherObject *spareLauncher; // The memory of the last one that died.
static PyObject *optionNames[kNumOptions], *launchName;

// Reads a tuple of one to three plain integers, as nearly every grid is written; false without an
// error otherwise.
static inline bool readPlainGrid(PyObject *object, uint64_t grid[3]) {
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

bool python::readGrid(PyObject *object, uint64_t grid[3]) {
  if (readPlainGrid(object, grid)) [[likely]]
    return true;
  grid[0] = grid[1] = grid[2] = 1;
  auto readOne = [](PyObject *item, uint64_t &out) {
    Ref index(PyNumber_Index(item));
    if (!index) {
      if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "the grid has %R, which is not an integer; divide by // or triton.cdiv", item);
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

// The place of a name: a parameter's, an option's after those, or beyond all.
static size_t findPlace(const KernelState &state, PyObject *name) {
  // Names in calls are interned; others are compared by contents.
  auto isSame = [&](PyObject *other) {
    return other == name || PyUnicode_Compare(other, name) == 0;
  };
  size_t place = 0;
  for (PyObject *parameter : state.names) {
    if (isSame(parameter))
      return place;
    ++place;
  }
  for (PyObject *option : optionNames) {
    if (isSame(option))
      return place;
    ++place;
  }
  return place;
}

// Where the named arguments of a call go. A place in a program calls with the same tuple of names
// each time, so that the last one is remembered.
static const NamedPlaces &findPlaces(KernelState &state, PyObject *names) {
  NamedPlaces &last = state.lastNamed;
  if (last.names == names) [[likely]]
    return last;
  // First of all, as names may be of a class whose destructor launches this kernel.
  while (PyObject *old = std::exchange(last.names, nullptr))
    Py_DECREF(old);
  last.places.clear();
  for (Py_ssize_t i = 0, n = PyTuple_Size(names); i < n; ++i)
    last.places.push_back(static_cast<uint16_t>(findPlace(state, PyTuple_GetItem(names, i))));
  // More names than parameters: there are options among them.
  bool isPlain = last.places.size() <= state.names.size();
  size_t begin = isPlain ? state.names.size() - last.places.size() : 0;
  for (size_t i = 0; i < last.places.size(); ++i)
    isPlain &= last.places[i] == begin + i;
  last.completes = isPlain ? begin : SIZE_MAX;
  last.names = Py_NewRef(names);
  return last;
}

// False without an error if it is not a plain number, or none of the options.
static bool readOption(size_t which, PyObject *value, LaunchOptions &launch) {
  TilerunCompileOptions &options = launch.compile;
  if (which == kOverlap) {
    launch.flags = value == Py_True ? TILERUN_LAUNCH_OVERLAP : 0;
    return value == Py_True || value == Py_False || value == Py_None;
  }
  if (which >= std::size(kOptions))
    return false;
  const Option &option = kOptions[which];
  const bool isDebug = option.slot == &TilerunCompileOptions::debug;
  if (value ==
      Py_None) { // The default of an option; no debugging, even if the decorator turns it on.
    options.debug = isDebug ? 0 : options.debug;
    return true;
  }
  int overflow = 0;
  long long number =
      PyLong_Check(value) ? PyLong_AsLongLongAndOverflow(value, &overflow) : (overflow = 1);
  // Numbers of stages below 1 mean no pipelining, which is one stage.
  if (option.slot == &TilerunCompileOptions::num_stages && !overflow && number < 1)
    number = 1;
  if (overflow || number < option.least || number > UINT32_MAX)
    return false;
  options.*option.slot = static_cast<uint32_t>(isDebug ? number != 0 : number);
  return true;
}

// False, with or without an error, if the call is not plain: wrong names, missing values, …
static bool bind(KernelState &state, PyObject *const *given, size_t numGiven, PyObject *names,
                 Values &values, LaunchOptions &options) {
  size_t count = state.names.size();
  if (numGiven > count || count > kMaxArguments)
    return false;
  values.count = count;
  values.values = given;
  const NamedPlaces *named = names ? &findPlaces(state, names) : nullptr;
  if (numGiven == (named ? named->completes : count)) [[likely]]
    return true;
  values.values = values.room;
  std::copy_n(given, numGiven, values.room);
  std::fill(values.room + numGiven, values.room + count, nullptr);
  if (named) {
    PyObject *const *next = given + numGiven;
    for (uint16_t place : named->places) {
      PyObject *value = *next++;
      if (place >= count) {
        if (!readOption(place - count, value, options))
          return false;
      } else if (std::exchange(values.room[place], value)) {
        return false; // Passed twice.
      }
    }
  }
  for (size_t i = numGiven; i < count; ++i) {
    if (!values.room[i])
      values.room[i] = state.defaults[i];
    if (!values.room[i])
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

static PyObject *launchSlowly(LauncherObject *self, PyObject *const *given, size_t numPlain,
                              PyObject *names) {
  auto numGiven = static_cast<Py_ssize_t>(numPlain);
  Ref positional(PyTuple_New(numGiven)), named(PyDict_New());
  if (!positional || !named)
    return nullptr;
  for (Py_ssize_t i = 0; i < numGiven; ++i)
    if (PyTuple_SetItem(positional.get(), i, Py_NewRef(given[i])))
      return nullptr;
  for (Py_ssize_t i = 0, n = names ? PyTuple_Size(names) : 0; i < n; ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GetItem(names, i), given[numGiven + i]))
      return nullptr;
  PyObject *launched = PyObject_CallMethodObjArgs(self->kernel, launchName, self->grid,
                                                  positional.get(), named.get(), nullptr);
  return launched ? launched : hideFrames();
}

static PyObject *call(PyObject *object, PyObject *const *given, size_t numGivenAndFlag,
                      PyObject *names) {
  auto *self = reinterpret_cast<LauncherObject *>(object);
  auto *kernel = reinterpret_cast<KernelObject *>(self->kernel);
  KernelState &state = *kernel->state;
  size_t numGiven = numGivenAndFlag & kCountMask;
  if (!followEnvironment(/*onInterpreter=*/false))
    return nullptr;
  if (slowOnly || state.slow || !state.handle || !isUnchanged(state))
    return launchSlowly(self, given, numGiven, names);
  Values values;
  LaunchOptions options = {state.options, 0};
  if (!bind(state, given, numGiven, names, values, options))
    return PyErr_Occurred() ? nullptr : launchSlowly(self, given, numGiven, names);

  TilerunArgument arguments[kMaxArguments];
  Tensor first, tensor;
  bool hasTensor = false;
  for (size_t i = 0; i < values.count; ++i) {
    Read read = readArgument(values.values[i], arguments[i], tensor);
    // The package's code names the parameter.
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
  if (device && device->type == kCpu && !followEnvironment(/*onInterpreter=*/true))
    return nullptr;
  if (!device || slowOnly)
    return launchSlowly(self, given, numGiven, names);

  uint64_t grid[3];
  if (readPlainGrid(self->grid, grid)) {
  } else if (!PyTuple_Check(self->grid) && PyCallable_Check(self->grid)) {
    Ref answer(callGrid(self->grid, state, values));
    if (!answer || !readGrid(answer.get(), grid))
      return nullptr;
  } else if (!readGrid(self->grid, grid)) {
    return nullptr;
  }
  return launch(kernel, *device, grid, options, values.values, arguments, values.count);
}

// The calling convention for callers without vectorcall.
static PyObject *callPacked(PyObject *object, PyObject *positional, PyObject *named) {
  std::vector<PyObject *> given;
  for (Py_ssize_t i = 0, n = PyTuple_Size(positional); i < n; ++i)
    given.push_back(PyTuple_GetItem(positional, i));
  size_t numGiven = given.size();
  Py_ssize_t at = 0, numNamed = named ? PyDict_Size(named) : 0;
  Ref names(numNamed ? PyTuple_New(numNamed) : nullptr);
  if (numNamed && !names)
    return nullptr;
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; numNamed && PyDict_Next(named, &at, &name, &value); ++i) {
    given.push_back(value);
    if (PyTuple_SetItem(names.get(), i, Py_NewRef(name)))
      return nullptr;
  }
  return call(object, given.data(), numGiven, names.get());
}

PyObject *python::makeLauncher(PyObject *kernel, PyObject *grid) {
  auto *type = reinterpret_cast<PyTypeObject *>(launcherType);
  LauncherObject *launcher = std::exchange(spareLauncher, nullptr);
  const bool reused = launcher;
  if (launcher)
    PyObject_Init(reinterpret_cast<PyObject *>(launcher), type);
  else
    launcher = reinterpret_cast<LauncherObject *>(PyType_GenericAlloc(type, 0));
  if (!launcher)
    return nullptr;
  launcher->call = call;
  launcher->kernel = Py_NewRef(kernel);
  launcher->grid = Py_NewRef(grid);
  if (reused)
    PyObject_GC_Track(launcher);
  return reinterpret_cast<PyObject *>(launcher);
}

// A launcher that is kept may be part of a cycle, by its grid.
static int traverseLauncher(PyObject *object, visitproc visit, void *arg) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(launcher->kernel);
  Py_VISIT(launcher->grid);
  return 0;
}

static int clearLauncher(PyObject *object) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  // The kernel stays, because it is used without a null check; clearing its own references ends the
  // cycle.
  PyObject *grid = std::exchange(launcher->grid, Py_NewRef(Py_None));
  Py_DECREF(grid);
  return 0;
}

static void destroyLauncher(PyObject *object) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  // Whose destructors may make launchers: before the memory is given back.
  Py_DECREF(launcher->kernel);
  Py_DECREF(launcher->grid);
  if (!spareLauncher)
    spareLauncher = launcher;
  else
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

bool python::addLauncherType(PyObject *) {
  launchName = PyUnicode_InternFromString("_launch");
  if (!launchName)
    return false;
  for (size_t i = 0; i < kNumOptions; ++i) {
    optionNames[i] = PyUnicode_InternFromString(i == kOverlap ? kOverlapName : kOptions[i].name);
    if (!optionNames[i])
      return false;
  }
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, call), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(destroyLauncher)},
                         {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
                         {Py_tp_clear, reinterpret_cast<void *>(clearLauncher)},
                         {Py_tp_call, reinterpret_cast<void *>(callPacked)},
                         {Py_tp_members, members},
                         {0, nullptr}};
  PyType_Spec spec = {"tilerun._native.Launcher", sizeof(LauncherObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC |
                          kHasVectorcall,
                      slots};
  launcherType = PyType_FromSpec(&spec);
  return launcherType != nullptr;
}

// The warm launch: `kernel[grid](arguments…)`. Everything else goes to the package's Python code
// (`Kernel._launch`), which handles hooks, copies, errors and other devices.
#include "python/native/Launcher.h"

#include "python/native/Binding.h"

#include <algorithm>
#include <cstddef>
#include <structmember.h>

using namespace tilerun;
using namespace tilerun::python;

constexpr unsigned long kHasVectorcall = 1ul << 11;

static PyObject *launcherType;
static LauncherObject *spareLauncher; // The memory of the last one that died.
static PyObject *launchName;

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

  Reading reading;
  for (size_t i = 0; i < values.count; ++i) {
    const Read read = reading.read(values.values[i], i);
    if (read == Read::Failed)
      return nullptr;
    if (read == Read::Other)
      return launchSlowly(self, given, numGiven, names);
  }
  return launchRead(kernel, self->grid, options, values.values, reading,
                    [&] { return launchSlowly(self, given, numGiven, names); });
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
  return reinterpret_cast<LauncherObject *>(object)->call(object, given.data(), numGiven,
                                                          names.get());
}

PyObject *python::makeLauncher(PyObject *kernel, PyObject *grid, Vectorcall call) {
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

PyObject *python::makeKernelLauncher(PyObject *kernel, PyObject *grid) {
  return makeLauncher(kernel, grid, call);
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
  if (!launchName || !addOptionNames())
    return false;
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

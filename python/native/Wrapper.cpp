// The types `Tuner` and `Heuristics`, and their calls.
#include "python/native/Launcher.h"
#include "python/native/WrappedCall.h"

#include <cstddef>
#include <structmember.h>

using namespace tilerun;
using namespace tilerun::python;

static PyObject *tunerType, *heuristicsType, *jitType;
// The methods `run` of both types: where a class or an object has others, these are called.
static PyObject *plainRuns[2];
WrapperWords python::wrapperWords;

bool python::isWrapper(PyObject *object) {
  auto isBelow = [&](PyObject *type) {
    return PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject *>(type)) != 0;
  };
  return isBelow(tunerType) || isBelow(heuristicsType);
}

// Whether the object itself has a `run`.
static bool hasOwnRun(WrapperObject *wrapper) {
  WrapperState &state = *wrapper->state;
  if (!state.dict)
    state.dict = PyObject_GenericGetDict(reinterpret_cast<PyObject *>(wrapper), nullptr);
  const bool hasRun = state.dict && PyDict_GetItemWithError(state.dict, wrapperWords.run);
  PyErr_Clear();
  return hasRun;
}

static bool isOfClass(PyObject *object, PyObject *name, PyObject *expected) {
  Ref found(PyObject_GetAttr(reinterpret_cast<PyObject *>(Py_TYPE(object)), name));
  if (!found)
    PyErr_Clear();
  return found.get() == expected;
}

bool python::isPlainWrapper(WrapperObject *wrapper) {
  auto *object = reinterpret_cast<PyObject *>(wrapper);
  return isOfClass(object, wrapperWords.run, plainRuns[wrapper->state->isTuner]) &&
         !hasOwnRun(wrapper);
}

bool python::isPlainKernel(PyObject *kernel) {
  // A class with a `run` of its own has another subscript.
  if (!PyType_IsSubtype(Py_TYPE(kernel), reinterpret_cast<PyTypeObject *>(jitType)) ||
      PyType_GetSlot(Py_TYPE(kernel), Py_mp_subscript) !=
          reinterpret_cast<void *>(makeKernelLauncher))
    return false;
  Ref dict(PyObject_GenericGetDict(kernel, nullptr));
  const bool isPlain = dict && !PyDict_GetItemWithError(dict.get(), wrapperWords.run);
  PyErr_Clear();
  return isPlain;
}

PyObject *python::makeTuple(PyObject *const *values, size_t count) {
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; tuple && i < count; ++i)
    if (PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(values[i])))
      return nullptr;
  return tuple.take();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

// The whole call by the package's code, or by whatever takes its place.
static PyObject *launchSlowly(PyObject *wrapper, PyObject *grid, PyObject *const *given,
                              size_t numGiven, PyObject *names) {
  Ref positional(makeTuple(given, numGiven)), keywords(PyDict_New());
  if (!positional || !keywords)
    return nullptr;
  if (grid && (PyDict_SetItem(keywords.get(), wrapperWords.grid, grid) ||
               PyDict_SetItem(keywords.get(), wrapperWords.warmup, Py_False)))
    return nullptr;
  for (Py_ssize_t i = 0, n = names ? PyTuple_Size(names) : 0; i < n; ++i)
    if (PyDict_SetItem(keywords.get(), PyTuple_GetItem(names, i),
                       given[numGiven + static_cast<size_t>(i)]))
      return nullptr;
  // A `run` that calls this one must not be called again.
  const bool isRun = !grid || isPlainWrapper(reinterpret_cast<WrapperObject *>(wrapper));
  Ref method(PyObject_GetAttr(wrapper, isRun ? wrapperWords.runSlowly : wrapperWords.run));
  return method ? PyObject_Call(method.get(), positional.get(), keywords.get()) : nullptr;
}

// `grid`: null for `run`, which has it among its arguments.
static PyObject *launchWrapped(PyObject *object, PyObject *grid, PyObject *const *given,
                               size_t numGiven, PyObject *names) {
  auto *wrapper = reinterpret_cast<WrapperObject *>(object);
  if (!followEnvironment(/*onInterpreter=*/false))
    return nullptr;
  WrappedCall call(wrapper, grid, given, numGiven);
  Step step = slowOnly || (grid && !isPlainWrapper(wrapper)) || !call.findKernel()
                  ? Step::NotPlain
                  : call.bind(names, !grid);
  if (step == Step::Done)
    return call.launch();
  return step == Step::Failed ? nullptr : launchSlowly(object, grid, given, numGiven, names);
}

static PyObject *call(PyObject *object, PyObject *const *given, size_t numGivenAndFlag,
                      PyObject *names) {
  auto *launcher = reinterpret_cast<LauncherObject *>(object);
  PyObject *launched =
      launchWrapped(launcher->kernel, launcher->grid, given, numGivenAndFlag & kCountMask, names);
  return launched ? launched : hideFrames();
}

static PyObject *makeWrappedLauncher(PyObject *wrapper, PyObject *grid) {
  return makeLauncher(wrapper, grid, call);
}

// run(…, grid=…, warmup=False)
static PyObject *run(PyObject *self, PyObject *const *given, Py_ssize_t numGiven, PyObject *names) {
  return launchWrapped(self, nullptr, given, static_cast<size_t>(numGiven), names);
}

// Called where an attribute of any configuration is set, which choices may have.
static PyObject *forgetConfigs(PyObject *, PyObject *) {
  ++configEpoch;
  Py_RETURN_NONE;
}

// _remember(arguments of `run` by place, those by name, key in the cache or None, configuration,
// its items): for what was launched slowly.
static PyObject *remember(PyObject *self, PyObject *arguments) {
  PyObject *positional = nullptr, *keywords = nullptr, *key = nullptr, *config = nullptr,
           *items = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O!OOO!", &PyTuple_Type, &positional, &PyDict_Type, &keywords,
                        &key, &config, &PyTuple_Type, &items))
    return nullptr;
  std::vector<PyObject *> given;
  for (Py_ssize_t i = 0, n = PyTuple_Size(positional); i < n; ++i)
    given.push_back(PyTuple_GetItem(positional, i));
  Ref names(PyTuple_New(PyDict_Size(keywords)));
  Py_ssize_t at = 0;
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; names && PyDict_Next(keywords, &at, &name, &value); ++i) {
    given.push_back(value);
    if (PyTuple_SetItem(names.get(), i, Py_NewRef(name)))
      return nullptr;
  }
  if (!names)
    return nullptr;
  WrappedCall call(reinterpret_cast<WrapperObject *>(self), nullptr, given.data(),
                   static_cast<size_t>(PyTuple_Size(positional)));
  // A device that was chosen is not in the key: launches that ask for a choice are those without.
  const Step step =
      !slowOnly && call.findKernel() ? call.bind(names.get(), /*isRun=*/true) : Step::NotPlain;
  if (step == Step::Done)
    return call.remember(key, config, items);
  return step == Step::Failed ? nullptr : Py_NewRef(Py_None);
}
//===----------------------------------------------------------------------===//
// The types
//===----------------------------------------------------------------------===//

static PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self)
    reinterpret_cast<WrapperObject *>(self)->state =
        new WrapperState{PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(tunerType)) != 0};
  return self;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  auto *wrapper = reinterpret_cast<WrapperObject *>(self);
  Py_VISIT(Py_TYPE(self));
  for (auto member : kMembers)
    Py_VISIT(wrapper->*member);
  if (!wrapper->state)
    return 0;
  Py_VISIT(wrapper->state->dict);
  return wrapper->state->choices.traverse(visit, arg);
}

static int clear(PyObject *self) {
  auto *wrapper = reinterpret_cast<WrapperObject *>(self);
  for (auto member : kMembers)
    Ref old(std::exchange(wrapper->*member, nullptr));
  if (wrapper->state) {
    Ref dict(std::exchange(wrapper->state->dict, nullptr));
    wrapper->state->choices.clear();
  }
  return 0;
}

static void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  delete reinterpret_cast<WrapperObject *>(self)->state;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *makeType(const char *name) {
  // Through the type that compilers take for any function's.
  auto *method = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run));
  static PyMethodDef methods[] = {
      {"run", method, METH_FASTCALL | METH_KEYWORDS, "Launches; `grid` and `warmup` are named."},
      {"_remember", remember, METH_VARARGS, "Makes a choice known to later launches."},
      {nullptr, nullptr, 0, nullptr}};
  static PyMemberDef members[] = {
      {"fn", T_OBJECT_EX, offsetof(WrapperObject, fn), 0, nullptr},
      {"values", T_OBJECT_EX, offsetof(WrapperObject, values), 0, nullptr},
      {"configs", T_OBJECT_EX, offsetof(WrapperObject, configs), 0, nullptr},
      {"cache", T_OBJECT_EX, offsetof(WrapperObject, cache), 0, nullptr},
      {"keys", T_OBJECT_EX, offsetof(WrapperObject, keys), 0, nullptr},
      {"best_config", T_OBJECT, offsetof(WrapperObject, best), 0, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                         {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                         {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                         {Py_tp_clear, reinterpret_cast<void *>(clear)},
                         {Py_tp_methods, methods},
                         {Py_tp_members, members},
                         {Py_mp_subscript, reinterpret_cast<void *>(makeWrappedLauncher)},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(WrapperObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}

bool python::addWrapperTypes(PyObject *module) {
  static PyMethodDef methods[] = {{"forget_configs", forgetConfigs, METH_NOARGS,
                                   "Says that a configuration of a tuner has changed."},
                                  {nullptr, nullptr, 0, nullptr}};
  const std::pair<PyObject **, const char *> wanted[] = {
      {&wrapperWords.run, "run"},        {&wrapperWords.runSlowly, "_run_slowly"},
      {&wrapperWords.launch, "_launch"}, {&wrapperWords.grid, "grid"},
      {&wrapperWords.warmup, "warmup"},

  };
  for (auto [slot, text] : wanted)
    if (!(*slot = PyUnicode_InternFromString(text)))
      return false;
  tunerType = makeType("tilerun._native.Tuner");
  heuristicsType = makeType("tilerun._native.Heuristics");
  jitType = PyObject_GetAttrString(module, "Kernel");
  if (!tunerType || !heuristicsType || !jitType)
    return false;
  plainRuns[0] = PyObject_GetAttr(heuristicsType, wrapperWords.run);
  plainRuns[1] = PyObject_GetAttr(tunerType, wrapperWords.run);
  return plainRuns[0] && plainRuns[1] && PyModule_AddFunctions(module, methods) == 0 &&
         PyModule_AddObjectRef(module, "Tuner", tunerType) == 0 &&
         PyModule_AddObjectRef(module, "Heuristics", heuristicsType) == 0;
}

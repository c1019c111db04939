// The type `Kernel`: loading from sources, and launching with bound values.
#include "python/native/Launcher.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace tilerun;
using namespace tilerun::python;

static PyObject *makeCompiledName, *cellContentsName, *kernelType;

bool python::isKernel(PyObject *object) {
  int is = PyObject_IsInstance(object, kernelType);
  if (!is)
    raise(PyExc_TypeError, "a kernel is expected");
  return is == 1;
}

static KernelState &getState(PyObject *self) {
  return *reinterpret_cast<KernelObject *>(self)->state;
}

// The package's object for the code that was just launched. New reference.
static PyObject *getCompiled(KernelObject *kernel, const Device &device,
                             const TilerunCompileOptions &options, uint64_t code) {
  std::vector<Compiled> &compiled = kernel->state->compiled;
  for (size_t i = 0; i < compiled.size(); ++i)
    if (compiled[i].code == code) {
      std::swap(compiled[0], compiled[i]);
      return Py_NewRef(compiled[0].object);
    }

  std::string signature;
  if (TilerunStatus status = tilerunDescribeCode(
          kernel->state->handle, code,
          [](void *user, const char *text) { *static_cast<std::string *>(user) = text; },
          &signature))
    return raise(status);
  Ref options_(makeOptions(options));
  Ref type(PyLong_FromLong(device.type)), index(PyLong_FromLong(device.index));
  Ref text(PyUnicode_FromString(signature.c_str()));
  if (!options_ || !type || !index || !text)
    return nullptr;
  Ref made(PyObject_CallMethodObjArgs(reinterpret_cast<PyObject *>(kernel), makeCompiledName,
                                      type.get(), index.get(), text.get(), options_.get(),
                                      nullptr));
  if (made)
    compiled.push_back({code, Py_NewRef(made.get())});
  return made.take();
}

static PyObject *refuseGrid(const uint64_t grid[3]) {
  uint64_t most = *std::max_element(grid, grid + 3);
  return raise(PyExc_ValueError, "the grid has " + std::to_string(most) +
                                     " programs on an axis, which is more than any device takes");
}

PyObject *python::launch(KernelObject *kernel, Device &device, const uint64_t grid[3],
                         const LaunchOptions &options, PyObject *const *values,
                         TilerunArgument *arguments, size_t count) {
  if (!grid[0] || !grid[1] || !grid[2])
    Py_RETURN_NONE;
  if ((grid[0] | grid[1] | grid[2]) > UINT32_MAX)
    return refuseGrid(grid);
  Ranges ranges;
  uint32_t flags = options.flags;
  if (device.type == kCpu && !followEnvironment(/*onInterpreter=*/true))
    return nullptr;
  if (device.type == kCpu) {
    flags |= getBoundsFlag();
    if (!boundsChecksOff && !ranges.read(values, arguments, count))
      return nullptr;
  } else if (device.usesSmall && !ranges.read(values, arguments, count)) {
    return nullptr;
  }
  StreamLease lease(device);
  TilerunStream *stream = lease.get();
  if (!stream)
    return nullptr;
  TilerunLaunchOptions launch = {sizeof(launch), {}, &options.compile, flags, 0, ranges.get()};
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = static_cast<uint32_t>(grid[i]);
  TilerunStatus status;
  uint64_t code = 0;
  TilerunKernel *handle = kernel->state->handle;
  {
    Unlocked unlocked;
    status =
        tilerunLaunchTold(stream, handle, &launch, arguments, static_cast<uint32_t>(count), &code);
    if (!status && device.synchronous)
      status = tilerunSynchronizeStream(stream);
  }
  if (status)
    return raise(status);
  return getCompiled(kernel, device, options.compile, code);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

// Whether attributes that are computed at each access have equal values for the compiler, to which
// 1, 1.0 and True differ, as 0.0 and -0.0 do.
static bool isSame(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (!a || !b || Py_TYPE(a) != Py_TYPE(b))
    return false;
  if (PyFloat_CheckExact(a))
    return std::bit_cast<uint64_t>(PyFloat_AsDouble(a)) ==
           std::bit_cast<uint64_t>(PyFloat_AsDouble(b));
  if (PyTuple_CheckExact(a)) {
    Py_ssize_t size = PyTuple_Size(a);
    if (PyTuple_Size(b) != size)
      return false;
    for (Py_ssize_t i = 0; i < size; ++i)
      if (!isSame(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i)))
        return false;
    return true;
  }
  return (PyLong_CheckExact(a) || PyUnicode_CheckExact(a)) &&
         PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool python::isUnchanged(Watched watched) {
  Ref kept[] = {Ref(Py_XNewRef(watched.scope)), Ref(Py_XNewRef(watched.name)),
                Ref(Py_XNewRef(watched.value)), Ref(Py_XNewRef(watched.items))};
  PyObject *value = nullptr;
  Ref contents;
  bool isAttribute = watched.name && !PyDict_Check(watched.scope);
  if (PyList_Check(watched.scope)) {
    value = watched.scope;
  } else if (watched.name && !isAttribute) {
    value = PyDict_GetItemWithError(watched.scope, watched.name);
  } else {
    contents = Ref(PyObject_GetAttr(watched.scope, isAttribute ? watched.name : cellContentsName));
    value = contents.get();
    PyErr_Clear(); // An empty cell.
  }
  if (isAttribute && !watched.items)
    return isSame(value, watched.value);
  if (value != watched.value || !watched.items)
    return value == watched.value;
  Py_ssize_t size = PyTuple_Size(watched.items);
  if (PyList_Size(value) != size)
    return false;
  for (Py_ssize_t i = 0; i < size; ++i)
    if (PyList_GetItem(value, i) != PyTuple_GetItem(watched.items, i))
      return false;
  return true;
}

static void forget(KernelState &state) {
  // Destructors may launch the kernel.
  std::vector<Watched> watched = std::exchange(state.watched, {});
  std::vector<Compiled> compiled = std::exchange(state.compiled, {});
  for (Watched &one : watched)
    for (PyObject *object : {one.scope, one.name, one.value, one.items})
      Py_XDECREF(object);
  for (Compiled &one : compiled)
    Py_DECREF(one.object);
}

// (dict, name[, value]), (cell, None[, value]), (object, attribute, value), or (list, None, the
// same list). False with an error.
static bool watch(PyObject *item, KernelState &state) {
  PyObject *scope = nullptr, *name = nullptr, *value = nullptr;
  if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "OO|O", &scope, &name, &value) ||
      (name != Py_None && !PyUnicode_Check(name)))
    return raise(PyExc_TypeError, "a dict or an object with a name is expected, or a cell"), false;
  Ref items(value && PyList_Check(value) ? PyList_AsTuple(value) : nullptr);
  if (PyErr_Occurred())
    return false;
  bool isEntry = name != Py_None && PyDict_Check(scope) && !items;
  state.watched.push_back({Py_NewRef(scope), name == Py_None ? nullptr : Py_NewRef(name),
                           Py_XNewRef(value), items.take(), isEntry});
  return true;
}

// _setup(names, constexpr flags, defaults as a dict, options as for launch_on)
static PyObject *setup(PyObject *self, PyObject *arguments) {
  PyObject *names = nullptr, *flags = nullptr, *defaults = nullptr;
  KernelState &state = getState(self);
  TilerunCompileOptions options = {};
  options.struct_size = sizeof(options);
  if (!PyArg_ParseTuple(arguments, "O!O!O!(IIIII)", &PyTuple_Type, &names, &PyTuple_Type, &flags,
                        &PyDict_Type, &defaults, &options.num_warps, &options.num_stages,
                        &options.num_ctas, &options.maxnreg, &options.debug))
    return nullptr;
  if (!state.names.empty() || PyTuple_Size(names) != PyTuple_Size(flags))
    return raise(PyExc_RuntimeError,
                 "the kernel is set up already, or its flags are not its names'");
  state.options = options;
  for (Py_ssize_t i = 0, n = PyTuple_Size(names); i < n; ++i) {
    PyObject *name = Py_NewRef(PyTuple_GetItem(names, i));
    PyUnicode_InternInPlace(&name);
    state.names.push_back(name);
    state.isConstexpr.push_back(PyObject_IsTrue(PyTuple_GetItem(flags, i)) == 1);
    state.defaults.push_back(Py_XNewRef(PyDict_GetItemWithError(defaults, name)));
  }
  if (PyErr_Occurred())
    return nullptr;
  Py_RETURN_NONE;
}

// _load(sources as (module, path, text), name, bound constants, watched as (dict, name, value))
static PyObject *load(PyObject *self, PyObject *arguments) {
  PyObject *list = nullptr, *watched = nullptr;
  const char *name = nullptr, *bound = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!ssO!", &PyList_Type, &list, &name, &bound, &PyList_Type,
                        &watched))
    return nullptr;
  TilerunRuntime *runtime = getRuntime();
  if (!runtime)
    return nullptr;
  std::vector<std::array<std::string, 3>> texts;
  std::vector<TilerunSource> sources;
  for (Py_ssize_t i = 0, n = PyList_Size(list); i < n; ++i) {
    const char *module = nullptr, *path = nullptr, *text = nullptr;
    Py_ssize_t size = 0;
    PyObject *item = PyList_GetItem(list, i);
    if (!PyTuple_Check(item))
      return raise(PyExc_TypeError, "a source is a tuple");
    if (!PyArg_ParseTuple(item, "sss#", &module, &path, &text, &size))
      return nullptr;
    texts.push_back({module, path, std::string(text, static_cast<size_t>(size))});
  }
  sources.reserve(texts.size());
  for (const auto &[module, path, text] : texts)
    sources.push_back(
        {sizeof(TilerunSource), 0, module.c_str(), path.c_str(), text.c_str(), text.size()});
  std::string kernel = name, constants = bound;
  TilerunKernel *handle = nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunLoadKernelSources(
        runtime, sources.data(), static_cast<uint32_t>(sources.size()), kernel.c_str(), &handle);
    if (!status && !constants.empty()) {
      TilerunKernel *whole = handle;
      status = tilerunBindKernel(whole, constants.c_str(), &handle);
      tilerunReleaseKernel(whole);
    }
  }
  if (status)
    return raise(status);
  KernelState &state = getState(self);
  if (uint32_t taken = tilerunGetNumParameters(handle); taken != state.names.size()) {
    tilerunReleaseKernel(handle);
    return raise(PyExc_RuntimeError, "the source of '" + kernel + "' has " + std::to_string(taken) +
                                         " parameters, the function " +
                                         std::to_string(state.names.size()));
  }
  // Before anything is released, as that may run code that loads this kernel again.
  if (TilerunKernel *old = std::exchange(state.handle, handle))
    state.oldHandles.push_back(old);
  forget(state);
  for (Py_ssize_t i = 0, n = PyList_Size(watched); i < n; ++i) {
    if (!watch(PyList_GetItem(watched, i), state))
      return nullptr;
  }
  Py_RETURN_NONE;
}

// _load_ir(tile IR, name): the names of its parameters, as a tuple
static PyObject *loadIr(PyObject *self, PyObject *arguments) {
  const char *text = nullptr, *name = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "s#s", &text, &size, &name))
    return nullptr;
  TilerunRuntime *runtime = getRuntime();
  KernelState &state = getState(self);
  if (!runtime || state.handle)
    return runtime ? raise(PyExc_RuntimeError, "the kernel is loaded already") : nullptr;
  const std::string ir(text, static_cast<size_t>(size)), kernel = name;
  TilerunKernel *handle = nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunLoadKernelBytecode(runtime, ir.data(), ir.size(), kernel.c_str(), &handle);
  }
  if (status)
    return raise(status);
  state.handle = handle;
  const uint32_t count = tilerunGetNumParameters(handle);
  Ref names(PyTuple_New(count));
  for (uint32_t i = 0; names && i < count; ++i) {
    TilerunParameterInfo info = {sizeof(info), 0, nullptr};
    if (TilerunStatus failed = tilerunGetParameter(handle, i, &info))
      return raise(failed);
    if (PyTuple_SetItem(names.get(), i, PyUnicode_FromString(info.name)))
      return nullptr;
  }
  return names.take();
}

static PyObject *setSlow(PyObject *self, PyObject *value) {
  getState(self).slow = PyObject_IsTrue(value) == 1;
  Py_RETURN_NONE;
}

static PyObject *isLoaded(PyObject *self, PyObject *) {
  KernelState &state = getState(self);
  return PyBool_FromLong(state.handle && isUnchanged(state));
}

bool python::readValues(const KernelState &state, PyObject *values, TilerunArgument *arguments) {
  auto count = static_cast<size_t>(PyList_Size(values));
  if (count != state.names.size() || count > kMaxArguments) {
    raise(PyExc_TypeError, "a kernel has " + std::to_string(state.names.size()) +
                               " parameters (256 at most), " + std::to_string(count) +
                               " values were given");
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    Tensor tensor;
    PyObject *value = PyList_GetItem(values, static_cast<Py_ssize_t>(i));
    Read read = readArgument(value, arguments[i], tensor);
    if (read == Read::Failed)
      return false;
    if (read == Read::Other) {
      PyErr_Format(PyExc_TypeError, "parameter '%U': %R cannot be passed to a kernel",
                   state.names[i], value);
      return false;
    }
  }
  return true;
}

// _launch_on(device type, device index, grid, values, options, whether it may overlap)
static PyObject *launchOn(PyObject *self, PyObject *given) {
  int type = 0, index = 0;
  PyObject *gridObject = nullptr, *values = nullptr, *optionsObject = nullptr;
  LaunchOptions options = {};
  TargetOptions own;
  int overlap = 0;
  if (!PyArg_ParseTuple(given, "iiOO!O!p", &type, &index, &gridObject, &PyList_Type, &values,
                        &PyTuple_Type, &optionsObject, &overlap) ||
      !readOptions(optionsObject, options.compile, own))
    return nullptr;
  options.flags = overlap ? TILERUN_LAUNCH_OVERLAP : 0;
  KernelState &state = getState(self);
  uint64_t grid[3];
  TilerunArgument arguments[kMaxArguments];
  if (!state.handle)
    return raise(PyExc_RuntimeError, "the kernel is not loaded");
  if (!readGrid(gridObject, grid) || !readValues(state, values, arguments))
    return nullptr;
  Device *device = getDevice(type, index);
  if (!device)
    return nullptr;
  PyObject *objects[kMaxArguments];
  for (size_t i = 0; i < state.names.size(); ++i)
    objects[i] = PyList_GetItem(values, static_cast<Py_ssize_t>(i));
  return launch(reinterpret_cast<KernelObject *>(self), *device, grid, options, objects, arguments,
                state.names.size());
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (self)
    reinterpret_cast<KernelObject *>(self)->state = new KernelState;
  return self;
}

// Compiled kernels refer to their kernel, as may the globals: only the collector ends such a cycle.
static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  const KernelState *state = reinterpret_cast<KernelObject *>(self)->state;
  if (!state)
    return 0;
  for (const Watched &watched : state->watched) {
    Py_VISIT(watched.scope);
    Py_VISIT(watched.value);
    Py_VISIT(watched.items);
  }
  for (const Compiled &compiled : state->compiled)
    Py_VISIT(compiled.object);
  for (PyObject *value : state->defaults)
    Py_VISIT(value);
  return 0;
}

static int clear(PyObject *self) {
  if (KernelState *state = reinterpret_cast<KernelObject *>(self)->state)
    forget(
        *state); // The defaults are needed as long as it can be launched, and close no cycle alone.
  return 0;
}

static void destroy(PyObject *self) {
  PyObject_GC_UnTrack(self);
  KernelState *state = reinterpret_cast<KernelObject *>(self)->state;
  if (state) {
    forget(*state);
    for (PyObject *name : state->names)
      Py_DECREF(name);
    for (PyObject *value : state->defaults)
      Py_XDECREF(value);
    for (const NamedPlaces &named : state->named)
      Py_XDECREF(named.names);
    state->oldHandles.push_back(state->handle);
    {
      Unlocked unlocked;
      for (TilerunKernel *handle : state->oldHandles)
        tilerunReleaseKernel(handle);
    }
    delete state;
  }
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

bool python::addKernelType(PyObject *module) {
  makeCompiledName = PyUnicode_InternFromString("_make_compiled");
  cellContentsName = PyUnicode_InternFromString("cell_contents");
  if (!makeCompiledName || !cellContentsName || !addLauncherType(module) ||
      !addSpecializedType(module))
    return false;
  static PyMethodDef methods[] = {
      {"_setup", setup, METH_VARARGS, "Sets names, kinds, defaults and options."},
      {"_load", load, METH_VARARGS, "Reads the sources; a new handle takes the old one's place."},
      {"_load_ir", loadIr, METH_VARARGS, "Reads tile IR, and gives its parameters' names."},
      {"_set_slow", setSlow, METH_O, "Whether launches always go through _launch."},
      {"_is_loaded", isLoaded, METH_NOARGS,
       "Whether there is a handle, of globals that still hold."},
      {"_launch_on", launchOn, METH_VARARGS, "Launches with values for all parameters."},
      {"_describe", describeValues, METH_O, "The signature of values."},
      {"_specialize", specialize, METH_VARARGS,
       "Compiles for a signature, and gives numbers of it."},
      {"_emit", emit, METH_VARARGS, "Compiles for a target, and gives a stage."},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                         {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                         {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                         {Py_tp_clear, reinterpret_cast<void *>(clear)},
                         {Py_tp_methods, methods},
                         {Py_mp_subscript, reinterpret_cast<void *>(makeKernelLauncher)},
                         {0, nullptr}};
  PyType_Spec spec = {"tilerun._native.Kernel", sizeof(KernelObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  Ref type(PyType_FromSpec(&spec));
  kernelType = Py_XNewRef(type.get());
  return type && PyModule_AddObjectRef(module, "Kernel", type.get()) == 0;
}

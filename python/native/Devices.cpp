// Runtime, devices and streams, and their functions in the module.
#include "python/native/Devices.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace tilerun;
using namespace tilerun::python;

static TilerunRuntime *runtime;
static std::vector<Device *> devices;
bool python::slowOnly = false;
bool python::boundsChecksOff = false;

// What `watch_environment` got: first the variables that every launch follows. The values are those
// at the last call of `refresh`; that they are the same objects means that nobody has set the
// variable.
namespace {
struct Variable {
  PyObject *name;
  PyObject *value;
};
} // namespace
static std::vector<Variable> variables;
static size_t numOfEveryLaunch;
static PyObject *environment, *refreshSettings;

// Takes the values before Python code reads them, so that what another thread sets meanwhile is
// seen next time. Where that code raises, the values are forgotten again: the next launch
// refreshes, and raises, too.
static bool refreshAll() {
  std::vector<Ref> read;
  read.reserve(variables.size());
  for (const Variable &variable : variables) {
    PyObject *value = PyDict_GetItemWithError(environment, variable.name);
    if (!value && PyErr_Occurred())
      return false;
    read.push_back(Ref::share(value));
  }
  const auto exchange = [&read] {
    for (size_t i = 0; i < read.size(); ++i)
      read[i] = Ref(std::exchange(variables[i].value, read[i].take()));
  };
  exchange();
  Ref done(PyObject_CallNoArgs(refreshSettings));
  if (!done)
    exchange();
  return bool(done);
}

bool python::followEnvironment(bool onInterpreter) {
  const Variable *variable = variables.data();
  const Variable *end = variable + (onInterpreter ? variables.size() : numOfEveryLaunch);
  // The keys are bytes, whose comparison raises nothing.
  for (; variable != end; ++variable)
    if (PyDict_GetItemWithError(environment, variable->name) != variable->value) [[unlikely]]
      return refreshAll();
  return true;
}

// Takes warnings of the compiler and what kernels print while they are compiled; from any thread.
static void logText(void *, int32_t level, const char *text) {
  Locked locked;
  // A pending error belongs to the caller, who is in the middle of a call.
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  if (PyObject *callback = getCallback(Callback::Log)) {
    Ref done(PyObject_CallFunction(callback, "is", static_cast<int>(level), text));
    if (!done)
      PyErr_WriteUnraisable(callback);
  } else {
    PyErr_Clear();
  }
  PyErr_Restore(type, value, trace);
}

TilerunRuntime *python::getRuntime() {
  if (runtime)
    return runtime;
  TilerunRuntimeOptions options = {};
  options.struct_size = sizeof(options);
  options.log = logText;
  TilerunStatus status;
  TilerunRuntime *made = nullptr;
  {
    Unlocked unlocked;
    status = tilerunCreateRuntime(&options, &made);
  }
  if (status)
    return raise(status), nullptr;
  if (runtime) // Another thread was faster.
    tilerunDestroyRuntime(made);
  else
    runtime = made;
  return runtime;
}

Device *python::findDevice(int32_t type, int32_t index) {
  for (Device *device : devices)
    if (device->type == type && device->index == index)
      return device;
  return nullptr;
}

Device *python::getDevice(int32_t type, int32_t index) {
  if (Device *device = findDevice(type, index))
    return device;
  PyObject *open = getCallback(Callback::OpenDevice);
  Ref done(open ? PyObject_CallFunction(open, "ii", type, index) : nullptr);
  if (!done)
    return nullptr;
  if (Device *device = findDevice(type, index))
    return device;
  raise(PyExc_RuntimeError, "the device was not opened");
  return nullptr;
}

// Of a framework, by its handle. Null with an error.
static TilerunStream *findStream(Device &device, uint64_t native) {
  if (device.lastStream && device.lastNative == native)
    return device.lastStream;
  TilerunStream *stream = nullptr;
  for (auto &[known, handle] : device.streams)
    if (known == native)
      stream = handle;
  if (!stream) {
    if (TilerunStatus status = tilerunAdoptStream(device.handle, native, &stream))
      return raise(status), nullptr;
    device.streams.emplace_back(native, stream);
  }
  device.lastNative = native;
  device.lastStream = stream;
  return stream;
}

// The framework's current one; the device's own where no framework has such devices. Null with an
// error.
static TilerunStream *findCurrentStream(Device &device) {
  std::optional<uint64_t> native;
  Tensor place;
  place.deviceType = device.type;
  place.deviceIndex = device.index;
  if (!getCurrentStream(place, native))
    return nullptr;
  return native ? findStream(device, *native) : device.defaultStream;
}

StreamLease::StreamLease(Device &device) : device(device) {
  if (device.synchronous)
    leaseIdle();
  else
    stream = findCurrentStream(device);
}

StreamLease::StreamLease(Device &device, uint64_t native) : device(device) {
  if (device.synchronous)
    leaseIdle();
  else
    stream = findStream(device, native);
}

void StreamLease::leaseIdle() {
  if (!device.idle.empty()) {
    stream = device.idle.back();
    device.idle.pop_back();
  } else if (TilerunStatus status = tilerunCreateStream(device.handle, &stream)) {
    stream = nullptr;
    raise(status);
  }
}

//===----------------------------------------------------------------------===//
// Functions of the module
//===----------------------------------------------------------------------===//

static PyObject *listDevices(PyObject *, PyObject *) {
  TilerunRuntime *own = getRuntime();
  if (!own)
    return nullptr;
  using Texts = std::vector<std::array<std::string, 4>>;
  Texts found;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunListDevices(
        own,
        [](void *user, const TilerunPluginDeviceInfo *info) {
          static_cast<Texts *>(user)->push_back({info->id, info->uuid, info->name, info->target});
        },
        &found);
  }
  if (status)
    return raise(status);
  Ref list(PyList_New(0));
  for (const auto &[id, uuid, name, target] : found) {
    Ref item(Py_BuildValue("(ssss)", id.c_str(), uuid.c_str(), name.c_str(), target.c_str()));
    if (!list || !item || PyList_Append(list.get(), item.get()))
      return nullptr;
  }
  return list.take();
}

static PyObject *listPlugins(PyObject *, PyObject *) {
  TilerunRuntime *own = getRuntime();
  if (!own)
    return nullptr;
  using Texts = std::vector<std::array<std::string, 4>>;
  Texts found;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunListPlugins(
        own,
        [](void *user, const TilerunPluginFile *file) {
          static_cast<Texts *>(user)->push_back(
              {file->path, file->name, file->version, file->reason});
        },
        &found);
  }
  if (status)
    return raise(status);
  Ref list(PyList_New(0));
  for (const auto &[path, name, version, reason] : found) {
    Ref item(Py_BuildValue("(ssss)", path.c_str(), name.c_str(), version.c_str(), reason.c_str()));
    if (!list || !item || PyList_Append(list.get(), item.get()))
      return nullptr;
  }
  return list.take();
}

static bool usesSmall(TilerunDevice *device) {
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  return !tilerunGetDeviceProperty(device, TILERUN_DEVICE_PROPERTY_USES_SMALL, &value) &&
         value.number;
}

// open_device(type, index, id, flags, synchronous)
static PyObject *openDevice(PyObject *, PyObject *arguments) {
  int type = 0, index = 0, flags = 0, synchronous = 0;
  const char *id = nullptr;
  if (!PyArg_ParseTuple(arguments, "iisii", &type, &index, &id, &flags, &synchronous))
    return nullptr;
  TilerunRuntime *own = getRuntime();
  if (!own)
    return nullptr;
  TilerunDeviceOptions options = {};
  options.struct_size = sizeof(options);
  options.flags = static_cast<uint32_t>(flags);
  std::string name = id;
  TilerunDevice *handle = nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunOpenDevice(own, name.c_str(), &options, &handle);
  }
  if (status)
    return raise(status);
  if (findDevice(type, index)) // Another thread was faster.
    tilerunCloseDevice(handle);
  else
    devices.push_back(new Device{type,
                                 index,
                                 tilerunGetDeviceId(handle),
                                 handle,
                                 synchronous != 0,
                                 usesSmall(handle),
                                 tilerunGetDefaultStream(handle),
                                 0,
                                 nullptr,
                                 {},
                                 {}});
  Py_RETURN_NONE;
}

static Device *parseDevice(PyObject *arguments, const char *format, int &extra) {
  int type = 0, index = 0;
  if (!PyArg_ParseTuple(arguments, format, &type, &index, &extra))
    return nullptr;
  return getDevice(type, index);
}

static PyObject *getProperty(PyObject *, PyObject *arguments) {
  int property = 0;
  Device *device = parseDevice(arguments, "iii", property);
  if (!device)
    return nullptr;
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  if (TilerunStatus status =
          tilerunGetDeviceProperty(device->handle, static_cast<uint32_t>(property), &value)) {
    if (status == TILERUN_STATUS_UNSUPPORTED)
      Py_RETURN_NONE;
    return raise(status);
  }
  return value.type == TILERUN_VALUE_U64 ? PyLong_FromUnsignedLongLong(value.number)
                                         : PyUnicode_FromString(value.string);
}

static PyObject *getDeviceTarget(PyObject *, PyObject *arguments) {
  int none = 0;
  Device *device = parseDevice(arguments, "ii", none);
  return device ? PyUnicode_FromString(tilerunGetDeviceTarget(device->handle)) : nullptr;
}

// compiler_key(): identifies this build's compilers.
static PyObject *getCompilerKey(PyObject *, PyObject *) {
  TilerunRuntime *current = getRuntime();
  if (!current)
    return nullptr;
  std::string key;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunGetCompilerKey(
        current, [](void *user, const char *text) { *static_cast<std::string *>(user) = text; },
        &key);
  }
  return status ? raise(status) : PyUnicode_FromString(key.c_str());
}

static PyObject *synchronize(PyObject *, PyObject *arguments) {
  int none = 0;
  Device *device = parseDevice(arguments, "ii", none);
  if (!device)
    return nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunSynchronizeDevice(device->handle);
  }
  if (status)
    return raise(status);
  Py_RETURN_NONE;
}

// allocate(type, index, bytes) -> address; memory for copies of data that the device cannot use.
static PyObject *allocate(PyObject *, PyObject *arguments) {
  int type = 0, index = 0;
  unsigned long long bytes = 0;
  if (!PyArg_ParseTuple(arguments, "iiK", &type, &index, &bytes))
    return nullptr;
  Device *device = getDevice(type, index);
  if (!device)
    return nullptr;
  TilerunAddress address = 0;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunAllocate(device->defaultStream, bytes, &address);
  }
  if (status)
    return raise(status);
  return PyLong_FromUnsignedLongLong(address);
}

static PyObject *release(PyObject *, PyObject *arguments) {
  int type = 0, index = 0;
  unsigned long long address = 0;
  if (!PyArg_ParseTuple(arguments, "iiK", &type, &index, &address))
    return nullptr;
  Device *device = getDevice(type, index);
  if (!device)
    return nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunFree(device->defaultStream, address);
  }
  if (status)
    return raise(status);
  Py_RETURN_NONE;
}

// copy(type, index, device address, host address, bytes, to device); waits.
static PyObject *copy(PyObject *, PyObject *arguments) {
  int type = 0, index = 0, toDevice = 0;
  unsigned long long address = 0, host = 0, bytes = 0;
  if (!PyArg_ParseTuple(arguments, "iiKKKp", &type, &index, &address, &host, &bytes, &toDevice))
    return nullptr;
  Device *device = getDevice(type, index);
  if (!device)
    return nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    auto *memory = reinterpret_cast<void *>(host); // NOLINT(performance-no-int-to-ptr)
    status = toDevice ? tilerunCopyToDevice(device->defaultStream, address, memory, bytes)
                      : tilerunCopyFromDevice(device->defaultStream, memory, address, bytes);
    if (!status)
      status = tilerunSynchronizeStream(device->defaultStream);
  }
  if (status)
    return raise(status);
  Py_RETURN_NONE;
}

// Writes bytes of memory that are not as they were before: what others have written meanwhile
// stays.
static PyObject *merge(PyObject *, PyObject *arguments) {
  unsigned long long to = 0, now = 0, before = 0, bytes = 0;
  if (!PyArg_ParseTuple(arguments, "KKKK", &to, &now, &before, &bytes))
    return nullptr;
  // NOLINTBEGIN(performance-no-int-to-ptr)
  auto *memory = reinterpret_cast<char *>(to);
  const auto *made = reinterpret_cast<const char *>(now),
             *known = reinterpret_cast<const char *>(before);
  // NOLINTEND(performance-no-int-to-ptr)
  constexpr unsigned long long kPart = 4096;
  for (unsigned long long part = 0; part < bytes; part += kPart) {
    const unsigned long long end = std::min(part + kPart, bytes);
    if (!std::memcmp(made + part, known + part, end - part))
      continue;
    for (unsigned long long i = part; i < end; ++i)
      if (made[i] != known[i])
        memory[i] = made[i];
  }
  Py_RETURN_NONE;
}

static PyObject *listLanguage(PyObject *, PyObject *arguments) {
  const char *path = nullptr;
  if (!PyArg_ParseTuple(arguments, "s", &path))
    return nullptr;
  struct Names {
    PyObject *list;
    bool failed;
  } names = {PyList_New(0), false};
  Ref list(names.list);
  if (!list)
    return nullptr;
  TilerunStatus status = tilerunListLanguage(
      path,
      [](void *user, const TilerunLanguageName *name) {
        auto *names = static_cast<Names *>(user);
        Ref item(names->failed ? nullptr
                               : Py_BuildValue("(ssss)", name->name, name->kind, name->value,
                                               name->documentation));
        names->failed = names->failed || !item || PyList_Append(names->list, item.get());
      },
      &names);
  if (names.failed)
    return nullptr;
  return status ? raise(status) : list.take();
}

static PyObject *setSlowOnly(PyObject *, PyObject *value) {
  slowOnly = PyObject_IsTrue(value) == 1;
  Py_RETURN_NONE;
}

static PyObject *setBoundsChecks(PyObject *, PyObject *value) {
  boundsChecksOff = PyObject_IsTrue(value) == 0;
  Py_RETURN_NONE;
}

// watch_environment(dict, names, names that only the interpreter follows, refresh)
static PyObject *watchEnvironment(PyObject *, PyObject *arguments) {
  PyObject *given = nullptr, *names[2], *refresh = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O", &PyDict_Type, &given, &PyTuple_Type, &names[0],
                        &PyTuple_Type, &names[1], &refresh))
    return nullptr;
  numOfEveryLaunch = 0;
  for (const Variable &variable : std::exchange(variables, {})) {
    Py_DECREF(variable.name);
    Py_XDECREF(variable.value);
  }
  PyObject *before[] = {std::exchange(environment, Py_NewRef(given)),
                        std::exchange(refreshSettings, Py_NewRef(refresh))};
  for (PyObject *old : before)
    Py_XDECREF(old);
  for (PyObject *list : names)
    for (Py_ssize_t i = 0, n = PyTuple_Size(list); i < n; ++i) {
      PyObject *name = PyTuple_GetItem(list, i), *value = PyDict_GetItemWithError(given, name);
      if (!value && PyErr_Occurred())
        return nullptr;
      Py_XINCREF(value);
      variables.push_back({Py_NewRef(name), value});
    }
  numOfEveryLaunch = static_cast<size_t>(PyTuple_Size(names[0]));
  Ref done(PyObject_CallNoArgs(refresh));
  return done.take();
}

static PyObject *registerMemoryFunction(PyObject *, PyObject *callable) {
  registerMemory(callable);
  Py_RETURN_NONE;
}

static PyObject *registerTorchTypes(PyObject *, PyObject *arguments) {
  PyObject *types = nullptr, *dtypes = nullptr;
  int cudaType = 0;
  if (!PyArg_ParseTuple(arguments, "O!O!i", &PyTuple_Type, &types, &PyDict_Type, &dtypes,
                        &cudaType) ||
      !registerTorch(types, dtypes, cudaType))
    return nullptr;
  Py_RETURN_NONE;
}

static PyObject *registerDtypes(PyObject *, PyObject *type) {
  if (!registerDtypeType(type))
    return nullptr;
  Py_RETURN_NONE;
}

// read_tensor(object) -> (address, dtype, device type, device index), or None
static PyObject *readTensor(PyObject *, PyObject *object) {
  TilerunArgument argument;
  Tensor tensor;
  Read read = readArgument(object, argument, tensor);
  if (read == Read::Failed)
    return nullptr;
  if (read != Read::Tensor)
    Py_RETURN_NONE;
  return Py_BuildValue("(Kiii)", static_cast<unsigned long long>(tensor.address),
                       static_cast<int>(tensor.dtype), tensor.deviceType, tensor.deviceIndex);
}

bool python::addRuntime(PyObject *module) {
  static PyMethodDef methods[] = {
      {"list_devices", listDevices, METH_NOARGS, "Devices: (id, uuid, name, target)."},
      {"list_plugins", listPlugins, METH_NOARGS, "Plugin files: (path, name, version, reason)."},
      {"compiler_key", getCompilerKey, METH_NOARGS, "What distinguishes this build's compilers."},
      {"open_device", openDevice, METH_VARARGS, "Opens a device under its DLPack numbers."},
      {"device_property", getProperty, METH_VARARGS,
       "A property by its number; None: it has none."},
      {"device_target", getDeviceTarget, METH_VARARGS, "What kernels are compiled for."},
      {"synchronize", synchronize, METH_VARARGS, "Waits for all work of a device."},
      {"allocate", allocate, METH_VARARGS, "Memory of a device."},
      {"free", release, METH_VARARGS, "Frees what allocate gave."},
      {"copy", copy, METH_VARARGS, "Copies between host and device, and waits."},
      {"merge", merge, METH_VARARGS, "Copies the bytes that differ from what they were."},
      {"list_language", listLanguage, METH_VARARGS, "Names: (name, kind, value, documentation)."},
      {"set_slow_only", setSlowOnly, METH_O, "Whether every launch goes through Python code."},
      {"set_bounds_checks", setBoundsChecks, METH_O,
       "Whether launches on the interpreter look for accesses out of bounds."},
      {"watch_environment", watchEnvironment, METH_VARARGS,
       "The variables that launches follow, and what to call when one has changed."},
      {"register_memory", registerMemoryFunction, METH_O, "What tells the memory of a value."},
      {"register_torch", registerTorchTypes, METH_VARARGS, "Types of tensors, numbers of dtypes."},
      {"register_dtype", registerDtypes, METH_O, "The type of the language's dtypes."},
      {"read_tensor", readTensor, METH_O,
       "What a launch would take of a tensor; None: it is none."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, methods) == 0;
}

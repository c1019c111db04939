// Tuning: configurations from Python values, and the library's callbacks into Python.
#include "python/native/Kernel.h"

#include <algorithm>
#include <memory>

using namespace tilerun;
using namespace tilerun::python;

namespace {
// One configuration, and what it points to.
struct Way {
  TilerunArgument arguments[kMaxArguments];
  TilerunCompileOptions options;
  TargetOptions own;
  Ranges ranges;
  TilerunTuneLaunch launch = {sizeof(launch), 0, nullptr};
};

struct Callbacks {
  PyObject *progress, *before, *after; ///< Borrowed; None: there is none.
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;

  // Keeps the first exception; the tuning finishes without calling Python again.
  bool finish(PyObject *result) {
    if (result) {
      Py_DECREF(result);
      return true;
    }
    PyErr_Fetch(&type, &value, &trace);
    return false;
  }
};
} // namespace

// progress(index, configurations, best, status, rough, milliseconds, message, done, compiled,
// seconds left); without an index while the tuning waits.
static void callProgress(Callbacks &callbacks, const TilerunTuneProgress &progress) {
  if (callbacks.progress == Py_None)
    return;
  Ref index(progress.index < progress.num_configs ? PyLong_FromUnsignedLong(progress.index)
                                                  : Py_NewRef(Py_None));
  callbacks.finish(index ? PyObject_CallFunction(
                               callbacks.progress, "OIIiIdsIId", index.get(), progress.num_configs,
                               progress.best, static_cast<int>(progress.status), progress.rough,
                               progress.milliseconds, progress.message, progress.num_done,
                               progress.num_compiled,
                               progress.remaining_ms < 0 ? -1.0 : progress.remaining_ms / 1000)
                         : nullptr);
}

static void reportProgress(void *user, const TilerunTuneProgress *progress) {
  auto &callbacks = *static_cast<Callbacks *>(user);
  Locked locked;
  if (!callbacks.type)
    callProgress(callbacks, *progress);
}

// An interrupt, and what a callback has raised, end the tuning.
static TilerunStatus reportWaiting(void *user, const TilerunTuneProgress *progress) {
  auto &callbacks = *static_cast<Callbacks *>(user);
  Locked locked;
  if (!callbacks.type && PyErr_CheckSignals())
    callbacks.finish(nullptr);
  if (!callbacks.type)
    callProgress(callbacks, *progress);
  return callbacks.type ? TILERUN_STATUS_INTERNAL : TILERUN_STATUS_OK;
}

static TilerunStatus callHook(Callbacks &callbacks, PyObject *hook, uint32_t index) {
  Locked locked;
  // An interrupt ends the tuning before its next run.
  if (!callbacks.type && PyErr_CheckSignals())
    callbacks.finish(nullptr);
  bool done = !callbacks.type &&
              (hook == Py_None || callbacks.finish(PyObject_CallFunction(hook, "I", index)));
  return done ? TILERUN_STATUS_OK : TILERUN_STATUS_INTERNAL;
}

// Bounds, where the device checks them or its code depends on them.
static bool readLaunch(const Device &device, PyObject *list, Way &way) {
  if (device.type == kCpu) {
    if (!followEnvironment(/*onInterpreter=*/true))
      return false;
    way.launch.flags = getBoundsFlag();
  }
  if (device.type == kCpu ? boundsChecksOff : !device.usesSmall)
    return true;
  std::vector<PyObject *> values;
  for (Py_ssize_t i = 0, n = PyList_Size(list); i < n; ++i)
    values.push_back(PyList_GetItem(list, i));
  if (!way.ranges.read(values.data(), way.arguments, values.size()))
    return false;
  way.launch.ranges = way.ranges.get();
  return true;
}

// (kernel, grid, values, options) as a configuration. False with an error.
static bool readConfig(const Device &device, PyObject *item, Way &way, TilerunTuneConfig &config) {
  PyObject *object = nullptr, *gridObject = nullptr, *values = nullptr, *options = nullptr;
  if (!PyArg_ParseTuple(item, "OOO!O!", &object, &gridObject, &PyList_Type, &values, &PyTuple_Type,
                        &options) ||
      !isKernel(object))
    return false;
  auto *kernel = reinterpret_cast<KernelObject *>(object);
  uint64_t grid[3];
  if (!kernel->state->handle) {
    raise(PyExc_RuntimeError, "the kernel is not loaded");
    return false;
  }
  if (!readGrid(gridObject, grid) || !readValues(*kernel->state, values, way.arguments) ||
      !readOptions(options, way.options, way.own) || !readLaunch(device, values, way))
    return false;
  config = {sizeof(config),
            {},
            kernel->state->handle,
            &way.options,
            way.arguments,
            static_cast<uint32_t>(kernel->state->names.size()),
            0};
  for (int i = 0; i < 3; ++i)
    config.grid[i] = static_cast<uint32_t>(std::min<uint64_t>(grid[i], UINT32_MAX));
  return true;
}

// tune(device type, device index, configs, memory as (address, bytes, restore), key, warmup ms, rep
// ms, flags, progress, before, after) -> (best, milliseconds, from the cache, failed)
static PyObject *tuneKernel(PyObject *, PyObject *given) {
  int type = 0, index = 0;
  PyObject *list = nullptr, *memoryList = nullptr;
  const char *key = nullptr;
  Callbacks callbacks = {};
  TilerunTuneOptions options = {};
  options.struct_size = sizeof(options);
  if (!PyArg_ParseTuple(given, "iiO!O!sIIIOOO", &type, &index, &PyList_Type, &list, &PyList_Type,
                        &memoryList, &key, &options.warmup_ms, &options.rep_ms, &options.flags,
                        &callbacks.progress, &callbacks.before, &callbacks.after))
    return nullptr;
  Device *device = getDevice(type, index);
  if (!device)
    return nullptr;
  StreamLease lease(*device);
  TilerunStream *stream = lease.get();
  if (!stream)
    return nullptr;
  std::vector<std::unique_ptr<Way>> ways;
  std::vector<TilerunTuneConfig> configs;
  std::vector<const TilerunTuneLaunch *> launches;
  for (Py_ssize_t i = 0, n = PyList_Size(list); i < n; ++i) {
    ways.push_back(std::make_unique<Way>());
    if (!readConfig(*device, PyList_GetItem(list, i), *ways.back(), configs.emplace_back()))
      return nullptr;
    launches.push_back(&ways.back()->launch);
  }
  std::vector<TilerunTuneMemory> memory;
  for (Py_ssize_t i = 0, n = PyList_Size(memoryList); i < n; ++i) {
    unsigned long long address = 0, bytes = 0;
    int restore = 0;
    if (!PyArg_ParseTuple(PyList_GetItem(memoryList, i), "KKp", &address, &bytes, &restore))
      return nullptr;
    memory.push_back({sizeof(TilerunTuneMemory), static_cast<uint32_t>(restore), address, bytes});
  }
  std::string words = key;
  options.key = words.c_str();
  options.memory = memory.data();
  options.num_memory = static_cast<uint32_t>(memory.size());
  options.launches = launches.data();
  options.user = &callbacks;
  options.progress = reportProgress;
  options.waiting = reportWaiting;
  options.before = [](void *user, uint32_t config) {
    auto &callbacks = *static_cast<Callbacks *>(user);
    return callHook(callbacks, callbacks.before, config);
  };
  options.after = [](void *user, uint32_t config) {
    auto &callbacks = *static_cast<Callbacks *>(user);
    return callHook(callbacks, callbacks.after, config);
  };
  TilerunTuneResult result = {};
  result.struct_size = sizeof(result);
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunTuneKernel(getRuntime(), stream, configs.data(),
                               static_cast<uint32_t>(configs.size()), &options, &result);
  }
  if (callbacks.type) {
    PyErr_Restore(callbacks.type, callbacks.value, callbacks.trace);
    return nullptr;
  }
  if (status)
    return raise(status);
  return Py_BuildValue("(IdOI)", result.best, result.milliseconds,
                       result.from_cache ? Py_True : Py_False, result.num_failed);
}

bool python::addTuning(PyObject *module) {
  static PyMethodDef methods[] = {
      {"tune", tuneKernel, METH_VARARGS, "Measures ways to launch, and gives the fastest."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, methods) == 0;
}

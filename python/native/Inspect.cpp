// Properties of a kernel without a launch: the signature of values, the numbers of the code
// compiled for one, and its phases. And compile options, which all of these take.
#include "python/native/Kernel.h"

using namespace tilerun;
using namespace tilerun::python;

bool python::readOptions(PyObject *tuple, TilerunCompileOptions &options, TargetOptions &own) {
  options = {};
  options.struct_size = sizeof(options);
  PyObject *pairs = nullptr;
  if (!PyArg_ParseTuple(tuple, "IIIIII|O!", &options.num_warps, &options.num_stages,
                        &options.num_ctas, &options.maxnreg, &options.debug, &options.checks,
                        &PyTuple_Type, &pairs))
    return false;
  for (Py_ssize_t i = 0, n = pairs ? PyTuple_Size(pairs) : 0; i < n; ++i) {
    TilerunPluginOption option = {};
    PyObject *pair = PyTuple_GetItem(pairs, i);
    if (!PyTuple_Check(pair))
      return raise(PyExc_TypeError, "an option is a pair of texts"), false;
    if (!PyArg_ParseTuple(pair, "ss", &option.name, &option.value))
      return false;
    own.push_back(option);
  }
  options.num_options = static_cast<uint32_t>(own.size());
  options.options = own.data();
  return true;
}

PyObject *python::makeOptions(const TilerunCompileOptions &options) {
  Ref numbers(Py_BuildValue("(IIIIII)", options.num_warps, options.num_stages, options.num_ctas,
                            options.maxnreg, options.debug, options.checks));
  if (!numbers || !options.num_options)
    return numbers.take();
  Ref pairs(PyTuple_New(options.num_options));
  for (uint32_t i = 0; pairs && i < options.num_options; ++i)
    if (PyTuple_SetItem(pairs.get(), i,
                        Py_BuildValue("(ss)", options.options[i].name, options.options[i].value)))
      return nullptr;
  Ref last(pairs ? PyTuple_Pack(1, pairs.get()) : nullptr);
  return last ? PySequence_Concat(numbers.get(), last.get()) : nullptr;
}

// _describe(values) -> signature
PyObject *python::describeValues(PyObject *self, PyObject *values) {
  KernelState &state = *reinterpret_cast<KernelObject *>(self)->state;
  TilerunArgument arguments[kMaxArguments];
  if (!PyList_Check(values) || !state.handle)
    return raise(PyExc_RuntimeError, "a list is expected, and a loaded kernel");
  if (!readValues(state, values, arguments))
    return nullptr;
  std::string signature;
  if (TilerunStatus status = tilerunDescribeArguments(
          state.handle, arguments, static_cast<uint32_t>(state.names.size()),
          [](void *user, const char *text) { *static_cast<std::string *>(user) = text; },
          &signature))
    return raise(status);
  return PyUnicode_FromString(signature.c_str());
}

PyObject *python::describeSpecialization(TilerunSpecialization *made) {
  uint32_t threads = 0, shared = 0;
  tilerunGetLaunchShape(made, &threads, &shared);
  Ref out(Py_BuildValue("{sIsI}", "threads", threads, "shared", shared));
#define TILERUN_PYTHON_PROPERTY(name, number, kind, word, unit) {number, word},
  static constexpr std::pair<uint32_t, const char *> properties[] = {
      TILERUN_KERNEL_PROPERTY_LIST(TILERUN_PYTHON_PROPERTY)};
#undef TILERUN_PYTHON_PROPERTY
  bool failed = !out;
  for (auto [property, word] : properties) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    if (failed || tilerunGetKernelProperty(made, property, &value) ||
        value.type != TILERUN_VALUE_U64)
      continue;
    Ref number(PyLong_FromUnsignedLongLong(value.number));
    failed = !number || PyDict_SetItemString(out.get(), word, number.get());
  }
  return failed ? nullptr : out.take();
}

// _specialize(device type, device index, signature, options) -> a dict of numbers
PyObject *python::specialize(PyObject *self, PyObject *given) {
  int type = 0, index = 0;
  const char *signature = nullptr;
  PyObject *optionsObject = nullptr;
  TilerunCompileOptions options;
  TargetOptions own;
  if (!PyArg_ParseTuple(given, "iisO!", &type, &index, &signature, &PyTuple_Type, &optionsObject) ||
      !readOptions(optionsObject, options, own))
    return nullptr;
  KernelState &state = *reinterpret_cast<KernelObject *>(self)->state;
  if (!state.handle)
    return raise(PyExc_RuntimeError, "the kernel is not loaded");
  Device *device = getDevice(type, index);
  if (!device)
    return nullptr;
  std::string text = signature;
  TilerunSpecialization *made = nullptr;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunSpecialize(state.handle, device->handle, text.c_str(), &options, &made);
  }
  if (status)
    return raise(status);
  Ref out(describeSpecialization(made));
  {
    Unlocked unlocked;
    tilerunReleaseSpecialization(made);
  }
  return out.take();
}

// _emit(target, signature, options, stage) -> (bytes, compatibility, threads, shared bytes, blocks)
PyObject *python::emit(PyObject *self, PyObject *given) {
  const char *target = nullptr, *signature = nullptr, *stage = nullptr;
  PyObject *optionsObject = nullptr;
  TilerunCompileOptions options;
  TargetOptions own;
  if (!PyArg_ParseTuple(given, "ssO!s", &target, &signature, &PyTuple_Type, &optionsObject,
                        &stage) ||
      !readOptions(optionsObject, options, own))
    return nullptr;
  TilerunRuntime *runtime = getRuntime();
  KernelState &state = *reinterpret_cast<KernelObject *>(self)->state;
  if (!runtime || !state.handle)
    return runtime ? raise(PyExc_RuntimeError, "the kernel is not loaded") : nullptr;
  struct Taken {
    std::string bytes, compatibility;
    uint32_t threads = 0, shared = 0, blocks = 1;
  } taken;
  std::string targetText = target, signatureText = signature, stageText = stage;
  TilerunStatus status;
  {
    Unlocked unlocked;
    status = tilerunEmitKernel(
        runtime, state.handle, targetText.c_str(), signatureText.c_str(), &options,
        stageText.c_str(),
        [](void *user, const TilerunPluginArtifact *artifact) {
          auto *taken = static_cast<Taken *>(user);
          taken->bytes.assign(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes);
          taken->compatibility = artifact->compatibility ? artifact->compatibility : "";
          if (artifact->num_kernels) {
            taken->threads = artifact->kernels[0].threads;
            taken->shared = artifact->kernels[0].shared_bytes;
            const TilerunPluginKernelDetails *details =
                TILERUN_HAS(TilerunPluginArtifact, artifact, details) ? artifact->details[0]
                                                                      : nullptr;
            if (details && details->grid_policy & TILERUN_GRID_BLOCKS)
              taken->blocks = details->cluster[0];
          }
        },
        &taken);
  }
  if (status)
    return raise(status);
  return Py_BuildValue("(y#sIII)", taken.bytes.data(), static_cast<Py_ssize_t>(taken.bytes.size()),
                       taken.compatibility.c_str(), taken.threads, taken.shared, taken.blocks);
}

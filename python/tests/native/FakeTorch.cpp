// Stands for torch's library: the functions by which the package reads tensors, over objects that a
// test makes. The word that stands for an `at::Tensor` is a bytes object that describes the tensor.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <cstdint>
#include <cstring>

namespace {
struct Contents {
  uint64_t address;
  int32_t device, index, dtype, layout;
};
} // namespace

static int numReads;

static Contents read(void *tensor) {
  PyObject *bytes = *static_cast<PyObject **>(tensor);
  Contents contents;
  std::memcpy(&contents, PyBytes_AsString(bytes), sizeof(contents));
  return contents;
}

extern "C" {
// As torch declares them; 0 is success.
#define FAKE(type, name, parameters)                                                               \
  __attribute__((visibility("default"))) type name parameters;                                     \
  type name parameters

FAKE(int32_t, aoti_torch_device_type_cpu, ()) { return 0; }
FAKE(int32_t, aoti_torch_device_type_cuda, ()) { return 1; }
FAKE(int32_t, aoti_torch_layout_strided, ()) { return 0; }
FAKE(int32_t, aoti_torch_dtype_int32, ()) { return 3; }
FAKE(int32_t, aoti_torch_dtype_float32, ()) { return 6; }
FAKE(int32_t, aoti_torch_get_device_type, (void *tensor, int32_t *type)) {
  *type = read(tensor).device;
  return 0;
}
FAKE(int32_t, aoti_torch_get_device_index, (void *tensor, int32_t *index)) {
  *index = read(tensor).index;
  return 0;
}
FAKE(int32_t, aoti_torch_get_dtype, (void *tensor, int32_t *dtype)) {
  *dtype = read(tensor).dtype;
  return 0;
}
FAKE(int32_t, aoti_torch_get_layout, (void *tensor, int32_t *layout)) {
  *layout = read(tensor).layout;
  return 0;
}
FAKE(int32_t, aoti_torch_get_data_ptr, (void *tensor, uint64_t *data)) {
  *data = read(tensor).address;
  ++numReads;
  return 0;
}

FAKE(int32_t, aoti_torch_get_current_cuda_stream, (int32_t, void **stream)) {
  *stream = nullptr;
  return 0;
}

/// How many tensors were read to the end.
FAKE(int, fakeTorchCountReads, ()) { return numReads; }
/// Calls a Python function. Profilers count its cost under fakeTorchLoop, which, unlike this
/// function, is called by a plain instruction.
FAKE(__attribute__((noinline)) int, fakeTorchLoop, (PyObject * function, int count)) {
  for (int i = 0; i < count; ++i) {
    PyObject *result = PyObject_CallNoArgs(function);
    if (!result)
      return -1;
    Py_DECREF(result);
  }
  return 0;
}
FAKE(int, fakeTorchMeasure, (PyObject * function, int count)) {
  int failed = fakeTorchLoop(function, count);
  asm volatile("" ::: "memory"); // No tail call.
  return failed;
}
}

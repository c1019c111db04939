// The module `tilerun._native`: set-up, callbacks into the package, errors.
#include "python/native/Python.h"

#include <array>
#include <chrono>
#include <thread>

using namespace tilerun;
using namespace tilerun::python;

static std::array<PyObject *, static_cast<size_t>(Callback::Count)> callbacks;

PyObject *python::getCallback(Callback callback) {
  PyObject *object = callbacks[static_cast<size_t>(callback)];
  if (!object)
    PyErr_SetString(PyExc_RuntimeError, "tilerun._native is not configured; import tilerun");
  return object;
}

bool python::getText(PyObject *object, std::string &text) {
  Py_ssize_t size = 0;
  const char *bytes = PyUnicode_AsUTF8AndSize(object, &size);
  if (bytes)
    text.assign(bytes, static_cast<size_t>(size));
  return bytes != nullptr;
}

PyObject *python::raise(PyObject *type, const std::string &message) {
  PyErr_SetString(type, message.c_str());
  return nullptr;
}

PyObject *python::raise(TilerunStatus status) {
  TilerunErrorInfo info = {};
  info.struct_size = sizeof(info);
  tilerunGetError(&info);
  std::string message = info.message;
  // A fault of a kernel on the interpreter begins with its place in the source.
  const std::string device = std::string(info.device) + ": ";
  if (status == TILERUN_STATUS_FAULT && device.starts_with("cpu:") && message.starts_with(device))
    message.erase(0, device.size());
  PyObject *make = getCallback(Callback::MakeError);
  Ref text(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  Ref number(PyLong_FromLong(status));
  if (!make || !text || !number)
    return nullptr;
  Ref error(PyObject_CallFunctionObjArgs(make, number.get(), text.get(), nullptr));
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

// Runtime, devices and callbacks belong to the process; objects that a sub-interpreter registers
// would die with it. It may share the module without its initialization.
static bool isMainInterpreter() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
    return true;
  PyErr_SetString(PyExc_ImportError,
                  "tilerun cannot be imported in a sub-interpreter, as its devices and kernels are "
                  "the process's; import it in the main one, or start a process");
  return false;
}

// configure(make_error, resolve_tensor, open_device, get_stream, log, hide_frames)
static PyObject *configure(PyObject *, PyObject *arguments) {
  PyObject *given[static_cast<size_t>(Callback::Count)];
  if (!isMainInterpreter())
    return nullptr;
  if (!PyArg_ParseTuple(arguments, "OOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4],
                        &given[5]))
    return nullptr;
  for (size_t i = 0; i < callbacks.size(); ++i) {
    PyObject *old = std::exchange(callbacks[i], Py_NewRef(given[i]));
    Py_XDECREF(old);
  }
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

ForkGate python::forkGate;

// Gives the others time. No lock of the standard library: a child would inherit it.
static void pauseUnlocked() {
  PyThreadState *state = PyEval_SaveThread();
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  PyEval_RestoreThread(state);
}

void ForkGate::wait() {
  while (closed && forker != PyThread_get_thread_ident())
    pauseUnlocked();
}

// before_fork(): closes the gate, and waits until no thread is in the library.
static PyObject *beforeFork(PyObject *, PyObject *) {
  forkGate.wait();
  ++forkGate.closed; // A handler may fork in turn.
  forkGate.forker = PyThread_get_thread_ident();
  while (forkGate.inside > 0)
    pauseUnlocked();
  Py_RETURN_NONE;
}

// after_fork(): in parent and child.
static PyObject *afterFork(PyObject *, PyObject *) {
  forkGate.closed -= forkGate.closed > 0;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"before_fork", beforeFork, METH_NOARGS, "Waits until no thread is in the library."},
    {"after_fork", afterFork, METH_NOARGS, "Lets threads into the library again."},
    {"configure", configure, METH_VARARGS, "Registers what the module calls in the package."},
    {nullptr, nullptr, 0, nullptr}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "tilerun._native",
                                 "Devices, kernels and launches of libtilerun.",
                                 -1,
                                 methods,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

// Python demands this name.
extern "C" __attribute__((visibility("default"))) PyObject *
PyInit__native() { // NOLINT(bugprone-reserved-identifier)
  Ref module(isMainInterpreter() ? PyModule_Create(&definition) : nullptr);
  if (!module || !addRuntime(module.get()) || !addEntryType(module.get()) ||
      !addKernelType(module.get()) || !addWrapperTypes(module.get()) || !addTuning(module.get()) ||
      PyModule_AddIntConstant(module.get(), "api_version", tilerunGetVersion()))
    return nullptr;
  return module.take();
}

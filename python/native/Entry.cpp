// Functions of the package that host code calls as launchers, and the frames of what they raise:
// those of the package mean nothing to a user who passed a wrong argument.
#include "python/native/Python.h"

using namespace tilerun;
using namespace tilerun::python;

namespace {
struct EntryObject {
  PyObject_HEAD PyObject *function;
};
} // namespace

static PyObject *entryType;

PyObject *python::hideFrames() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *hide = trace ? getCallback(Callback::HideFrames) : nullptr;
  Ref shown(hide ? PyObject_CallFunctionObjArgs(hide, value, trace, nullptr) : nullptr);
  if (shown) {
    Py_DECREF(trace);
    trace = shown.get() == Py_None ? nullptr : Py_NewRef(shown.get());
  }
  PyErr_Clear(); // The exception is what counts, with whatever frames.
  PyErr_Restore(type, value, trace);
  return nullptr;
}

static PyObject *call(PyObject *object, PyObject *positional, PyObject *named) {
  PyObject *result =
      PyObject_Call(reinterpret_cast<EntryObject *>(object)->function, positional, named);
  return result ? result : hideFrames();
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<EntryObject *>(object)->function);
  return 0;
}

static int clear(PyObject *object) {
  // It may still be called while a cycle is collected.
  auto *entry = reinterpret_cast<EntryObject *>(object);
  PyObject *function = std::exchange(entry->function, Py_NewRef(Py_None));
  Py_XDECREF(function);
  return 0;
}

static void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_XDECREF(reinterpret_cast<EntryObject *>(object)->function);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

// make_entry(function): a callable.
static PyObject *makeEntry(PyObject *, PyObject *function) {
  auto *entry = reinterpret_cast<EntryObject *>(
      PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(entryType), 0));
  if (entry)
    entry->function = Py_NewRef(function);
  return reinterpret_cast<PyObject *>(entry);
}

bool python::addEntryType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"make_entry", makeEntry, METH_O, "A function whose exceptions show the callers' frames."},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                         {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                         {Py_tp_clear, reinterpret_cast<void *>(clear)},
                         {Py_tp_call, reinterpret_cast<void *>(call)},
                         {0, nullptr}};
  PyType_Spec spec = {"tilerun._native.Entry", sizeof(EntryObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
                      slots};
  entryType = PyType_FromSpec(&spec);
  return entryType && PyModule_AddFunctions(module, methods) == 0;
}

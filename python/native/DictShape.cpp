// Dicts that are made from the last one of the same names.
#include "python/native/DictShape.h"

using namespace tilerun;
using namespace tilerun::python;

static bool isPlain(PyObject *value) {
  const PyTypeObject *type = Py_TYPE(value);
  return type == &PyLong_Type || type == &PyBool_Type || type == &PyFloat_Type ||
         type == &PyUnicode_Type || value == Py_None;
}

bool DictShape::fits(const Named *entries, size_t count) const {
  if (!kept || names.size() != count)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (names[i].get() != entries[i].name)
      return false;
  return true;
}

bool DictShape::rebuild(const Named *entries, size_t count) {
  Ref made(PyDict_New());
  std::vector<Ref> kinds;
  for (size_t i = 0; i < count; ++i) {
    if (!made || PyDict_SetItem(made.get(), entries[i].name, Py_None))
      return false;
    kinds.push_back(Ref::share(entries[i].name));
  }
  values.assign(count, Py_None);
  std::swap(kept, made);
  names.swap(kinds);
  return true;
}

PyObject *DictShape::make(const Named *entries, size_t count) {
  constexpr size_t kFewest = 6; // Up to there, a dict has room for all from the beginning.
  const bool isKept = count >= kFewest && (fits(entries, count) || rebuild(entries, count)) &&
                      PyDict_Size(kept.get()) == static_cast<Py_ssize_t>(count);
  if (PyErr_Occurred())
    return nullptr;
  // Noted before the copy is made, which may run a destructor that launches the same kernel.
  uint16_t rest[kMaxEntries];
  size_t numRest = 0;
  for (size_t i = 0; i < count; ++i) {
    if (isKept && values[i] == entries[i].value)
      continue;
    if (!isKept || !isPlain(entries[i].value)) {
      rest[numRest++] = static_cast<uint16_t>(i);
      continue;
    }
    if (PyDict_SetItem(kept.get(), entries[i].name, entries[i].value))
      return nullptr;
    values[i] = entries[i].value;
  }
  Ref dict(isKept ? PyDict_Copy(kept.get()) : PyDict_New());
  for (size_t i = 0; dict && i < numRest; ++i)
    if (PyDict_SetItem(dict.get(), entries[rest[i]].name, entries[rest[i]].value))
      return nullptr;
  return dict.take();
}

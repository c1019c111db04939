// Keys of choices, and whether a choice still holds.
#include "python/native/Choice.h"

#include "python/native/Torch.h"

using namespace tilerun;
using namespace tilerun::python;

template <typename T> static bool append(ChoiceKey &key, T value) {
  return key.append(&value, sizeof(value));
}

static bool appendText(ChoiceKey &key, std::string_view text) {
  return append(key, text.size()) && key.append(text.data(), text.size());
}

// A number, a text, None, or a type of the language.
static bool appendValue(ChoiceKey &key, const TilerunArgument &argument) {
  if (!append(key, argument.kind))
    return false;
  if (argument.kind == TILERUN_ARGUMENT_STRING)
    return appendText(key, argument.value.text);
  return argument.kind != TILERUN_ARGUMENT_POINTER && append(key, argument.value.natural);
}

// The dtype of a tensor's elements: torch's number, or the text of the attribute, which Python's
// key has. Types of the library are fewer: several of torch's are bytes to it.
static bool appendDtype(ChoiceKey &key, PyObject *tensor) {
  if (int32_t number = 0; readTorchDtype(tensor, number))
    return append(key, number);
  static PyObject *dtypeName = PyUnicode_InternFromString("dtype");
  Ref dtype(dtypeName ? PyObject_GetAttr(tensor, dtypeName) : nullptr);
  if (!dtype && PyErr_ExceptionMatches(PyExc_AttributeError))
    return PyErr_Clear(), append(key, -1);
  Ref text(dtype ? PyObject_Str(dtype.get()) : nullptr);
  std::string word;
  return text && getText(text.get(), word) && append(key, -2) && appendText(key, word);
}

static bool append(const KernelState &state, PyObject *keys, PyObject *const *values,
                   const Reading &reading, ChoiceKey &key) {
  const size_t count = state.names.size();
  // Names of other things than parameters, or of those that are not passed, are not in Python's
  // key.
  for (Py_ssize_t i = 0, n = PyList_Size(keys); i < n; ++i) {
    PyObject *name = PyList_GetItem(keys, i);
    const size_t place = PyUnicode_Check(name) ? findPlace(state, name) : count;
    const bool isPassed = place < count && values[place];
    if (!append(key, isPassed) || (isPassed && !appendValue(key, reading.arguments[place])))
      return false;
  }
  for (size_t place = 0; place < count; ++place) {
    if (!values[place])
      continue;
    const TilerunArgument &argument = reading.arguments[place];
    const bool isTensor = argument.kind == TILERUN_ARGUMENT_POINTER;
    if ((isTensor || argument.kind == TILERUN_ARGUMENT_DTYPE) &&
        !(append(key, static_cast<uint16_t>(place)) &&
          (isTensor ? appendDtype(key, values[place]) : append(key, argument.dtype))))
      return false;
  }
  return append(key, reading.tensor.deviceType) && append(key, reading.tensor.deviceIndex);
}

bool python::makeChoiceKey(const KernelState &state, PyObject *keys, PyObject *const *values,
                           const Reading &reading, ChoiceKey &key) {
  // Without tensors, the device is one that the package's code finds.
  if (reading.hasTensor && append(state, keys, values, reading, key))
    return true;
  PyErr_Clear(); // Of an attribute or a text; the package's code asks again.
  return false;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

uint64_t python::configEpoch = 0;

DictImage::DictImage(PyObject *dict) : dict(Ref::share(dict)) {
  Py_ssize_t at = 0;
  PyObject *name = nullptr, *value = nullptr;
  while (PyDict_Next(dict, &at, &name, &value))
    entries.emplace_back(Ref::share(name), Ref::share(value));
}

bool DictImage::isSame() const {
  Py_ssize_t at = 0;
  PyObject *name = nullptr, *value = nullptr;
  size_t count = 0;
  while (PyDict_Next(dict.get(), &at, &name, &value)) {
    if (count == entries.size() || entries[count].first.get() != name ||
        entries[count].second.get() != value)
      return false;
    ++count;
  }
  return count == entries.size();
}

std::shared_ptr<const Choice> python::makeChoice(const KernelState &state, PyObject *key,
                                                 PyObject *config, PyObject *items) {
  auto choice = std::make_shared<Choice>();
  Ref constants(PyObject_GetAttrString(config, "kwargs"));
  if (!constants || !PyDict_Check(constants.get()))
    return nullptr;
  choice->key = Ref::share(key);
  choice->config = Ref::share(config);
  choice->epoch = configEpoch;
  choice->constants = DictImage(constants.get());
  LaunchOptions options = {};
  for (Py_ssize_t i = 0, n = PyTuple_Size(items); i < n; ++i) {
    PyObject *name = nullptr, *value = nullptr;
    int isBound = 0;
    if (!PyArg_ParseTuple(PyTuple_GetItem(items, i), "UOp", &name, &value, &isBound))
      return nullptr;
    const size_t place = findPlace(state, name);
    if (isBound && place >= state.names.size() &&
        !readOption(place - state.names.size(), value, options))
      return nullptr;
    choice->items.push_back({Ref::share(name), Ref::share(value), place, isBound != 0});
  }
  return choice;
}

std::shared_ptr<const Choice> Choices::find(PyObject *configs, PyObject *cache, PyObject *keys,
                                            const KernelState &state, PyObject *const *values,
                                            const Reading &reading) const {
  const Py_ssize_t count = PyList_Size(configs);
  if (count == 1)
    return only && only->config.get() == PyList_GetItem(configs, 0) && only->isSame() ? only
                                                                                      : nullptr;
  ChoiceKey key;
  if (count < 1 || !makeChoiceKey(state, keys, values, reading, key))
    return nullptr;
  auto known = byKey.find(key.get());
  if (known == byKey.end())
    return nullptr;
  std::shared_ptr<const Choice> choice = known->second;
  PyObject *kept = PyDict_GetItemWithError(cache, choice->key.get());
  if (!kept)
    PyErr_Clear();
  return kept == choice->config.get() && choice->isSame() ? choice : nullptr;
}

void Choices::add(const ChoiceKey &key, std::shared_ptr<const Choice> choice) {
  // What is replaced ends last, as destructors may launch kernels.
  byKey[std::string(key.get())].swap(choice);
}

void Choices::setOnly(std::shared_ptr<const Choice> choice) { only.swap(choice); }

void Choices::clear() {
  auto old = std::exchange(byKey, {});
  auto oldOnly = std::exchange(only, {});
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

int DictImage::traverse(visitproc visit, void *arg) const {
  Py_VISIT(dict.get());
  for (const auto &[name, value] : entries) {
    Py_VISIT(name.get());
    Py_VISIT(value.get());
  }
  return 0;
}

int Choice::traverse(visitproc visit, void *arg) const {
  Py_VISIT(key.get());
  Py_VISIT(config.get());
  for (const Item &item : items) {
    Py_VISIT(item.name.get());
    Py_VISIT(item.value.get());
  }
  return constants.traverse(visit, arg);
}

int Choices::traverse(visitproc visit, void *arg) const {
  for (const auto &[key, choice] : byKey)
    if (int done = choice->traverse(visit, arg))
      return done;
  return only ? only->traverse(visit, arg) : 0;
}

// Names and options of launches, and grids.
#include "python/native/Binding.h"

#include <algorithm>
#include <iterator>

using namespace tilerun;
using namespace tilerun::python;

namespace {
// The launch options that the library knows, by their place after the parameters.
struct Option {
  const char *name;
  uint32_t TilerunCompileOptions::*slot;
  uint32_t least;
};
constexpr Option kOptions[] = {{"num_warps", &TilerunCompileOptions::num_warps, 1},
                               {"num_stages", &TilerunCompileOptions::num_stages, 0},
                               {"num_ctas", &TilerunCompileOptions::num_ctas, 1},
                               {"maxnreg", &TilerunCompileOptions::maxnreg, 0},
                               {"debug", &TilerunCompileOptions::debug, 0}};
// Another option, of the launch alone: its place is after those.
constexpr const char *kOverlapName = "launch_pdl";
constexpr size_t kOverlap = std::size(kOptions);
static_assert(kNumOptions == kOverlap + 1);
} // namespace

static PyObject *optionNames[kUnknownPlace];

bool python::addOptionNames() {
  size_t place = 0;
  auto add = [&](const char *name) {
    return (optionNames[place++] = PyUnicode_InternFromString(name)) != nullptr;
  };
  for (const Option &option : kOptions)
    if (!add(option.name))
      return false;
  return add(kOverlapName) && add("grid") && add("warmup");
}

size_t python::findPlace(const KernelState &state, PyObject *name) {
  // Names in calls are interned; others are compared by contents.
  auto find = [&](auto isSame) {
    auto parameter = std::find_if(state.names.begin(), state.names.end(), isSame);
    if (parameter != state.names.end())
      return static_cast<size_t>(parameter - state.names.begin());
    PyObject **option = std::find_if(optionNames, std::end(optionNames), isSame);
    return state.names.size() + static_cast<size_t>(option - optionNames);
  };
  const size_t place = find([&](PyObject *other) { return other == name; });
  if (place < state.names.size() + kUnknownPlace)
    return place;
  return find([&](PyObject *other) { return PyUnicode_Compare(other, name) == 0; });
}

// A call with `**named` has a tuple of its own each time, of the same names.
static bool areSame(PyObject *names, PyObject *known) {
  const Py_ssize_t size = PyTuple_Size(names);
  if (!known || PyTuple_Size(known) != size)
    return false;
  for (Py_ssize_t i = 0; i < size; ++i)
    if (PyTuple_GetItem(names, i) != PyTuple_GetItem(known, i))
      return false;
  return true;
}

const NamedPlaces &python::findOtherPlaces(KernelState &state, PyObject *names) {
  auto known = std::find_if(state.named.begin(), state.named.end(), [&](const NamedPlaces &other) {
    return other.names == names || areSame(names, other.names);
  });
  if (known != state.named.end()) {
    std::rotate(state.named.begin(), known, known + 1);
    return state.named[0];
  }
  // First of all, as names may be of a class whose destructor launches this kernel.
  while (PyObject *old = std::exchange(state.named.back().names, nullptr))
    Py_DECREF(old);
  std::rotate(state.named.begin(), state.named.end() - 1, state.named.end());
  NamedPlaces &made = state.named[0];
  made.places.clear();
  for (Py_ssize_t i = 0, n = PyTuple_Size(names); i < n; ++i)
    made.places.push_back(static_cast<uint16_t>(findPlace(state, PyTuple_GetItem(names, i))));
  // More names than parameters: there are options among them.
  bool isPlain = made.places.size() <= state.names.size();
  size_t begin = isPlain ? state.names.size() - made.places.size() : 0;
  for (size_t i = 0; i < made.places.size(); ++i)
    isPlain &= made.places[i] == begin + i;
  made.completes = isPlain ? begin : SIZE_MAX;
  made.names = Py_NewRef(names);
  return made;
}

bool python::readOption(size_t which, PyObject *value, LaunchOptions &launch) {
  TilerunCompileOptions &options = launch.compile;
  if (which == kOverlap) {
    launch.flags = value == Py_True ? TILERUN_LAUNCH_OVERLAP : 0;
    return value == Py_True || value == Py_False || value == Py_None;
  }
  if (which >= std::size(kOptions))
    return false;
  const Option &option = kOptions[which];
  const bool isDebug = option.slot == &TilerunCompileOptions::debug;
  if (value ==
      Py_None) { // The default of an option; no debugging, even if the decorator turns it on.
    options.debug = isDebug ? 0 : options.debug;
    return true;
  }
  int overflow = 0;
  long long number =
      PyLong_Check(value) ? PyLong_AsLongLongAndOverflow(value, &overflow) : (overflow = 1);
  // Numbers of stages below 1 mean no pipelining, which is one stage.
  if (option.slot == &TilerunCompileOptions::num_stages && !overflow && number < 1)
    number = 1;
  if (overflow || number < option.least || number > UINT32_MAX)
    return false;
  options.*option.slot = static_cast<uint32_t>(isDebug ? number != 0 : number);
  return true;
}

bool python::readGrid(PyObject *object, uint64_t grid[3]) {
  if (readPlainGrid(object, grid)) [[likely]]
    return true;
  grid[0] = grid[1] = grid[2] = 1;
  auto readOne = [](PyObject *item, uint64_t &out) {
    Ref index(PyNumber_Index(item));
    if (!index) {
      if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "the grid has %R, which is not an integer; divide by // or triton.cdiv", item);
      return false;
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (value < 0 || overflow) {
      Ref text(PyObject_Str(index.get()));
      std::string number;
      if (text && getText(text.get(), number))
        raise(PyExc_ValueError, "the grid has " + number + " programs on an axis");
      return false;
    }
    out = static_cast<uint64_t>(value);
    return true;
  };
  if (PyLong_Check(object))
    return readOne(object, grid[0]);
  bool isTuple = PyTuple_Check(object);
  if (!isTuple && !PyList_Check(object)) {
    PyErr_Format(PyExc_TypeError,
                 "a grid is a tuple of one to three integers, or a function that gives one, not %R",
                 object);
    return false;
  }
  Py_ssize_t size = isTuple ? PyTuple_Size(object) : PyList_Size(object);
  if (size < 1 || size > 3) {
    PyErr_Format(PyExc_ValueError, "a grid has one to three axes, not %zd", size);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!readOne(isTuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i), grid[i]))
      return false;
  return true;
}

// The function's answer for what is bound. New reference.
static PyObject *callGrid(PyObject *function, KernelState &state, PyObject *const *values) {
  Named entries[kMaxArguments];
  const size_t count = state.names.size();
  for (size_t i = 0; i < count; ++i)
    entries[i] = {state.names[i], values[i]};
  Ref bound(state.gridShape.make(entries, count));
  return bound ? PyObject_CallFunctionObjArgs(function, bound.get(), nullptr) : nullptr;
}

bool python::findGrid(PyObject *object, KernelState &state, PyObject *const *values,
                      uint64_t grid[3]) {
  if (PyTuple_Check(object) || !PyCallable_Check(object))
    return readGrid(object, grid);
  Ref answer(callGrid(object, state, values));
  return answer && readGrid(answer.get(), grid);
}

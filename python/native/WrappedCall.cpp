// What decorators add to a call.
#include "python/native/WrappedCall.h"

#include <algorithm>
#include <iterator>

using namespace tilerun;
using namespace tilerun::python;

namespace {
// The functions of heuristics, which may change the dict that has them.
struct Functions {
  explicit Functions(PyObject *dict) {
    Py_ssize_t at = 0;
    while (count < kMaxFunctions &&
           PyDict_Next(dict, &at, &entries[count].name, &entries[count].value)) {
      Py_INCREF(entries[count].name);
      Py_INCREF(entries[count++].value);
    }
  }
  ~Functions() {
    for (size_t i = 0; i < count; ++i) {
      Py_DECREF(entries[i].name);
      Py_DECREF(entries[i].value);
    }
  }
  Functions(const Functions &) = delete;
  Functions &operator=(const Functions &) = delete;
  Named entries[kMaxFunctions];
  size_t count = 0;
};
} // namespace

static bool isOfType(PyObject *object, PyTypeObject &type) {
  return object && Py_TYPE(object) == &type;
}

bool WrappedCall::findKernel() {
  PyObject *next = reinterpret_cast<PyObject *>(outer);
  while (isWrapper(next)) {
    auto *wrapper = reinterpret_cast<WrapperObject *>(next);
    // The outermost's own `run` may be what calls this.
    if (numWrappers == kMaxWrappers || (numWrappers && !isPlainWrapper(wrapper)))
      return false;
    wrappers[numWrappers++] = Ref::share(next);
    next = wrapper->fn;
    if (!next)
      return false;
  }
  if (!isPlainKernel(next))
    return false;
  kernelObject = Ref::share(next);
  kernel = reinterpret_cast<KernelObject *>(next);
  return true;
}

// False: with an error.
bool WrappedCall::addNamed(PyObject *name, PyObject *value) {
  if (numNamed == kMaxNamed)
    return raise(PyExc_TypeError, "a launch has more than 512 named arguments, with those that "
                                  "decorators add"),
           false;
  named[numNamed++] = {name, value};
  return true;
}

Step WrappedCall::bind(PyObject *names, bool isRun) {
  KernelState &state = *kernel->state;
  const size_t count = state.names.size();
  if (numGiven > count || count > kMaxArguments)
    return Step::NotPlain;
  options = {state.options, 0};
  std::copy_n(given, numGiven, values);
  std::fill(values + numGiven, values + count, nullptr);
  PyObject *const *next = given + numGiven;
  Py_ssize_t i = 0;
  if (names)
    for (uint16_t place : findPlaces(state, names).places) {
      PyObject *name = PyTuple_GetItem(names, i++), *value = *next++;
      if (isRun && place == count + kGridPlace) {
        grid = value;
        continue;
      }
      if (isRun && place == count + kWarmupPlace && value == Py_False)
        continue;
      if (!addNamed(name, value))
        return Step::Failed;
      if (place >= count ? !readOption(place - count, value, options)
                         : std::exchange(values[place], value) != nullptr)
        return Step::NotPlain;
    }
  if (!grid)
    return Step::NotPlain;
  for (size_t place = 0; place < count; ++place) {
    const Read read = values[place] ? reading.read(values[place], place) : Read::Value;
    if (read == Read::Failed || read == Read::Other)
      return read == Read::Failed ? Step::Failed : Step::NotPlain;
  }
  return Step::Done;
}

// What a decorator adds. False: with an error.
bool WrappedCall::take(PyObject *name, PyObject *value, size_t place) {
  const size_t count = kernel->state->names.size();
  if (!addNamed(name, value))
    return false;
  if (place >= count) {
    isPlain = readOption(place - count, value, options) && isPlain;
    return true;
  }
  // One that the call has passed: the package's code knows whether it may be replaced.
  if (std::exchange(values[place], value))
    isPlain = false;
  const Read read = isPlain ? reading.read(value, place) : Read::Other;
  isPlain = read != Read::Other && isPlain;
  return read != Read::Failed;
}

Step WrappedCall::applyTuner(WrapperObject *tuner, size_t at) {
  if (!isOfType(tuner->configs, PyList_Type) || !isOfType(tuner->cache, PyDict_Type) ||
      !isOfType(tuner->keys, PyList_Type))
    return Step::NotPlain;
  // Kept, as attributes of arguments may be computed by code that replaces these.
  const Ref kept[] = {Ref::share(tuner->configs), Ref::share(tuner->cache),
                      Ref::share(tuner->keys)};
  chosen[at] = tuner->state->choices.find(kept[0].get(), kept[1].get(), kept[2].get(),
                                          *kernel->state, values, reading);
  if (!chosen[at])
    return Step::NotPlain;
  const Choice &choice = *chosen[at];
  const size_t count = kernel->state->names.size();
  for (const Choice::Item &item : choice.items)
    if (item.isBound && item.place < count && values[item.place])
      return Step::NotPlain; // Passed, although the configurations choose it.
  Ref old(std::exchange(tuner->best, Py_NewRef(choice.config.get())));
  for (const Choice::Item &item : choice.items) {
    const bool isAdded = item.isBound ? take(item.name.get(), item.value.get(), item.place)
                                      : addNamed(item.name.get(), item.value.get());
    if (!isAdded)
      return Step::Failed;
  }
  return Step::Done;
}

// The arguments by name, as the package's code passes them on.
PyObject *WrappedCall::makeKeywords(bool withGrid) {
  Ref keywords(PyDict_New());
  if (!keywords || (withGrid && (PyDict_SetItem(keywords.get(), wrapperWords.grid, grid) ||
                                 PyDict_SetItem(keywords.get(), wrapperWords.warmup, Py_False))))
    return nullptr;
  for (size_t i = 0; i < numNamed; ++i)
    if (PyDict_SetItem(keywords.get(), named[i].name, named[i].value))
      return nullptr;
  return keywords.take();
}

// The whole call as a dict, as functions of heuristics get it.
PyObject *WrappedCall::makeMeta(DictShape &shape) {
  Named entries[kMaxArguments + 2 + kMaxNamed];
  static_assert(std::size(entries) <= DictShape::kMaxEntries);
  size_t count = 0;
  for (; count < numGiven; ++count)
    entries[count] = {kernel->state->names[count], given[count]};
  entries[count++] = {wrapperWords.grid, grid};
  entries[count++] = {wrapperWords.warmup, Py_False};
  std::copy_n(named, numNamed, entries + count);
  return shape.make(entries, count + numNamed);
}

Step WrappedCall::applyHeuristics(WrapperObject *heuristics) {
  PyObject *all = heuristics->values;
  if (!isOfType(all, PyDict_Type) || PyDict_Size(all) > static_cast<Py_ssize_t>(kMaxFunctions))
    return Step::NotPlain;
  const Functions functions(all);
  Ref meta(makeMeta(heuristics->state->metaShape));
  for (size_t i = 0; i < functions.count; ++i) {
    PyObject *name = functions.entries[i].name;
    // Each gets a dict of its own, which it may change.
    const bool isLast = i + 1 == functions.count;
    Ref own(!meta ? nullptr : isLast ? meta.take() : PyDict_Copy(meta.get()));
    PyObject *value =
        own ? PyObject_CallFunctionObjArgs(functions.entries[i].value, own.get(), nullptr)
            : nullptr;
    if (!value)
      return Step::Failed;
    made[numMade++] = value;
    if (!isLast && PyDict_SetItem(meta.get(), name, value))
      return Step::Failed;
    const size_t place = PyUnicode_Check(name) ? findPlace(*kernel->state, name) : SIZE_MAX;
    if (!take(name, value, place))
      return Step::Failed;
  }
  return Step::Done;
}

// From a decorator, or the kernel, on by the package's code.
PyObject *WrappedCall::continueSlowly(PyObject *object) {
  const bool isKernel = object == kernelObject.get();
  Ref positional(makeTuple(given, numGiven));
  Ref keywords(makeKeywords(/*withGrid=*/!isKernel));
  if (!positional || !keywords)
    return nullptr;
  if (isKernel)
    return PyObject_CallMethodObjArgs(object, wrapperWords.launch, grid, positional.get(),
                                      keywords.get(), nullptr);
  Ref method(PyObject_GetAttr(object, wrapperWords.runSlowly));
  return method ? PyObject_Call(method.get(), positional.get(), keywords.get()) : nullptr;
}

PyObject *WrappedCall::launchKernel() {
  KernelState &state = *kernel->state;
  auto slowly = [&] { return continueSlowly(kernelObject.get()); };
  // Functions of the decorators may have changed what the kernel was compiled with.
  if (!isPlain || slowOnly || state.slow || !state.handle || !isUnchanged(state))
    return slowly();
  for (size_t place = 0; place < state.names.size(); ++place) {
    if (values[place])
      continue;
    values[place] = state.defaults[place];
    const Read read = values[place] ? reading.read(values[place], place) : Read::Other;
    if (read == Read::Failed)
      return nullptr;
    if (read == Read::Other)
      return slowly();
  }
  return launchRead(kernel, grid, options, values, reading, slowly);
}

PyObject *WrappedCall::launch() {
  for (size_t i = 0; i < numWrappers; ++i) {
    auto *wrapper = reinterpret_cast<WrapperObject *>(wrappers[i].get());
    const Step step = !isPlain                  ? Step::NotPlain
                      : wrapper->state->isTuner ? applyTuner(wrapper, i)
                                                : applyHeuristics(wrapper);
    if (step == Step::Failed)
      return nullptr;
    if (step == Step::NotPlain)
      return continueSlowly(wrappers[i].get());
  }
  return launchKernel();
}

PyObject *WrappedCall::remember(PyObject *key, PyObject *config, PyObject *items) {
  Choices &choices = outer->state->choices;
  std::shared_ptr<const Choice> choice = makeChoice(*kernel->state, key, config, items);
  ChoiceKey made;
  if (!choice || !isOfType(outer->keys, PyList_Type))
    return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
  if (key == Py_None)
    choices.setOnly(std::move(choice));
  else if (makeChoiceKey(*kernel->state, outer->keys, values, reading, made))
    choices.add(made, std::move(choice));
  Py_RETURN_NONE;
}

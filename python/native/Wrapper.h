// Objects of the types `Tuner` and `Heuristics` (Wrapper.cpp), the bases of the package's classes
// behind @triton.autotune and @triton.heuristics, as a launch through them sees them.
#pragma once

#include "python/native/Choice.h"

namespace tilerun::python {

struct WrapperState {
  bool isTuner;
  PyObject *dict = nullptr; ///< The instance's attributes. Owned; null before the first launch.
  Choices choices = {};     ///< Of a tuner.
  DictShape metaShape = {}; ///< For functions of heuristics.
};

/// Attributes that launches read are members. Owned; null where nobody has set them.
struct WrapperObject {
  PyObject_HEAD WrapperState *state;
  PyObject *fn;     ///< What is decorated.
  PyObject *values; ///< Of heuristics.
  PyObject *configs, *cache, *keys;
  PyObject *best; ///< `best_config` of a tuner: that of the last launch.
};
constexpr PyObject *WrapperObject::*kMembers[] = {&WrapperObject::fn,      &WrapperObject::values,
                                                  &WrapperObject::configs, &WrapperObject::cache,
                                                  &WrapperObject::keys,    &WrapperObject::best};

/// Names, and what launches ask the package's code by.
struct WrapperWords {
  PyObject *run, *runSlowly, *launch, *grid, *warmup;
};
extern WrapperWords wrapperWords;

bool isWrapper(PyObject *object);
/// Whether launches pass nobody else's `run`: a subclass's, or one that traces launches.
bool isPlainWrapper(WrapperObject *wrapper);
/// The same of the kernel below.
bool isPlainKernel(PyObject *object);
/// New reference.
PyObject *makeTuple(PyObject *const *values, size_t count);

} // namespace tilerun::python

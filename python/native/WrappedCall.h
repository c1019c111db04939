// The warm launch through any number of decorators: what each adds to the call is added here, and
// the kernel is launched as if the call had named it. The package's code (`_run_slowly`) takes a
// call where a tuner has no choice yet, and whatever is not plain. It may do so at any of the
// decorators, so that a function of heuristics is called once for each launch.
#pragma once

#include "python/native/Wrapper.h"

#include <array>

namespace tilerun::python {

enum class Step { Failed, Done, NotPlain };
constexpr size_t kMaxWrappers = 4, kMaxNamed = 2 * kMaxArguments, kMaxFunctions = 32;

/// A call on its way to the kernel.
class WrappedCall {
public:
  WrappedCall(WrapperObject *outer, PyObject *grid, PyObject *const *given, size_t numGiven)
      : outer(outer), grid(grid), given(given), numGiven(numGiven) {}
  ~WrappedCall() {
    while (numMade)
      Py_DECREF(made[--numMade]);
  }
  WrappedCall(const WrappedCall &) = delete;
  WrappedCall &operator=(const WrappedCall &) = delete;

  /// Finds the kernel below the decorators. False if one of them is not plain.
  bool findKernel();
  /// Takes the arguments; those of `run` have `grid` and `warmup` among them.
  Step bind(PyObject *names, bool isRun);
  PyObject *launch();
  /// Makes a choice known to the tuner, for what is bound.
  PyObject *remember(PyObject *key, PyObject *config, PyObject *items);

private:
  Step applyTuner(WrapperObject *tuner, size_t at);
  Step applyHeuristics(WrapperObject *heuristics);
  bool take(PyObject *name, PyObject *value, size_t place);
  bool addNamed(PyObject *name, PyObject *value);
  PyObject *makeKeywords(bool withGrid);
  PyObject *makeMeta(DictShape &shape);
  PyObject *continueSlowly(PyObject *object);
  PyObject *launchKernel();

  WrapperObject *outer;
  PyObject *grid;
  PyObject *const *given;
  size_t numGiven;
  std::array<Ref, kMaxWrappers> wrappers; ///< The outermost first.
  size_t numWrappers = 0;
  Ref kernelObject;
  KernelObject *kernel = nullptr;
  LaunchOptions options = {};
  Reading reading;
  PyObject *values[kMaxArguments]; ///< Borrowed; null: none yet.
  Named named[kMaxNamed];          ///< Borrowed. A later one replaces earlier ones.
  size_t numNamed = 0;
  bool isPlain = true; ///< Until a decorator gives something that a plain launch does not take.
  PyObject *made[kMaxWrappers * kMaxFunctions]; ///< Owned: what functions gave.
  size_t numMade = 0;
  std::array<std::shared_ptr<const Choice>, kMaxWrappers> chosen;
};

} // namespace tilerun::python

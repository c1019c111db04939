// Shared by the files of the native module: the interpreter's stable ABI (3.11), owned references,
// and the way a failed call of the library becomes an exception.
//
// Rules of this folder: the stable ABI alone, so that one binary serves 3.11 and later; no C++
// exception; every function that returns null has set Python's error. The interpreter's lock is
// held unless a comment says otherwise; it is released around whatever may compile, wait or run.
// Written against the C API itself, because a warm launch has no time for a binding layer.
#pragma once

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <tilerun/tilerun.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilerun::python {

/// An owned reference.
class Ref {
public:
  Ref() = default;
  explicit Ref(PyObject *owned) : object(owned) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    PyObject *old = std::exchange(object, std::exchange(other.object, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }
  static Ref share(PyObject *borrowed) { return Ref(Py_XNewRef(borrowed)); }
  PyObject *get() const { return object; }
  PyObject *take() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// Which threads are in the library, so that the process is not forked while one of them holds a
/// lock of it, which nobody in the child would ever release. Under the interpreter's lock.
struct ForkGate {
  int inside = 0;  ///< Threads that have released the interpreter's lock to call the library.
  int closed = 0;  ///< Forks that wait for them, or are in flight: nobody else's thread enters.
  uint64_t forker; ///< The thread of these forks, whose other handlers may launch kernels.
  void wait();     ///< Until it is open to this thread.
};
extern ForkGate forkGate;

/// Releases the interpreter's lock while it lives.
class Unlocked {
public:
  Unlocked() {
    if (forkGate.closed) [[unlikely]]
      forkGate.wait();
    ++forkGate.inside;
    state = PyEval_SaveThread();
  }
  ~Unlocked() {
    PyEval_RestoreThread(state);
    --forkGate.inside;
  }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  PyThreadState *state;
};

/// Holds the interpreter's lock while the library calls back; what it calls may fork.
class Locked {
public:
  Locked() : state(PyGILState_Ensure()) { --forkGate.inside; }
  ~Locked() {
    ++forkGate.inside;
    PyGILState_Release(state);
  }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  PyGILState_STATE state;
};

/// Sets the exception that the package makes of this thread's error of the library. Returns null.
PyObject *raise(TilerunStatus status);
/// The same for a message. Returns null.
PyObject *raise(PyObject *type, const std::string &message);

/// Removes the package's frames from the exception that is set. Returns null.
PyObject *hideFrames();

/// What the package registered: see `configure` in Module.cpp.
enum class Callback { MakeError, ResolveTensor, OpenDevice, GetStream, Log, HideFrames, Count };
PyObject *getCallback(Callback callback); ///< Borrowed; null with an error if there is none.

/// Text of a str. False with an error if it is not a str.
bool getText(PyObject *object, std::string &text);

bool addRuntime(PyObject *module);
bool addEntryType(PyObject *module);
bool addKernelType(PyObject *module);
bool addWrapperTypes(PyObject *module); ///< After the type `Kernel`.
bool addTuning(PyObject *module);

} // namespace tilerun::python

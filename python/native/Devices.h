// The process's runtime, its open devices, and the streams of others that were adopted.
#pragma once

#include "python/native/Arguments.h"

namespace tilerun::python {

/// An open device. Never closed: frameworks use it until the process ends.
struct Device {
  int32_t type, index;
  std::string id;
  TilerunDevice *handle;
  bool synchronous; ///< Launches end before they return, and each is waited for.
  bool usesSmall;   ///< Launches tell the memory behind pointers: code for small one is better.
  TilerunStream *defaultStream;
  uint64_t lastNative = 0;
  TilerunStream *lastStream = nullptr;
  std::vector<std::pair<uint64_t, TilerunStream *>> streams;
  std::vector<TilerunStream *> idle; ///< Of a synchronous device: see StreamLease.
};

/// Null without an error if it is not open.
Device *findDevice(int32_t type, int32_t index);
/// Opens it by the package's rules if it is not open. Null with an error.
Device *getDevice(int32_t type, int32_t index);
/// The stream for this thread's work: the one that the framework uses, or, where launches end
/// before they return, one that no other thread uses meanwhile, so that each thread gets its own
/// faults and none waits for another's work. Made and ended under the interpreter's lock.
class StreamLease {
public:
  explicit StreamLease(Device &device);
  /// The stream of a framework that has told which: its native handle.
  StreamLease(Device &device, uint64_t native);
  ~StreamLease() {
    if (stream && device.synchronous)
      device.idle.push_back(stream);
  }
  StreamLease(const StreamLease &) = delete;
  StreamLease &operator=(const StreamLease &) = delete;
  TilerunStream *get() const { return stream; } ///< Null with an error.

private:
  void leaseIdle(); ///< Of a synchronous device.
  Device &device;
  TilerunStream *stream = nullptr;
};

TilerunRuntime *getRuntime(); ///< Null with an error.
/// Whether Python has hooks or modes that the fast path of a launch does not support.
extern bool slowOnly;
/// Whether launches on the interpreter are not checked for out-of-bounds accesses.
extern bool boundsChecksOff;
/// The same as a flag of launches, for the library not to ask the environment again: Python has,
/// and a setting of the program goes first.
inline uint32_t getBoundsFlag() {
  return boundsChecksOff ? TILERUN_LAUNCH_NO_BOUNDS_CHECKS : TILERUN_LAUNCH_BOUNDS_CHECKS;
}

/// Brings both up to date with the environment's variables, which a program may have set since: a
/// few look-ups in the dict behind `os.environ`. Those that only the interpreter's launches follow
/// are not looked at for others. False with an error.
bool followEnvironment(bool onInterpreter);

bool addRuntime(PyObject *module);

} // namespace tilerun::python

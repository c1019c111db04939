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
  TilerunStream *defaultStream;
  uint64_t lastNative = 0;
  TilerunStream *lastStream = nullptr;
  std::vector<std::pair<uint64_t, TilerunStream *>> streams;
};

/// Null without an error if it is not open.
Device *findDevice(int32_t type, int32_t index);
/// Opens it by the package's rules if it is not open. Null with an error.
Device *getDevice(int32_t type, int32_t index);
/// The stream that the framework works on now; null with an error.
TilerunStream *getStream(Device &device);

TilerunRuntime *getRuntime(); ///< Null with an error.
/// What launches ask first: whether Python has hooks or modes that the fast path does not know.
extern bool slowOnly;

bool addRuntime(PyObject *module);

} // namespace tilerun::python

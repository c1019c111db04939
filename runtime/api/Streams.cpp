// Streams, events, memory and copies.
#include "runtime/api/Handles.h"

#include "runtime/core/MemoryPool.h"

using namespace tilerun;
using namespace tilerun::api;

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TilerunStream *tilerunGetDefaultStream(TilerunDevice *device) {
  return device ? wrap(&device->device->getDefaultStream()) : nullptr;
}

TilerunStatus tilerunCreateStream(TilerunDevice *device, TilerunStream **stream) try {
  TILERUN_API_ENTER(device, stream);
  std::unique_ptr<core::Stream> made;
  core::Status status = core::Stream::create(device->device, made);
  if (status.isOk())
    *stream = wrap(made.release());
  return finish(status);
}
TILERUN_API_CATCH

TilerunStatus tilerunAdoptStream(TilerunDevice *device, uint64_t native,
                                 TilerunStream **stream) try {
  TILERUN_API_ENTER(device, stream);
  std::unique_ptr<core::Stream> made;
  core::Status status = core::Stream::adopt(device->device, native, made);
  if (status.isOk())
    *stream = wrap(made.release());
  return finish(status);
}
TILERUN_API_CATCH

void tilerunDestroyStream(TilerunStream *stream) try {
  TILERUN_API_ENTER_VOID();
  // The device's own is not the caller's to destroy.
  if (stream && !unwrap(stream)->isDefault())
    delete unwrap(stream);
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunGetNativeStream(TilerunStream *stream, uint64_t *native) try {
  TILERUN_API_ENTER(stream, native);
  return finish(unwrap(stream)->getNative(*native));
}
TILERUN_API_CATCH

TilerunStatus tilerunSynchronizeStream(TilerunStream *stream) try {
  TILERUN_API_ENTER(stream);
  return finish(unwrap(stream)->synchronize());
}
TILERUN_API_CATCH

TilerunStatus tilerunQueryStream(TilerunStream *stream) try {
  TILERUN_API_ENTER(stream);
  return finish(unwrap(stream)->query());
}
TILERUN_API_CATCH

TilerunStatus tilerunCreateEvent(TilerunDevice *device, uint32_t flags, TilerunEvent **event) try {
  TILERUN_API_ENTER(device, event);
  if (uint32_t unknown = flags & ~uint32_t(TILERUN_EVENT_TIMING))
    return refuse(__func__, "flags have " + std::to_string(unknown) + "; " +
                                std::to_string(TILERUN_EVENT_TIMING) + " is the only one");
  std::unique_ptr<core::Event> made;
  core::Status status = core::Event::create(device->device, flags, made);
  if (status.isOk())
    *event = wrap(made.release());
  return finish(status);
}
TILERUN_API_CATCH

void tilerunDestroyEvent(TilerunEvent *event) try {
  TILERUN_API_ENTER_VOID();
  delete unwrap(event);
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunRecordEvent(TilerunEvent *event, TilerunStream *stream) try {
  TILERUN_API_ENTER(event, stream);
  return finish(unwrap(event)->record(*unwrap(stream)));
}
TILERUN_API_CATCH

TilerunStatus tilerunWaitEvent(TilerunStream *stream, TilerunEvent *event) try {
  TILERUN_API_ENTER(stream, event);
  return finish(unwrap(event)->wait(*unwrap(stream)));
}
TILERUN_API_CATCH

TilerunStatus tilerunSynchronizeEvent(TilerunEvent *event) try {
  TILERUN_API_ENTER(event);
  return finish(unwrap(event)->synchronize());
}
TILERUN_API_CATCH

TilerunStatus tilerunQueryEvent(TilerunEvent *event) try {
  TILERUN_API_ENTER(event);
  return finish(unwrap(event)->query());
}
TILERUN_API_CATCH

TilerunStatus tilerunGetElapsedTime(TilerunEvent *start, TilerunEvent *end,
                                    double *milliseconds) try {
  TILERUN_API_ENTER(start, end, milliseconds);
  return finish(core::Event::getElapsed(*unwrap(start), *unwrap(end), *milliseconds));
}
TILERUN_API_CATCH

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TilerunStatus tilerunAllocate(TilerunStream *stream, uint64_t bytes, TilerunAddress *address) try {
  TILERUN_API_ENTER(stream, address);
  core::Stream &s = *unwrap(stream);
  return finish(s.getDevice().getPool().allocate(s, bytes, *address));
}
TILERUN_API_CATCH

TilerunStatus tilerunFree(TilerunStream *stream, TilerunAddress address) try {
  TILERUN_API_ENTER(stream);
  core::Stream &s = *unwrap(stream);
  return finish(s.getDevice().getPool().free(s, address));
}
TILERUN_API_CATCH

TilerunStatus tilerunAllocateHost(TilerunDevice *device, uint64_t bytes, void **pointer) try {
  TILERUN_API_ENTER(device, pointer);
  return finish(device->device->allocateHost(bytes, *pointer));
}
TILERUN_API_CATCH

TilerunStatus tilerunFreeHost(TilerunDevice *device, void *pointer) try {
  TILERUN_API_ENTER(device);
  return finish(device->device->freeHost(pointer));
}
TILERUN_API_CATCH

TilerunStatus tilerunCopyToDevice(TilerunStream *stream, TilerunAddress to, const void *from,
                                  uint64_t bytes) try {
  TILERUN_API_ENTER(stream);
  if (bytes)
    TILERUN_API_CHECK(from);
  return finish(unwrap(stream)->copyToDevice(to, from, bytes));
}
TILERUN_API_CATCH

TilerunStatus tilerunCopyFromDevice(TilerunStream *stream, void *to, TilerunAddress from,
                                    uint64_t bytes) try {
  TILERUN_API_ENTER(stream);
  if (bytes)
    TILERUN_API_CHECK(to);
  return finish(unwrap(stream)->copyFromDevice(to, from, bytes));
}
TILERUN_API_CATCH

TilerunStatus tilerunCopyOnDevice(TilerunStream *stream, TilerunAddress to, TilerunAddress from,
                                  uint64_t bytes) try {
  TILERUN_API_ENTER(stream);
  return finish(unwrap(stream)->copyOnDevice(to, from, bytes));
}
TILERUN_API_CATCH

TilerunStatus tilerunCopyBetweenDevices(TilerunStream *to_stream, TilerunAddress to,
                                        TilerunStream *from_stream, TilerunAddress from,
                                        uint64_t bytes) try {
  TILERUN_API_ENTER(to_stream, from_stream);
  return finish(unwrap(to_stream)->copyFrom(*unwrap(from_stream), to, from, bytes));
}
TILERUN_API_CATCH

TilerunStatus tilerunFill(TilerunStream *stream, TilerunAddress to, uint32_t pattern,
                          uint32_t pattern_bytes, uint64_t bytes) try {
  TILERUN_API_ENTER(stream);
  return finish(unwrap(stream)->fill(to, pattern, pattern_bytes, bytes));
}
TILERUN_API_CATCH

TilerunStatus tilerunGetPointerInfo(TilerunDevice *device, TilerunAddress address,
                                    TilerunPluginPointerInfo *info) try {
  TILERUN_API_ENTER(device, info);
  TILERUN_API_CHECK_SIZE(info);
  core::Device &d = *device->device;
  core::MemoryPool::Place place = d.getPool().find(address);
  if (!place.block)
    return finish(TILERUN_CALL(d.getTable(), get_pointer_info, d.getHandle(), address, info));
  if (place.generation % 2 == 0)
    return refuse(__func__, "the address is in memory of " + d.getId() + " that is not allocated");
  writeStruct(info, TilerunPluginPointerInfo{0, 1, place.begin, place.bytes, 0, 0});
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

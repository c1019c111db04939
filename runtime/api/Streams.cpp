// Streams, events, memory and copies.
#include "runtime/api/Handles.h"

#include "runtime/core/MemoryPool.h"

using namespace tilerun;
using namespace tilerun::api;

/// Gives the handle of what one of core's functions makes of the arguments.
template <typename Handle, typename Make, typename... Arguments>
static core::Status make(Handle *&handle, Make create, Arguments &&...arguments) {
  std::unique_ptr<std::remove_pointer_t<decltype(unwrap(handle))>> made;
  core::Status status = create(std::forward<Arguments>(arguments)..., made);
  if (status.isOk())
    handle = wrap(made.release());
  return status;
}

static core::MemoryPool &getPool(TilerunStream *stream) {
  return unwrap(stream)->getDevice().getPool();
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TilerunStream *tilerunGetDefaultStream(TilerunDevice *device) {
  return device ? wrap(&device->device->getDefaultStream()) : nullptr;
}

TilerunStatus tilerunCreateStream(TilerunDevice *device, TilerunStream **stream) {
  TILERUN_API_FORWARD(make(*stream, core::Stream::create, device->device), device, stream);
}

TilerunStatus tilerunAdoptStream(TilerunDevice *device, uint64_t native, TilerunStream **stream) {
  TILERUN_API_FORWARD(make(*stream, core::Stream::adopt, device->device, native), device, stream);
}

void tilerunDestroyStream(TilerunStream *stream) try {
  TILERUN_API_ENTER_VOID();
  // The device's own is not the caller's to destroy.
  if (stream && !unwrap(stream)->isDefault())
    delete unwrap(stream);
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunGetNativeStream(TilerunStream *stream, uint64_t *native) {
  TILERUN_API_FORWARD(unwrap(stream)->getNative(*native), stream, native);
}

TilerunStatus tilerunSynchronizeStream(TilerunStream *stream) {
  TILERUN_API_FORWARD(unwrap(stream)->synchronize(), stream);
}

TilerunStatus tilerunQueryStream(TilerunStream *stream) {
  TILERUN_API_FORWARD(unwrap(stream)->query(), stream);
}

TilerunStatus tilerunCreateEvent(TilerunDevice *device, uint32_t flags, TilerunEvent **event) try {
  TILERUN_API_ENTER(device, event);
  if (uint32_t unknown = flags & ~uint32_t(TILERUN_EVENT_TIMING))
    return refuse(__func__, "flags have " + std::to_string(unknown) + "; " +
                                std::to_string(TILERUN_EVENT_TIMING) + " is the only one");
  return finish(make(*event, core::Event::create, device->device, flags));
}
TILERUN_API_CATCH

void tilerunDestroyEvent(TilerunEvent *event) try {
  TILERUN_API_ENTER_VOID();
  delete unwrap(event);
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunRecordEvent(TilerunEvent *event, TilerunStream *stream) {
  TILERUN_API_FORWARD(unwrap(event)->record(*unwrap(stream)), event, stream);
}

TilerunStatus tilerunWaitEvent(TilerunStream *stream, TilerunEvent *event) {
  TILERUN_API_FORWARD(unwrap(event)->wait(*unwrap(stream)), stream, event);
}

TilerunStatus tilerunSynchronizeEvent(TilerunEvent *event) {
  TILERUN_API_FORWARD(unwrap(event)->synchronize(), event);
}

TilerunStatus tilerunQueryEvent(TilerunEvent *event) {
  TILERUN_API_FORWARD(unwrap(event)->query(), event);
}

TilerunStatus tilerunGetElapsedTime(TilerunEvent *start, TilerunEvent *end, double *milliseconds) {
  TILERUN_API_FORWARD(core::Event::getElapsed(*unwrap(start), *unwrap(end), *milliseconds), start,
                      end, milliseconds);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TilerunStatus tilerunAllocate(TilerunStream *stream, uint64_t bytes, TilerunAddress *address) {
  TILERUN_API_FORWARD(getPool(stream).allocate(*unwrap(stream), bytes, *address), stream, address);
}

TilerunStatus tilerunFree(TilerunStream *stream, TilerunAddress address) {
  TILERUN_API_FORWARD(getPool(stream).free(*unwrap(stream), address), stream);
}

TilerunStatus tilerunAllocateHost(TilerunDevice *device, uint64_t bytes, void **pointer) {
  TILERUN_API_FORWARD(device->device->allocateHost(bytes, *pointer), device, pointer);
}

TilerunStatus tilerunFreeHost(TilerunDevice *device, void *pointer) {
  TILERUN_API_FORWARD(device->device->freeHost(pointer), device);
}

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
                                  uint64_t bytes) {
  TILERUN_API_FORWARD(unwrap(stream)->copyOnDevice(to, from, bytes), stream);
}

TilerunStatus tilerunCopyBetweenDevices(TilerunStream *to_stream, TilerunAddress to,
                                        TilerunStream *from_stream, TilerunAddress from,
                                        uint64_t bytes) {
  TILERUN_API_FORWARD(unwrap(to_stream)->copyFrom(*unwrap(from_stream), to, from, bytes), to_stream,
                      from_stream);
}

TilerunStatus tilerunFill(TilerunStream *stream, TilerunAddress to, uint32_t pattern,
                          uint32_t pattern_bytes, uint64_t bytes) {
  TILERUN_API_FORWARD(unwrap(stream)->fill(to, pattern, pattern_bytes, bytes), stream);
}

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

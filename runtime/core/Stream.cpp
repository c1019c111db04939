// Streams, events, and copies.
#include "runtime/core/Device.h"
#include "runtime/core/MemoryPool.h"
#include "runtime/plugin/Trace.h"

#include <algorithm>
#include <vector>

using namespace tilerun;
using namespace tilerun::core;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Status Stream::create(std::shared_ptr<Device> device, std::unique_ptr<Stream> &stream) {
  TilerunPluginStream *handle = nullptr;
  TILERUN_TRY(TILERUN_CALL(device->getTable(), create_stream, device->getHandle(), &handle));
  stream.reset(new Stream(std::move(device), handle));
  return {};
}

Status Stream::adopt(std::shared_ptr<Device> device, uint64_t native,
                     std::unique_ptr<Stream> &stream) {
  TilerunPluginStream *handle = nullptr;
  TILERUN_TRY(TILERUN_CALL(device->getTable(), adopt_stream, device->getHandle(), native, &handle));
  stream.reset(new Stream(std::move(device), handle));
  return {};
}

Stream::~Stream() {
  if (!handle)
    return;
  device.getPool().releaseStream(*this);
  if (device.getTable().destroy_stream && !isInherited(device.getTable()))
    device.getTable().destroy_stream(handle);
}

Status Stream::getNative(uint64_t &native) const {
  return TILERUN_CALL(device.getTable(), get_native_stream, device.getHandle(), handle, &native);
}
Status Stream::synchronize() const {
  Span span("wait", "wait for stream");
  return TILERUN_CALL(device.getTable(), synchronize_stream, device.getHandle(), handle);
}
Status Stream::query() const {
  return TILERUN_CALL(device.getTable(), query_stream, device.getHandle(), handle);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The host's part of a copy: where the driver works asynchronously, until it has taken it.
static void describe(Span &span, const Device &device, uint64_t bytes) {
  if (!span)
    return;
  span.note("device", device.getId());
  span.note("bytes", std::to_string(bytes));
}

Status Stream::checkRange(const char *what, TilerunAddress address, uint64_t bytes) const {
  return device.getPool().checkRange(what, address, bytes);
}

Status Stream::copyToDevice(TilerunAddress to, const void *from, uint64_t bytes) const {
  if (!bytes)
    return {};
  Span span("copy", "copy to device");
  describe(span, device, bytes);
  TILERUN_TRY(checkRange("copy to", to, bytes));
  return TILERUN_CALL(device.getTable(), copy_to_device, device.getHandle(), handle, to, from,
                      bytes);
}
Status Stream::copyFromDevice(void *to, TilerunAddress from, uint64_t bytes) const {
  if (!bytes)
    return {};
  Span span("copy", "copy from device");
  describe(span, device, bytes);
  TILERUN_TRY(checkRange("copy from", from, bytes));
  return TILERUN_CALL(device.getTable(), copy_from_device, device.getHandle(), handle, to, from,
                      bytes);
}
Status Stream::copyOnDevice(TilerunAddress to, TilerunAddress from, uint64_t bytes) const {
  if (!bytes)
    return {};
  Span span("copy", "copy on device");
  describe(span, device, bytes);
  TILERUN_TRY(checkRange("copy to", to, bytes));
  TILERUN_TRY(checkRange("copy from", from, bytes));
  return TILERUN_CALL(device.getTable(), copy_on_device, device.getHandle(), handle, to, from,
                      bytes);
}
Status Stream::fill(TilerunAddress to, uint32_t pattern, uint32_t patternBytes,
                    uint64_t bytes) const {
  if (!bytes)
    return {};
  Span span("copy", "fill");
  describe(span, device, bytes);
  TILERUN_TRY(checkRange("fill of", to, bytes));
  return TILERUN_CALL(device.getTable(), fill, device.getHandle(), handle, to, pattern,
                      patternBytes, bytes);
}

Status Stream::waitFor(const Stream &other) const {
  if (&other == this || (&other.device == &device && other.handle == handle))
    return {};
  std::unique_ptr<Event> event;
  // Released at once: the driver keeps what a wait needs.
  TILERUN_TRY(Event::create(other.device.shared_from_this(), 0, event));
  TILERUN_TRY(event->record(other));
  return event->wait(*this);
}

Status Stream::copyStaged(const Stream &source, TilerunAddress to, TilerunAddress from,
                          uint64_t bytes) const {
  // Through pinned memory where there is some; chunks bound what a large copy takes of the host.
  constexpr uint64_t kChunk = 16 << 20;
  std::vector<uint8_t> pageable;
  void *staging = nullptr;
  bool pinned = device.allocateHost(std::min(bytes, kChunk), staging).isOk();
  if (!pinned) {
    pageable.resize(std::min(bytes, kChunk));
    staging = pageable.data();
  }
  auto copyAll = [&]() -> Status {
    for (uint64_t at = 0; at < bytes; at += kChunk) {
      uint64_t part = std::min(kChunk, bytes - at);
      TILERUN_TRY(source.copyFromDevice(staging, from + at, part));
      TILERUN_TRY(source.synchronize());
      TILERUN_TRY(copyToDevice(to + at, staging, part));
      TILERUN_TRY(synchronize());
    }
    return {};
  };
  Status copied = copyAll();
  if (!pinned)
    return copied;
  Status freed = device.freeHost(staging);
  return copied.isOk() ? freed : copied;
}

Status Stream::copyFrom(const Stream &source, TilerunAddress to, TilerunAddress from,
                        uint64_t bytes) const {
  if (!bytes)
    return {};
  TILERUN_TRY(checkRange("copy to", to, bytes));
  TILERUN_TRY(source.checkRange("copy from", from, bytes));
  Span span("copy", "copy between devices");
  describe(span, device, bytes);
  Device &peer = source.device;
  bool samePlugin = &peer.getPlugin() == &device.getPlugin();
  if (!samePlugin || (&peer != &device && !device.getTable().copy_from_peer))
    return copyStaged(source, to, from, bytes);
  TILERUN_TRY(waitFor(source));
  Status copied = &peer == &device
                      ? copyOnDevice(to, from, bytes)
                      : TILERUN_CALL(device.getTable(), copy_from_peer, device.getHandle(), handle,
                                     to, peer.getHandle(), from, bytes);
  if (copied.getCode() == TILERUN_STATUS_UNSUPPORTED)
    return copyStaged(source, to, from, bytes);
  TILERUN_TRY(copied);
  return source.waitFor(*this);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Status Event::create(std::shared_ptr<Device> device, uint32_t flags,
                     std::unique_ptr<Event> &event) {
  TilerunPluginEvent *handle = nullptr;
  TILERUN_TRY(TILERUN_CALL(device->getTable(), create_event, device->getHandle(), flags, &handle));
  event.reset(new Event(std::move(device), handle));
  return {};
}

Event::~Event() {
  if (device->getTable().destroy_event && !isInherited(device->getTable()))
    device->getTable().destroy_event(handle);
}

Status Event::record(const Stream &stream) const {
  if (&stream.getDevice() != device.get())
    return Status::invalid(
        "an event of " + device->getId() + " cannot be recorded on a stream of " +
        stream.getDevice().getId() +
        (stream.getDevice().getId() == device->getId() ? ", which was opened apart" : ""));
  return TILERUN_CALL(device->getTable(), record_event, handle, stream.getHandle());
}

Status Event::wait(const Stream &stream) const {
  Device &waiting = stream.getDevice();
  if (&waiting.getPlugin() != &device->getPlugin())
    return Status::invalid("a stream of " + waiting.getId() + " cannot wait for an event of " +
                           device->getId() + ": they belong to different plugins");
  return TILERUN_CALL(waiting.getTable(), wait_event, waiting.getHandle(), stream.getHandle(),
                      handle);
}

Status Event::synchronize() const {
  return TILERUN_CALL(device->getTable(), synchronize_event, handle);
}
Status Event::query() const { return TILERUN_CALL(device->getTable(), query_event, handle); }

Status Event::getElapsed(const Event &start, const Event &end, double &milliseconds) {
  if (start.device != end.device)
    return Status::invalid("events of " + start.device->getId() + " and " + end.device->getId() +
                           " measure no common time");
  return TILERUN_CALL(start.device->getTable(), elapsed_time, start.handle, end.handle,
                      &milliseconds);
}

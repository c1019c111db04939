// Memory of the device, which is the interpreter's heap.
#include "plugins/cpu/Handles.h"
#include "plugins/support/Error.h"

using namespace tilerun;
using namespace tilerun::cpu;

static constexpr const char *kPinned = "pinned host memory";

static TilerunStatus finish(const TilerunErrorSink *sink, const char *call, llvm::Error error) {
  if (!error) // Marks it as looked at.
    return TILERUN_STATUS_OK;
  return fail(sink, call, std::move(error));
}

static TilerunStatus allocateLabelled(TilerunPluginDevice *device, uint64_t bytes,
                                      const char *label, uint64_t &address, const char *call,
                                      const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, call);
  llvm::Expected<uint64_t> made = getHeap().allocate(std::max<uint64_t>(bytes, 1), label);
  if (!made)
    return fail(sink, call, made.takeError());
  address = *made;
  return TILERUN_STATUS_OK;
}

static TilerunStatus allocate(TilerunPluginDevice *device, TilerunPluginStream *, uint64_t bytes,
                              TilerunAddress *address, const TilerunErrorSink *sink) {
  return allocateLabelled(device, bytes, "allocation", *address, "allocate", sink);
}

static TilerunStatus freeMemory(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                TilerunAddress address, const TilerunErrorSink *sink) {
  if (!address)
    return TILERUN_STATUS_OK;
  // Also on a lost device: its memory goes back to the host.
  std::lock_guard running(getStream(device, stream).running);
  llvm::Error error = getHeap().free(address);
  if (error)
    return fail(sink, "free", std::move(error));
  return checkAlive(device, "free", sink);
}

static TilerunStatus allocateHost(TilerunPluginDevice *device, uint64_t bytes, void **pointer,
                                  const TilerunErrorSink *sink) {
  uint64_t address = 0;
  TilerunStatus status = allocateLabelled(device, bytes, kPinned, address, "allocate_host", sink);
  if (!status)
    *pointer = reinterpret_cast<void *>(address);
  return status;
}

static TilerunStatus freeHost(TilerunPluginDevice *device, void *pointer,
                              const TilerunErrorSink *sink) {
  if (!pointer)
    return TILERUN_STATUS_OK;
  auto address = reinterpret_cast<uint64_t>(pointer);
  std::shared_ptr<const interp::Allocation> found = getHeap().find(address);
  if (!found || found->label != kPinned)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "free_host",
                "allocate_host did not give this address");
  return finish(sink, "free_host", getHeap().free(address));
}

// Runs work of a stream on `bytes` bytes of memory.
template <typename Work>
static TilerunStatus access(TilerunPluginDevice *device, TilerunPluginStream *stream,
                            const char *call, uint64_t bytes, const TilerunErrorSink *sink,
                            Work work) {
  CPU_ENTER(device, sink, call);
  if (!bytes)
    return TILERUN_STATUS_OK;
  std::lock_guard running(getStream(device, stream).running);
  return finish(sink, call, work());
}

static TilerunStatus copyToDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, const void *from, uint64_t bytes,
                                  const TilerunErrorSink *sink) {
  return access(device, stream, "copy_to_device", bytes, sink,
                [&] { return getHeap().copyIn(to, {static_cast<const uint8_t *>(from), bytes}); });
}

static TilerunStatus copyFromDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                    void *to, TilerunAddress from, uint64_t bytes,
                                    const TilerunErrorSink *sink) {
  return access(device, stream, "copy_from_device", bytes, sink,
                [&] { return getHeap().copyOut({static_cast<uint8_t *>(to), bytes}, from); });
}

static TilerunStatus copyOnDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, TilerunAddress from, uint64_t bytes,
                                  const TilerunErrorSink *sink) {
  return access(device, stream, "copy_on_device", bytes, sink,
                [&] { return getHeap().copyWithin(to, from, bytes); });
}

static TilerunStatus copyFromPeer(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, TilerunPluginDevice *peer, TilerunAddress from,
                                  uint64_t bytes, const TilerunErrorSink *sink) {
  CPU_ENTER(peer, sink, "copy_from_peer");
  return copyOnDevice(device, stream, to, from, bytes, sink);
}

static TilerunStatus fill(TilerunPluginDevice *device, TilerunPluginStream *stream,
                          TilerunAddress to, uint32_t pattern, uint32_t patternBytes,
                          uint64_t bytes, const TilerunErrorSink *sink) {
  if (std::string wrong = plugin_support::checkFill(patternBytes, bytes); !wrong.empty())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "fill", wrong);
  // The lowest bytes come first, as hosts are little-endian.
  return access(device, stream, "fill", bytes, sink, [&] {
    return getHeap().fill(to, {reinterpret_cast<const uint8_t *>(&pattern), patternBytes}, bytes);
  });
}

static TilerunStatus getPointerInfo(TilerunPluginDevice *device, TilerunAddress address,
                                    TilerunPluginPointerInfo *info, const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, "get_pointer_info");
  std::shared_ptr<const interp::Allocation> found = getHeap().find(address);
  if (!found)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_pointer_info",
                "no allocation of this device holds " + std::to_string(address));
  info->accessible = 1;
  info->base = found->base;
  info->num_bytes = found->size;
  info->on_host = found->label == kPinned;
  info->other_device = 0;
  return TILERUN_STATUS_OK;
}

void cpu::addMemoryEntries(TilerunPlugin &table) {
  table.allocate = allocate;
  table.free = freeMemory;
  table.allocate_host = allocateHost;
  table.free_host = freeHost;
  table.copy_to_device = copyToDevice;
  table.copy_from_device = copyFromDevice;
  table.copy_on_device = copyOnDevice;
  table.copy_from_peer = copyFromPeer;
  table.fill = fill;
  table.get_pointer_info = getPointerInfo;
}

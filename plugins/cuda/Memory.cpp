// Memory: stream-ordered where the device has memory pools.
#include "plugins/cuda/Device.h"

#include <algorithm>

using namespace cuda;

static std::string describeBytes(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

static TilerunStatus allocate(TilerunPluginDevice *device, TilerunPluginStream *stream,
                              uint64_t bytes, TilerunAddress *address,
                              const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "allocate");
  // The driver calls a size that no device could have an invalid value.
  if (bytes > device->totalMemory)
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "allocate", device,
                describeBytes(bytes) + " wanted, the device has " +
                    describeBytes(device->totalMemory));
  CUdeviceptr pointer = 0;
  size_t size = std::max<uint64_t>(bytes, 1);
  CUresult error = device->memoryPools
                       ? device->driver.cuMemAllocAsync(&pointer, size, getStream(device, stream))
                       : device->driver.cuMemAlloc(&pointer, size);
  if (error)
    return failDriver(sink, device,
                      device->memoryPools ? "cuMemAllocAsync(&pointer, size, stream)"
                                          : "cuMemAlloc(&pointer, size)",
                      error, describeBytes(bytes) + " were wanted");
  *address = pointer;
  return TILERUN_STATUS_OK;
}

static TilerunStatus freeMemory(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                TilerunAddress address, const TilerunErrorSink *sink) {
  if (!address)
    return TILERUN_STATUS_OK;
  CU_ENTER(device, sink, "free");
  if (device->memoryPools) {
    CU_TRY(device, sink, cuMemFreeAsync(address, getStream(device, stream)));
  } else {
    // Not ordered by itself: the stream's work may still use the memory.
    CU_TRY(device, sink, cuStreamSynchronize(getStream(device, stream)));
    CU_TRY(device, sink, cuMemFree(address));
  }
  return TILERUN_STATUS_OK;
}

static TilerunStatus allocateHost(TilerunPluginDevice *device, uint64_t bytes, void **pointer,
                                  const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "allocate_host");
  constexpr unsigned kPortable = 1; // Pinned for every context.
  void *memory = nullptr;
  CU_TRY(device, sink, cuMemHostAlloc(&memory, std::max<uint64_t>(bytes, 1), kPortable));
  *pointer = memory;
  return TILERUN_STATUS_OK;
}

static TilerunStatus freeHost(TilerunPluginDevice *device, void *pointer,
                              const TilerunErrorSink *sink) {
  if (!pointer)
    return TILERUN_STATUS_OK;
  CU_ENTER(device, sink, "free_host");
  CU_TRY(device, sink, cuMemFreeHost(pointer));
  return TILERUN_STATUS_OK;
}

static TilerunStatus copyToDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, const void *from, uint64_t bytes,
                                  const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "copy_to_device");
  if (bytes)
    CU_TRY(device, sink, cuMemcpyHtoDAsync(to, from, bytes, getStream(device, stream)));
  return TILERUN_STATUS_OK;
}

static TilerunStatus copyFromDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                    void *to, TilerunAddress from, uint64_t bytes,
                                    const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "copy_from_device");
  if (bytes)
    CU_TRY(device, sink, cuMemcpyDtoHAsync(to, from, bytes, getStream(device, stream)));
  return TILERUN_STATUS_OK;
}

static TilerunStatus copyOnDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, TilerunAddress from, uint64_t bytes,
                                  const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "copy_on_device");
  if (bytes)
    CU_TRY(device, sink, cuMemcpyDtoDAsync(to, from, bytes, getStream(device, stream)));
  return TILERUN_STATUS_OK;
}

static TilerunStatus copyFromPeer(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                  TilerunAddress to, TilerunPluginDevice *peer, TilerunAddress from,
                                  uint64_t bytes, const TilerunErrorSink *sink) {
  if (device->context == peer->context)
    return copyOnDevice(device, stream, to, from, bytes, sink);
  if (peer->lost)
    return failLost(sink, peer, "copy_from_peer");
  CU_ENTER(device, sink, "copy_from_peer");
  if (bytes)
    CU_TRY(device, sink,
           cuMemcpyPeerAsync(to, device->context, from, peer->context, bytes,
                             getStream(device, stream)));
  return TILERUN_STATUS_OK;
}

static TilerunStatus fill(TilerunPluginDevice *device, TilerunPluginStream *stream,
                          TilerunAddress to, uint32_t pattern, uint32_t patternBytes,
                          uint64_t bytes, const TilerunErrorSink *sink) {
  if ((patternBytes != 1 && patternBytes != 2 && patternBytes != 4) || bytes % patternBytes)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "fill", device,
                "a pattern of " + describeBytes(patternBytes) + " over " + describeBytes(bytes));
  CU_ENTER(device, sink, "fill");
  if (!bytes)
    return TILERUN_STATUS_OK;
  CUstream handle = getStream(device, stream);
  if (patternBytes == 1)
    CU_TRY(device, sink, cuMemsetD8Async(to, static_cast<uint8_t>(pattern), bytes, handle));
  else if (patternBytes == 2)
    CU_TRY(device, sink, cuMemsetD16Async(to, static_cast<uint16_t>(pattern), bytes / 2, handle));
  else
    CU_TRY(device, sink, cuMemsetD32Async(to, pattern, bytes / 4, handle));
  return TILERUN_STATUS_OK;
}

static TilerunStatus getPointerInfo(TilerunPluginDevice *device, TilerunAddress address,
                                    TilerunPluginPointerInfo *info, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "get_pointer_info");
  unsigned memoryType = 0;
  int ordinal = -1;
  CUdeviceptr base = 0;
  size_t size = 0;
  int attributes[] = {kPointerMemoryType, kPointerDeviceOrdinal, kPointerRangeStart,
                      kPointerRangeSize};
  void *data[] = {&memoryType, &ordinal, &base, &size};
  CU_TRY(device, sink, cuPointerGetAttributes(4, attributes, data, address));
  // For what it does not know, the driver succeeds and gives zeros.
  if (!memoryType)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_pointer_info", device,
                "the driver does not know address " + std::to_string(address));
  constexpr unsigned kHost = 1;
  info->on_host = memoryType == kHost;
  info->other_device = !info->on_host && ordinal != static_cast<int>(device->ordinal);
  info->accessible = !info->other_device;
  info->base = base;
  info->num_bytes = size;
  return TILERUN_STATUS_OK;
}

void cuda::addMemoryEntries(TilerunPlugin &table) {
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

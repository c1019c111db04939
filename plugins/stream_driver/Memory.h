// Memory. Required of D: `totalMemory`, sharesMemory(peer), and the calls allocate, free,
// allocateHost, freeHost, copy, copyFromPeer, fill, and getPointerInfo, which leaves info.num_bytes
// 0 for an address that the driver does not know.
#pragma once

#include "plugins/stream_driver/Device.h"

#include <algorithm>

namespace tilerun::stream_driver {

enum class Copy { ToDevice, FromDevice, OnDevice };

template <typename D> struct Memory {
  static TilerunStatus allocate(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                                uint64_t bytes, TilerunAddress *address,
                                const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "allocate");
    // For an impossible size, a driver may report an invalid value instead.
    if (bytes > device->totalMemory)
      return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "allocate", device,
                  std::to_string(bytes) + " bytes requested, the device has " +
                      std::to_string(device->totalMemory) + " bytes");
    TilerunAddress given = 0;
    Outcome outcome =
        device->allocate(given, std::max<uint64_t>(bytes, 1), getStream(device, stream));
    if (outcome)
      return finish(sink, device, outcome, std::to_string(bytes) + " bytes were requested");
    *address = given;
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus freeMemory(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                                  TilerunAddress address, const TilerunErrorSink *sink) {
    if (!address)
      return TILERUN_STATUS_OK;
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "free");
    return finish(sink, device, device->free(address, getStream(device, stream)));
  }

  static TilerunStatus allocateHost(TilerunPluginDevice *handle, uint64_t bytes, void **pointer,
                                    const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "allocate_host");
    void *memory = nullptr;
    TRY_DRIVER(device, sink, device->allocateHost(memory, std::max<uint64_t>(bytes, 1)));
    *pointer = memory;
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus freeHost(TilerunPluginDevice *handle, void *pointer,
                                const TilerunErrorSink *sink) {
    if (!pointer)
      return TILERUN_STATUS_OK;
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "free_host");
    return finish(sink, device, device->freeHost(pointer));
  }

  // A copy within the device or with the host, whose addresses are numbers here, too.
  static TilerunStatus copy(TilerunPluginDevice *handle, TilerunPluginStream *stream, Copy kind,
                            uint64_t to, uint64_t from, uint64_t bytes, const char *call,
                            const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, call);
    if (bytes)
      TRY_DRIVER(device, sink, device->copy(kind, to, from, bytes, getStream(device, stream)));
    return TILERUN_STATUS_OK;
  }
  static TilerunStatus copyToDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                    TilerunAddress to, const void *from, uint64_t bytes,
                                    const TilerunErrorSink *sink) {
    return copy(device, stream, Copy::ToDevice, to, reinterpret_cast<uint64_t>(from), bytes,
                "copy_to_device", sink);
  }
  static TilerunStatus copyFromDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                      void *to, TilerunAddress from, uint64_t bytes,
                                      const TilerunErrorSink *sink) {
    return copy(device, stream, Copy::FromDevice, reinterpret_cast<uint64_t>(to), from, bytes,
                "copy_from_device", sink);
  }
  static TilerunStatus copyOnDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                    TilerunAddress to, TilerunAddress from, uint64_t bytes,
                                    const TilerunErrorSink *sink) {
    return copy(device, stream, Copy::OnDevice, to, from, bytes, "copy_on_device", sink);
  }

  static TilerunStatus copyFromPeer(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                                    TilerunAddress to, TilerunPluginDevice *peerHandle,
                                    TilerunAddress from, uint64_t bytes,
                                    const TilerunErrorSink *sink) {
    D *device = get<D>(handle), *peer = get<D>(peerHandle);
    if (device->sharesMemory(*peer))
      return copyOnDevice(handle, stream, to, from, bytes, sink);
    if (peer->latch.isLost())
      return failLost(sink, peer, "copy_from_peer");
    ENTER_DEVICE(D, device, sink, "copy_from_peer");
    if (bytes)
      TRY_DRIVER(device, sink,
                 device->copyFromPeer(to, *peer, from, bytes, getStream(device, stream)));
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus fill(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                            TilerunAddress to, uint32_t pattern, uint32_t patternBytes,
                            uint64_t bytes, const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    if (std::string wrong = checkFill(patternBytes, bytes); !wrong.empty())
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "fill", device, wrong);
    ENTER_DEVICE(D, device, sink, "fill");
    if (bytes)
      TRY_DRIVER(
          device, sink,
          device->fill(to, pattern, patternBytes, bytes / patternBytes, getStream(device, stream)));
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus getPointerInfo(TilerunPluginDevice *handle, TilerunAddress address,
                                      TilerunPluginPointerInfo *info,
                                      const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "get_pointer_info");
    TilerunPluginPointerInfo found = {};
    TRY_DRIVER(device, sink, device->getPointerInfo(address, found));
    if (!found.num_bytes)
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_pointer_info", device,
                  "the driver does not know address " + std::to_string(address));
    found.struct_size = info->struct_size;
    found.accessible = !found.other_device;
    *info = found;
    return TILERUN_STATUS_OK;
  }
};

template <typename D> void addMemoryEntries(TilerunPlugin &table) {
  table.allocate = Memory<D>::allocate;
  table.free = Memory<D>::freeMemory;
  table.allocate_host = Memory<D>::allocateHost;
  table.free_host = Memory<D>::freeHost;
  table.copy_to_device = Memory<D>::copyToDevice;
  table.copy_from_device = Memory<D>::copyFromDevice;
  table.copy_on_device = Memory<D>::copyOnDevice;
  table.copy_from_peer = Memory<D>::copyFromPeer;
  table.fill = Memory<D>::fill;
  table.get_pointer_info = Memory<D>::getPointerInfo;
}

} // namespace tilerun::stream_driver

// Copies and fills. If a device's memory is visible to the host at full speed, the host copies;
// otherwise the device copies pinned memory, and other memory goes through staging buffers.
#include "plugins/support/Error.h"
#include "plugins/vulkan/Device.h"
#include "plugins/vulkan/Launch.h"

#include <algorithm>
#include <cstring>

using namespace vulkan;

namespace {

// From this size on, a copy goes to a queue for copies, where there is one.
constexpr uint64_t kTransferBytes = uint64_t(1) << 20;
// Up to this size, the host writes over the bus itself.
constexpr uint64_t kDirectBytes = uint64_t(64) << 10;

TilerunStatus failRange(Context &context, const char *call, TilerunAddress address, uint64_t bytes,
                        const TilerunErrorSink *sink) {
  return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, call, context,
              std::to_string(bytes) + " bytes at address " + std::to_string(address) +
                  " are not in memory of this device");
}

QueueKind getKind(uint64_t bytes) {
  return bytes >= kTransferBytes ? QueueKind::Transfer : QueueKind::Compute;
}

TilerunStatus recordCopy(Stream &stream, VkBuffer from, VkDeviceSize fromOffset, VkBuffer to,
                         VkDeviceSize toOffset, uint64_t bytes, QueueKind kind,
                         const TilerunErrorSink *sink) {
  return stream.record(
      [&](Stream::Recorder &recorder) {
        VkBufferCopy region = {fromOffset, toOffset, bytes};
        stream.context.table.vkCmdCopyBuffer(recorder.getCommands(), from, to, 1, &region);
        return TILERUN_STATUS_OK;
      },
      sink, nullptr, kind);
}

// Whether the host should write `bytes` to the block itself, once the stream is idle.
bool writesDirectly(const Context &context, const Block &block, uint64_t bytes) {
  return block.host &&
         (bytes <= kDirectBytes || context.physical.isCpu || context.physical.isIntegrated);
}

TilerunStatus copyToDevice(TilerunPluginDevice *device, TilerunPluginStream *stream_,
                           TilerunAddress to, const void *from, uint64_t bytes,
                           const TilerunErrorSink *sink) {
  Context &context = *device->context;
  Stream &stream = getStream(device, stream_);
  VK_ENTER(context, sink, "copy_to_device");
  if (!bytes)
    return TILERUN_STATUS_OK;
  Place place, pinned;
  if (!context.memory.find(to, bytes, place))
    return failRange(context, "copy_to_device", to, bytes, sink);
  if (writesDirectly(context, *place.block, bytes)) {
    // A large one is worth waiting for: staging would copy it twice.
    if (bytes > kDirectBytes)
      TILERUN_PLUGIN_TRY(stream.wait(sink));
    if (stream.isIdle()) {
      std::memcpy(place.block->host + place.offset, from, bytes);
      return TILERUN_STATUS_OK;
    }
  }
  if (context.memory.findHost(from, bytes, pinned))
    return recordCopy(stream, pinned.block->buffer, pinned.offset, place.block->buffer,
                      place.offset, bytes, getKind(bytes), sink);
  const auto *source = static_cast<const uint8_t *>(from);
  const QueueKind kind = getKind(bytes);
  for (uint64_t done = 0; done < bytes; done += Stream::kLargestTransient) {
    const uint64_t part = std::min(bytes - done, Stream::kLargestTransient);
    TilerunStatus status = stream.record(
        [&](Stream::Recorder &recorder) {
          Transient staging;
          if (TilerunStatus failed = recorder.allocateTransient(part, staging, sink))
            return failed;
          std::memcpy(staging.host, source + done, part);
          VkBufferCopy region = {staging.offset, place.offset + done, part};
          context.table.vkCmdCopyBuffer(recorder.getCommands(), staging.buffer, place.block->buffer,
                                        1, &region);
          return TilerunStatus(TILERUN_STATUS_OK);
        },
        sink, nullptr, kind);
    if (status)
      return status;
  }
  return TILERUN_STATUS_OK;
}

// Through pinned memory, in two halves: while one is read, the other is written.
TilerunStatus copyInHalves(Stream &stream, uint8_t *to, const Place &from, uint64_t bytes,
                           Block &staging, const TilerunErrorSink *sink) {
  constexpr uint64_t kHalf = Memory::kStagingBytes / 2;
  const QueueKind kind = getKind(bytes);
  uint64_t values[2] = {};
  const uint64_t parts = (bytes + kHalf - 1) / kHalf;
  auto getBytes = [&](uint64_t part) { return std::min(kHalf, bytes - part * kHalf); };
  for (uint64_t part = 0; part <= parts; ++part) {
    if (part < parts) {
      TILERUN_PLUGIN_TRY(recordCopy(stream, from.block->buffer, from.offset + part * kHalf,
                                    staging.buffer, part % 2 * kHalf, getBytes(part), kind, sink));
      values[part % 2] = stream.getLastValue();
      TILERUN_PLUGIN_TRY(stream.flush(sink));
    }
    if (part == 0)
      continue;
    const uint64_t before = part - 1;
    TILERUN_PLUGIN_TRY(stream.waitFor(values[before % 2], sink));
    std::memcpy(to + before * kHalf, staging.host + before % 2 * kHalf, getBytes(before));
  }
  return stream.wait(sink);
}

TilerunStatus copyThroughStaging(Context &context, Stream &stream, uint8_t *to, const Place &from,
                                 uint64_t bytes, const TilerunErrorSink *sink) {
  std::shared_ptr<Block> staging;
  TILERUN_PLUGIN_TRY(context.memory.acquireStaging(staging, sink));
  TilerunStatus status = copyInHalves(stream, to, from, bytes, *staging, sink);
  // A copy that failed half-way may still write to it.
  if (!status || !stream.wait(nullptr))
    context.memory.releaseStaging(std::move(staging));
  else
    stream.keep(std::move(staging));
  return status;
}

TilerunStatus copyFromDevice(TilerunPluginDevice *device, TilerunPluginStream *stream_, void *to,
                             TilerunAddress from, uint64_t bytes, const TilerunErrorSink *sink) {
  Context &context = *device->context;
  Stream &stream = getStream(device, stream_);
  VK_ENTER(context, sink, "copy_from_device");
  if (!bytes)
    return TILERUN_STATUS_OK;
  Place place, pinned;
  if (!context.memory.find(from, bytes, place))
    return failRange(context, "copy_from_device", from, bytes, sink);
  if (context.memory.findHost(to, bytes, pinned))
    return recordCopy(stream, place.block->buffer, place.offset, pinned.block->buffer,
                      pinned.offset, bytes, getKind(bytes), sink);
  if (place.block->host && place.block->cached) {
    TILERUN_PLUGIN_TRY(stream.wait(sink));
    std::memcpy(to, place.block->host + place.offset, bytes);
  } else if (TilerunStatus status = copyThroughStaging(context, stream, static_cast<uint8_t *>(to),
                                                       place, bytes, sink)) {
    return status;
  }
  return takeReports(stream, sink);
}

TilerunStatus copyOnDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                           TilerunAddress to, TilerunAddress from, uint64_t bytes,
                           const TilerunErrorSink *sink) {
  Context &context = *device->context;
  VK_ENTER(context, sink, "copy_on_device");
  if (!bytes)
    return TILERUN_STATUS_OK;
  Place source, target;
  if (!context.memory.find(from, bytes, source))
    return failRange(context, "copy_on_device", from, bytes, sink);
  if (!context.memory.find(to, bytes, target))
    return failRange(context, "copy_on_device", to, bytes, sink);
  // Kernels' queue: it has the full bandwidth of the memory.
  return recordCopy(getStream(device, stream), source.block->buffer, source.offset,
                    target.block->buffer, target.offset, bytes, QueueKind::Compute, sink);
}

TilerunStatus copyFromPeer(TilerunPluginDevice *device, TilerunPluginStream *stream,
                           TilerunAddress to, TilerunPluginDevice *peer, TilerunAddress from,
                           uint64_t bytes, const TilerunErrorSink *sink) {
  if (device->context == peer->context)
    return copyOnDevice(device, stream, to, from, bytes, sink);
  Context &context = *device->context;
  VK_ENTER(context, sink, "copy_from_peer");
  VK_ENTER(*peer->context, sink, "copy_from_peer");
  Place place;
  if (bytes && !context.memory.find(to, bytes, place))
    return failRange(context, "copy_from_peer", to, bytes, sink);
  if (bytes && !peer->context->memory.find(from, bytes, place))
    return failRange(*peer->context, "copy_from_peer", from, bytes, sink);
  // Devices do not see each other's memory: through the host, once the stream has reached the copy.
  TILERUN_PLUGIN_TRY(getStream(device, stream).wait(sink));
  constexpr uint64_t kPart = uint64_t(4) << 20;
  std::vector<uint8_t> buffer(std::min(bytes, kPart));
  for (uint64_t done = 0; done < bytes; done += kPart) {
    const uint64_t part = std::min(bytes - done, kPart);
    TILERUN_PLUGIN_TRY(copyFromDevice(peer, nullptr, buffer.data(), from + done, part, sink));
    TILERUN_PLUGIN_TRY(copyToDevice(device, stream, to + done, buffer.data(), part, sink));
  }
  return TILERUN_STATUS_OK;
}

TilerunStatus fill(TilerunPluginDevice *device, TilerunPluginStream *stream_, TilerunAddress to,
                   uint32_t pattern, uint32_t patternBytes, uint64_t bytes,
                   const TilerunErrorSink *sink) {
  Context &context = *device->context;
  if (std::string wrong = tilerun::plugin_support::checkFill(patternBytes, bytes); !wrong.empty())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "fill", context, wrong);
  VK_ENTER(context, sink, "fill");
  if (!bytes)
    return TILERUN_STATUS_OK;
  Place place;
  if (!context.memory.find(to, bytes, place))
    return failRange(context, "fill", to, bytes, sink);
  // Vulkan fills whole words at multiples of 4 in the buffer; the bytes around them are copied.
  uint8_t unit[4];
  std::memcpy(unit, &pattern, sizeof(unit));
  const uint64_t begin = place.offset, end = begin + bytes;
  const uint64_t wordBegin = std::min((begin + 3) / 4 * 4, end);
  const uint64_t wordEnd = std::max(end / 4 * 4, wordBegin);
  auto getByte = [&](uint64_t offset) { return unit[(offset - begin) % patternBytes]; };
  Stream &stream = getStream(device, stream_);
  return stream.record(
      [&](Stream::Recorder &recorder) {
        VkBuffer buffer = place.block->buffer;
        VkCommandBuffer commands = recorder.getCommands();
        const uint64_t head = wordBegin - begin, tail = end - wordEnd;
        if (head || tail) {
          Transient edges;
          TILERUN_PLUGIN_TRY(recorder.allocateTransient(head + tail, edges, sink));
          auto *host = static_cast<uint8_t *>(edges.host);
          for (uint64_t i = 0; i < head; ++i)
            host[i] = getByte(begin + i);
          for (uint64_t i = 0; i < tail; ++i)
            host[head + i] = getByte(wordEnd + i);
          VkBufferCopy regions[2];
          uint32_t count = 0;
          if (head)
            regions[count++] = {edges.offset, begin, head};
          if (tail)
            regions[count++] = {edges.offset + head, wordEnd, tail};
          context.table.vkCmdCopyBuffer(commands, edges.buffer, buffer, count, regions);
        }
        if (wordEnd > wordBegin) {
          uint8_t word[4];
          for (uint64_t i = 0; i < 4; ++i)
            word[i] = getByte(wordBegin + i);
          uint32_t value;
          std::memcpy(&value, word, sizeof(value));
          context.table.vkCmdFillBuffer(commands, buffer, wordBegin, wordEnd - wordBegin, value);
        }
        return TilerunStatus(TILERUN_STATUS_OK);
      },
      sink);
}

} // namespace

void vulkan::addCopyEntries(TilerunPlugin &table) {
  table.copy_to_device = copyToDevice;
  table.copy_from_device = copyFromDevice;
  table.copy_on_device = copyOnDevice;
  table.copy_from_peer = copyFromPeer;
  table.fill = fill;
}

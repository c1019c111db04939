// Events: a stream and a value of its timeline, with a timestamp where timing was asked for.
#include "plugins/vulkan/Device.h"
#include "plugins/vulkan/Launch.h"

using namespace vulkan;

struct TilerunPluginEvent {
  TilerunPluginDevice *device;
  bool timing;
  std::mutex mutex; ///< Guards the mark.
  struct Mark {
    std::shared_ptr<Stream> stream; ///< Null: never recorded.
    uint64_t value = 0;
    uint32_t launches = 0; ///< Of the stream so far.
    std::shared_ptr<TimestampSlot> slot;
  } mark;

  Mark getMark() {
    std::lock_guard lock(mutex);
    return mark;
  }
};

namespace {

TilerunStatus createEvent(TilerunPluginDevice *device, uint32_t flags, TilerunPluginEvent **event,
                          const TilerunErrorSink *sink) {
  VK_ENTER(*device->context, sink, "create_event");
  const bool timing = flags & TILERUN_EVENT_TIMING;
  if (timing && !device->stream->getTimestampBits())
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "create_event", *device->context,
                "the device's queues write no timestamps (timestampValidBits is 0)");
  *event = new TilerunPluginEvent{device, timing, {}, {}};
  return TILERUN_STATUS_OK;
}

void destroyEvent(TilerunPluginEvent *event) { delete event; }

TilerunStatus recordEvent(TilerunPluginEvent *event, TilerunPluginStream *stream,
                          const TilerunErrorSink *sink) {
  Context &context = *event->device->context;
  VK_ENTER(context, sink, "record_event");
  TilerunPluginEvent::Mark mark;
  mark.stream = shareStream(event->device, stream);
  if (event->timing) {
    TILERUN_PLUGIN_TRY(context.timestamps->acquire(mark.slot, sink));
    TilerunStatus status = mark.stream->record(
        [&](Stream::Recorder &recorder) {
          const DeviceTable &table = context.table;
          VkCommandBuffer commands = recorder.getCommands();
          table.vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                     mark.slot->queries, mark.slot->index);
          return TilerunStatus(TILERUN_STATUS_OK);
        },
        sink, mark.slot, QueueKind::Compute, Urgency::Patient);
    if (status)
      return status;
  }
  mark.launches = mark.stream->log.getCount();
  mark.value = mark.stream->getLastValue();
  std::lock_guard lock(event->mutex);
  std::swap(event->mark, mark); // The old one ends after the lock.
  return TILERUN_STATUS_OK;
}

TilerunStatus waitEvent(TilerunPluginDevice *device, TilerunPluginStream *stream,
                        TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  VK_ENTER(*device->context, sink, "wait_event");
  TilerunPluginEvent::Mark mark = event->getMark();
  if (!mark.stream)
    return TILERUN_STATUS_OK;
  if (event->device->context == device->context)
    return getStream(device, stream).waitForStream(*mark.stream, mark.value, sink);
  // Devices do not see each other's semaphores.
  return mark.stream->waitFor(mark.value, sink);
}

TilerunStatus synchronizeEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  VK_ENTER(*event->device->context, sink, "synchronize_event");
  TilerunPluginEvent::Mark mark = event->getMark();
  if (!mark.stream)
    return TILERUN_STATUS_OK;
  TILERUN_PLUGIN_TRY(mark.stream->waitFor(mark.value, sink));
  mark.stream->log.finish(mark.launches);
  return takeReports(*mark.stream, sink);
}

TilerunStatus queryEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  VK_ENTER(*event->device->context, sink, "query_event");
  TilerunPluginEvent::Mark mark = event->getMark();
  return mark.stream ? mark.stream->queryFor(mark.value, sink) : TILERUN_STATUS_OK;
}

TilerunStatus elapsedTime(TilerunPluginEvent *start, TilerunPluginEvent *end, double *milliseconds,
                          const TilerunErrorSink *sink) {
  Context &context = *start->device->context;
  VK_ENTER(context, sink, "elapsed_time");
  TilerunPluginEvent::Mark marks[2] = {start->getMark(), end->getMark()};
  if (end->device->context != start->device->context)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "elapsed_time", context,
                "the events belong to two devices, whose clocks differ");
  // Check both first: waiting cannot fix an invalid one.
  for (int i = 0; i < 2; ++i)
    if (!marks[i].slot)
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "elapsed_time", context,
                  std::string(i ? "the second" : "the first") + " event " +
                      ((i ? end : start)->timing ? "was never recorded" : "has no timing"));
  uint64_t ticks[2] = {};
  for (int i = 0; i < 2; ++i) {
    const TilerunPluginEvent::Mark &mark = marks[i];
    TILERUN_PLUGIN_TRY(mark.stream->queryFor(mark.value, sink));
    VkResult result = context.table.vkGetQueryPoolResults(
        context.handle, mark.slot->queries, mark.slot->index, 1, sizeof(ticks[i]), &ticks[i],
        sizeof(ticks[i]), VK_QUERY_RESULT_64_BIT);
    if (result)
      return failVulkan(sink, context,
                        "vkGetQueryPoolResults(device, queries, index, 1, 8, &ticks, 8, 64_BIT)",
                        result);
  }
  *milliseconds = getElapsed(ticks[0], ticks[1], marks[0].stream->getTimestampBits(),
                             static_cast<double>(context.physical.limits().timestampPeriod)) *
                  1e-6;
  return TILERUN_STATUS_OK;
}

} // namespace

void vulkan::addEventEntries(TilerunPlugin &table) {
  table.create_event = createEvent;
  table.destroy_event = destroyEvent;
  table.record_event = recordEvent;
  table.wait_event = waitEvent;
  table.synchronize_event = synchronizeEvent;
  table.query_event = queryEvent;
  table.elapsed_time = elapsedTime;
}

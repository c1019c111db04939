// Streams and events. Work is done when a call returns, so waiting is only for the work of other
// threads, and for reporting faults.
#include "plugins/cpu/Handles.h"

using namespace tilerun;
using namespace tilerun::cpu;

void cpu::addFault(Stream &stream, const Fault &fault) {
  std::lock_guard lock(stream.mutex);
  stream.fault.add(fault);
}

Fault cpu::takeFault(Stream &stream) {
  std::lock_guard lock(stream.mutex);
  return std::exchange(stream.fault, {});
}

static TilerunStatus createStream(TilerunPluginDevice *device, TilerunPluginStream **stream,
                                  const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, "create_stream");
  auto made = std::make_shared<Stream>();
  {
    std::lock_guard lock(device->mutex);
    device->streams.insert(made);
  }
  *stream = new TilerunPluginStream{device, std::move(made), false};
  return TILERUN_STATUS_OK;
}

static uint64_t getNative(const std::shared_ptr<Stream> &stream) {
  return reinterpret_cast<uint64_t>(stream.get());
}

static TilerunStatus adoptStream(TilerunPluginDevice *device, uint64_t native,
                                 TilerunPluginStream **stream, const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, "adopt_stream");
  std::shared_ptr<Stream> found = native ? nullptr : device->stream;
  {
    std::lock_guard lock(device->mutex);
    for (const std::shared_ptr<Stream> &known : device->streams)
      if (getNative(known) == native)
        found = known;
  }
  if (!found)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "adopt_stream",
                "neither 0 nor a value that get_native_stream gave for a stream of this device");
  *stream = new TilerunPluginStream{device, std::move(found), true};
  return TILERUN_STATUS_OK;
}

static TilerunStatus getNativeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                     uint64_t *native, const TilerunErrorSink *) {
  *native = stream && stream->stream != device->stream ? getNative(stream->stream) : 0;
  return TILERUN_STATUS_OK;
}

static void destroyStream(TilerunPluginStream *stream) {
  if (!stream)
    return;
  if (!stream->adopted) {
    const Fault fault = takeFault(*stream->stream);
    std::lock_guard lock(stream->device->mutex);
    stream->device->streams.erase(stream->stream);
    stream->device->fault.add(fault);
  }
  delete stream;
}

static TilerunStatus waitFor(TilerunPluginDevice *device, Stream &stream, const char *call,
                             const TilerunErrorSink *sink) {
  std::lock_guard running(stream.running);
  CPU_ENTER(device, sink, call);
  return takeFault(stream).report(sink, call);
}

static TilerunStatus synchronizeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                       const TilerunErrorSink *sink) {
  return waitFor(device, getStream(device, stream), "synchronize_stream", sink);
}

static TilerunStatus queryStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                 const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, "query_stream");
  // Locked: another thread's work is in flight.
  std::unique_lock running(getStream(device, stream).running, std::try_to_lock);
  return running.owns_lock() ? TILERUN_STATUS_OK : TILERUN_STATUS_NOT_READY;
}

static TilerunStatus createEvent(TilerunPluginDevice *device, uint32_t flags,
                                 TilerunPluginEvent **event, const TilerunErrorSink *sink) {
  CPU_ENTER(device, sink, "create_event");
  if (flags & ~uint32_t(TILERUN_EVENT_TIMING))
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "create_event",
                "flags " + std::to_string(flags) + " are not known");
  *event = new TilerunPluginEvent{device, (flags & TILERUN_EVENT_TIMING) != 0, {}, {}, {}};
  return TILERUN_STATUS_OK;
}

static TilerunStatus recordEvent(TilerunPluginEvent *event, TilerunPluginStream *stream,
                                 const TilerunErrorSink *sink) {
  CPU_ENTER(event->device, sink, "record_event");
  Stream &core = getStream(event->device, stream);
  std::lock_guard running(core.running);
  std::lock_guard lock(event->mutex);
  event->stream = stream ? stream->stream : event->device->stream;
  event->time = std::chrono::steady_clock::now();
  return TILERUN_STATUS_OK;
}

static TilerunStatus waitEvent(TilerunPluginDevice *device, TilerunPluginStream *,
                               TilerunPluginEvent *, const TilerunErrorSink *sink) {
  return checkAlive(device, "wait_event", sink); // It has passed.
}

static TilerunStatus synchronizeEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  std::shared_ptr<Stream> stream;
  {
    std::lock_guard lock(event->mutex);
    stream = event->stream;
  }
  if (!stream)
    return checkAlive(event->device, "synchronize_event", sink);
  return waitFor(event->device, *stream, "synchronize_event", sink);
}

static TilerunStatus queryEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  return checkAlive(event->device, "query_event", sink); // It has passed.
}

static TilerunStatus elapsedTime(TilerunPluginEvent *start, TilerunPluginEvent *end,
                                 double *milliseconds, const TilerunErrorSink *sink) {
  CPU_ENTER(start->device, sink, "elapsed_time");
  auto read = [](TilerunPluginEvent *event, std::chrono::steady_clock::time_point &time) {
    std::lock_guard lock(event->mutex);
    time = event->time;
    return event->timing && event->stream;
  };
  std::chrono::steady_clock::time_point from, to;
  if (!read(start, from) || !read(end, to))
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "elapsed_time",
                "an event has no timing or was never recorded");
  *milliseconds = std::chrono::duration<double, std::milli>(to - from).count();
  return TILERUN_STATUS_OK;
}

void cpu::addStreamEntries(TilerunPlugin &table) {
  table.create_stream = createStream;
  table.adopt_stream = adoptStream;
  table.get_native_stream = getNativeStream;
  table.destroy_stream = destroyStream;
  table.synchronize_stream = synchronizeStream;
  table.query_stream = queryStream;
  table.create_event = createEvent;
  table.destroy_event = [](TilerunPluginEvent *event) { delete event; };
  table.record_event = recordEvent;
  table.wait_event = waitEvent;
  table.synchronize_event = synchronizeEvent;
  table.query_event = queryEvent;
  table.elapsed_time = elapsedTime;
}

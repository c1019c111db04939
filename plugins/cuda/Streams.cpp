// Streams and events.
#include "plugins/cuda/Device.h"

using namespace cuda;

static TilerunPluginStream *addStream(TilerunPluginDevice *device, CUstream handle, bool owned) {
  auto *stream = new TilerunPluginStream{device, handle, owned, {}};
  std::lock_guard lock(device->mutex);
  device->streams.insert(stream);
  return stream;
}

static TilerunStatus createStream(TilerunPluginDevice *device, TilerunPluginStream **stream,
                                  const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "create_stream");
  constexpr unsigned kNonBlocking = 1; // Ordered by events only, not by the legacy stream.
  CUstream handle = nullptr;
  CU_TRY(device, sink, cuStreamCreate(&handle, kNonBlocking));
  *stream = addStream(device, handle, true);
  return TILERUN_STATUS_OK;
}

static TilerunStatus adoptStream(TilerunPluginDevice *device, uint64_t native,
                                 TilerunPluginStream **stream, const TilerunErrorSink *sink) {
  if (device->lost)
    return failLost(sink, device, "adopt_stream");
  *stream = addStream(device, reinterpret_cast<CUstream>(native), false);
  return TILERUN_STATUS_OK;
}

static TilerunStatus getNativeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                     uint64_t *native, const TilerunErrorSink *) {
  *native = reinterpret_cast<uint64_t>(getStream(device, stream));
  return TILERUN_STATUS_OK;
}

static void destroyStream(TilerunPluginStream *stream) {
  if (!stream)
    return;
  if (stream->owned) {
    CurrentContext current(stream->device);
    if (!current.getError())
      stream->device->driver.cuStreamDestroy(stream->handle);
  }
  {
    std::lock_guard lock(stream->device->mutex);
    stream->device->streams.erase(stream);
    // Its work may still run, and be at fault later.
    std::vector<const char *> pending;
    stream->log.getPending(pending);
    for (const char *name : pending)
      stream->device->log.add(name);
  }
  delete stream;
}

static TilerunStatus synchronizeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                       const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "synchronize_stream");
  uint32_t launches = getLog(device, stream).getCount();
  CU_TRY(device, sink, cuStreamSynchronize(getStream(device, stream)));
  getLog(device, stream).finish(launches);
  return TILERUN_STATUS_OK;
}

static TilerunStatus queryStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                 const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "query_stream");
  uint32_t launches = getLog(device, stream).getCount();
  CU_TRY(device, sink, cuStreamQuery(getStream(device, stream)));
  getLog(device, stream).finish(launches);
  return TILERUN_STATUS_OK;
}

static TilerunStatus createEvent(TilerunPluginDevice *device, uint32_t flags,
                                 TilerunPluginEvent **event, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "create_event");
  constexpr unsigned kDisableTiming = 2;
  CUevent handle = nullptr;
  CU_TRY(device, sink, cuEventCreate(&handle, flags & TILERUN_EVENT_TIMING ? 0 : kDisableTiming));
  *event = new TilerunPluginEvent{device, handle};
  return TILERUN_STATUS_OK;
}

static void destroyEvent(TilerunPluginEvent *event) {
  if (!event)
    return;
  CurrentContext current(event->device);
  if (!current.getError())
    event->device->driver.cuEventDestroy(event->handle);
  delete event;
}

static TilerunStatus recordEvent(TilerunPluginEvent *event, TilerunPluginStream *stream,
                                 const TilerunErrorSink *sink) {
  CU_ENTER(event->device, sink, "record_event");
  CU_TRY(event->device, sink, cuEventRecord(event->handle, getStream(event->device, stream)));
  return TILERUN_STATUS_OK;
}

static TilerunStatus waitEvent(TilerunPluginDevice *device, TilerunPluginStream *stream,
                               TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "wait_event");
  CU_TRY(device, sink, cuStreamWaitEvent(getStream(device, stream), event->handle, 0));
  return TILERUN_STATUS_OK;
}

static TilerunStatus synchronizeEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  CU_ENTER(event->device, sink, "synchronize_event");
  CU_TRY(event->device, sink, cuEventSynchronize(event->handle));
  return TILERUN_STATUS_OK;
}

static TilerunStatus queryEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  CU_ENTER(event->device, sink, "query_event");
  CU_TRY(event->device, sink, cuEventQuery(event->handle));
  return TILERUN_STATUS_OK;
}

static TilerunStatus elapsedTime(TilerunPluginEvent *start, TilerunPluginEvent *end,
                                 double *milliseconds, const TilerunErrorSink *sink) {
  CU_ENTER(start->device, sink, "elapsed_time");
  float time = 0;
  CU_TRY(start->device, sink, cuEventElapsedTime(&time, start->handle, end->handle));
  *milliseconds = static_cast<double>(time);
  return TILERUN_STATUS_OK;
}

void cuda::addStreamEntries(TilerunPlugin &table) {
  table.create_stream = createStream;
  table.adopt_stream = adoptStream;
  table.get_native_stream = getNativeStream;
  table.destroy_stream = destroyStream;
  table.synchronize_stream = synchronizeStream;
  table.query_stream = queryStream;
  table.create_event = createEvent;
  table.destroy_event = destroyEvent;
  table.record_event = recordEvent;
  table.wait_event = waitEvent;
  table.synchronize_event = synchronizeEvent;
  table.query_event = queryEvent;
  table.elapsed_time = elapsedTime;
}

// Streams and events. Required of D: the calls createStream, destroyStream, synchronizeStream,
// queryStream, waitEvent, createEvent, destroyEvent, recordEvent, synchronizeEvent, queryEvent,
// elapsedTime.
#pragma once

#include "plugins/stream_driver/Device.h"

#include <bit>

namespace tilerun::stream_driver {

template <typename D> struct Streams {
  static TilerunPluginStream *add(D *device, typename D::StreamHandle native, bool owned) {
    auto *stream = new StreamOf<D>{device, native, owned, {}};
    device->streams.add(stream);
    return reinterpret_cast<TilerunPluginStream *>(stream);
  }

  static TilerunStatus createStream(TilerunPluginDevice *handle, TilerunPluginStream **stream,
                                    const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "create_stream");
    typename D::StreamHandle native{};
    TRY_DRIVER(device, sink, device->createStream(native));
    *stream = add(device, native, true);
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus adoptStream(TilerunPluginDevice *handle, uint64_t native,
                                   TilerunPluginStream **stream, const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    if (device->latch.isLost())
      return failLost(sink, device, "adopt_stream");
    *stream = add(device, std::bit_cast<typename D::StreamHandle>(native), false);
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus getNativeStream(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                                       uint64_t *native, const TilerunErrorSink *) {
    *native = std::bit_cast<uint64_t>(getStream(get<D>(handle), stream));
    return TILERUN_STATUS_OK;
  }

  static void destroyStream(TilerunPluginStream *handle) {
    if (!handle)
      return;
    std::unique_ptr<StreamOf<D>> stream(get<D>(handle));
    if (stream->owned) {
      const typename D::Current current(*stream->device);
      if (!current.outcome)
        stream->device->destroyStream(stream->handle);
    }
    stream->device->streams.remove(stream.get());
  }

  // Everything launched before a successful wait has ended.
  template <typename Wait>
  static TilerunStatus waitFor(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                               const char *call, const TilerunErrorSink *sink, Wait wait) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, call);
    const uint32_t launches = getLog(device, stream).getCount();
    TRY_DRIVER(device, sink, (device->*wait)(getStream(device, stream)));
    getLog(device, stream).finish(launches);
    return TILERUN_STATUS_OK;
  }
  static TilerunStatus synchronizeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                         const TilerunErrorSink *sink) {
    return waitFor(device, stream, "synchronize_stream", sink, &D::synchronizeStream);
  }
  static TilerunStatus queryStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                   const TilerunErrorSink *sink) {
    return waitFor(device, stream, "query_stream", sink, &D::queryStream);
  }

  static TilerunStatus createEvent(TilerunPluginDevice *handle, uint32_t flags,
                                   TilerunPluginEvent **event, const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "create_event");
    typename D::EventHandle native{};
    TRY_DRIVER(device, sink, device->createEvent(native, (flags & TILERUN_EVENT_TIMING) != 0));
    *event = reinterpret_cast<TilerunPluginEvent *>(new EventOf<D>{device, native});
    return TILERUN_STATUS_OK;
  }

  static void destroyEvent(TilerunPluginEvent *handle) {
    if (!handle)
      return;
    std::unique_ptr<EventOf<D>> event(get<D>(handle));
    const typename D::Current current(*event->device);
    if (!current.outcome)
      event->device->destroyEvent(event->handle);
  }

  static TilerunStatus recordEvent(TilerunPluginEvent *handle, TilerunPluginStream *stream,
                                   const TilerunErrorSink *sink) {
    EventOf<D> *event = get<D>(handle);
    ENTER_DEVICE(D, event->device, sink, "record_event");
    return finish(sink, event->device,
                  event->device->recordEvent(event->handle, getStream(event->device, stream)));
  }

  static TilerunStatus waitEvent(TilerunPluginDevice *handle, TilerunPluginStream *stream,
                                 TilerunPluginEvent *event, const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "wait_event");
    return finish(sink, device,
                  device->waitEvent(getStream(device, stream), get<D>(event)->handle));
  }

  static TilerunStatus synchronizeEvent(TilerunPluginEvent *handle, const TilerunErrorSink *sink) {
    EventOf<D> *event = get<D>(handle);
    ENTER_DEVICE(D, event->device, sink, "synchronize_event");
    return finish(sink, event->device, event->device->synchronizeEvent(event->handle));
  }

  static TilerunStatus queryEvent(TilerunPluginEvent *handle, const TilerunErrorSink *sink) {
    EventOf<D> *event = get<D>(handle);
    ENTER_DEVICE(D, event->device, sink, "query_event");
    return finish(sink, event->device, event->device->queryEvent(event->handle));
  }

  static TilerunStatus elapsedTime(TilerunPluginEvent *start, TilerunPluginEvent *end,
                                   double *milliseconds, const TilerunErrorSink *sink) {
    D *device = get<D>(start)->device;
    ENTER_DEVICE(D, device, sink, "elapsed_time");
    float time = 0;
    TRY_DRIVER(device, sink, device->elapsedTime(time, get<D>(start)->handle, get<D>(end)->handle));
    *milliseconds = static_cast<double>(time);
    return TILERUN_STATUS_OK;
  }
};

template <typename D> void addStreamEntries(TilerunPlugin &table) {
  table.create_stream = Streams<D>::createStream;
  table.adopt_stream = Streams<D>::adoptStream;
  table.get_native_stream = Streams<D>::getNativeStream;
  table.destroy_stream = Streams<D>::destroyStream;
  table.synchronize_stream = Streams<D>::synchronizeStream;
  table.query_stream = Streams<D>::queryStream;
  table.create_event = Streams<D>::createEvent;
  table.destroy_event = Streams<D>::destroyEvent;
  table.record_event = Streams<D>::recordEvent;
  table.wait_event = Streams<D>::waitEvent;
  table.synchronize_event = Streams<D>::synchronizeEvent;
  table.query_event = Streams<D>::queryEvent;
  table.elapsed_time = Streams<D>::elapsedTime;
}

} // namespace tilerun::stream_driver

// Streams and events: order, waiting, timing, adoption.
#include "tests/conformance/Suite.h"

using namespace tilerun;
using namespace tilerun::conformance;

static constexpr int64_t kDelay = 20'000'000; // 20 ms

// Puts a delay that then adds 1 to the int32 at `counter` on `stream`.
static Outcome delay(Context &c, TilerunPluginStream *stream, TilerunAddress counter) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_delay", kernel, launch));
  Arguments arguments;
  arguments.add<uint64_t>(counter).add<int64_t>(kDelay).setIn(launch);
  CALL(c, launch, kernel, stream, &launch);
  return {};
}

static Outcome createAndWait(Context &c) {
  for (int i = 0; i < 16; ++i) {
    TilerunPluginStream *stream;
    TRY(c.makeStream(stream));
    CALL(c, synchronize_stream, c.device, stream);
    CALL(c, query_stream, c.device, stream);
  }
  return {};
}

static Outcome inOrder(Context &c) {
  TilerunPluginStream *stream;
  TRY(c.makeStream(stream));
  TilerunAddress a;
  TRY(c.allocate(4, a));
  CALL(c, synchronize_device, c.device);
  int32_t value = -1;
  CALL(c, fill, c.device, stream, a, 40, 4, 4);
  TRY(delay(c, stream, a));
  TRY(delay(c, stream, a));
  CALL(c, copy_from_device, c.device, stream, &value, a, 4);
  CALL(c, synchronize_stream, c.device, stream);
  EXPECT(value == 42, "work of one stream ran out of order: " + std::to_string(value));
  return {};
}

static Outcome defaultStreamInOrder(Context &c) {
  TilerunAddress a;
  TRY(c.allocate(4, a));
  int32_t value = -1;
  CALL(c, fill, c.device, nullptr, a, 1, 4, 4);
  TRY(delay(c, nullptr, a));
  CALL(c, copy_from_device, c.device, nullptr, &value, a, 4);
  CALL(c, synchronize_stream, c.device, nullptr);
  EXPECT(value == 2, "the device's own stream is out of order: " + std::to_string(value));
  return {};
}

static Outcome eventOrdersStreams(Context &c) {
  TilerunPluginStream *first, *second;
  TRY(c.makeStream(first));
  TRY(c.makeStream(second));
  TilerunPluginEvent *event;
  TRY(c.makeEvent(0, event));
  TilerunAddress a, b;
  TRY(c.allocate(4, a));
  TRY(c.allocate(4, b));
  CALL(c, fill, c.device, nullptr, a, 0, 4, 4);
  CALL(c, synchronize_device, c.device);
  TRY(delay(c, first, a));
  CALL(c, record_event, event, first);
  CALL(c, wait_event, c.device, second, event);
  CALL(c, copy_on_device, c.device, second, b, a, 4);
  int32_t value = -1;
  CALL(c, copy_from_device, c.device, second, &value, b, 4);
  CALL(c, synchronize_stream, c.device, second);
  EXPECT(value == 1, "the second stream did not wait for the event");
  return {};
}

static Outcome eventStates(Context &c) {
  TilerunPluginEvent *event;
  TRY(c.makeEvent(0, event));
  CALL(c, query_event, event); // Never recorded: done.
  CALL(c, synchronize_event, event);
  TilerunAddress a;
  TRY(c.allocate(4, a));
  CALL(c, fill, c.device, nullptr, a, 0, 4, 4);
  TRY(delay(c, nullptr, a));
  CALL(c, record_event, event, nullptr);
  TilerunStatus status = c.table.query_event(event, c.sink());
  EXPECT(status == TILERUN_STATUS_OK || status == TILERUN_STATUS_NOT_READY,
         "query_event gives " + plugin::getStatusName(status));
  CALL(c, synchronize_event, event);
  CALL(c, query_event, event);
  return {};
}

static Outcome timing(Context &c) {
  TilerunPluginEvent *start, *end;
  TRY(c.makeEvent(TILERUN_EVENT_TIMING, start));
  TRY(c.makeEvent(TILERUN_EVENT_TIMING, end));
  TilerunAddress a;
  TRY(c.allocate(4, a));
  CALL(c, fill, c.device, nullptr, a, 0, 4, 4);
  // Once beforehand, so that the time of loading code does not count.
  TRY(delay(c, nullptr, a));
  CALL(c, synchronize_device, c.device);
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_delay", kernel, launch));
  Arguments arguments;
  arguments.add<uint64_t>(a).add<int64_t>(kDelay).setIn(launch);
  CALL(c, record_event, start, nullptr);
  CALL(c, launch, kernel, nullptr, &launch);
  CALL(c, record_event, end, nullptr);
  CALL(c, synchronize_event, end);
  double milliseconds = -1;
  CALL(c, elapsed_time, start, end, &milliseconds);
  EXPECT(milliseconds >= 19 && milliseconds < 2000,
         "a delay of 20 ms took " + std::to_string(milliseconds));
  return {};
}

static Outcome timingNeedsTiming(Context &c) {
  TilerunPluginEvent *plain, *fresh;
  TRY(c.makeEvent(0, plain));
  TRY(c.makeEvent(TILERUN_EVENT_TIMING, fresh));
  CALL(c, record_event, plain, nullptr);
  CALL(c, synchronize_event, plain);
  double milliseconds = -1;
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, elapsed_time, plain, plain, &milliseconds);
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, elapsed_time, fresh, fresh, &milliseconds);
  EXPECT(milliseconds == -1, "a failed call wrote its result");
  return {};
}

static Outcome adoptStream(Context &c) {
  TilerunPluginStream *own, *adopted = nullptr;
  TRY(c.makeStream(own));
  uint64_t native = 0, again = 1;
  CALL(c, get_native_stream, c.device, own, &native);
  CALL(c, adopt_stream, c.device, native, &adopted);
  TilerunAddress a = 0;
  TilerunStatus status = c.table.get_native_stream(c.device, adopted, &again, c.sink());
  if (!status)
    status = c.table.allocate(c.device, adopted, 4, &a, c.sink());
  if (!status)
    status = c.table.fill(c.device, adopted, a, 9, 4, 4, c.sink());
  int32_t value = 0;
  if (!status)
    status = c.table.copy_from_device(c.device, own, &value, a, 4, c.sink());
  if (!status)
    status = c.table.synchronize_stream(c.device, own, c.sink());
  if (!status)
    status = c.table.free(c.device, adopted, a, c.sink());
  c.table.destroy_stream(adopted);
  TRY(c.judge(status, "the adopted stream"));
  EXPECT(native == again, "the adopted stream is another one");
  EXPECT(value == 9, "the adopted stream and its owner are not in one order");
  // Its owner can still use it.
  CALL(c, synchronize_stream, c.device, own);
  return {};
}

static Outcome destroyBusy(Context &c) {
  TilerunPluginStream *stream = nullptr;
  CALL(c, create_stream, c.device, &stream);
  TilerunAddress a;
  TRY(c.allocate(4, a));
  CALL(c, fill, c.device, nullptr, a, 0, 4, 4);
  CALL(c, synchronize_device, c.device);
  Outcome outcome = delay(c, stream, a);
  c.table.destroy_stream(stream);
  TRY(outcome);
  CALL(c, synchronize_device, c.device);
  int32_t value = -1;
  TRY(c.read(&value, a, 4));
  EXPECT(value == 1, "work of a destroyed stream was dropped");
  return {};
}

std::vector<Case> conformance::getStreamCases() {
  return {{"streams", "create-and-wait", createAndWait},
          {"streams", "in-order", inOrder},
          {"streams", "default-in-order", defaultStreamInOrder},
          {"streams", "adopt", adoptStream},
          {"streams", "destroy-busy", destroyBusy},
          {"events", "order-streams", eventOrdersStreams},
          {"events", "states", eventStates},
          {"events", "timing", timing},
          {"events", "timing-needs-timing", timingNeedsTiming}};
}

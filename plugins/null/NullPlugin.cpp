// The template of a plugin: one device whose memory is the host's and whose streams do their work
// at once. Copy this folder, replace `null` in its strings, and replace the bodies by calls of your
// driver, such as `return DRIVER_CALL(yourAllocate(&address, bytes))`; the conformance suite shows
// what is still missing. plugins/stream_driver has the code that all drivers with streams, events
// and modules share; its headers say what they require of Device. docs/guides/adding-a-plugin.md
// goes through it.
#include "plugins/stream_driver/Plugin.h"
#include "plugins/support/HostSelfTests.h"

#include <chrono>
#include <cstdlib>
#include <map>

using namespace tilerun::stream_driver;

namespace {

constexpr const char *kCompatibility = "null:1";
constexpr uint32_t kMaxThreads = 1024, kMaxGrid[3] = {2147483647, 65535, 65535};

struct Event {
  bool timing = false, recorded = false;
  std::chrono::steady_clock::time_point time;
};

void *toPointer(uint64_t address) { return std::bit_cast<void *>(address); }

struct Device : DeviceState<Device> {
  using StreamHandle = uint64_t; // What adopt_stream was given; 0 for the plugin's own.
  using EventHandle = Event *;
  using ModuleHandle = int64_t; // A kernel's place in kSelfTests.
  using FunctionHandle = int64_t;
  static constexpr const char *kName = "null";

  const uint64_t totalMemory = uint64_t(1) << 30;
  const uint32_t maxShared = 48 << 10;
  StreamHandle own = 0; // The stream that a null handle means.
  std::atomic<bool> faulted{false};
  std::mutex mutex; // Guards what follows, and events.
  std::map<TilerunAddress, uint64_t> allocations;
  uint64_t used = 0;

  // Makes a real driver's context current, and leaves the thread as it was at its end.
  struct Current {
    explicit Current(Device &) {}
    Outcome outcome;
  };

  // -- Errors. This driver's numbers are the ABI's.
  static TilerunStatus getStatus(int error) { return error; }
  static std::string getErrorName(int error) { return "NULL_ERROR_" + std::to_string(error); }
  static std::string getErrorText(int error) {
    return error == TILERUN_STATUS_DEVICE_LOST ? "a kernel wrote to an address not the device's"
                                               : "the null driver refuses";
  }
  static Outcome refuse(int error, const char *call) { return {error, call}; }

  // -- Devices.
  static uint32_t count(std::string &) { return 1; }
  Outcome describe() {
    uuid = "null:host-memory";
    name = "Null device (host memory)";
    arch = "host";
    binaryCompatibility = kCompatibility;
    return {};
  }
  void close() {
    for (auto [address, bytes] : allocations)
      std::free(toPointer(address));
  }
  Outcome getNumber(uint32_t property, uint64_t &number, bool &known) {
    std::lock_guard lock(mutex);
    const std::map<uint32_t, uint64_t> numbers = {
        {TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, totalMemory},
        {TILERUN_DEVICE_PROPERTY_MEMORY_FREE, totalMemory - used},
        {TILERUN_DEVICE_PROPERTY_UNITS, 1},
        {TILERUN_DEVICE_PROPERTY_WARP_SIZE, 1},
        {TILERUN_DEVICE_PROPERTY_MAX_THREADS, kMaxThreads},
        {TILERUN_DEVICE_PROPERTY_MAX_SHARED, maxShared},
        {TILERUN_DEVICE_PROPERTY_MAX_CLUSTER, 2},
        {TILERUN_DEVICE_PROPERTY_MAX_GRID_X, kMaxGrid[0]},
        {TILERUN_DEVICE_PROPERTY_MAX_GRID_Y, kMaxGrid[1]},
        {TILERUN_DEVICE_PROPERTY_MAX_GRID_Z, kMaxGrid[2]},
        {TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY, 1},
        {TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY, 1},
        {TILERUN_DEVICE_PROPERTY_FALLBACK, 1},
        {TILERUN_DEVICE_PROPERTY_SURVIVES_FORK, 1},
        {TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST, 1}};
    known = numbers.count(property);
    number = known ? numbers.at(property) : 0;
    return {};
  }
  // A fault of a kernel shows at the next call that waits, as on a GPU.
  Outcome synchronize() const {
    return faulted ? refuse(TILERUN_STATUS_DEVICE_LOST, "synchronize()") : Outcome();
  }

  // -- Memory.
  Outcome allocate(TilerunAddress &address, uint64_t bytes, StreamHandle) {
    std::lock_guard lock(mutex);
    if (bytes > totalMemory - used)
      return refuse(TILERUN_STATUS_OUT_OF_MEMORY, "allocate(address, bytes)");
    void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory)
      return refuse(TILERUN_STATUS_OUT_OF_MEMORY, "aligned_alloc(256, bytes)");
    address = std::bit_cast<TilerunAddress>(memory);
    allocations[address] = bytes;
    used += bytes;
    return {};
  }
  Outcome free(TilerunAddress address, StreamHandle) {
    std::lock_guard lock(mutex);
    auto it = allocations.find(address);
    if (it == allocations.end())
      return refuse(TILERUN_STATUS_INVALID_ARGUMENT, "free(address)");
    used -= it->second;
    allocations.erase(it);
    std::free(toPointer(address));
    return {};
  }
  Outcome allocateHost(void *&pointer, uint64_t bytes) {
    pointer = std::malloc(bytes);
    return pointer ? Outcome() : refuse(TILERUN_STATUS_OUT_OF_MEMORY, "malloc(bytes)");
  }
  Outcome freeHost(void *pointer) {
    std::free(pointer);
    return {};
  }
  // Whether the bytes are inside one allocation.
  bool holds(TilerunAddress address, uint64_t bytes) {
    TilerunPluginPointerInfo info = {};
    getPointerInfo(address, info);
    return info.num_bytes && bytes <= info.num_bytes - (address - info.base);
  }
  Outcome copy(Copy kind, uint64_t to, uint64_t from, uint64_t bytes, StreamHandle) {
    if ((kind != Copy::FromDevice && !holds(to, bytes)) ||
        (kind != Copy::ToDevice && !holds(from, bytes)))
      return refuse(TILERUN_STATUS_INVALID_ARGUMENT, "memcpy(to, from, bytes)");
    std::memcpy(toPointer(to), toPointer(from), bytes);
    return {};
  }
  Outcome copyFromPeer(TilerunAddress to, Device &peer, TilerunAddress from, uint64_t bytes,
                       StreamHandle stream) {
    return peer.holds(from, bytes)
               ? copy(Copy::ToDevice, to, from, bytes, stream)
               : refuse(TILERUN_STATUS_INVALID_ARGUMENT, "memcpy(to, from, bytes)");
  }
  Outcome fill(TilerunAddress to, uint32_t pattern, uint32_t patternBytes, uint64_t count,
               StreamHandle) {
    if (!holds(to, count * patternBytes))
      return refuse(TILERUN_STATUS_INVALID_ARGUMENT, "fill(to, pattern, count)");
    // The pattern's lowest bytes come first in it, as hosts are little-endian.
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(toPointer(to + i * patternBytes), &pattern, patternBytes);
    return {};
  }
  Outcome getPointerInfo(TilerunAddress address, TilerunPluginPointerInfo &info) {
    std::lock_guard lock(mutex);
    auto next = allocations.upper_bound(address);
    if (auto it = next == allocations.begin() ? next : std::prev(next);
        it != next && address - it->first < it->second)
      info.base = it->first, info.num_bytes = it->second;
    return {};
  }

  // -- Streams and events: work is done when a call returns.
  Outcome createStream(StreamHandle &) { return {}; }
  void destroyStream(StreamHandle) {}
  Outcome synchronizeStream(StreamHandle) { return synchronize(); }
  Outcome queryStream(StreamHandle) { return synchronize(); }
  Outcome waitEvent(StreamHandle, Event *) { return {}; }
  Outcome createEvent(Event *&event, bool timing) {
    event = new Event{timing, false, {}};
    return {};
  }
  void destroyEvent(Event *event) { delete event; }
  Outcome recordEvent(Event *event, StreamHandle) {
    std::lock_guard lock(mutex);
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return {};
  }
  Outcome synchronizeEvent(Event *) { return synchronize(); }
  Outcome queryEvent(Event *) { return synchronize(); }
  Outcome elapsedTime(float &milliseconds, Event *start, Event *end) {
    std::lock_guard lock(mutex);
    if (!start->timing || !end->timing || !start->recorded || !end->recorded)
      return refuse(TILERUN_STATUS_INVALID_ARGUMENT, "elapsedTime(start, end)");
    milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return {};
  }

  // -- Modules and launches. The bytes of an artifact are the name of a self-test kernel.
  static std::string checkCompatibility(const std::string &text) {
    return text == kCompatibility ? "" : std::string("this device takes '") + kCompatibility + "'";
  }
  Outcome loadModule(int64_t &module, const TilerunPluginArtifact &artifact, std::string &) {
    module = findSelfTest({reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes});
    return module < 0 ? refuse(TILERUN_STATUS_COMPILE, "loadModule(bytes)") : Outcome();
  }
  void unloadModule(int64_t) {}
  // A name is as final as it gets; a driver that compiles does so in `finalize`.
  static bool isFinal(const std::string &) { return false; }
  Outcome finalize(std::string &name, std::string &) {
    return findSelfTest(name) < 0 ? refuse(TILERUN_STATUS_COMPILE, "finalize(bytes)") : Outcome();
  }
  Outcome getFunction(int64_t &function, int64_t module, std::string_view name) {
    function = module;
    return name == kSelfTests[module].name ? Outcome()
                                           : refuse(TILERUN_STATUS_NOT_FOUND, "getFunction(name)");
  }
  Outcome getKernelNumber(uint32_t property, int64_t, uint64_t &number, bool &known) {
    known = property == TILERUN_KERNEL_PROPERTY_MAX_THREADS;
    number = kMaxThreads;
    return {};
  }
  Outcome launch(int64_t function, const LaunchCall &call, StreamHandle) {
    const TilerunPluginLaunch &launch = call.launch;
    bool fits = launch.threads - 1 < kMaxThreads;
    for (int axis = 0; axis < 3; ++axis)
      fits = fits && launch.grid[axis] - 1 < kMaxGrid[axis];
    if (!fits)
      return refuse(TILERUN_STATUS_INVALID_ARGUMENT, "launch(function, grid, threads)");
    if (!runSelfTest(static_cast<int>(function), launch))
      faulted = true;
    return {};
  }
};

} // namespace

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  static const TilerunPlugin table = [] {
    auto made = makeTable<Device>("1.0.0", "the template: one device in host memory");
    made.get_targets = [](void (*each)(void *, const char *), void *user,
                          const TilerunErrorSink *) -> TilerunStatus {
      each(user, "null:host");
      return TILERUN_STATUS_OK;
    };
    made.get_self_test = [](const char *name, const TilerunPluginArtifact **artifact,
                            const TilerunErrorSink *sink) {
      auto getCode = [](int kernel) { return std::pair(kSelfTests[kernel].name, kCompatibility); };
      return giveSelfTest("null", name, getCode, artifact, sink);
    };
    return made;
  }();
  return giveTable(host, table);
}

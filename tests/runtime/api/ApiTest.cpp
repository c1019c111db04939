// Runtime, plugins, devices, streams, memory through the public API.
#include "tests/runtime/api/ApiTest.h"

#include "runtime/plugin/ElfFile.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <thread>

using namespace tilerun;
using namespace tilerun::test;

const char *const test::kAddSource = R"(import triton
import triton.language as tl


@triton.jit
def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)
)";

Runtime test::makeRuntime() {
  setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
  return Runtime(TilerunRuntimeOptions{sizeof(TilerunRuntimeOptions), 0, nullptr, nullptr, "",
                                       nullptr, nullptr, 0, 0});
}

const FakeDriver &test::getFakeDriver() {
  static const FakeDriver driver = [] {
    (void)makeRuntime().open("cuda:0");
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
    EXPECT_TRUE(library);
    FakeDriver out = {};
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(out.fail, "fakeCudaFail");
    find(out.reset, "fakeCudaReset");
    find(out.countAlive, "fakeCudaCountAlive");
    find(out.countCalls, "fakeCudaCountCalls");
    find(out.pushContext, "cuCtxPushCurrent_v2");
    find(out.popContext, "cuCtxPopCurrent_v2");
    return out;
  }();
  return driver;
}

namespace {

TEST(Compilers, KeyTellsWhichPluginsThereAre) {
  std::string key = makeRuntime().compilerKey();
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, makeRuntime().compilerKey());
  Runtime other = makeRuntime();
  other.loadPlugin(NULL_PLUGIN);
  EXPECT_NE(key, other.compilerKey());
}

TEST(Library, ExportsItsOwnNamesOnly) {
  plugin::ElfSymbols symbols = plugin::readElfSymbols(LIBTILERUN);
  EXPECT_GE(symbols.exported.size(), 50u);
  for (const std::string &name : symbols.exported)
    EXPECT_TRUE(name.compare(0, 7, "tilerun") == 0 || name == "TILERUN_1") << name;
}

TEST(Library, VersionAndStatuses) {
  EXPECT_EQ(tilerunGetVersion(), TILERUN_API_MAJOR << 16 | TILERUN_API_MINOR);
  EXPECT_STREQ(tilerunGetStatusName(TILERUN_STATUS_OUT_OF_MEMORY), "out of memory");
  EXPECT_STREQ(tilerunGetStatusName(-5), "unknown status");
}

TEST(Errors, BelongToTheirThread) {
  EXPECT_EQ(tilerunCreateRuntime(nullptr, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(tilerunGetErrorMessage(), "tilerunCreateRuntime: runtime is null");
  std::thread([] {
    EXPECT_STREQ(tilerunGetErrorMessage(), "");
    EXPECT_EQ(tilerunGetError(nullptr), TILERUN_STATUS_OK);
    EXPECT_EQ(tilerunSynchronizeStream(nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  }).join();
  TilerunErrorInfo info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(tilerunGetError(&info), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(info.message, "tilerunCreateRuntime: runtime is null");
  EXPECT_STREQ(info.driver_word, "");
  // A struct that is smaller than any version's is left alone.
  info.message = nullptr;
  info.struct_size = offsetof(TilerunErrorInfo, message);
  EXPECT_EQ(tilerunGetError(&info), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(info.message, nullptr);
}

// Messages name the operation, not the plugin's entry.
TEST(Errors, AreNotAboutThePluginsTable) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu:0");
  Error error = getError([&] { device.number(12345); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_UNSUPPORTED);
  EXPECT_EQ(std::string(error.what()).rfind("get device property on cpu:0: ", 0), 0u)
      << error.what();
}

TEST(Errors, ReleasingNullDoesNothing) {
  tilerunDestroyRuntime(nullptr);
  tilerunCloseDevice(nullptr);
  tilerunDestroyStream(nullptr);
  tilerunDestroyEvent(nullptr);
  tilerunReleaseKernel(nullptr);
  tilerunReleaseSpecialization(nullptr);
  EXPECT_EQ(tilerunGetDefaultStream(nullptr), nullptr);
  EXPECT_EQ(tilerunGetNumParameters(nullptr), 0u);
}

TEST(Plugins, AreListedWithReasons) {
  std::string bad = testing::TempDir() + "/libtilerun-bad.so";
  std::ofstream(bad) << "this is not a shared object";
  setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
  const char *files[] = {bad.c_str()};
  Runtime runtime(TilerunRuntimeOptions{sizeof(TilerunRuntimeOptions), 1, files, "", "", nullptr,
                                        nullptr, 0, 0});
  std::vector<PluginDescription> plugins = runtime.plugins();
  ASSERT_GE(plugins.size(), 3u);
  EXPECT_EQ(plugins[0].path, bad);
  EXPECT_FALSE(plugins[0].loaded);
  EXPECT_NE(plugins[0].reason, "");
  bool cpu = false, cuda = false;
  for (const PluginDescription &plugin : plugins) {
    cpu |= plugin.name == "cpu" && plugin.loaded && plugin.version != "";
    cuda |= plugin.name == "cuda" && plugin.loaded && plugin.reason == "";
  }
  EXPECT_TRUE(cpu);
  EXPECT_TRUE(cuda);
  Error error = getError([&] { runtime.open("abacus:0"); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_UNAVAILABLE);
  EXPECT_CONTAINS(error.what(), "no device 'abacus:0'; available: ");
  EXPECT_CONTAINS(error.what(), bad + " was skipped: ");
  // Explicitly loaded ones join.
  runtime.loadPlugin(NULL_PLUGIN);
  EXPECT_EQ(runtime.open("null:0").id(), "null:0");
  EXPECT_CONTAINS(getError([&] { runtime.loadPlugin(NULL_PLUGIN); }).what(), "is loaded already");
  Error incompatible = getError([&] { runtime.loadPlugin(bad); });
  EXPECT_EQ(incompatible.status(), TILERUN_STATUS_INCOMPATIBLE);
}

TEST(Devices, AreFoundByIdUuidAndKind) {
  Runtime runtime = makeRuntime();
  std::vector<DeviceDescription> devices = runtime.devices();
  auto find = [&](const std::string &id) {
    for (const DeviceDescription &device : devices)
      if (device.id == id)
        return device;
    ADD_FAILURE() << "no " << id;
    return DeviceDescription();
  };
  EXPECT_EQ(runtime.open(find("cuda:1").uuid).id(), "cuda:1");
  EXPECT_EQ(runtime.open("cuda").id(), "cuda:0");
  EXPECT_EQ(runtime.open("cpu").id(), "cpu:0");
  EXPECT_EQ(runtime.open().id(), "cuda:0");
  EXPECT_EQ(runtime.open("cuda:0").target(), "cuda:sm_90a");
  EXPECT_CONTAINS(getError([&] { runtime.open("cuda:7"); }).what(), "no device 'cuda:7'");
}

TEST(Devices, SayWhetherTheHostRunsThem) {
  Runtime runtime = makeRuntime();
  EXPECT_EQ(runtime.open("cpu").number(TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST), 1u);
  Device gpu = runtime.open("cuda");
  EXPECT_EQ(getError([&] { (void)gpu.number(TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST); }).status(),
            TILERUN_STATUS_UNSUPPORTED);
}

TEST(Devices, AFallbackIsTheDefaultOnlyWithoutOthers) {
  (void)makeRuntime(); // Chooses the fake driver.
  const char *null = NULL_PLUGIN;
  const TilerunRuntimeOptions options = {sizeof(options), 1,       &null, nullptr, "",
                                         nullptr,         nullptr, 0,     0};
  Runtime runtime(options);
  EXPECT_EQ(runtime.devices().front().id, "null:0");
  EXPECT_EQ(runtime.open("null").number(TILERUN_DEVICE_PROPERTY_FALLBACK), 1u);
  EXPECT_EQ(runtime.open("cpu").number(TILERUN_DEVICE_PROPERTY_FALLBACK), 1u);
  EXPECT_EQ(runtime.open().id(), "cuda:0");
  // A fallback that refuses the options is passed over, and others are not.
  TilerunDeviceOptions opening = {sizeof(opening), TILERUN_DEVICE_HOST_MEMORY, 0};
  EXPECT_CONTAINS(getError([&] { runtime.open("", opening); }).what(),
                  "cuda:0 cannot use the host's memory");
}

TEST(Devices, HaveProperties) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cuda:0");
  EXPECT_EQ(device.name(), "Fake GPU");
  EXPECT_CONTAINS(device.text(TILERUN_DEVICE_PROPERTY_UUID), "cuda:GPU-a0a0");
  EXPECT_EQ(device.text(TILERUN_DEVICE_PROPERTY_ARCH), "sm_90a");
  EXPECT_EQ(device.number(TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL), uint64_t(2) << 30);
  EXPECT_EQ(device.number(TILERUN_DEVICE_PROPERTY_WARP_SIZE), 32u);
  EXPECT_EQ(device.number(TILERUN_DEVICE_PROPERTY_MAX_SHARED), 227u << 10);
  EXPECT_EQ(device.number(TILERUN_DEVICE_PROPERTY_MAX_GRID_Y), 65535u);
  EXPECT_EQ(getError([&] { device.number(9999); }).status(), TILERUN_STATUS_UNSUPPORTED);
  EXPECT_FALSE(device.isLost());
}

TEST(Devices, AdoptAForeignContext) {
  Runtime runtime = makeRuntime();
  Device owner = runtime.open("cuda:1");
  TilerunDeviceOptions options = {sizeof(options), 0, owner.nativeContext()};
  Device guest = runtime.open("cuda:1", options);
  EXPECT_EQ(guest.nativeContext(), owner.nativeContext());
  // Each one's memory is foreign to the other, and the driver knows it.
  Stream stream = guest.stream();
  Buffer<int32_t> theirs(owner.stream(), 100);
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  check(tilerunGetPointerInfo(guest.get(), theirs.pointer().address, &info));
  EXPECT_TRUE(info.accessible);
  EXPECT_EQ(runtime.open("cpu").get() != nullptr, true);
  EXPECT_EQ(getError([&] { runtime.open("cpu", options); }).status(), TILERUN_STATUS_UNSUPPORTED);
}

TEST(Streams, EventsMeasureAndOrder) {
  Runtime runtime = makeRuntime();
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream first = device.createStream(), second = device.createStream();
    Event start = device.createEvent(), end = device.createEvent(),
          plain = device.createEvent(false);
    start.record(first);
    Buffer<float> buffer(first, 1000);
    buffer.fillZero();
    end.record(first);
    second.wait(end);
    second.synchronize();
    EXPECT_TRUE(end.isDone());
    EXPECT_GE(start.millisecondsTo(end), 0.0);
    plain.record(first);
    EXPECT_EQ(getError([&] { start.millisecondsTo(plain); }).status(),
              TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_TRUE(first.isDone());
    Device other = runtime.open(id);
    EXPECT_CONTAINS(getError([&] { start.record(other.stream()); }).what(), "was opened apart");
  }
  Device cpu = runtime.open("cpu"), cuda = runtime.open("cuda");
  Event event = cpu.createEvent();
  EXPECT_CONTAINS(getError([&] { cuda.stream().wait(event); }).what(), "different plugins");
}

TEST(Streams, AdoptForeignOnes) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cuda:0");
  Stream own = device.createStream();
  uint64_t native = own.native();
  EXPECT_NE(native, 0u);
  Stream adopted = device.adoptStream(native);
  EXPECT_EQ(adopted.native(), native);
  Buffer<int32_t> buffer(adopted, std::vector<int32_t>{1, 2, 3});
  EXPECT_EQ(buffer.read(), (std::vector<int32_t>{1, 2, 3}));
  Stream legacy = device.adoptStream(0); // The driver's own.
  legacy.synchronize();
}

TEST(Streams, OutliveTheDeviceHandle) {
  Runtime runtime = makeRuntime();
  int before = getFakeDriver().countAlive();
  {
    Stream stream;
    Event event;
    {
      Device device = runtime.open("cuda:0");
      stream = device.createStream();
      event = device.createEvent();
    }
    Buffer<int32_t> buffer(stream, std::vector<int32_t>{5});
    event.record(stream);
    EXPECT_EQ(buffer.read(), std::vector<int32_t>{5});
    EXPECT_GT(getFakeDriver().countAlive(), before);
  }
  EXPECT_EQ(getFakeDriver().countAlive(), before);
}

TEST(Memory, CopiesInAllDirections) {
  Runtime runtime = makeRuntime();
  std::vector<Device> devices;
  for (const char *id : {"cpu:0", "cuda:0", "cuda:1"})
    devices.push_back(runtime.open(id));
  std::vector<int32_t> values(100000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>(i * 7);
  for (const Device &from : devices)
    for (const Device &to : devices) {
      SCOPED_TRACE(from.id() + " to " + to.id());
      Stream source = from.createStream(), target = to.createStream();
      Buffer<int32_t> a(source, values), b(target, values.size());
      b.fillZero();
      int peers = getFakeDriver().countCalls("cuMemcpyPeerAsync");
      b.copyFrom(a);
      EXPECT_EQ(b.read(), values);
      bool direct = from.id() != to.id() && from.id() != "cpu:0" && to.id() != "cpu:0";
      EXPECT_EQ(getFakeDriver().countCalls("cuMemcpyPeerAsync") - peers, direct ? 1 : 0);
    }
  Buffer<int32_t> small(devices[0].stream(), 3);
  EXPECT_CONTAINS(getError([&] { small.copyFrom(values); }).what(),
                  "100000 elements from or to a buffer of 3");
}

TEST(Memory, LargeStagedCopiesGoInParts) {
  Runtime runtime = makeRuntime();
  Device cpu = runtime.open("cpu"), cuda = runtime.open("cuda");
  Stream source = cpu.createStream(), target = cuda.createStream();
  std::vector<uint32_t> values(10 << 20); // 40 MiB: three parts.
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint32_t>(i * 2654435761u);
  Buffer<uint32_t> a(source, values), b(target, values.size());
  b.copyFrom(a);
  EXPECT_TRUE(b.read() == values);
}

TEST(Memory, PinnedMemoryAndFills) {
  Runtime runtime = makeRuntime();
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream stream = device.createStream();
    void *pinned = nullptr;
    check(tilerunAllocateHost(device.get(), 4000, &pinned));
    Buffer<uint16_t> buffer(stream, 2000);
    check(tilerunFill(stream.get(), buffer.pointer().address, 0x1234, 2, 4000));
    check(tilerunCopyFromDevice(stream.get(), pinned, buffer.pointer().address, 4000));
    stream.synchronize();
    for (int i = 0; i < 2000; ++i)
      ASSERT_EQ(static_cast<uint16_t *>(pinned)[i], 0x1234);
    EXPECT_EQ(tilerunFill(stream.get(), buffer.pointer().address, 0, 3, 6),
              TILERUN_STATUS_INVALID_ARGUMENT);
    check(tilerunFreeHost(device.get(), pinned));
    EXPECT_EQ(tilerunFreeHost(device.get(), pinned), TILERUN_STATUS_INVALID_ARGUMENT);
    check(tilerunFreeHost(device.get(), nullptr));
  }
}

TEST(Memory, ThePoolIsSeenInItsStatistics) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cuda:0");
  Stream stream = device.createStream();
  for (int i = 0; i < 10; ++i)
    Buffer<float> buffer(stream, 1000);
  TilerunMemoryStatistics s = device.memory();
  EXPECT_EQ(s.num_allocations, 10u);
  EXPECT_EQ(s.num_reused, 9u);
  EXPECT_EQ(s.num_driver_allocations, 1u);
  EXPECT_EQ(s.bytes_allocated, 0u);
  EXPECT_EQ(s.peak_allocated, 4000u);
  EXPECT_EQ(s.bytes_held, uint64_t(2) << 20);
  device.trimMemory();
  EXPECT_EQ(device.memory().bytes_held, 0u);
  Buffer<float> live(stream, 10);
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  check(tilerunGetPointerInfo(device.get(), live.pointer().address + 8, &info));
  EXPECT_EQ(info.base, live.pointer().address);
  EXPECT_EQ(info.num_bytes, 40u);
  // Without the pool.
  TilerunDeviceOptions options = {sizeof(options), TILERUN_DEVICE_NO_MEMORY_POOL, 0};
  Device plain = runtime.open("cuda:0", options);
  for (int i = 0; i < 10; ++i)
    Buffer<float> buffer(plain.stream(), 1000);
  EXPECT_EQ(plain.memory().num_driver_allocations, 10u);
  EXPECT_EQ(plain.memory().bytes_held, 0u);
}

TEST(Memory, OutOfMemoryLeavesAUsableDevice) {
  Runtime runtime = makeRuntime();
  const FakeDriver &driver = getFakeDriver();
  Device device = runtime.open("cuda:0");
  Stream stream = device.createStream();
  constexpr int kOutOfMemory = 2;
  {
    Buffer<char> big(stream, size_t(1) << 30); // Of two.
    Buffer<char> rest(stream, size_t(900) << 20);
    Error error = getError([&] { Buffer<char> more(stream, size_t(300) << 20); });
    EXPECT_EQ(error.status(), TILERUN_STATUS_OUT_OF_MEMORY);
    EXPECT_CONTAINS(error.what(), "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_CONTAINS(error.what(), "are allocated through it");
  }
  // Freed memory of other sizes is given back for a request that needs all of it.
  Buffer<char> all(stream, size_t(1900) << 20);
  EXPECT_GE(device.memory().num_out_of_memory, 1u);
  all = {};
  device.trimMemory();
  driver.fail("cuMemAllocAsync", kOutOfMemory, 0, 1);
  Buffer<int32_t> mended(stream, std::vector<int32_t>{1, 2});
  EXPECT_EQ(mended.read(), (std::vector<int32_t>{1, 2}));
  driver.reset();
}

} // namespace

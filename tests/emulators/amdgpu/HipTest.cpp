// libtilerun-amdsim as a program sees it: opened at run time, every function by its name.
#include "emulators/amdgpu/hip/Api.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <set>
#include <unistd.h>

namespace tilerun::amdsim::tests {
namespace {

using namespace tilerun::amdsim::hip;

struct Library {
#define AMDSIM_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  AMDSIM_HIP_FUNCTIONS(AMDSIM_MEMBER)
#undef AMDSIM_MEMBER
  Library() {
    void *library = dlopen(AMDSIM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
#define AMDSIM_LOAD(function, result, parameters)                                                  \
  function = reinterpret_cast<decltype(function)>(dlsym(library, #function));                      \
  EXPECT_NE(function, nullptr) << #function;
    AMDSIM_HIP_FUNCTIONS(AMDSIM_LOAD)
#undef AMDSIM_LOAD
  }
};

// Two devices of different generations.
const Library &lib() {
  static const Library *const it = [] {
    setenv("TILERUN_AMDSIM", "gfx942,gfx1100", 0);
    return new Library;
  }();
  return *it;
}

#define OK(call) ASSERT_EQ(lib().call, success)

// out[t] = in[t] + 1 for each thread of a workgroup.
std::string addOne(bool isGfx9) {
  std::string loadPair = isGfx9 ? "s_load_dwordx4" : "s_load_b128";
  std::string load = isGfx9 ? "global_load_dword" : "global_load_b32";
  std::string store = isGfx9 ? "global_store_dword" : "global_store_b32";
  return loadPair + " s[4:7], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v0\n" +
         "s_waitcnt lgkmcnt(0)\n" + load + " v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n" +
         (isGfx9 ? "v_add_u32" : "v_add_nc_u32") + " v2, 1, v2\n" + store + " v1, v2, s[6:7]";
}
// The same after many turns of a loop, so that work after it can overtake it if it is let.
std::string addOneLate() {
  return "s_movk_i32 s20, 0x4000\nagain:\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n"
         "s_cbranch_scc1 again\n" +
         addOne(true);
}

struct Arguments {
  void *in, *out;
};

hipFunction_t loadKernel(int device, const std::string &body, unsigned ldsBytes = 0) {
  const char *cpu = device == 0 ? "gfx942" : "gfx1100";
  std::vector<char> object = assemble(cpu, {{.name = "k", .body = body, .ldsBytes = ldsBytes}});
  EXPECT_EQ(lib().hipSetDevice(device), success);
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  EXPECT_EQ(lib().hipModuleLoadData(&module, object.data()), success);
  EXPECT_EQ(lib().hipModuleGetFunction(&function, module, "k"), success);
  return function;
}

int launch(hipFunction_t function, Arguments arguments, hipStream_t stream, unsigned threads = 64,
           unsigned sharedBytes = 0) {
  void *parameters[] = {&arguments};
  return lib().hipModuleLaunchKernel(function, 1, 1, 1, threads, 1, 1, sharedBytes, stream,
                                     parameters, nullptr);
}

template <class T> T *allocateDevice(size_t count) {
  void *pointer = nullptr;
  EXPECT_EQ(lib().hipMalloc(&pointer, count * sizeof(T)), success);
  return static_cast<T *>(pointer);
}
template <class T> T *allocatePinned(size_t count) {
  void *pointer = nullptr;
  EXPECT_EQ(lib().hipHostMalloc(&pointer, count * sizeof(T), 1), success);
  return static_cast<T *>(pointer);
}
hipStream_t makeStream(unsigned flags = streamNonBlocking) {
  hipStream_t stream = nullptr;
  EXPECT_EQ(lib().hipStreamCreateWithFlags(&stream, flags), success);
  return stream;
}
hipEvent_t makeEvent(unsigned flags = 0) {
  hipEvent_t event = nullptr;
  EXPECT_EQ(lib().hipEventCreateWithFlags(&event, flags), success);
  return event;
}

TEST(AmdsimHip, Devices) {
  OK(hipInit(0));
  int count = 0, value = 0;
  OK(hipGetDeviceCount(&count));
  ASSERT_EQ(count, 2);
  hipProperties properties;
  OK(hipGetDevicePropertiesR0600(&properties, 0));
  EXPECT_STREQ(properties.gcnArchName, "gfx942:sramecc+:xnack-");
  OK(hipGetDevicePropertiesR0600(&properties, 1));
  EXPECT_STREQ(properties.gcnArchName, "gfx1100");
  EXPECT_STREQ(properties.name, "emulated gfx1100");
  OK(hipDeviceGetAttribute(&value, lanesOfWave, 0));
  EXPECT_EQ(value, 64);
  OK(hipDeviceGetAttribute(&value, lanesOfWave, 1));
  EXPECT_EQ(value, 32);
  OK(hipDeviceGetAttribute(&value, sharedBytesPerBlock, 0));
  EXPECT_EQ(value, 65536);
  hipUUID first, second;
  OK(hipDeviceGetUuid(&first, 0));
  OK(hipDeviceGetUuid(&second, 1));
  EXPECT_NE(std::string(first.bytes, 16), std::string(second.bytes, 16));
  EXPECT_EQ(lib().hipDeviceGetAttribute(&value, 12345, 0), invalidValue);
  EXPECT_EQ(lib().hipSetDevice(2), invalidDevice);
  EXPECT_STREQ(lib().hipGetErrorName(invalidDevice), "hipErrorInvalidDevice");
}

TEST(AmdsimHip, LaunchesOnBothDevices) {
  for (int device : {0, 1}) {
    hipFunction_t function = loadKernel(device, addOne(device == 0));
    uint32_t in[64], out[64] = {};
    for (uint32_t t = 0; t < 64; ++t)
      in[t] = 100 * t;
    auto *x = allocateDevice<uint32_t>(64), *y = allocateDevice<uint32_t>(64);
    hipStream_t stream = makeStream();
    OK(hipMemcpyHtoDAsync(x, in, sizeof in, stream));
    in[5] = 0; // pageable memory was read already
    ASSERT_EQ(launch(function, {x, y}, stream), success);
    // The result once more as arguments in one block.
    Arguments block = {y, y};
    size_t size = sizeof block;
    void *extra[] = {reinterpret_cast<void *>(1), &block, reinterpret_cast<void *>(2), &size,
                     reinterpret_cast<void *>(3)};
    OK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, nullptr, extra));
    OK(hipMemcpyDtoHAsync(out, y, sizeof out, stream));
    for (uint32_t t = 0; t < 64; ++t)
      ASSERT_EQ(out[t], 100 * t + 2) << "device " << device;
    OK(hipFree(x));
    OK(hipFreeAsync(y, stream));
    OK(hipStreamDestroy(stream));
  }
}

TEST(AmdsimHip, StreamsAreOrderedByEvents) {
  hipFunction_t late = loadKernel(0, addOneLate());
  auto *x = allocateDevice<uint32_t>(64), *y = allocateDevice<uint32_t>(64);
  auto *host = allocatePinned<uint32_t>(64);
  std::fill_n(host, 64, 7u);
  hipStream_t first = makeStream(), second = makeStream();
  hipEvent_t begin = makeEvent(), end = makeEvent(), untimed = makeEvent(eventDisableTiming);
  EXPECT_EQ(lib().hipEventQuery(end), success) << "never recorded";
  OK(hipEventRecord(begin, first));
  OK(hipMemcpyHtoDAsync(x, host, 256, first));
  ASSERT_EQ(launch(late, {x, y}, first), success);
  OK(hipEventRecord(end, first));
  OK(hipStreamWaitEvent(second, end, 0));
  OK(hipMemcpyDtoHAsync(host, y, 256, second)); // pinned: returns at once
  OK(hipStreamSynchronize(second));
  EXPECT_EQ(host[63], 8u);
  EXPECT_EQ(lib().hipStreamQuery(first), success);
  float milliseconds = -1;
  OK(hipEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(lib().hipEventElapsedTime(&milliseconds, begin, untimed), invalidHandle);
  OK(hipEventSynchronize(untimed));
  OK(hipEventDestroy(untimed));
  EXPECT_EQ(lib().hipEventDestroy(untimed), invalidHandle);
  OK(hipHostFree(host));
}

TEST(AmdsimHip, TheNullStreamWaitsForBlockingStreams) {
  hipFunction_t late = loadKernel(0, addOneLate());
  auto *x = allocateDevice<uint32_t>(64), *y = allocateDevice<uint32_t>(64);
  hipStream_t blocking = makeStream(0);
  uint32_t out[64] = {};
  OK(hipMemsetD32Async(x, 41, 64, blocking));
  ASSERT_EQ(launch(late, {x, y}, blocking), success);
  OK(hipMemcpyDtoHAsync(out, y, sizeof out, nullptr));
  EXPECT_EQ(out[0], 42u);
  // And their later work for it.
  ASSERT_EQ(launch(late, {y, y}, nullptr), success);
  OK(hipMemcpyDtoHAsync(out, y, sizeof out, blocking));
  EXPECT_EQ(out[63], 43u);
  OK(hipStreamDestroy(blocking));
  EXPECT_EQ(lib().hipStreamSynchronize(blocking), invalidHandle);
}

TEST(AmdsimHip, MemoryIsCheckedAndCounted) {
  OK(hipSetDevice(0));
  size_t before = 0, after = 0, total = 0;
  OK(hipMemGetInfo(&before, &total));
  auto *x = allocateDevice<char>(1000);
  OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(before - after, 1000u);
  char host[1001] = {};
  hipStream_t stream = makeStream();
  EXPECT_EQ(lib().hipMemcpyHtoDAsync(x, host, 1001, stream), invalidValue);
  EXPECT_EQ(lib().hipMemcpyDtoHAsync(host, host, 10, stream), invalidValue);
  EXPECT_EQ(lib().hipMemsetD8Async(x + 1, 0, 1000, stream), invalidValue);
  EXPECT_EQ(lib().hipMemsetD32Async(x + 1, 0, 1, stream), invalidValue) << "misaligned";
  EXPECT_EQ(lib().hipFree(x + 1), invalidValue);
  void *huge = nullptr;
  EXPECT_EQ(lib().hipMalloc(&huge, total + 1), outOfMemory);
  unsigned type = 9;
  int ordinal = 9;
  uint64_t base = 0;
  size_t bytes = 0;
  int attributes[] = {pointerMemoryType, pointerDeviceOrdinal, pointerRangeStart, pointerRangeSize};
  void *data[] = {&type, &ordinal, &base, &bytes};
  OK(hipDrvPointerGetAttributes(4, attributes, data, x + 3));
  EXPECT_EQ(type, unsigned(deviceMemory));
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(base, reinterpret_cast<uint64_t>(x));
  EXPECT_EQ(bytes, 1000u);
  OK(hipDrvPointerGetAttributes(4, attributes, data, host));
  EXPECT_EQ(type, unsigned(unregisteredMemory));
  EXPECT_EQ(base, 0u);
  OK(hipFree(x));
  EXPECT_EQ(lib().hipFree(x), invalidValue);
  OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
}

TEST(AmdsimHip, CopiesBetweenDevices) {
  OK(hipSetDevice(0));
  auto *x = allocateDevice<uint32_t>(4);
  OK(hipSetDevice(1));
  auto *y = allocateDevice<uint32_t>(4);
  hipStream_t stream = makeStream();
  uint32_t in[4] = {1, 2, 3, 4}, out[4] = {};
  OK(hipMemcpyHtoDAsync(y, in, 16, stream));
  OK(hipMemcpyPeerAsync(x, 0, y, 1, 16, stream));
  EXPECT_EQ(lib().hipMemcpyPeerAsync(x, 1, y, 1, 16, stream), invalidValue) << "x is on device 0";
  OK(hipStreamSynchronize(stream));
  OK(hipSetDevice(0));
  OK(hipMemcpyDtoHAsync(out, x, 16, makeStream()));
  EXPECT_EQ(out[3], 4u);
}

TEST(AmdsimHip, ModulesAreChecked) {
  OK(hipSetDevice(1));
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  std::vector<char> object = assemble("gfx942", {{.name = "k", .body = addOne(true)}});
  EXPECT_EQ(lib().hipModuleLoadData(&module, object.data()), noBinaryForGpu);
  char garbage[64] = "not a code object";
  EXPECT_EQ(lib().hipModuleLoadData(&module, garbage), invalidImage);
  OK(hipSetDevice(0));
  OK(hipModuleLoadData(&module, object.data()));
  EXPECT_EQ(lib().hipModuleGetFunction(&function, module, "other"), notFound);
  OK(hipModuleGetFunction(&function, module, "k"));
  int threads = 0;
  OK(hipFuncGetAttribute(&threads, functionMostThreads, function));
  EXPECT_EQ(threads, 1024);
  hipStream_t stream = makeStream();
  EXPECT_EQ(launch(function, {nullptr, nullptr}, stream, 2048), invalidConfiguration);
  EXPECT_EQ(launch(function, {nullptr, nullptr}, stream, 64, 65537), invalidConfiguration);
  EXPECT_EQ(
      lib().hipModuleLaunchKernel(function, 1, 65537, 1, 64, 1, 1, 0, stream, nullptr, nullptr),
      invalidConfiguration);
  OK(hipModuleUnload(module));
  EXPECT_EQ(launch(function, {nullptr, nullptr}, stream), invalidHandle);
  EXPECT_EQ(lib().hipModuleUnload(module), invalidHandle);
}

TEST(AmdsimHip, DynamicSharedMemory) {
  hipFunction_t function =
      loadKernel(0, "v_lshlrev_b32 v1, 2, v0\nv_add_u32 v1, 128, v1\nds_write_b32 v1, v1", 128);
  hipStream_t stream = makeStream();
  ASSERT_EQ(launch(function, {nullptr, nullptr}, stream, 64, 256), success);
  OK(hipStreamSynchronize(stream));
}

TEST(AmdsimHip, AFaultSticksToItsDevice) {
  hipFunction_t function = loadKernel(0, addOne(true));
  auto *x = allocateDevice<uint32_t>(32);
  hipStream_t stream = makeStream();
  ASSERT_EQ(launch(function, {x, x}, stream), success) << "a launch only begins";
  EXPECT_EQ(lib().hipStreamSynchronize(stream), illegalAddress);
  EXPECT_NE(std::string(lib().hipGetErrorString(illegalAddress)).find("lane 32"), std::string::npos)
      << lib().hipGetErrorString(illegalAddress);
  void *pointer = nullptr;
  EXPECT_EQ(lib().hipMalloc(&pointer, 4), illegalAddress);
  EXPECT_EQ(launch(function, {x, x}, stream), illegalAddress);
  OK(hipSetDevice(1));
  OK(hipMalloc(&pointer, 4));
  OK(hipSetDevice(0));
  OK(hipFree(x));
  OK(hipDeviceReset());
  OK(hipMalloc(&pointer, 4));
}

const std::string undefined = "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\n"
                              "s_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v9, s[6:7]";

TEST(AmdsimHip, FindingsThatHardwareWouldNotReportAreErrors) {
  hipFunction_t function = loadKernel(0, undefined);
  auto *x = allocateDevice<uint32_t>(64);
  hipStream_t stream = makeStream();
  ASSERT_EQ(launch(function, {x, x}, stream), success);
  EXPECT_EQ(lib().hipStreamSynchronize(stream), launchFailure);
  EXPECT_NE(std::string(lib().hipGetErrorString(launchFailure)).find("undefined value"),
            std::string::npos);
  OK(hipDeviceReset());
}

// The environment is read once: each of these is a process of its own.
class AmdsimHipSettings : public testing::Test {
protected:
  AmdsimHipSettings() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(AmdsimHipSettings, UnknownArchitecture) {
  auto start = [] {
    setenv("TILERUN_AMDSIM", "gfx942,gfx906", 1);
    int count = 1;
    bool isRight = lib().hipInit(0) == noDevice && lib().hipGetDeviceCount(&count) == noDevice;
    std::exit(isRight && count == 0 ? 0 : 1);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0),
              "tilerun-amdsim: TILERUN_AMDSIM: 'gfx906' is not emulated; emulated are gfx90a, ");
}

TEST_F(AmdsimHipSettings, NumbersAreChecked) {
  auto start = [] {
    setenv("TILERUN_AMDSIM_SEED", "many", 1);
    std::exit(lib().hipInit(0) == noDevice ? 0 : 1);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "TILERUN_AMDSIM_SEED='many' is not a number");
}

TEST_F(AmdsimHipSettings, FindingsMayBePrintedOnly) {
  auto start = [] {
    setenv("TILERUN_AMDSIM_FINDINGS", "print", 1);
    // More findings than a launch survives otherwise, and a good store after them.
    std::string body = undefined;
    for (unsigned n = 0; n < 40; ++n)
      body += "\nglobal_store_dword v1, v9, s[6:7]";
    hipFunction_t function = loadKernel(0, body + "\nglobal_store_dword v1, v0, s[6:7]");
    auto *x = allocateDevice<uint32_t>(64);
    uint32_t out[64] = {};
    int error = launch(function, {x, x}, nullptr) + lib().hipDeviceSynchronize() +
                lib().hipMemcpyDtoHAsync(out, x, sizeof out, nullptr);
    std::exit(error ? error : out[63] == 63 ? 0 : 1);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "undefined value: a value that is stored");
}

TEST_F(AmdsimHipSettings, CountersAreWritten) {
  std::string path = testing::TempDir() + "amdsim-counters-" + std::to_string(getpid());
  auto start = [&] {
    setenv("TILERUN_AMDSIM_COUNTERS", path.c_str(), 1);
    hipFunction_t function = loadKernel(0, addOne(true));
    auto *x = allocateDevice<uint32_t>(64);
    lib().hipMemsetD32Async(x, 1, 64, nullptr);
    std::exit(launch(function, {x, x}, nullptr) + lib().hipDeviceSynchronize());
  };
  // The child's path is its own: it is told.
  if (const char *given = std::getenv("AMDSIM_TEST_COUNTERS"))
    path = given;
  else
    setenv("AMDSIM_TEST_COUNTERS", path.c_str(), 1);
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "");
  std::string line;
  std::getline(std::ifstream(path), line);
  // docs/amd-emulator.md promises this form.
  const char *none = R"({"accesses":0,"bytes":0,"transactions":0,"fewest_transactions":0})";
  const char *one = R"({"accesses":1,"bytes":256,"transactions":2,"fewest_transactions":2})";
  const char *noLds = R"({"accesses":0,"bytes":0,"phases":0,"bank_conflicts":0})";
  std::string expected =
      R"({"version":1,"kernel":"k","architecture":"gfx942","grid":[1,1,1],"threads":64,"lanes":64,)"
      R"("waves":1,"findings":0,"instructions":{"total":9,"salu":0,"valu":3,"transcendental":0,)"
      R"("matrix":0,"scalar_load":1,"vector_load":1,"vector_store":1,"vector_atomic":0,)"
      R"("private_memory":0,"lds":0,"lds_atomic":0,"branch":0,"wait":2,"barrier":0,"other":1},)"
      R"("matrix_flops":0,"global":{"transaction_bytes":128,"load":)" +
      std::string(one) + R"(,"store":)" + one + R"(,"atomic":)" + none + R"(},"lds":{"load":)" +
      noLds + R"(,"store":)" + noLds + R"(,"atomic":)" + noLds + R"(},"opcodes":{)";
  EXPECT_EQ(line.substr(0, expected.size()), expected);
  EXPECT_NE(line.find(R"("global_load_dword":1)"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("}}")) << line;
  unsetenv("AMDSIM_TEST_COUNTERS");
  std::remove(path.c_str());
}

// Each instruction that a process meets is a line, once for each architecture.
TEST_F(AmdsimHipSettings, CoverageIsAppended) {
  std::string path = testing::TempDir() + "amdsim-coverage-" + std::to_string(getpid());
  auto start = [&] {
    setenv("TILERUN_AMDSIM_COVERAGE", path.c_str(), 1);
    for (int device : {0, 1, 0}) {
      hipFunction_t function = loadKernel(device, addOne(device == 0));
      auto *x = allocateDevice<uint32_t>(64);
      lib().hipMemsetD32Async(x, 1, 64, nullptr);
      if (int error = launch(function, {x, x}, nullptr) + lib().hipDeviceSynchronize())
        std::exit(error);
    }
    std::_Exit(0); // nothing is left for the end of the process
  };
  if (const char *given = std::getenv("AMDSIM_TEST_COVERAGE")) // as above
    path = given;
  else
    setenv("AMDSIM_TEST_COVERAGE", path.c_str(), 1);
  std::ofstream(path) << "gfx950 s_endpgm\n"; // of another process
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "");
  std::ifstream file(path);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.insert(line);
  std::multiset<std::string> expected = {"gfx950 s_endpgm"};
  for (std::string arch : {"gfx942 ", "gfx1100 "})
    for (const char *name : {"s_load_dwordx4", "v_and_b32", "v_lshlrev_b32", "s_waitcnt",
                             "global_load_dword", "v_add_u32", "global_store_dword", "s_endpgm"})
      expected.insert(arch + name);
  EXPECT_EQ(lines, expected);
  unsetenv("AMDSIM_TEST_COVERAGE");
  std::remove(path.c_str());
}

} // namespace
} // namespace tilerun::amdsim::tests

// Launches over the fake driver: those that overlap, too much shared memory, what a launch costs.
#include "runtime/plugin/LaunchPlan.h"
#include "tests/plugins/cuda/CudaTest.h"

#include <cstring>
#include <dlfcn.h>
#include <map>

using namespace tilerun::plugin;
using namespace cuda_test;
using stream_driver_test::countAllocations;

namespace {

TEST_F(CudaLaunch, GridsOverlapWhereTheyMay) {
  open("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  int plain = countCalls("cuLaunchKernel"), extended = countCalls("cuLaunchKernelEx");
  EXPECT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("cuLaunchKernel"), plain + 1);
  EXPECT_EQ(countCalls("overlap"), 0);
  EXPECT_EQ(launchDelay(kernel, nullptr, address, 0, TILERUN_LAUNCH_OVERLAP), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("cuLaunchKernel"), plain + 1);
  EXPECT_EQ(countCalls("cuLaunchKernelEx"), extended + 1);
  EXPECT_EQ(countCalls("overlap"), 1);
  // A failure is reported as that of any other launch.
  fail("cuLaunchKernelEx", cuda::kLaunchOutOfResources, 0, 1);
  TilerunStatus status = launchDelay(kernel, nullptr, address, 0, TILERUN_LAUNCH_OVERLAP);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("cuLaunchKernelEx(config, function, …) on cuda:0"), std::string::npos)
      << message;
  // A struct from before 1.2 ends before the flags.
  struct {
    uint64_t out;
    int64_t ns;
  } arguments = {address, 0};
  TilerunPluginLaunch old = {offsetof(TilerunPluginLaunch, flags),
                             {1, 1, 1},
                             1,
                             0,
                             &arguments,
                             sizeof(arguments),
                             TILERUN_LAUNCH_OVERLAP,
                             0,
                             nullptr,
                             nullptr,
                             {},
                             0};
  EXPECT_EQ(table().launch(kernel, nullptr, &old, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("overlap"), 1);
  table().free(device, nullptr, address, nullptr);
  close();
}

TEST_F(CudaLaunch, TooMuchSharedMemorySaysByHowMuch) {
  open("tilerun_test_delay", 100 << 10);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  int attributes = countCalls("cuFuncSetAttribute");
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  EXPECT_EQ(countCalls("cuFuncSetAttribute"), attributes + 1);
  EXPECT_EQ(launchDelay(kernel, nullptr, address, 100 << 10), TILERUN_STATUS_OK);
  TilerunStatus status = launchDelay(kernel, nullptr, address, (100 << 10) + 7);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("'tilerun_test_delay' needs 102407 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("102400 are possible: 7 too many"), std::string::npos) << message;
  // No launch queries it again.
  EXPECT_EQ(countCalls("cuFuncSetAttribute"), attributes + 1);
  close();
  // More than the device has is found when the kernel is fetched.
  open("tilerun_test_delay", (227 << 10) + 1);
  status = table().get_kernel(module, "tilerun_test_delay", &kernel, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("232448 are possible: 1 too many"), std::string::npos) << message;
  close();
}

/// A kernel whose details are those of the test.
class CudaDetails : public CudaLaunch {
protected:
  /// Opens the device and loads the PTX of a kernel.
  void openText(const char *ptx, const TilerunPluginKernelInfo &info,
                const TilerunPluginKernelDetails &details) {
    setenv("FAKE_CUDA_REVIVE", "1", 1); // Other tests lost the device.
    const TilerunPlugin &t = table();
    ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
    const TilerunPluginKernelDetails *all[] = {&details};
    const TilerunPluginArtifact text = {sizeof(text),
                                        1,
                                        reinterpret_cast<const uint8_t *>(ptx),
                                        std::strlen(ptx),
                                        "cuda:ptx-8.0:sm_90",
                                        &info,
                                        all};
    ASSERT_EQ(t.load_module(device, &text, &module, keeper.getSink()), TILERUN_STATUS_OK)
        << keeper.take(TILERUN_STATUS_OK).message;
    kernel = getKernel(info.name);
  }
  TilerunPluginKernel *kernel = nullptr;
};

/// A kernel with a tensor map, which the fake driver takes and does not run.
class CudaTensorMaps : public CudaDetails {
protected:
  void SetUp() override {
    const TilerunPluginParameter pointer = {sizeof(pointer), TILERUN_ARGUMENT_POINTER, 64, "p"};
    const TilerunPluginKernelInfo info = {sizeof(info), 1, "boxes", &pointer, 32, 0};
    TilerunPluginDerived derived = {sizeof(derived), kWords, "tensor-map", nullptr, 0, 0};
    const TilerunPluginDerived *pointers[] = {&derived};
    TilerunPluginKernelDetails details = {};
    details.struct_size = sizeof(details);
    details.num_derived = 1;
    details.derived = pointers;
    ASSERT_NO_FATAL_FAILURE(openText(kPtx, info, details));
    ASSERT_EQ(table().allocate(device, nullptr, 4096, &memory, keeper.getSink()),
              TILERUN_STATUS_OK);
  }
  void TearDown() override {
    table().free(device, nullptr, memory, nullptr);
    table().unload_module(module);
    table().close_device(device);
    EXPECT_EQ(countAlive(), 0);
  }
  /// With a tensor of lines of 64 elements of 2 bytes.
  TilerunStatus launch(uint64_t lines, uint64_t stride, uint64_t rank = 2) {
    const uint64_t words[kWords] = {rank, 2, 128, memory, 64, lines, stride, 64, 16};
    const uint64_t *derived[] = {words};
    TilerunPluginLaunch call = {sizeof(call), {1, 1, 1}, 32, 0, &memory, 8, 0, 0,
                                nullptr,      derived,   {}, 0};
    return table().launch(kernel, nullptr, &call, keeper.getSink());
  }
  int countMaps() { return countCalls("cuTensorMapEncodeTiled"); }

  static constexpr uint32_t kWords = 9;
  static constexpr const char *kPtx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry boxes(.param .u64 .ptr "
      ".global .align 16 boxes_0, .param .align 64 .b8 boxes_1[128]) { ret; }\n";
  TilerunAddress memory = 0;
};

TEST_F(CudaTensorMaps, AreMadeOnceForTheSameTensor) {
  const int before = countMaps();
  ASSERT_EQ(launch(20, 128), TILERUN_STATUS_OK);
  unsigned long allocated = countAllocations();
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launch(20, 128), TILERUN_STATUS_OK);
  EXPECT_EQ(countAllocations(), allocated);
  EXPECT_EQ(countMaps(), before + 1);
  // The latest ones are kept.
  for (uint64_t lines = 1; lines <= 8; ++lines)
    ASSERT_EQ(launch(lines, 128), TILERUN_STATUS_OK);
  EXPECT_EQ(countMaps(), before + 9);
  for (uint64_t lines = 1; lines <= 8; ++lines)
    ASSERT_EQ(launch(lines, 128), TILERUN_STATUS_OK);
  EXPECT_EQ(countMaps(), before + 9);
  ASSERT_EQ(launch(20, 128), TILERUN_STATUS_OK);
  EXPECT_EQ(countMaps(), before + 10);
}

TEST_F(CudaTensorMaps, TensorsThatTheDriverRefusesAreErrors) {
  auto expectRefused = [&](TilerunStatus status) {
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    std::string message = keeper.take(status).message;
    EXPECT_NE(message.find("cuTensorMapEncodeTiled(map, …) on cuda:0"), std::string::npos)
        << message;
    EXPECT_NE(message.find("kernel 'boxes'"), std::string::npos) << message;
  };
  const int launches = countCalls("cuLaunchKernel");
  expectRefused(launch(20, 130));
  expectRefused(launch(20, 0));
  expectRefused(launch(0, 128));
  expectRefused(launch(20, 128, 3));
  EXPECT_EQ(countCalls("cuLaunchKernel"), launches);
  fail("cuTensorMapEncodeTiled", cuda::kInvalidValue, 0, 1);
  expectRefused(launch(21, 128));
  // What failed is not kept.
  EXPECT_EQ(launch(21, 128), TILERUN_STATUS_OK);
}

/// A kernel whose programs are clusters of two blocks.
class CudaClusters : public CudaDetails {
protected:
  void SetUp() override {
    const TilerunPluginKernelInfo info = {sizeof(info), 0, "pairs", nullptr, 32, 0};
    const TilerunPluginKernelDetails details = {sizeof(details),     0, nullptr, 32, {2, 1, 1},
                                                TILERUN_GRID_BLOCKS, 0};
    ASSERT_NO_FATAL_FAILURE(openText(kPtx, info, details));
    plan = std::make_unique<LaunchPlan>(info, details, 132);
  }
  void TearDown() override {
    table().unload_module(module);
    table().close_device(device);
    EXPECT_EQ(countAlive(), 0);
  }
  TilerunStatus launch(uint32_t blocks, uint32_t cluster) {
    TilerunPluginLaunch call = {sizeof(call), {blocks, 3, 1},  32, 0, nullptr, 0, 0, 0, nullptr,
                                nullptr,      {cluster, 1, 1}, 0};
    return table().launch(kernel, nullptr, &call, keeper.getSink());
  }
  static constexpr const char *kPtx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry pairs()\n.reqntid 32, 1, "
      "1\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{ ret; }\n";
  std::unique_ptr<LaunchPlan> plan;
};

TEST_F(CudaClusters, AreLaunchedWithTheSizeThatTheCodeHas) {
  const int extended = countCalls("cuLaunchKernelEx");
  TilerunPluginLaunch call = {sizeof(call), {5, 3, 1}, 32, 0, nullptr, 0, 0, 0,
                              nullptr,      nullptr,   {}, 0};
  LaunchPlan::Words words;
  ASSERT_EQ(plan->apply(call, words).reason, "");
  EXPECT_EQ(call.grid[0], 10u);
  EXPECT_EQ(table().launch(kernel, nullptr, &call, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("cuLaunchKernelEx"), extended + 1);
  // The driver refuses anything else.
  for (auto [blocks, cluster] : {std::pair(10u, 0u), {10u, 1u}, {8u, 4u}, {5u, 2u}}) {
    TilerunStatus status = launch(blocks, cluster);
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT) << blocks << " in " << cluster;
    keeper.take(status);
  }
  EXPECT_EQ(launch(10, 2), TILERUN_STATUS_OK);
}

// A warm launch: two calls of the driver, nothing pushed, nothing allocated.
TEST_F(CudaLaunch, WarmLaunchesDoNothingElse) {
  open("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  using Push = cuda::CUresult (*)(cuda::CUcontext);
  using Pop = cuda::CUresult (*)(cuda::CUcontext *);
  auto push = reinterpret_cast<Push>(dlsym(library, "cuCtxPushCurrent_v2"));
  auto pop = reinterpret_cast<Pop>(dlsym(library, "cuCtxPopCurrent_v2"));
  uint64_t native = 0;
  ASSERT_EQ(table().get_native_context(device, &native, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(push(reinterpret_cast<cuda::CUcontext>(native)), 0);
  ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  std::map<std::string, int> before;
  for (const char *function : kFunctions)
    before[function] = countCalls(function);
  unsigned long allocated = countAllocations();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  allocated = countAllocations() - allocated;
  for (const auto &[function, calls] : before) {
    bool used = function == "cuLaunchKernel" || function == "cuCtxGetCurrent";
    EXPECT_EQ(countCalls(function.c_str()) - calls, used ? 100 : 0) << function;
  }
  EXPECT_EQ(allocated, 0u);
  cuda::CUcontext popped;
  ASSERT_EQ(pop(&popped), 0);
  close();
}

} // namespace

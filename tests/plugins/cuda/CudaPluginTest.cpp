// The CUDA plugin over a fake driver: reasons for having no device, modules, contexts. The failures
// of each call of the driver are tests/plugins/fake/StreamDriverCases.cpp.
#include "tests/plugins/cuda/CudaTest.h"

#include <cstring>

using namespace tilerun::plugin;
using namespace cuda_test;

const stream_driver_test::DriverNames &stream_driver_test::getNames() {
  static const DriverNames names = {
      .kind = "cuda",
      .plugin = CUDA_PLUGIN,
      .fake = FAKE_CUDA,
      .variable = "TILERUN_CUDA_DRIVER",
      .controls = "fakeCuda",
      .revive = "FAKE_CUDA_REVIVE",
      .functions = kFunctions,
      // cuLaunchKernelEx: LaunchTest.cpp
      .quiet = {"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString",
                "cuCtxGetCurrent", "cuCtxPopCurrent", "cuDevicePrimaryCtxRelease",
                "cuDevicePrimaryCtxReset", "cuLinkDestroy", "cuMemAlloc", "cuMemFree",
                "cuMemcpyPeerAsync", "cuStreamDestroy", "cuEventDestroy", "cuModuleUnload",
                "cuFuncSetAttribute", "cuLaunchKernelEx", "cuCtxPushCurrent"},
      .leaking = {"cuDevicePrimaryCtxRelease", "cuStreamDestroy", "cuEventDestroy",
                  "cuModuleUnload", "cuLinkDestroy", "cuCtxPushCurrent", "cuCtxPopCurrent",
                  "cuCtxGetCurrent", "cuMemFreeAsync"},
      .losses = {cuda::kIllegalAddress, cuda::kLaunchFailed, cuda::kEccUncorrectable, cuda::kAssert,
                 715, 716},
      .outOfMemory = cuda::kOutOfMemory,
      .outOfMemoryWord = "CUDA_ERROR_OUT_OF_MEMORY",
      .allocate = "cuMemAllocAsync",
      .waitForStream = "cuStreamSynchronize",
      .waitForDevice = "cuCtxSynchronize",
      .launch = "cuLaunchKernel"};
  return names;
}

namespace {

TEST_F(Cuda, ReasonsForHavingNoDevice) {
  auto getReason = [](std::initializer_list<std::pair<const char *, const char *>> environment) {
    return Cuda::getReason(PROBE_HELPER, environment);
  };
  EXPECT_EQ(getReason({}), "");
  EXPECT_NE(getReason({{"TILERUN_CUDA_DRIVER", "/nonexistent/libcuda.so.1"}})
                .find("the CUDA driver library was not found: /nonexistent/libcuda.so.1"),
            std::string::npos);
  EXPECT_NE(getReason({{"FAKE_CUDA_VERSION", "11040"}})
                .find("too old: it is for CUDA 11.4, and 11.8 or later is needed"),
            std::string::npos);
  EXPECT_NE(getReason({{"FAKE_CUDA_INIT", "100"}}).find("cuInit(0): CUDA_ERROR_NO_DEVICE"),
            std::string::npos);
  EXPECT_NE(getReason({{"FAKE_CUDA_DEVICES", "0"}}).find("driver 13.0 reports no device"),
            std::string::npos);
  // A library that is not a driver.
  EXPECT_NE(getReason({{"TILERUN_CUDA_DRIVER", NULL_PLUGIN}}).find("has no function cuInit"),
            std::string::npos);
}

TEST_F(Cuda, RejectedPtxCarriesTheDriversLog) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  const char *text = "nonsense";
  TilerunPluginArtifact artifact = {sizeof(artifact),
                                    0,
                                    reinterpret_cast<const uint8_t *>(text),
                                    std::strlen(text),
                                    "cuda:ptx-8.0:sm_80",
                                    nullptr,
                                    nullptr};
  TilerunPluginModule *module = nullptr;
  TilerunStatus status = t.load_module(device, &artifact, &module, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_COMPILE);
  Error error = keeper.take(status);
  EXPECT_EQ(error.driverWord, "CUDA_ERROR_INVALID_PTX");
  EXPECT_NE(error.message.find("fake ptxas: line 1: no .version"), std::string::npos);
  t.close_device(device);
}

TEST_F(Cuda, CompatibilityStrings) {
  const TilerunPlugin &t = table();
  TilerunPluginDevice *device = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, nullptr), TILERUN_STATUS_OK);
  for (const char *good :
       {"cuda:ptx-7.0:sm_80", "cuda:ptx-8.0:sm_90a", "cuda:ptx-9.0:sm_90", "cuda:sass:sm_90"})
    EXPECT_EQ(t.check_compatibility(device, good, nullptr), TILERUN_STATUS_OK) << good;
  for (const char *bad :
       {"", "cuda", "cuda:ptx-8.0:sm_100", "cuda:ptx-8.0:sm_80a", "cuda:ptx-10.0:sm_90",
        "cuda:sass:sm_80", "cuda:sass:sm_90x", "hip:gfx942", "cuda:ptx-8.0:sm_90 "})
    EXPECT_EQ(t.check_compatibility(device, bad, nullptr), TILERUN_STATUS_INCOMPATIBLE) << bad;
  EXPECT_EQ(t.check_compatibility(device, nullptr, nullptr), TILERUN_STATUS_INCOMPATIBLE);
  t.close_device(device);
}

TEST_F(Cuda, ThreadsKeepTheirContext) {
  int pushes = countCalls("cuCtxPushCurrent"), pops = countCalls("cuCtxPopCurrent");
  Error error;
  ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  EXPECT_GT(countCalls("cuCtxPushCurrent"), pushes);
  EXPECT_EQ(countCalls("cuCtxPushCurrent") - pushes, countCalls("cuCtxPopCurrent") - pops);
}

TEST_F(Cuda, BinariesCompileOnce) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr, *other = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPropertyValue property = {sizeof(property), 0, 0, nullptr};
  ASSERT_EQ(t.get_device_property(device, TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, &property,
                                  keeper.getSink()),
            TILERUN_STATUS_OK);
  EXPECT_EQ(std::string(property.string).rfind("cuda:sass:sm_90a:driver-13.0", 0), 0u)
      << property.string;
  const TilerunPluginArtifact *ptx = nullptr, *binary = nullptr, *again = nullptr;
  ASSERT_EQ(t.get_self_test("tilerun_test_add", &ptx, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.finalize_artifact(device, ptx, &binary, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_STREQ(binary->compatibility, property.string);
  ASSERT_EQ(binary->num_kernels, ptx->num_kernels);
  for (uint32_t i = 0; i < ptx->num_kernels; ++i) {
    EXPECT_STREQ(binary->kernels[i].name, ptx->kernels[i].name);
    ASSERT_EQ(binary->kernels[i].num_parameters, ptx->kernels[i].num_parameters);
    for (uint32_t p = 0; p < ptx->kernels[i].num_parameters; ++p)
      EXPECT_STREQ(binary->kernels[i].parameters[p].name, ptx->kernels[i].parameters[p].name);
  }
  // A binary is accepted as it is, and loads on another handle without compiling.
  ASSERT_EQ(t.finalize_artifact(device, binary, &again, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(again->num_bytes, binary->num_bytes);
  EXPECT_EQ(std::memcmp(again->bytes, binary->bytes, binary->num_bytes), 0);
  t.release_artifact(binary);
  t.close_device(device);
  ASSERT_EQ(t.open_device(1, nullptr, &other, keeper.getSink()), TILERUN_STATUS_OK);
  int compiled = countCalls("compile");
  TilerunPluginModule *module = nullptr;
  ASSERT_EQ(t.load_module(other, again, &module, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("compile"), compiled);
  t.unload_module(module);
  // Another driver's is refused.
  TilerunPluginArtifact foreign = *again;
  foreign.compatibility = "cuda:sass:sm_90a:driver-12.4";
  EXPECT_EQ(t.load_module(other, &foreign, &module, keeper.getSink()), TILERUN_STATUS_INCOMPATIBLE);
  // The log of a text that is not PTX.
  TilerunPluginArtifact garbage = *ptx;
  const char *text = "nonsense";
  garbage.bytes = reinterpret_cast<const uint8_t *>(text);
  garbage.num_bytes = std::strlen(text);
  const TilerunPluginArtifact *none = nullptr;
  TilerunStatus status = t.finalize_artifact(other, &garbage, &none, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_COMPILE);
  EXPECT_NE(keeper.take(status).message.find("fake ptxas: line 1: no .version"), std::string::npos);
  EXPECT_FALSE(none);
  t.release_artifact(again);
  t.release_artifact(ptx);
  t.close_device(other);
  EXPECT_EQ(countAlive(), 0);
}

// The linker's assembler ignores setmaxnreg, and does not choose registers by what runs at a time:
// such PTX is loaded as it is.
TEST_F(Cuda, CodeWhoseRegistersTheAssemblerChoosesStaysPtx) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  const TilerunPluginArtifact *ptx = nullptr;
  ASSERT_EQ(t.get_self_test("tilerun_test_add", &ptx, keeper.getSink()), TILERUN_STATUS_OK);
  const std::string limited(reinterpret_cast<const char *>(ptx->bytes), ptx->num_bytes);
  ASSERT_NE(limited.find("\n.maxnreg 64\n"), std::string::npos);
  const int before = countCalls("cuLinkCreate"); // Of other tests in this process.
  auto expectPtx = [&](std::string text) {
    const TilerunPluginArtifact *same = nullptr;
    TilerunPluginArtifact changed = *ptx;
    changed.bytes = reinterpret_cast<const uint8_t *>(text.data());
    changed.num_bytes = text.size();
    ASSERT_EQ(t.finalize_artifact(device, &changed, &same, keeper.getSink()), TILERUN_STATUS_OK);
    EXPECT_STREQ(same->compatibility, ptx->compatibility);
    EXPECT_EQ(std::string(reinterpret_cast<const char *>(same->bytes), same->num_bytes), text);
    EXPECT_EQ(countCalls("cuLinkCreate"), before);
    t.release_artifact(same);
  };
  std::string text = limited;
  expectPtx(text.insert(text.rfind("ret;"), "\tsetmaxnreg.dec.sync.aligned.u32 24;\n"));
  // No kernel of the module has a limit.
  text = limited;
  for (size_t at; (at = text.find("\n.maxnreg 64")) != std::string::npos;)
    text.erase(at, 12);
  expectPtx(text);
  t.release_artifact(ptx);
  t.close_device(device);
}

} // namespace

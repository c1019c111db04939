// Pipelines that the driver rejects, and other failures while a module is loaded: through the
// loader that fails on request.
#include "tests/plugins/vulkan/FakeLoader.h"
#include "tests/plugins/vulkan/KernelTest.h"

#include "plugins/vulkan/KhrExtensions.h"

#include <map>

using namespace vulkan_test;

std::shared_ptr<const Plugin> Kernels::plugin;
std::mutex Kernels::logMutex;
std::string Kernels::warnings;

namespace {

class Pipelines : public Kernels {
protected:
  static void SetUpTestSuite() {
    setenv("TILERUN_VULKAN_LOADER", FAKE_VULKAN, 1);
    setenv("FAKE_VULKAN_DEVICES", "2", 1);
    Kernels::SetUpTestSuite();
    void *library = dlopen(FAKE_VULKAN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      ASSERT_TRUE(function) << name;
    };
    find(fail, "fakeVulkanFail");
    find(reset, "fakeVulkanReset");
    find(countAlive, "fakeVulkanCountAlive");
    find(countCalls, "fakeVulkanCountCalls");
  }
  void SetUp() override {
    Kernels::SetUp();
    ASSERT_EQ(table().get_self_test("tilerun_test_grid", &artifact, keeper.getSink()),
              TILERUN_STATUS_OK);
  }
  void TearDown() override {
    reset();
    table().release_artifact(artifact);
    Kernels::TearDown();
  }

  TilerunStatus tryLoad() {
    TilerunPluginModule *module = nullptr;
    TilerunStatus status = table().load_module(device, artifact, &module, keeper.getSink());
    table().unload_module(module);
    return status;
  }
  TilerunStatus tryFinalize() {
    const TilerunPluginArtifact *binary = nullptr;
    TilerunStatus status = table().finalize_artifact(device, artifact, &binary, keeper.getSink());
    table().release_artifact(binary);
    return status;
  }
  /// Loading and finalizing fail as `function` does, leave nothing behind, and work afterwards.
  void expectFailure(const char *function, VkResult result, TilerunStatus wanted,
                     std::initializer_list<const char *> words) {
    ASSERT_EQ(tryLoad(), TILERUN_STATUS_OK); // The device's own cache exists from now on.
    int before = countAlive();
    for (bool finalize : {false, true}) {
      fail(function, result, 0, 1);
      TilerunStatus status = finalize ? tryFinalize() : tryLoad();
      EXPECT_EQ(status, wanted) << function;
      std::string message = takeMessage(status);
      for (const char *word : words)
        EXPECT_NE(message.find(word), std::string::npos) << message;
      EXPECT_EQ(countAlive(), before) << function;
      EXPECT_EQ(finalize ? tryFinalize() : tryLoad(), TILERUN_STATUS_OK);
    }
  }

  static inline decltype(&fakeVulkanFail) fail = nullptr;
  static inline decltype(&fakeVulkanReset) reset = nullptr;
  static inline decltype(&fakeVulkanCountAlive) countAlive = nullptr;
  static inline decltype(&fakeVulkanCountCalls) countCalls = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
};

TEST_F(Pipelines, RejectedOnesAreCompileErrors) {
  expectFailure("vkCreateComputePipelines", VK_ERROR_UNKNOWN, TILERUN_STATUS_COMPILE,
                {"vkCreateComputePipelines", "vulkan:0", "VK_ERROR_UNKNOWN",
                 "the driver does not take kernel 'tilerun_test_grid' of 1 threads"});
  expectFailure("vkCreateShaderModule", VK_ERROR_INVALID_SHADER_NV, TILERUN_STATUS_COMPILE,
                {"vkCreateShaderModule", "VK_ERROR_INVALID_SHADER_NV", "a module of "});
}

TEST_F(Pipelines, LackOfMemoryStaysLackOfMemory) {
  for (const char *function :
       {"vkCreateComputePipelines", "vkCreateShaderModule", "vkCreatePipelineLayout"}) {
    expectFailure(function, VK_ERROR_OUT_OF_DEVICE_MEMORY, TILERUN_STATUS_OUT_OF_MEMORY,
                  {function, "VK_ERROR_OUT_OF_DEVICE_MEMORY"});
    expectFailure(function, VK_ERROR_OUT_OF_HOST_MEMORY, TILERUN_STATUS_OUT_OF_MEMORY,
                  {function, "VK_ERROR_OUT_OF_HOST_MEMORY"});
  }
}

TEST_F(Pipelines, WithoutACacheTheyAreMadeAllTheSame) {
  fail("vkCreatePipelineCache", VK_ERROR_OUT_OF_HOST_MEMORY, 0, 1000);
  EXPECT_EQ(tryLoad(), TILERUN_STATUS_OK);
  EXPECT_EQ(tryFinalize(), TILERUN_STATUS_OK);
  reset();
  fail("vkGetPipelineCacheData", VK_ERROR_OUT_OF_HOST_MEMORY, 0, 1000);
  const TilerunPluginArtifact *binary = nullptr;
  ASSERT_EQ(table().finalize_artifact(device, artifact, &binary, keeper.getSink()),
            TILERUN_STATUS_OK);
  reset();
  // It holds no data of the driver's, and is loaded like any other.
  TilerunPluginKernel *kernel = load(binary);
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  ASSERT_EQ(launch(kernel, Arguments().add(out)), TILERUN_STATUS_OK);
  EXPECT_EQ(read<uint32_t>(out, 1)[0], 0u);
}

TEST_F(Pipelines, LossWhileLoadingLosesTheDevice) {
  fail("vkCreateComputePipelines", VK_ERROR_DEVICE_LOST, 0, 1);
  TilerunStatus status = tryLoad();
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  EXPECT_NE(takeMessage(status).find("VK_ERROR_DEVICE_LOST"), std::string::npos);
  EXPECT_EQ(table().get_device_state(device, keeper.getSink()), TILERUN_STATUS_DEVICE_LOST);
  EXPECT_EQ(tryLoad(), TILERUN_STATUS_DEVICE_LOST);
  EXPECT_EQ(tryFinalize(), TILERUN_STATUS_DEVICE_LOST);
  // Recovery.
  table().close_device(device);
  ASSERT_EQ(table().open_device(info.ordinal, nullptr, &device, keeper.getSink()),
            TILERUN_STATUS_OK);
  EXPECT_EQ(tryLoad(), TILERUN_STATUS_OK);
}

TEST_F(Pipelines, LaunchesThatCannotBeSubmittedSaySo) {
  TilerunPluginKernel *kernel = loadSelfTest("tilerun_test_grid");
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  ASSERT_EQ(synchronize(), TILERUN_STATUS_OK);
  // A stream that is idle submits at once.
  fail("vkQueueSubmit2", VK_ERROR_OUT_OF_HOST_MEMORY, 0, 1);
  TilerunStatus status = launch(kernel, Arguments().add(out));
  if (!status)
    status = synchronize();
  EXPECT_EQ(status, TILERUN_STATUS_OUT_OF_MEMORY);
  EXPECT_NE(takeMessage(status).find("vkQueueSubmit2"), std::string::npos);
  reset();
  // Nothing is permanently broken.
  ASSERT_EQ(launch(kernel, Arguments().add(out)), TILERUN_STATUS_OK);
  EXPECT_EQ(read<uint32_t>(out, 1)[0], 0u);
}

// All functions that create or map something.
TEST_F(Pipelines, WarmLaunchesMakeNothing) {
  TilerunPluginKernel *kernel = loadSelfTest("tilerun_test_grid");
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  auto run = [&] {
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(launch(kernel, Arguments().add(out)), TILERUN_STATUS_OK);
  };
  for (int i = 0; i < 4; ++i) {
    run();
    ASSERT_EQ(synchronize(), TILERUN_STATUS_OK);
  }
  std::map<std::string, int> before;
  for (const char *function :
       {"vkCreateSemaphore", "vkCreateCommandPool", "vkAllocateCommandBuffers", "vkCreateQueryPool",
        "vkAllocateMemory", "vkMapMemory", "vkCreateBuffer", "vkBindBufferMemory",
        "vkCreateShaderModule", "vkCreatePipelineLayout", "vkCreatePipelineCache",
        "vkCreateComputePipelines"}) {
    before[function] = countCalls(function);
    EXPECT_GE(before[function], 0) << function;
  }
  int submits = countCalls("vkQueueSubmit2");
  run();
  ASSERT_EQ(synchronize(), TILERUN_STATUS_OK);
  for (const auto &[function, calls] : before)
    EXPECT_EQ(countCalls(function.c_str()), calls) << function;
  // Launches share submissions.
  EXPECT_LT(countCalls("vkQueueSubmit2") - submits, 100);
}

TEST_F(Pipelines, StreamsOfAnotherDeviceAreRefused) {
  TilerunPluginKernel *kernel = loadSelfTest("tilerun_test_grid");
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  TilerunPluginDevice *other = nullptr;
  TilerunPluginStream *stream = nullptr;
  ASSERT_EQ(table().open_device(1, nullptr, &other, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().create_stream(other, &stream, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunStatus status = launch(kernel, Arguments().add(out), {1, 1, 1}, stream);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(takeMessage(status).find("the stream belongs to another device than kernel"),
            std::string::npos);
  table().destroy_stream(stream);
  table().close_device(other);
  EXPECT_EQ(launch(kernel, Arguments().add(out)), TILERUN_STATUS_OK);
}

} // namespace

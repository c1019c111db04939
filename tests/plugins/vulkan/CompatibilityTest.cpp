// Compatibility strings: a module's requirements are read from its code, and the reason names the
// features that a device lacks.
#include "plugins/vulkan/Launch.h"

#include <gtest/gtest.h>

using namespace vulkan;
using tilerun::spirvbackend::Target;

namespace {

constexpr uint32_t kOpExecutionMode = 16, kOpCapability = 17;

ArtifactContent makeContent(std::initializer_list<uint32_t> capabilities) {
  ArtifactContent content;
  KernelCode kernel;
  kernel.name = kernel.entry = "kernel";
  kernel.threads = 64;
  kernel.subgroupSize = 16;
  kernel.sharedBytes = 2048;
  content.kernels = {kernel};
  content.code = {0x07230203, 0x00010600, 0, 8, 0};
  for (uint32_t capability : capabilities) {
    content.code.push_back(2 << 16 | kOpCapability);
    content.code.push_back(capability);
  }
  return content;
}

PhysicalDevice &makeDevice(PhysicalDevice &device, const char *target) {
  llvm::Expected<Target> parsed = tilerun::spirvbackend::parseTarget(target);
  EXPECT_TRUE(bool(parsed));
  if (parsed)
    device.target = *parsed;
  device.binaryCompatibility = "vulkan:pipeline:00ff:driver-1.2";
  return device;
}

TEST(VulkanCompatibility, NeedsAreReadFromTheCode) {
  // Shader, Float16, Int64 (which all devices have), Int8, shuffle.
  ArtifactContent content = makeContent({1, 9, 11, 39, 65});
  EXPECT_EQ(describeNeeds(content, {}), "vulkan:1.3,subgroup=16,threads=64,shared=2048,f16,i8,"
                                        "shuffle");
  // Words of the target are not requirements, except those that no capability expresses.
  Target target;
  target.hasFloat64 = target.hasSubgroupControl = target.hasSubgroupTypes = true;
  EXPECT_EQ(describeNeeds(content, target),
            "vulkan:1.3,subgroup=16,threads=64,shared=2048,subgroup-control,f16,i8,shuffle,"
            "subgroup-types");
  content = makeContent({1});
  content.kernels[0].subgroupSize = content.kernels[0].sharedBytes = 0;
  EXPECT_EQ(describeNeeds(content, target), "vulkan:1.3,threads=64");
}

TEST(VulkanCompatibility, FloatModes) {
  ArtifactContent content = makeContent({1});
  // OpExecutionMode %1 SignedZeroInfNanPreserve 32; OpExecutionMode %1 RoundingModeRTE 16.
  for (uint32_t word :
       {4u << 16 | kOpExecutionMode, 1u, 4461u, 32u, 4u << 16 | kOpExecutionMode, 1u, 4462u, 16u})
    content.code.push_back(word);
  Target target;
  target.hasIndependentRounding = true;
  EXPECT_EQ(describeNeeds(content, target),
            "vulkan:1.3,subgroup=16,threads=64,shared=2048,preserve-f32,rte-f16,"
            "rounding-independent");
}

TEST(VulkanCompatibility, CooperativeMatrices) {
  Target target =
      llvm::cantFail(tilerun::spirvbackend::parseTarget("vulkan:1.3,cm=16x16x16:f16:f16:f32"));
  EXPECT_NE(describeNeeds(makeContent({6022}), target).find(",cm=16x16x16:f16:f16:f32"),
            std::string::npos);
  EXPECT_EQ(describeNeeds(makeContent({1}), target).find("cm="), std::string::npos);
  PhysicalDevice device;
  makeDevice(device, "vulkan:1.3,cm=16x16x16:f16:f16:f32");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,cm=16x16x16:f16:f16:f32"), "");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,cm=16x8x16:f16:f16:f32"),
            "the device lacks the cooperative matrices 16x8x16:f16:f16:f32");
  EXPECT_NE(findIncompatibility(device, "vulkan:1.3,cm=many"), "");
}

TEST(VulkanCompatibility, WhatADeviceLacksIsNamed) {
  PhysicalDevice device;
  makeDevice(device, "vulkan:1.3,subgroup=8,threads=256,shared=16384,f16,i8");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3"), "");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,subgroup=8,threads=256,shared=16384,i8"), "");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,f16,f64"),
            "the device lacks f64 (shaderFloat64: 64-bit floats)");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,threads=512"),
            "it needs threads=512, the device has 256");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,subgroup=4,shared=16385"),
            "it needs subgroup=4, the device has 8; it needs shared=16385, the device has 16384");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,clock"),
            "the device lacks a clock (VK_KHR_shader_clock)");
  device.shaderClock = true;
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,clock"), "");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,teleport"), "'teleport' is not known");
  EXPECT_EQ(findIncompatibility(device, "vulkan:1.3,threads=many"), "'threads=many' has no number");
}

TEST(VulkanCompatibility, OthersAreRefused) {
  PhysicalDevice device;
  makeDevice(device, "vulkan:1.3");
  for (const char *other : {"", "abacus:1", "cuda:ptx-8.0:sm_80", "vulkan:text", "vulkan:1.30"})
    EXPECT_EQ(findIncompatibility(device, other),
              "this plugin takes 'vulkan:1.3,…' and 'vulkan:pipeline:…'")
        << other;
  EXPECT_EQ(findIncompatibility(device, device.binaryCompatibility), "");
  EXPECT_EQ(findIncompatibility(device, "vulkan:pipeline:00ff:driver-1.3"),
            "this device and its driver take 'vulkan:pipeline:00ff:driver-1.2'");
}

} // namespace

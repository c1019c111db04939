// The table of architectures: names, features, facts, waves.
#include "backends/amdgpu/Target.h"

#include "gtest/gtest.h"

using namespace tilerun;

namespace {

const char *kWave64[] = {"gfx90a", "gfx942", "gfx950"};
const char *kWave32[] = {"gfx1030", "gfx1100", "gfx1101", "gfx1102",
                         "gfx1150", "gfx1151", "gfx1200", "gfx1201"};

amdgpu::Architecture get(llvm::StringRef name) {
  return llvm::cantFail(amdgpu::getArchitecture(name));
}

std::string errorOf(llvm::StringRef name) {
  auto arch = amdgpu::getArchitecture(name);
  return arch ? "no error" : llvm::toString(arch.takeError());
}

TEST(Target, EveryArchitectureIsKnownWithAndWithoutItsKind) {
  for (const char *name : kWave64) {
    EXPECT_EQ(get(name).info.warpSize, 64u) << name;
    EXPECT_EQ(get(std::string("hip:") + name).info.name, std::string("hip:") + name);
  }
  for (const char *name : kWave32) {
    EXPECT_EQ(get(name).info.warpSize, 32u) << name;
    EXPECT_EQ(get(std::string("hip:") + name).name, name);
  }
}

TEST(Target, SharedMemory) {
  EXPECT_EQ(get("gfx942").info.sharedMemoryBytes, 64u * 1024);
  EXPECT_EQ(get("gfx950").info.sharedMemoryBytes, 160u * 1024);
  EXPECT_EQ(get("gfx1100").info.sharedMemoryBytes, 64u * 1024);
  EXPECT_EQ(get("gfx942").info.sharedModel.banks, 32u);
  EXPECT_EQ(get("gfx950").info.sharedModel.banks, 64u);
}

TEST(Target, FeaturesAreOrderedAndGivenToLlvm) {
  amdgpu::Architecture arch = get("hip:gfx942:xnack-:sramecc+");
  EXPECT_EQ(arch.name, "gfx942");
  EXPECT_EQ(arch.targetId, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(arch.info.name, "hip:gfx942:sramecc+:xnack-");
  EXPECT_EQ(arch.llvmFeatures, "+sramecc,-xnack");
  EXPECT_EQ(get("gfx90a:xnack+").llvmFeatures, "+xnack");
  EXPECT_EQ(get("gfx942").llvmFeatures, "");
}

TEST(Target, WhatIsNotOneIsRefusedWithWhatIs) {
  EXPECT_EQ(errorOf("gfx906"),
            "unknown AMD architecture 'gfx906'; known are gfx90a, gfx942, gfx950, gfx1030, "
            "gfx1100, gfx1101, gfx1102, gfx1150, gfx1151, gfx1200, gfx1201");
  const std::string rest = " is not a feature of a target; write sramecc+, sramecc-, xnack+ or "
                           "xnack- after a colon, as in gfx942:sramecc+:xnack-";
  EXPECT_EQ(errorOf("gfx942:xnack"), "'xnack'" + rest);
  EXPECT_EQ(errorOf("gfx942:xnack+-"), "'xnack+-'" + rest);
  EXPECT_EQ(errorOf("gfx942:"), "''" + rest);
  EXPECT_EQ(errorOf("gfx942:wave32+"), "'wave32+'" + rest);
  EXPECT_EQ(errorOf("gfx942:xnack+:xnack-"), "the feature 'xnack' is given twice");
  EXPECT_EQ(errorOf("gfx1100:xnack-"), "gfx1100 has no feature 'xnack'; write gfx1100");
}

// Registers of a lane at which one wave less fits a SIMD, as LLVM counts.
TEST(Target, WavesByRegisters) {
  struct Step {
    const char *arch;
    unsigned registers, waves;
  };
  for (const Step &step : std::initializer_list<Step>{
           {"gfx942", 64, 8},   {"gfx942", 65, 7},    {"gfx942", 72, 7},    {"gfx942", 73, 6},
           {"gfx942", 80, 6},   {"gfx942", 96, 5},    {"gfx942", 128, 4},   {"gfx942", 168, 3},
           {"gfx942", 256, 2},  {"gfx942", 257, 1},   {"gfx942", 512, 1},   {"gfx1100", 96, 16},
           {"gfx1100", 97, 12}, {"gfx1100", 120, 12}, {"gfx1100", 144, 10}, {"gfx1100", 168, 9},
           {"gfx1100", 192, 8}, {"gfx1100", 216, 7},  {"gfx1100", 240, 6},  {"gfx1100", 256, 5},
           {"gfx1102", 64, 16}, {"gfx1102", 65, 12},  {"gfx1102", 96, 10},  {"gfx1102", 112, 9},
           {"gfx1102", 128, 8}, {"gfx1102", 144, 7},  {"gfx1102", 192, 5},  {"gfx1102", 256, 4}})
    EXPECT_EQ(amdgpu::getOccupancy(get(step.arch), step.registers, 0, 4), step.waves)
        << step.arch << " with " << step.registers;
}

TEST(Target, WavesBySharedMemory) {
  // Two programs of 32 KiB: eight waves on four SIMDs.
  EXPECT_EQ(amdgpu::getOccupancy(get("gfx942"), 32, 32 * 1024, 4), 2u);
  EXPECT_EQ(amdgpu::getOccupancy(get("gfx950"), 32, 32 * 1024, 4), 5u);
  EXPECT_EQ(amdgpu::getOccupancy(get("gfx1100"), 32, 64 * 1024, 4), 2u);
  EXPECT_EQ(amdgpu::getOccupancy(get("gfx942"), 32, 65 * 1024, 4), 0u);
  // Sixteen waves of more than 128 registers do not fit.
  EXPECT_EQ(amdgpu::getOccupancy(get("gfx942"), 128, 0, 16), 4u);
  EXPECT_EQ(amdgpu::getOccupancy(get("gfx942"), 136, 0, 16), 0u);
}

TEST(Target, BoundsOfWaves) {
  // Eight waves at most, four of 128 registers each, and two programs of 32 KiB on four SIMDs.
  const auto bounds = amdgpu::getOccupancyBounds(get("gfx942"), 128, 32 * 1024, 4);
  EXPECT_EQ(bounds[0].name, "waves");
  EXPECT_EQ(bounds[0].waves, 8u);
  EXPECT_EQ(bounds[1].name, "registers");
  EXPECT_EQ(bounds[1].waves, 4u);
  EXPECT_EQ(bounds[2].name, "shared memory");
  EXPECT_EQ(bounds[2].waves, 2u);
}

} // namespace

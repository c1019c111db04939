// The library's entry: artifacts, options, errors, repeatability.
#include "backends/amdgpu/Compile.h"
#include "backends/amdgpu/Resources.h"

#include "gtest/gtest.h"
#include <thread>

using namespace tilerun;

namespace {

const char *kAdd = R"(
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"},
               %n: i32 {tile.divisibility = 16 : i64, tile.name = "n"}, %s: f32 {tile.name = "s"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %p mask %m : tensor<512x!tile.ptr<f32>>
  %r = tile.reduce %v axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %t = arith.addf %r, %s : f32
  %ts = tile.splat %t : f32 -> tensor<512xf32>
  tile.store %p, %ts mask %m : tensor<512x!tile.ptr<f32>>
  return
})";

std::string errorOf(llvm::StringRef text, const amdgpu::AmdgpuOptions &options) {
  auto artifact = amdgpu::compile(text, options);
  return artifact ? "no error" : llvm::toString(artifact.takeError());
}

TEST(Compile, TheArtifactDescribesTheLaunch) {
  amdgpu::AmdgpuOptions options;
  options.arch = "hip:gfx942:xnack-";
  options.numWarps = 8;
  auto artifact = amdgpu::compile(kAdd, options);
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_EQ(artifact->kernel, "add");
  EXPECT_EQ(artifact->arch, "gfx942:xnack-");
  EXPECT_EQ(artifact->numThreads, 512u);
  EXPECT_EQ(artifact->waveSize, 64u);
  EXPECT_EQ(artifact->sharedBytes, 32u);
  ASSERT_EQ(artifact->parameters.size(), 3u);
  using Kind = backend::KernelParameter::Kind;
  EXPECT_EQ(artifact->parameters[0].kind, Kind::Pointer);
  EXPECT_EQ(artifact->parameters[0].name, "x");
  EXPECT_EQ(artifact->parameters[1].kind, Kind::Integer);
  EXPECT_EQ(artifact->parameters[2].kind, Kind::Float);
  EXPECT_TRUE(artifact->hidden.empty());
}

// The object says the same of itself.
TEST(Compile, TheObjectSaysWhatItNeeds) {
  for (const char *arch : {"gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1101", "gfx1102",
                           "gfx1150", "gfx1151", "gfx1200", "gfx1201"}) {
    amdgpu::AmdgpuOptions options;
    options.arch = arch;
    auto artifact = amdgpu::compile(kAdd, options);
    ASSERT_TRUE(bool(artifact)) << arch << ": " << llvm::toString(artifact.takeError());
    auto resources = amdgpu::readResources(artifact->codeObject);
    ASSERT_TRUE(bool(resources)) << arch << ": " << llvm::toString(resources.takeError());
    EXPECT_EQ(resources->kernel, "add");
    EXPECT_EQ(resources->sharedBytes, artifact->sharedBytes) << arch;
    EXPECT_EQ(resources->maxThreads, artifact->numThreads) << arch;
    EXPECT_EQ(resources->waveSize, artifact->waveSize) << arch;
    // A pointer and two words, and nothing of the runtime's.
    EXPECT_EQ(resources->argumentBytes, 16u) << arch;
    EXPECT_EQ(resources->vectorSpills, 0u) << arch;
    EXPECT_EQ(resources->scratchBytes, 0u) << arch;
    EXPECT_GT(resources->vectorRegisters, 0u) << arch;
    EXPECT_GT(resources->codeBytes, 0u) << arch;
  }
}

TEST(Compile, TheSameInputGivesTheSameBytes) {
  amdgpu::AmdgpuOptions options;
  auto first = amdgpu::compile(kAdd, options), second = amdgpu::compile(kAdd, options);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->codeObject, second->codeObject);
}

// The linker has global state, which only one thread uses at a time.
TEST(Compile, ThreadsCompileAtTheSameTime) {
  amdgpu::AmdgpuOptions options;
  auto expected = amdgpu::compile(kAdd, options);
  ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&result, &options] {
      auto artifact = amdgpu::compile(kAdd, options);
      result = artifact ? artifact->codeObject : llvm::toString(artifact.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_EQ(result, expected->codeObject);
}

TEST(Compile, OptionsAreChecked) {
  amdgpu::AmdgpuOptions options;
  options.arch = "gfx1";
  EXPECT_NE(errorOf(kAdd, options).find("unknown AMD architecture 'gfx1'"), std::string::npos);
  options = {};
  options.numWarps = 3;
  EXPECT_EQ(errorOf(kAdd, options), "num_warps must be 1, 2, 4, 8, 16 or 32, but is 3");
  options = {};
  options.wavesPerSimd = 9;
  EXPECT_EQ(errorOf(kAdd, options), "waves_per_eu must be 1 to 8 on gfx942, but is 9; leave it out "
                                    "for no limit of registers");
  options = {};
  options.matrixSize = 4;
  EXPECT_EQ(errorOf(kAdd, options), "matrix_instr_nonkdim must be 0, 16 or 32, but is 4; leave it "
                                    "out for the compiler's choice");
  options = {};
  options.kPack = 4;
  EXPECT_EQ(errorOf(kAdd, options), "kpack must be 1 or 2, but is 4; leave it out for reads that "
                                    "are as wide as they can be");
  // 32 waves of 64 lanes.
  options = {};
  options.numWarps = 32;
  EXPECT_NE(errorOf(kAdd, options).find("kernel 'add' would run in 2048 threads with num_warps=32"),
            std::string::npos);
}

TEST(Compile, TextIsReadAndBadTextRefused) {
  EXPECT_NE(errorOf("nonsense", {}).find("the module cannot be read"), std::string::npos);
}

TEST(Resources, OtherFilesAreRefused) {
  auto error = [](llvm::StringRef bytes) {
    auto resources = amdgpu::readResources(bytes);
    return resources ? "no error" : llvm::toString(resources.takeError());
  };
  EXPECT_NE(error(""), "no error");
  EXPECT_NE(error("no ELF file at all, but long enough to be one, whatever its header says"),
            "no error");
  auto artifact = amdgpu::compile(kAdd, {});
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  // Cut off anywhere: an error or the same answer, never a crash.
  for (size_t size = 0; size < artifact->codeObject.size(); size += 61)
    (void)error(llvm::StringRef(artifact->codeObject).take_front(size));
}

} // namespace

// The library's entry: artifacts, options, errors, repeatability.
#include "backends/nvptx/Compile.h"
#include "tests/ir/simt/SharedUserCheck.h"

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

std::string errorOf(llvm::StringRef text, const nvptx::NvptxOptions &options) {
  auto artifact = nvptx::compile(text, options);
  return artifact ? "no error" : llvm::toString(artifact.takeError());
}

// Dialects of the backend that take part in per-thread IR say how they touch shared memory.
TEST(Compile, NoOpForgetsHowItTouchesSharedMemory) {
  mlir::DialectRegistry registry;
  nvptx::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  EXPECT_TRUE(test::expectSharedUsers(context).contains("simt"));
}

TEST(Compile, TheArtifactDescribesTheLaunch) {
  nvptx::NvptxOptions options;
  options.arch = "cuda:sm_90a";
  options.numWarps = 8;
  auto artifact = nvptx::compile(kAdd, options);
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_EQ(artifact->kernel, "add");
  EXPECT_EQ(artifact->arch, "sm_90a");
  EXPECT_EQ(artifact->numThreads, 256u);
  EXPECT_EQ(artifact->sharedBytes, 32u);
  ASSERT_EQ(artifact->parameters.size(), 3u);
  using Kind = nvptx::NvptxParameter::Kind;
  EXPECT_EQ(artifact->parameters[0].kind, Kind::Pointer);
  EXPECT_EQ(artifact->parameters[0].name, "x");
  EXPECT_EQ(artifact->parameters[1].kind, Kind::Integer);
  EXPECT_EQ(artifact->parameters[1].bits, 32u);
  EXPECT_EQ(artifact->parameters[2].kind, Kind::Float);
  EXPECT_NE(artifact->ptx.find(".target sm_90a"), std::string::npos);
  EXPECT_NE(artifact->ptx.find(".visible .entry add("), std::string::npos);
}

TEST(Compile, RegistersOfAThread) {
  nvptx::NvptxOptions options;
  options.maxRegisters = 64;
  auto artifact = nvptx::compile(kAdd, options);
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_NE(artifact->ptx.find(".maxnreg 64"), std::string::npos);
  EXPECT_EQ(artifact->ptx.find(".minnctapersm"), std::string::npos);
  // 1024 threads have no more than 64 each.
  options.maxRegisters = 255;
  options.numWarps = 32;
  artifact = nvptx::compile(kAdd, options);
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_NE(artifact->ptx.find(".maxnreg 64"), std::string::npos);
  for (unsigned bad : {1u, 23u, 256u}) {
    options.maxRegisters = bad;
    EXPECT_NE(errorOf(kAdd, options).find("maxnreg must be 24 to 255 registers"), std::string::npos)
        << bad;
  }
}

// A kernel that keeps more than 255 registers asks for all of them; for others that keep a row the
// assembler decides.
TEST(Compile, WhatSpillsAnywayHasAllRegisters) {
  for (unsigned warps : {1u, 8u}) {
    nvptx::NvptxOptions options;
    options.numWarps = warps;
    auto artifact = nvptx::compile(R"(
func.func @copy(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 8192 : tensor<8192xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %x0 = tile.load %p : tensor<8192x!tile.ptr<f32>>
  %most = tile.reduce %x0 axis 0 : (tensor<8192xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %larger = arith.maxnumf %a, %b : f32
    tile.yield %larger : f32
  }
  %all = tile.splat %most : f32 -> tensor<8192xf32>
  %v = arith.subf %x0, %all : tensor<8192xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  tile.store %q, %v : tensor<8192x!tile.ptr<f32>>
  return
})",
                                   options);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_EQ(artifact->ptx.find(".minnctapersm 1") != std::string::npos, warps == 1);
    EXPECT_EQ(artifact->ptx.find(".maxnreg"), std::string::npos);
  }
}

TEST(Compile, EveryArchitectureAndNumberOfWarps) {
  for (const char *arch :
       {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"})
    for (unsigned warps : {1u, 2u, 32u}) {
      nvptx::NvptxOptions options;
      options.arch = arch;
      options.numWarps = warps;
      auto artifact = nvptx::compile(kAdd, options);
      ASSERT_TRUE(bool(artifact)) << arch << ": " << llvm::toString(artifact.takeError());
      EXPECT_NE(artifact->ptx.find(std::string(".target ") + arch), std::string::npos);
    }
}

TEST(Compile, TheSameInputGivesTheSameBytesInEveryThread) {
  std::string first = llvm::cantFail(nvptx::compile(kAdd, {})).ptx;
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&result] { result = llvm::cantFail(nvptx::compile(kAdd, {})).ptx; });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    EXPECT_EQ(result, first);
}

TEST(Compile, LongChainsOfAddressArithmeticDoNotOverflowTheStack) {
  std::string text = "func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {\n"
                     "  %v0 = tile.make_range 0 to 64 : tensor<64xi32>\n"
                     "  %s = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>\n";
  constexpr int kLength = 5000;
  for (int i = 0; i < kLength; ++i)
    text += "  %v" + std::to_string(i + 1) + " = arith.addi %v" + std::to_string(i) + ", %v" +
            std::to_string(i) + " : tensor<64xi32>\n";
  text += "  %p = tile.addptr %s, %v" + std::to_string(kLength) +
          " : tensor<64x!tile.ptr<i32>>, tensor<64xi32>\n"
          "  %l = tile.load %p : tensor<64x!tile.ptr<i32>>\n"
          "  tile.store %s, %l : tensor<64x!tile.ptr<i32>>\n  return\n}\n";
  auto artifact = nvptx::compile(text, {});
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_NE(artifact->ptx.find("ld.global"), std::string::npos);
}

TEST(Compile, ErrorsSayWhatIsWrong) {
  nvptx::NvptxOptions options;
  EXPECT_NE(errorOf("garbage", options).find("the module cannot be read: "), std::string::npos);
  EXPECT_NE(errorOf("module {}", options).find("the module has no kernel"), std::string::npos);
  options.numWarps = 64;
  EXPECT_EQ(errorOf(kAdd, options), "num_warps must be 1, 2, 4, 8, 16 or 32, but is 64");
  options.numWarps = 0;
  EXPECT_EQ(errorOf(kAdd, options), "num_warps must be 1, 2, 4, 8, 16 or 32, but is 0");
  options.numWarps = 4;
  options.ptxVersion = 91;
  EXPECT_NE(errorOf(kAdd, options).find("PTX version 9.1 cannot be used for sm_80"),
            std::string::npos);
  options.ptxVersion = 0;
  options.arch = "gfx942";
  EXPECT_NE(errorOf(kAdd, options).find("unknown NVIDIA architecture 'gfx942'"), std::string::npos);
}

TEST(Compile, AnUnsupportedOpNamesItselfItsPlaceAndTheTarget) {
  std::string text = errorOf(R"(
func.func @k(%x: !tile.ptr<i64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i64>
  %w = math.ipowi %v, %v : i64 loc("kernel.py":7:3)
  tile.store %x, %w : !tile.ptr<i64>
  return
})",
                             {});
  EXPECT_EQ(text.find("kernel.py:7:3: error: "), 0u) << text;
  EXPECT_NE(text.find("'math.ipowi' on 'i64' is not supported on cuda:sm_80"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("failed to legalize"), std::string::npos) << text;
}

TEST(Compile, AnErrorInAnInlinedHelperNamesItsCallers) {
  std::string text = errorOf(R"(
func.func @k(%x: !tile.ptr<i64>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i64>
  %w = math.ipowi %v, %v : i64 loc(callsite("helper.py":3:5 at "kernel.py":9:1))
  tile.store %x, %w : !tile.ptr<i64>
  return
})",
                             {});
  EXPECT_EQ(text.find("helper.py:3:5: error: "), 0u) << text;
  EXPECT_NE(text.find("\n  called at kernel.py:9:1"), std::string::npos) << text;
}

} // namespace

// The library's entry: artifacts, the kernel interface, errors, repeatability, and small modules of
// every kind of arithmetic, valid for every size of subgroup and with or without optional features.
#include "backends/spirv/Compile.h"
#include "backends/spirv/Fixups.h"
#include "backends/spirv/Interface.h"
#include "tests/ir/simt/SharedUserCheck.h"

#include "gtest/gtest.h"
#include <thread>

using namespace tilerun;
using namespace tilerun::spirvbackend;

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

const std::string kRich = ",f16,f64,i8,i16,storage8,storage16,memory-model,subgroup-control,"
                          "shuffle,shuffle-relative,preserve-f32,preserve-f16,preserve-f64,"
                          "rte-f16,rte-f32,rte-f64,rounding-independent,denorm-f32,fma";

SpirvOptions optionsFor(const std::string &target) {
  SpirvOptions options;
  options.target = llvm::cantFail(parseTarget(target));
  return options;
}

std::string errorOf(llvm::StringRef text, const SpirvOptions &options) {
  auto artifact = compile(text, options);
  return artifact ? "no error" : llvm::toString(artifact.takeError());
}

/// Compiles and validates; the error, or "".
std::string problemOf(llvm::StringRef text, const std::string &target) {
  auto artifact = compile(text, optionsFor(target));
  if (!artifact)
    return llvm::toString(artifact.takeError());
  if (llvm::Error error = checkPhis(artifact->words))
    return llvm::toString(std::move(error));
  return validate(artifact->words);
}

std::string assemblyOf(llvm::StringRef text, const SpirvOptions &options) {
  std::string assembly;
  auto artifact = compile(text, options, Stage::SpirvAsm, &assembly);
  EXPECT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  return assembly;
}

// Dialects of the backend that take part in per-thread IR say how they touch shared memory.
TEST(Compile, NoOpForgetsHowItTouchesSharedMemory) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  EXPECT_TRUE(test::expectSharedUsers(context).contains("simt"));
}

TEST(Compile, TheArtifactDescribesTheLaunch) {
  SpirvOptions options = optionsFor("vulkan:1.3,subgroup=8,threads=256,subgroup-control,shuffle");
  options.numWarps = 8;
  auto artifact = compile(kAdd, options);
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_EQ(artifact->kernel, "add");
  EXPECT_EQ(artifact->target, "vulkan:1.3,subgroup=8,threads=256,subgroup-control,shuffle");
  EXPECT_EQ(artifact->numThreads, 256u) << "a warp of the language has 32 threads";
  EXPECT_EQ(artifact->subgroupSize, 8u);
  EXPECT_TRUE(artifact->requiresSubgroupSize);
  EXPECT_GT(artifact->sharedBytes, 0u);
  EXPECT_EQ(artifact->argumentBytes, 16u);
  EXPECT_FALSE(artifact->argumentsInMemory);
  EXPECT_EQ(artifact->pushBytes, kHeaderBytes + 16);
  using Kind = SpirvParameter::Kind;
  ASSERT_EQ(artifact->parameters.size(), 3u);
  EXPECT_EQ(artifact->parameters[0].kind, Kind::Pointer);
  EXPECT_EQ(artifact->parameters[0].name, "x");
  EXPECT_EQ(artifact->parameters[1].kind, Kind::Integer);
  EXPECT_EQ(artifact->parameters[1].offset, 8u);
  EXPECT_EQ(artifact->parameters[2].kind, Kind::Float);
  EXPECT_EQ(artifact->parameters[2].offset, 12u);
  ASSERT_GT(artifact->words.size(), 5u);
  EXPECT_EQ(artifact->words[0], 0x07230203u);
  EXPECT_EQ(artifact->words[1], 0x00010600u) << "SPIR-V 1.6";
}

TEST(Compile, EverySubgroupSizeAndNumberOfWarps) {
  for (unsigned subgroup : {4u, 8u, 16u, 32u, 64u, 128u})
    for (unsigned warps : {1u, 4u, 32u})
      for (const std::string &features : {std::string(), kRich}) {
        SpirvOptions options =
            optionsFor("vulkan:1.3,subgroup=" + std::to_string(subgroup) + features);
        options.numWarps = warps;
        auto artifact = compile(kAdd, options);
        ASSERT_TRUE(bool(artifact)) << subgroup << ": " << llvm::toString(artifact.takeError());
        EXPECT_EQ(artifact->numThreads, std::max(32 * warps, subgroup));
        EXPECT_EQ(validate(artifact->words), "") << subgroup << " lanes, " << warps << " warps";
      }
}

TEST(Compile, ManyParametersLieInMemory) {
  // 12 pointers of 8 bytes fill the 96 bytes after the header; one byte more does not fit.
  for (unsigned pointers : {12u, 13u, 40u}) {
    std::string text = "func.func @many(";
    for (unsigned i = 0; i < pointers; ++i)
      text += "%p" + std::to_string(i) + ": !tile.ptr<f32>, ";
    text += "%b: i1, %h: i8, %w: i16, %d: f16) attributes {tile.kernel} {\n"
            "  %e = arith.extui %h : i8 to i16\n  %s = arith.addi %e, %w : i16\n"
            "  %f = arith.uitofp %s : i16 to f32\n  %g = arith.extf %d : f16 to f32\n"
            "  %v = arith.select %b, %f, %g : f32\n"
            "  tile.store %p" +
            std::to_string(pointers - 1) + ", %v : !tile.ptr<f32>\n  return\n}";
    for (const std::string &features : {std::string(), kRich}) {
      auto artifact = compile(text, optionsFor("vulkan:1.3" + features));
      ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
      EXPECT_TRUE(artifact->argumentsInMemory) << pointers;
      EXPECT_EQ(artifact->pushBytes, kHeaderBytes + 8);
      EXPECT_EQ(artifact->argumentBytes, 8 * pointers + 6);
      EXPECT_EQ(validate(artifact->words), "");
    }
  }
  std::string text = "func.func @fits(";
  for (unsigned i = 0; i < 12; ++i)
    text += std::string(i ? ", " : "") + "%p" + std::to_string(i) + ": !tile.ptr<f32>";
  auto artifact = compile(text + ") attributes {tile.kernel} { return }", SpirvOptions());
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_FALSE(artifact->argumentsInMemory);
  EXPECT_EQ(artifact->pushBytes, kPushBytes);
}

TEST(Compile, TheSameInputGivesTheSameWordsInEveryThread) {
  for (const std::string &features : {std::string(), kRich}) {
    SpirvOptions options = optionsFor("vulkan:1.3" + features);
    std::vector<uint32_t> first = llvm::cantFail(compile(kAdd, options)).words;
    std::vector<std::vector<uint32_t>> results(4);
    std::vector<std::thread> threads;
    for (auto &result : results)
      threads.emplace_back([&] { result = llvm::cantFail(compile(kAdd, options)).words; });
    for (std::thread &thread : threads)
      thread.join();
    for (const auto &result : results)
      EXPECT_EQ(result, first);
  }
}

TEST(Compile, WrongRequestsAreErrors) {
  SpirvOptions options;
  EXPECT_EQ(errorOf("func.func @f() { return }", options),
            "the module has no kernel (a function with the attribute 'tile.kernel')");
  EXPECT_NE(errorOf("func.func @f() attributes {tile.kernel} { return }\n"
                    "func.func @g() attributes {tile.kernel} { return }",
                    options)
                .find("more than one kernel: f and g"),
            std::string::npos);
  EXPECT_NE(errorOf("func.func @f(", options).find("the module cannot be read"), std::string::npos);
  options.numWarps = 3;
  EXPECT_NE(errorOf(kAdd, options).find("num_warps must be 1, 2, 4, 8, 16 or 32, but is 3"),
            std::string::npos);
  options = optionsFor("vulkan:1.3,subgroup=8,threads=256");
  options.numWarps = 16;
  EXPECT_NE(errorOf(kAdd, options)
                .find("would run in 512 threads with num_warps=16, but vulkan:1.3 allows 256 in a "
                      "program, which is 256 fewer; use num_warps=8 or less"),
            std::string::npos);
}

TEST(Compile, AKernelWithTooMuchSharedMemorySaysByHowMuch) {
  std::string text = R"(
func.func @f(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16384 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %p : tensor<16384x!tile.ptr<f32>>
  %c = arith.constant dense<1> : tensor<16384xi32>
  %j = arith.xori %i, %c : tensor<16384xi32>
  %w = tile.gather %v[%j] axis 0 : tensor<16384xf32>, tensor<16384xi32> -> tensor<16384xf32>
  tile.store %p, %w : tensor<16384x!tile.ptr<f32>>
  return
})";
  std::string error = errorOf(text, optionsFor("vulkan:1.3,shared=16384"));
  EXPECT_NE(error.find("16384"), std::string::npos) << error;
  EXPECT_NE(error.find("shared memory"), std::string::npos) << error;
  EXPECT_EQ(problemOf(text, "vulkan:1.3,shared=131072"), "");
}

TEST(Compile, FloatControlsFollowTheTarget) {
  EXPECT_EQ(assemblyOf(kAdd, SpirvOptions()).find("SignedZeroInfNanPreserve"), std::string::npos);
  std::string rich = assemblyOf(kAdd, optionsFor("vulkan:1.3" + kRich));
  EXPECT_NE(rich.find("SignedZeroInfNanPreserve 32"), std::string::npos) << rich;
  EXPECT_NE(rich.find("RoundingModeRTE 32"), std::string::npos);
  EXPECT_NE(rich.find("DenormPreserve 32"), std::string::npos);
  EXPECT_EQ(rich.find("Preserve 16"), std::string::npos) << "only of widths that are used";
  EXPECT_NE(rich.find("NoContraction"), std::string::npos);
  EXPECT_NE(rich.find("PhysicalStorageBuffer64 Vulkan"), std::string::npos);
  EXPECT_NE(rich.find("NonPrivatePointer"), std::string::npos);
}

TEST(Compile, TheWorkgroupsWidthIsASpecializationConstant) {
  SpirvOptions options;
  options.numWarps = 2;
  std::string text = assemblyOf(kAdd, options);
  EXPECT_NE(text.find("LocalSize 64 1 1"), std::string::npos) << text;
  EXPECT_NE(text.find("SpecId 0"), std::string::npos);
  EXPECT_NE(text.find("OpSpecConstant %uint 64"), std::string::npos);
  EXPECT_NE(text.find("BuiltIn WorkgroupSize"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Small modules of one op each
//===----------------------------------------------------------------------===//

/// An op on elements that are loaded, and a store of its result.
std::string kernelOf(const std::string &op, const std::string &type, const std::string &result) {
  std::string t = "tensor<256x" + type + ">", r = "tensor<256x" + result + ">";
  std::string text = R"(
func.func @k(%x: !tile.ptr<T>, %y: !tile.ptr<T>, %z: !tile.ptr<R>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<T> -> tensor<256x!tile.ptr<T>>
  %xp = tile.addptr %xs, %i : tensor<256x!tile.ptr<T>>, tensor<256xi32>
  %ys = tile.splat %y : !tile.ptr<T> -> tensor<256x!tile.ptr<T>>
  %yp = tile.addptr %ys, %i : tensor<256x!tile.ptr<T>>, tensor<256xi32>
  %zs = tile.splat %z : !tile.ptr<R> -> tensor<256x!tile.ptr<R>>
  %zp = tile.addptr %zs, %i : tensor<256x!tile.ptr<R>>, tensor<256xi32>
  %a = tile.load %xp mask %m : tensor<256x!tile.ptr<T>>
  %b = tile.load %yp mask %m : tensor<256x!tile.ptr<T>>
  OP
  tile.store %zp, %c mask %m : tensor<256x!tile.ptr<R>>
  return
})";
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replaceAll("OP", op);
  replaceAll("<T>", "<" + type + ">");
  replaceAll("<R>", "<" + result + ">");
  replaceAll("$T", t);
  replaceAll("$R", r);
  replaceAll("$I", "tensor<256xi1>");
  return text;
}

const std::string kTargets[] = {
    "vulkan:1.3",
    "vulkan:1.3,subgroup=8,threads=256,i16,storage16,subgroup-control,shuffle",
    "vulkan:1.3,subgroup=16,i8,f16,storage8,memory-model",
    "vulkan:1.3,subgroup=64" + kRich,
};

/// For two of the targets, which take turns; f64 needs the feature.
void expectValid(const std::string &text, const std::string &type) {
  static unsigned turn = 0;
  ++turn;
  for (unsigned i = 0; i < 2; ++i) {
    const std::string &target = kTargets[(turn + 2 * i + turn / 4) % 4];
    if (type == "f64" && target.find("f64") == std::string::npos)
      continue;
    std::string problem = problemOf(text, target);
    EXPECT_EQ(problem, "") << target << "\n" << text;
  }
}

TEST(Modules, IntegersOfEveryWidth) {
  for (const char *type : {"i1", "i8", "i16", "i32", "i64"})
    for (const char *op :
         {"addi",  "subi",  "muli",  "divsi",     "divui",     "remsi",     "remui",
          "andi",  "ori",   "xori",  "shli",      "shrsi",     "shrui",     "minsi",
          "minui", "maxsi", "maxui", "ceildivsi", "ceildivui", "floordivsi"}) {
      if (std::string(type) == "i1" && std::string(op).find("div") != std::string::npos &&
          std::string(op).size() > 5)
        continue; // rounded quotients of booleans: the language has none
      expectValid(kernelOf(std::string("%c = arith.") + op + " %a, %b : $T", type, type), type);
    }
}

TEST(Modules, IntegerComparisons) {
  for (const char *type : {"i1", "i8", "i16", "i32", "i64"})
    for (const char *predicate :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
      expectValid(
          kernelOf(std::string("%c = arith.cmpi ") + predicate + ", %a, %b : $T", type, "i1"),
          type);
}

TEST(Modules, WideProductsAndCarries) {
  for (const char *type : {"i32", "i64"})
    for (const char *op : {"mului_extended", "mulsi_extended"})
      expectValid(kernelOf(std::string("%l, %c = arith.") + op + " %a, %b : $T", type, type), type);
  expectValid(kernelOf("%s, %c = arith.addui_extended %a, %b : $T, $I", "i32", "i1"), "i32");
}

TEST(Modules, Floats) {
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    for (const char *op :
         {"addf", "subf", "mulf", "divf", "minnumf", "maxnumf", "minimumf", "maximumf"})
      expectValid(kernelOf(std::string("%c = arith.") + op + " %a, %b : $T", type, type), type);
    expectValid(kernelOf("%c = arith.negf %a : $T", type, type), type);
    for (const char *predicate : {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
                                  "ugt", "uge", "ult", "ule", "une", "uno", "true"})
      expectValid(
          kernelOf(std::string("%c = arith.cmpf ") + predicate + ", %a, %b : $T", type, "i1"),
          type);
  }
}

TEST(Modules, CastsBetweenAllIntegers) {
  const char *types[] = {"i1", "i8", "i16", "i32", "i64"};
  for (int from = 0; from < 5; ++from)
    for (int to = 0; to < 5; ++to) {
      if (from == to)
        continue;
      for (const char *op : {"extsi", "extui", "trunci"})
        if ((to < from) == (op == std::string("trunci")))
          expectValid(
              kernelOf(std::string("%c = arith.") + op + " %a : $T to $R", types[from], types[to]),
              types[from]);
    }
}

TEST(Modules, BitcastsOfOneWidth) {
  const std::pair<const char *, const char *> pairs[] = {
      {"f16", "i16"}, {"i16", "bf16"}, {"bf16", "f16"}, {"f32", "i32"}, {"i64", "f64"}};
  for (auto [from, to] : pairs) {
    std::string wide = std::string(to) == "f64" ? "f64" : "";
    expectValid(kernelOf("%c = arith.bitcast %a : $T to $R", from, to), wide);
    expectValid(kernelOf("%c = arith.bitcast %a : $T to $R", to, from), wide);
  }
}

TEST(Modules, LoopsAndBranchesCarryEveryType) {
  for (const char *type : {"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}) {
    expectValid(kernelOf(R"(%zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %l:2 = scf.for %k = %zero to %n step %one iter_args(%u = %a, %v = %b) -> ($T, $T) : i32 {
    %odd = arith.andi %k, %one : i32
    %is = arith.cmpi eq, %odd, %one : i32
    %s:2 = scf.if %is -> ($T, $T) {
      %w:2 = scf.while (%p = %v, %c = %k) : ($T, i32) -> ($T, i32) {
        %more = arith.cmpi slt, %c, %n : i32
        scf.condition(%more) %p, %c : $T, i32
      } do {
      ^bb0(%p: $T, %c: i32):
        %d = arith.addi %c, %one : i32
        scf.yield %u, %d : $T, i32
      }
      scf.yield %w#0, %u : $T, $T
    } else {
      scf.yield %v, %u : $T, $T
    }
    scf.yield %s#0, %s#1 : $T, $T
  }
  %c = arith.select %m, %l#0, %l#1 : $I, $T)",
                         type, type),
                type);
  }
}

TEST(Modules, WhatTheTargetLacksNamesTheOpAndTheLine) {
  std::string error =
      errorOf(kernelOf("%c = arith.addf %a, %b : $T", "f64", "f64"), optionsFor("vulkan:1.3"));
  EXPECT_EQ(error.find("-:12:8: error: vulkan:1.3 lacks 64-bit floats (shaderFloat64)"), 0u)
      << error;
  EXPECT_NE(error.find("'simt.load'"), std::string::npos) << error;
  EXPECT_NE(error.find("use float32, or a device that has them"), std::string::npos) << error;
}

} // namespace

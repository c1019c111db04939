// Shared memory, exchange between threads, atomics and messages: every form on targets with and
// without the features that they use is valid SPIR-V in the form for the target.
#include "backends/spirv/Compile.h"

#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::spirvbackend;
using backend::DebugSite;

namespace {

/// Targets from the poorest to the richest.
const std::string kBaseline = "vulkan:1.3";
const std::string kTypes = kBaseline + ",f16,f64,i8,i16,storage8,storage16";
const std::string kLanes = kTypes + ",subgroup=8,threads=256,subgroup-control,shuffle,"
                                    "shuffle-relative,atomic-i64,atomic-f32-add";
const std::string kRich = kTypes + ",memory-model,explicit-layout,explicit-layout8,"
                                   "explicit-layout16,subgroup-control,shuffle,subgroup-types,"
                                   "atomic-i64,atomic-f16-add,atomic-f32-add,atomic-f64-add";

SpirvOptions optionsFor(const std::string &target) {
  SpirvOptions options;
  llvm::Expected<Target> parsed = parseTarget(target);
  EXPECT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  options.target = *parsed;
  return options;
}

/// The module's assembly; a failed check if it is not valid.
std::string compileValid(const std::string &source, const std::string &target) {
  SCOPED_TRACE(target + "\n" + source);
  llvm::Expected<SpirvArtifact> artifact = compile(source, optionsFor(target));
  if (!artifact) {
    ADD_FAILURE() << llvm::toString(artifact.takeError());
    return "";
  }
  EXPECT_EQ(validate(artifact->words), "");
  llvm::Expected<std::string> text = disassemble(artifact->words);
  if (!text) {
    ADD_FAILURE() << llvm::toString(text.takeError());
    return "";
  }
  return *text;
}

std::string errorOf(const std::string &source, const std::string &target) {
  llvm::Expected<SpirvArtifact> artifact = compile(source, optionsFor(target));
  return artifact ? "no error" : llvm::toString(artifact.takeError());
}

unsigned count(llvm::StringRef text, llvm::StringRef what) { return unsigned(text.count(what)); }

/// 64 elements, each added to (or otherwise combined with) memory.
std::string atomicKernel(const std::string &kind, const std::string &type) {
  std::string p = "tensor<64x!tile.ptr<" + type + ">>";
  return "func.func @k(%x: !tile.ptr<" + type + ">, %y: !tile.ptr<" + type +
         ">, %n: i32) attributes {tile.kernel} {\n"
         "  %i = tile.make_range 0 to 64 : tensor<64xi32>\n"
         "  %ns = tile.splat %n : i32 -> tensor<64xi32>\n"
         "  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>\n"
         "  %xs = tile.splat %x : !tile.ptr<" +
         type + "> -> " + p +
         "\n"
         "  %ys = tile.splat %y : !tile.ptr<" +
         type + "> -> " + p +
         "\n"
         "  %px = tile.addptr %xs, %i : " +
         p +
         ", tensor<64xi32>\n"
         "  %py = tile.addptr %ys, %i : " +
         p +
         ", tensor<64xi32>\n"
         "  %v = tile.load %px : " +
         p + "\n" +
         (kind == "cas" ? "  %r = tile.atomic_cas %py, %v, %v : " + p + "\n"
                        : "  %r = tile.atomic_rmw " + kind + " %py, %v mask %m : " + p + "\n") +
         "  tile.store %px, %r : " + p + "\n  return\n}\n";
}

struct AtomicForm {
  const char *kind, *type;
  const char *rich;  ///< The instruction where everything is offered.
  const char *lanes; ///< With lavapipe's features only.
};

class Atomics : public testing::TestWithParam<AtomicForm> {};

TEST_P(Atomics, AreValidWhereTheyExist) {
  const AtomicForm &form = GetParam();
  std::string source = atomicKernel(form.kind, form.type);
  std::string rich = compileValid(source, kRich), lanes = compileValid(source, kLanes);
  EXPECT_GT(count(rich, form.rich), 0u) << rich;
  EXPECT_GT(count(lanes, form.lanes), 0u) << lanes;
  // Fences around all elements, and none in loops: one before, one after.
  EXPECT_EQ(count(rich, "OpMemoryBarrier"), 2u);
  EXPECT_EQ(count(lanes, "OpMemoryBarrier"), 2u);
  bool isLong = std::string(form.type).find("64") != std::string::npos;
  if (isLong)
    EXPECT_NE(errorOf(source, kTypes).find("lacks 64-bit atomics"), std::string::npos)
        << errorOf(source, kTypes);
  else
    compileValid(source, kBaseline);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Atomics,
    testing::Values(AtomicForm{"and", "i32", "OpAtomicAnd", "OpAtomicAnd"},
                    AtomicForm{"or", "i64", "OpAtomicOr", "OpAtomicOr"},
                    AtomicForm{"xor", "i32", "OpAtomicXor", "OpAtomicXor"},
                    AtomicForm{"add", "i32", "OpAtomicIAdd", "OpAtomicIAdd"},
                    AtomicForm{"add", "i64", "OpAtomicIAdd", "OpAtomicIAdd"},
                    AtomicForm{"max", "i32", "OpAtomicSMax", "OpAtomicSMax"},
                    AtomicForm{"min", "i64", "OpAtomicSMin", "OpAtomicSMin"},
                    AtomicForm{"umax", "i64", "OpAtomicUMax", "OpAtomicUMax"},
                    AtomicForm{"umin", "i32", "OpAtomicUMin", "OpAtomicUMin"},
                    AtomicForm{"fadd", "f16", "OpAtomicFAddEXT", "OpAtomicCompareExchange"},
                    AtomicForm{"fadd", "bf16", "OpAtomicCompareExchange",
                               "OpAtomicCompareExchange"},
                    AtomicForm{"fadd", "f32", "OpAtomicFAddEXT", "OpAtomicFAddEXT"},
                    AtomicForm{"fadd", "f64", "OpAtomicFAddEXT", "OpAtomicCompareExchange"},
                    AtomicForm{"fmax", "f32", "OpAtomicSMax", "OpAtomicUMin"},
                    AtomicForm{"fmin", "f64", "OpAtomicSMin", "OpAtomicUMax"},
                    AtomicForm{"xchg", "f16", "OpAtomicCompareExchange", "OpAtomicCompareExchange"},
                    AtomicForm{"xchg", "i16", "OpAtomicCompareExchange", "OpAtomicCompareExchange"},
                    AtomicForm{"xchg", "f32", "OpAtomicExchange", "OpAtomicExchange"},
                    AtomicForm{"xchg", "f64", "OpAtomicExchange", "OpAtomicExchange"},
                    AtomicForm{"cas", "bf16", "OpAtomicCompareExchange", "OpAtomicCompareExchange"},
                    AtomicForm{"cas", "i32", "OpAtomicCompareExchange", "OpAtomicCompareExchange"},
                    AtomicForm{"cas", "i64", "OpAtomicCompareExchange", "OpAtomicCompareExchange"}),
    [](const auto &info) { return std::string(info.param.kind) + "_" + info.param.type; });

/// A 16 × 32 block is transposed: through shared memory.
std::string transposeKernel(const std::string &type) {
  std::string t = "tensor<16x32x" + type + ">", p = "tensor<16x32x!tile.ptr<" + type + ">>",
              u = "tensor<32x16x" + type + ">", q = "tensor<32x16x!tile.ptr<" + type + ">>";
  auto place = [](const std::string &rows, const std::string &columns, const std::string &name) {
    std::string shape = "tensor<" + rows + "x" + columns + "xi32>";
    return "  %r" + name + " = tile.make_range 0 to " + rows + " : tensor<" + rows + "xi32>\n" +
           "  %c" + name + " = tile.make_range 0 to " + columns + " : tensor<" + columns +
           "xi32>\n  %w" + name + " = arith.constant dense<" + columns + "> : tensor<" + rows +
           "xi32>\n  %s" + name + " = arith.muli %r" + name + ", %w" + name + " : tensor<" + rows +
           "xi32>\n  %re" + name + " = tile.expand_dims %s" + name + " axis 1 : tensor<" + rows +
           "xi32> -> tensor<" + rows + "x1xi32>\n  %rb" + name + " = tile.broadcast %re" + name +
           " : tensor<" + rows + "x1xi32> -> " + shape + "\n  %ce" + name +
           " = tile.expand_dims %c" + name + " axis 0 : tensor<" + columns + "xi32> -> tensor<1x" +
           columns + "xi32>\n  %cb" + name + " = tile.broadcast %ce" + name + " : tensor<1x" +
           columns + "xi32> -> " + shape + "\n  %i" + name + " = arith.addi %rb" + name + ", %cb" +
           name + " : " + shape + "\n";
  };
  return "func.func @k(%x: !tile.ptr<" + type + "> {tile.divisibility = 16 : i64}, %y: !tile.ptr<" +
         type + "> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {\n" +
         place("16", "32", "a") + place("32", "16", "b") + "  %xs = tile.splat %x : !tile.ptr<" +
         type + "> -> " + p + "\n  %ys = tile.splat %y : !tile.ptr<" + type + "> -> " + q +
         "\n  %px = tile.addptr %xs, %ia : " + p + ", tensor<16x32xi32>\n" +
         "  %py = tile.addptr %ys, %ib : " + q + ", tensor<32x16xi32>\n" +
         "  %v = tile.load %px : " + p + "\n  %w = tile.trans %v [1, 0] : " + t + " -> " + u +
         "\n  tile.store %py, %w : " + q + "\n  return\n}\n";
}

class SharedMemory : public testing::TestWithParam<const char *> {};

TEST_P(SharedMemory, HoldsEveryType) {
  std::string source = transposeKernel(GetParam());
  bool isLong = std::string(GetParam()) == "f64";
  for (const std::string &target : {kBaseline, kTypes, kLanes, kRich}) {
    if (isLong && target == kBaseline)
      continue; // Names the missing feature; other tests cover that.
    std::string text = compileValid(source, target);
    EXPECT_GT(count(text, "OpControlBarrier"), 0u) << target;
    EXPECT_GT(count(text, "Workgroup"), 0u) << target;
    // Views of one arena, or words of it.
    EXPECT_EQ(count(text, "Aliased") > 0, target == kRich) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SharedMemory,
                         testing::Values("i8", "i16", "f16", "bf16", "i32", "f32", "i64", "f64"));

const char *kSum = R"(
func.func @k(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %pi = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %ps, %pi : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %pv = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %r = tile.reduce %pv axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %x, %r : !tile.ptr<f32>
  return
})";

TEST(Subgroups, ReduceByShufflesWhereTheyAre) {
  EXPECT_EQ(count(compileValid(kSum, kLanes), "OpGroupNonUniformShuffleXor"), 3u);
  EXPECT_EQ(count(compileValid(kSum, kRich), "OpGroupNonUniformShuffleXor"), 5u);
  std::string without = compileValid(kSum, kBaseline);
  EXPECT_EQ(count(without, "Subgroup"), 0u) << without;
  EXPECT_GT(count(without, "OpControlBarrier"), 0u);
}

TEST(Subgroups, OfEverySize) {
  for (unsigned bits = 2; bits <= 7; ++bits) {
    std::string target =
        kTypes + ",subgroup-control,shuffle,subgroup=" + std::to_string(1u << bits);
    EXPECT_EQ(count(compileValid(kSum, target), "OpGroupNonUniformShuffleXor"), bits);
    compileValid(transposeKernel("f16"), target);
  }
}

const char *kMessages = R"(
func.func @k(%x: !tile.ptr<i64>, %f: f16) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i64> loc("k.py":3:7)
  %z = arith.constant 0 : i64
  %c = arith.cmpi sgt, %v, %z : i64
  tile.print "100% of x: " : %v signed [true] : i64 loc("k.py":4:5)
  tile.print "f " : %f signed [true] : f16 loc("k.py":5:5)
  tile.assert %c, "must be positive" : i1 loc("k.py":6:5)
  tile.store %x, %z : !tile.ptr<i64>
  return
})";

TEST(Messages, AreDescribedToTheHost) {
  for (const std::string &target : {kBaseline, kTypes, kLanes, kRich}) {
    compileValid(kMessages, target);
    llvm::Expected<SpirvArtifact> artifact = compile(kMessages, optionsFor(target));
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    ASSERT_EQ(artifact->debugSites.size(), 3u);
    // Assertions come first, because their flag must be there before anything else.
    const DebugSite &check = artifact->debugSites[0], &print = artifact->debugSites[1];
    EXPECT_EQ(check.kind, DebugSite::Kind::Assert);
    EXPECT_EQ(check.text, "must be positive");
    EXPECT_EQ(check.file, "k.py");
    EXPECT_EQ(check.line, 6u);
    EXPECT_EQ(check.column, 5u);
    EXPECT_EQ(print.kind, DebugSite::Kind::Print);
    EXPECT_EQ(print.text, "pid (%d, %d, %d) idx () 100%% of x: %lld\n");
    EXPECT_EQ(print.arguments, "iiil");
    EXPECT_EQ(print.getWords(), 6u);
    // No 64-bit float, although the language prints with one.
    EXPECT_EQ(artifact->debugSites[2].arguments, "iiif");
    EXPECT_GE(artifact->sharedBytes, 4u);
  }
}

TEST(Messages, KernelsWithoutHaveNone) {
  llvm::Expected<SpirvArtifact> artifact = compile(kSum, optionsFor(kLanes));
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  EXPECT_TRUE(artifact->debugSites.empty());
}

} // namespace

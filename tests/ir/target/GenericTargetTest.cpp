// The text form of targets: every field has a word, every vendor's targets can be written, and
// errors name the word and its valid values.
#include "ir/target/GenericTarget.h"

#include "backends/nvptx/Target.h"
#include "backends/spirv/Target.h"
#include "ir/layout/Fragments.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::target;

namespace {

TargetInfo parse(llvm::StringRef text) {
  llvm::Expected<TargetInfo> target = parseTarget(text);
  if (!target) {
    ADD_FAILURE() << llvm::toString(target.takeError());
    return {};
  }
  return *target;
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<TargetInfo> target = parseTarget(text);
  return target ? "accepted as " + printTarget(*target) : llvm::toString(target.takeError());
}

TEST(GenericTarget, WordsThatAreLeftOutHaveTheirDefaults) {
  TargetInfo expected;
  expected.name = "generic";
  EXPECT_EQ(parse("generic"), expected);
  EXPECT_EQ(parse("generic:"), expected);
  EXPECT_EQ(printTarget(expected), "generic:lanes=32,shared=48k");
  expected.warpSize = 64;
  expected.hasShuffle = false;
  expected.sharedMemoryBytes = 100;
  EXPECT_EQ(parse("generic:lanes=64,shared=100,shuffle=off"), expected);
  EXPECT_EQ(printTarget(expected), "generic:lanes=64,shared=100,shuffle=off");
}

// One text with a value of its own for each field of TargetInfo: each word changes what it says.
TEST(GenericTarget, EveryFieldHasAWord) {
  using E = MatrixElement;
  TargetInfo target;
  target.name = "my:device";
  target.warpSize = 64;
  target.maxThreads = 512;
  target.maxVectorBytes = 8;
  target.sharedMemoryBytes = 64 * 1024;
  target.hasShuffle = false;
  target.hasAsyncCopy = true;
  target.copiesFollowLanes = true;
  target.hasLoadMatrix = true;
  target.hasTransposedRead = true;
  target.registers = 256;
  target.unitRegisters = 65536;
  target.unitCacheBytes = 4096;
  target.unitThreads = 1024;
  target.mostStepsOfRead = 2;
  target.vectorSumBytes = 8;
  target.countsFlightAsStage = true;
  target.hasDotBytes = true;
  target.readsFloat8 = false;
  target.roundsToFloat8 = true;
  target.hasUnsignedZeros8 = true;
  target.hasGridDependency = true;
  target.hasEvictionPolicies = true;
  target.hasRoles = target.hasBoxCopies = true;
  target.roleRegisters = 512;
  target.maxBlocks = 4;
  target.hasTurns = true;
  target.matrixUnits = 4;
  target.sharedModel = {64, 8, 8};
  target.exchange = {3, 4, 5, 6};
  target.assembler = "text";
  layout::LinearLayout a = layout::rowMajorFragment(16, 16, 4, 64),
                       d = layout::rowMajorFragment(16, 16, 2, 64);
  target.matrixInstructions = {
      {"multiply", E::F16, E::BF16, E::F32, 16, 16, 16, a, a, d, true, false},
      {.name = "scaled",
       .a = E::E4M3,
       .b = E::E2M1,
       .acc = E::F32,
       .m = 16,
       .n = 16,
       .k = 16,
       .aLayout = a,
       .bLayout = a,
       .dLayout = d,
       .isScaled = true,
       .cycles = 32},
      *opaqueInstruction(E::I8, E::I8, E::I32, 16, 16, 32, 64)};
  target.warpGroupInstructions = {
      {"f32.f16.f16", E::F16, E::F16, E::F32, 2, 32, 64, 16, a, d, true, true},
      {"s32.s8.s8", E::I8, E::I8, E::I32, 1, 16, 16, 16, a, d, false, false}};
  std::string text = printTarget(target);
  EXPECT_EQ(text,
            "generic:name=my:device,lanes=64,threads=512,vector=8,shared=64k,registers=256,"
            "unit-registers=65536,unit-cache=4096,unit-threads=1024,steps-of-read=2,shuffle=off,"
            "async=on,copies-follow-lanes=on,load-matrix=on,transposed-read=on,flight-is-"
            "stage=on,dot-bytes=on,"
            "reads-float8=off,rounds-to-float8=on,float8-fnuz=on,grid-dependency=on,"
            "eviction-policies=on,vector-sum=8,roles=on,role-registers=512,box-copies=on,"
            "blocks=4,turns=on,matrix-"
            "units=4,banks=64,bank-bytes=8,shared-"
            "vector=8,shuffle-cost=3,select-"
            "cost=4,wavefront-"
            "cost=5,"
            "barrier-cost=6,assembler=text,matrix=multiply:16x16x16:f16:bf16:f32:" +
                a.toString() + ":" + a.toString() + ":" + d.toString() +
                ":imprecise,matrix=scaled:16x16x16:e4m3:e2m1:f32:" + a.toString() + ":" +
                a.toString() + ":" + d.toString() +
                ":scaled:cycles=32,matrix=opaque:16x16x32:i8:i8:i32,"
                "warp-group=f32.f16.f16:2:32x64x16:f16:f16:f32:" +
                a.toString() + ":" + d.toString() +
                ":any-order:imprecise,warp-group=s32.s8.s8:1:16x16x16:i8:i8:i32:" + a.toString() +
                ":" + d.toString());
  EXPECT_EQ(parse(text), target);
}

// Each word by itself, too: so that no word sets another one's field.
TEST(GenericTarget, AWordSetsOneField) {
  for (const char *word :
       {"threads=512",
        "vector=8",
        "shuffle=off",
        "async=on",
        "copies-follow-lanes=on",
        "load-matrix=on",
        "transposed-read=on",
        "registers=256",
        "unit-registers=65536",
        "unit-cache=4096",
        "unit-threads=1024",
        "steps-of-read=2",
        "flight-is-stage=on",
        "dot-bytes=on",
        "reads-float8=off",
        "rounds-to-float8=on",
        "float8-fnuz=on",
        "grid-dependency=on",
        "eviction-policies=on",
        "vector-sum=8",
        "roles=on",
        "role-registers=512",
        "box-copies=on",
        "blocks=2",
        "turns=on",
        "banks=64",
        "bank-bytes=8",
        "shared-vector=8",
        "shuffle-cost=3",
        "select-cost=4",
        "wavefront-cost=5",
        "barrier-cost=6",
        "assembler=text",
        "warp-group=products:4:64x256x32:i8:i8:i32:mma.m16n8k32.a.b8:mma.m16n8.d",
        "matrix=multiply:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d"}) {
    std::string text = printTarget(parse(std::string("generic:") + word));
    size_t place = text.find(std::string(",") + word);
    ASSERT_NE(place, std::string::npos) << word << " in " << text;
    EXPECT_EQ(text.erase(place, std::string(word).size() + 1), "generic:lanes=32,shared=48k");
  }
}

/// The words of the error for an unknown one.
std::vector<std::string> getWords() {
  const std::string text = errorOf("generic:unknown=1");
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text).split("; words are ").second.split(words, ", ");
  return {words.begin(), words.end()};
}

TEST(GenericTarget, ThePageListsEveryWord) {
  auto page = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/docs/architecture.md");
  ASSERT_TRUE(page);
  llvm::StringRef table = (*page)->getBuffer().split("| word | value | meaning |").second;
  table = table.split("\n\n").first;
  std::vector<std::string> words = getWords();
  EXPECT_GT(words.size(), 35u);
  for (const std::string &word : words)
    EXPECT_TRUE(table.contains("`" + word + "`")) << word << " is missing in docs/architecture.md";
}

TEST(GenericTarget, NvidiasArchitecturesAreSuchText) {
  for (const char *name : {"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120a"}) {
    TargetInfo info = llvm::cantFail(nvptx::getArchitecture(name)).info;
    std::string text = printTarget(info);
    EXPECT_EQ(parse(text), info) << text;
    // Fragments go by their names.
    EXPECT_EQ(text.find('{'), std::string::npos) << text;
  }
}

TEST(GenericTarget, VulkanDevicesAreSuchText) {
  for (const char *name :
       {"vulkan:1.3", "vulkan:1.3,subgroup=8,threads=256,shared=65536,subgroup-control,shuffle",
        "vulkan:1.3,subgroup-control,shuffle,f16,i8,dot8,explicit-layout,explicit-layout16,"
        "explicit-layout8,memory-model,cm=16x16x16:f16:f16:f32,cm=16x16x32:i8:i8:i32"}) {
    TargetInfo info = spirvbackend::getTargetInfo(llvm::cantFail(spirvbackend::parseTarget(name)));
    EXPECT_EQ(parse(printTarget(info)), info) << printTarget(info);
  }
}

TEST(GenericTarget, ErrorsNameTheWord) {
  EXPECT_EQ(errorOf("cuda:sm_80"),
            "'cuda:sm_80' is not a generic target; such text begins with 'generic:'");
  EXPECT_EQ(
      errorOf("generic:lane=64"),
      "'lane' is not a word of a target; words are name, lanes, threads, vector, shared, "
      "registers, unit-registers, unit-cache, unit-threads, steps-of-read, shuffle, async, "
      "copies-follow-lanes, load-matrix, "
      "transposed-read, flight-is-stage, dot-bytes, reads-float8, rounds-to-float8, "
      "float8-fnuz, grid-dependency, eviction-policies, vector-sum, roles, role-registers, "
      "box-copies, "
      "blocks, turns, matrix-units, banks, bank-bytes, shared-vector, shuffle-cost, select-cost, "
      "wavefront-cost, barrier-cost, "
      "assembler, matrix, warp-group");
  EXPECT_EQ(errorOf("generic:lanes=48"), "'lanes=48' is not a power of two from 1 to 128");
  EXPECT_EQ(errorOf("generic:lanes=256"), "'lanes=256' is not a power of two from 1 to 128");
  EXPECT_EQ(errorOf("generic:threads=0"), "'threads=0' is not a number from 1 to 65536");
  EXPECT_EQ(errorOf("generic:shared=2000000k"),
            "'shared=2000000k' is not a number from 0 to 1073741824");
  EXPECT_EQ(errorOf("generic:shared=18446744073709551615k"),
            "'shared=18446744073709551615k' is not a number from 0 to 1073741824");
  EXPECT_EQ(errorOf("generic:shared"), "'shared=' is not a number from 0 to 1073741824");
  EXPECT_EQ(errorOf("generic:shuffle=yes"), "'shuffle=yes' is neither 'on' nor 'off'");
  EXPECT_EQ(errorOf("generic:name="), "'name=' needs a value");
  EXPECT_EQ(errorOf("generic:shared-vector=4"),
            "'shared-vector=4' is not a power of two from 8 to 64");
  EXPECT_EQ(errorOf("generic:lanes=8,lanes=16"), "'lanes' is given twice");
  EXPECT_EQ(errorOf("generic:shuffle=on,name=x,shuffle=on"), "'shuffle' is given twice");
  EXPECT_EQ(errorOf("generic:name=x),lanes=8"), "the brackets of 'name=x),lanes=8' do not match");
  EXPECT_EQ(errorOf("generic:name=(x],lanes=8"), "the brackets of 'name=(x],lanes=8' do not match");
  EXPECT_EQ(errorOf("generic:name=(x,lanes=8"), "the brackets of 'name=(x,lanes=8' do not match");
  EXPECT_EQ(errorOf("generic:threads=16"), "threads=16 is less than lanes=32");
}

TEST(GenericTarget, ErrorsOfMatricesNameThePart) {
  const std::string shape =
      "it must be NAME:MxNxK:A:B:ACC:LAYOUTA:LAYOUTB:LAYOUTD[:imprecise|:scaled][:cycles=N] "
      "or opaque:MxNxK:A:B:ACC";
  EXPECT_EQ(errorOf("generic:matrix=x"), "matrix=x: " + shape);
  EXPECT_EQ(errorOf("generic:matrix=x:16x8:f16:f16:f32"), "matrix=x:16x8:f16:f16:f32: " + shape);
  EXPECT_EQ(errorOf("generic:matrix=opaque:16x12x16:f16:f16:f32"),
            "matrix=opaque:16x12x16:f16:f16:f32: '16x12x16' is not three powers of two up to 1024");
  EXPECT_EQ(
      errorOf("generic:matrix=opaque:16x16x16:f17:f16:f32"),
      "matrix=opaque:16x16x16:f17:f16:f32: 'f17' is not an element type; element types are f16, "
      "bf16, tf32, f32, f64, i8, i32, e4m3, e5m2, e4b8, e5b16, e2m1");
  EXPECT_EQ(errorOf("generic:lanes=128,matrix=opaque:8x8x8:f16:f16:f32"),
            "matrix=opaque:8x8x8:f16:f16:f32: no opaque instruction of these types and sizes is "
            "possible with 128 lanes");
  auto matrix = [](const std::string &layout) {
    return "matrix=x:16x8x16:f16:f16:f32:" + layout + ":mma.m16n8k16.b.b16:mma.m16n8.d";
  };
  EXPECT_EQ(errorOf("generic:" + matrix("mma")),
            matrix("mma") +
                ": 'mma' is neither a fragment of ir/layout/Fragments.def nor a layout");
  EXPECT_EQ(errorOf("generic:" + matrix("{x}")),
            matrix("{x}") + ": layout '{x}': column 3: expected '=', found '}'");
  EXPECT_EQ(errorOf("generic:" + matrix("mma.m16n8.d")),
            matrix("mma.m16n8.d") + ": layout 'mma.m16n8.d' is not of 16 x 16 elements");
  EXPECT_EQ(errorOf("generic:lanes=64," + matrix("mma.m16n8k16.a.b16")),
            matrix("mma.m16n8k16.a.b16") +
                ": layout 'mma.m16n8k16.a.b16' is not over registers and 64 lanes");
  const std::string twice = matrix("mma.m16n8k16.a.b16");
  EXPECT_EQ(errorOf("generic:" + twice + "," + twice), twice + ": two instructions have this name");
  auto group = [](const std::string &sizes, const std::string &rest) {
    return "warp-group=x:" + sizes + ":" + rest;
  };
  const std::string good = "f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8.d";
  const std::pair<std::string, std::string> wrong[] = {
      {group("64x256x16", good),
       "it must be NAME:WARPS:MxNxK:A:B:ACC:LAYOUTA:LAYOUTD[:any-order][:imprecise]"},
      {group("4:64x256x16", good + ":any"),
       "it must be NAME:WARPS:MxNxK:A:B:ACC:LAYOUTA:LAYOUTD[:any-order][:imprecise]"},
      {group("4:64x256x16", good + ":imprecise:any-order"),
       "it must be NAME:WARPS:MxNxK:A:B:ACC:LAYOUTA:LAYOUTD[:any-order][:imprecise]"},
      {group("3:64x256x16", good), "'3' is not a number of warps: use a power of two up to 32"},
      {group("4:64x256x15", good), "'64x256x15' is not three powers of two up to 1024"},
      {group("4:2x256x16", good), "2 rows are fewer than warps"},
      {group("4:128x256x16", good), "layout 'mma.m16n8k16.a.b16' is not of 32 x 16 elements"},
      {group("4:64x256x16", "f16:f16:f32:mma.m16n8k16.a.b16:mma.m8n8.d"),
       "layout 'mma.m8n8.d' is not of 16 rows"},
      {group("4:64x4x16", good), "layout 'mma.m16n8.d' has more than 4 columns"},
      {group("4:64x256x16", "f16:half:f32:mma.m16n8k16.a.b16:mma.m16n8.d"),
       "'half' is not an element type; element types are f16, bf16, tf32, f32, f64, i8, i32, e4m3, "
       "e5m2, "
       "e4b8, e5b16, e2m1"}};
  for (const auto &[text, problem] : wrong)
    EXPECT_EQ(errorOf("generic:" + text), text + ": " + problem);
  const std::string row = group("4:64x256x16", good);
  EXPECT_EQ(errorOf("generic:" + row + "," + row), row + ": two instructions have this name");
}

} // namespace

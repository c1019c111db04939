// Every kernel of the table: lowered to threads and run by the emulator for several warp sizes,
// with results as the interpreter's; and compiled to PTX for several architectures, which ptxas,
// where it is installed, must accept.
#include "tests/kernels/Assemble.h"
#include "tests/kernels/EmulatedCase.h"
#include "tests/kernels/Emulator.h"

#include "backends/amdgpu/Target.h"
#include "backends/common/Stages.h"
#include "backends/nvptx/Compile.h"
#include "backends/nvptx/Target.h"
#include "ir/simt/SimtOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilerun;
using namespace tilerun::test;

namespace {

class Kernels : public testing::TestWithParam<KernelCase> {};

/// As on an ordinary device: two shapes for each kind of operands.
std::vector<target::MatrixInstruction> cooperativeMatrices(unsigned lanes) {
  using Element = target::MatrixElement;
  std::vector<target::MatrixInstruction> rows;
  auto add = [&](Element operand, Element acc, unsigned n, unsigned k) {
    rows.push_back(*target::opaqueInstruction(operand, operand, acc, 16, n, k, lanes));
  };
  for (unsigned n : {16, 8}) {
    add(Element::F16, Element::F32, n, 16);
    add(Element::F16, Element::F16, n, 16);
    add(Element::I8, Element::I32, 16, n * 2);
  }
  add(Element::BF16, Element::F32, 16, 16);
  return rows;
}

/// AMD's targets, one of each kind of matrix instructions: of waves of 64 lanes, of 32 with
/// replicated operands, and of 32 without.
const std::vector<target::TargetInfo> &amdTargets() {
  static const std::vector<target::TargetInfo> targets = [] {
    std::vector<target::TargetInfo> targets;
    for (const char *name : {"gfx942", "gfx950", "gfx1100", "gfx1201"}) {
      auto arch = amdgpu::getArchitecture(name);
      EXPECT_TRUE(bool(arch)) << llvm::toString(arch.takeError());
      if (arch)
        targets.push_back(arch->info);
    }
    return targets;
  }();
  return targets;
}

struct Setting {
  unsigned lanes, warps;
  const target::TargetInfo *like = nullptr; ///< Null: no matrix instructions.
  bool hasShuffle = true;
  uint64_t sharedKilobytes = 160;
  bool isOpaque = false;
  int64_t mostElements = 0; ///< Larger tensors are computed in parts, if it is not 0.
  unsigned numCtas = 1;     ///< Where the case asks for one block.
};

/// With so little shared memory that conversions are split into rounds, and some kernels do not
/// fit. Which ones is pinned in too_large.txt.
const Setting kSmallSettings[] = {
    {.lanes = 32, .warps = 2, .sharedKilobytes = 2},
    {.lanes = 64, .warps = 2, .sharedKilobytes = 48, .isOpaque = true}};

/// A case on one of these, as a line of too_large.txt.
std::string pairOf(const KernelCase &testCase, const Setting &setting) {
  return testCase.name() + " " + std::to_string(setting.sharedKilobytes) + "K";
}

/// The lines of too_large.txt.
const std::set<std::string> &pairsThatAreTooLarge() {
  static const std::set<std::string> pairs = [] {
    std::set<std::string> pairs;
    auto text = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/tests/kernels/too_large.txt");
    EXPECT_TRUE(bool(text)) << "too_large.txt: " << text.getError().message();
    if (text)
      for (llvm::StringRef line : llvm::split((*text)->getBuffer(), '\n'))
        if (!line.empty() && !line.starts_with("#"))
          pairs.insert(line.str());
    return pairs;
  }();
  return pairs;
}

TEST_P(Kernels, GiveOnThreadsWhatTheInterpreterGives) {
  const KernelCase &testCase = GetParam();
  SCOPED_TRACE(testCase.line());
  llvm::Expected<PreparedCase> prepared = prepare(testCase);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  auto expected = interpret(*prepared, testCase.grid);
  ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());

  auto nvidia = nvptx::getArchitecture("sm_80");
  ASSERT_TRUE(bool(nvidia)) << llvm::toString(nvidia.takeError());
  auto hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  // 32 lanes with the target's matrix instructions; other sizes as any other device may have.
  std::vector<Setting> settings = {
      {32, testCase.numWarps, &nvidia->info},
      {32, testCase.numWarps, &hopper->info},
      {32, 1, &nvidia->info},
      // By two blocks, where that is possible.
      {.lanes = 32, .warps = testCase.numWarps, .like = &hopper->info, .numCtas = 2},
      {8, 2, nullptr},
      {64, 2, nullptr},
      {16, 8, nullptr},
      // Without shuffles, and with little shared memory.
      {8, 4, nullptr, false},
      kSmallSettings[0],
      // With cooperative matrices.
      {32, testCase.numWarps, nullptr, true, 160, true},
      {8, 4, nullptr, true, 160, true},
      {16, 1, nullptr, true, 160, true},
      kSmallSettings[1],
      {32, 1, nullptr, true, 160, false, 64},
      {8, 2, nullptr, true, 160, false, 8}};
  // AMD's, with the shared memory that they have, and no more waves.
  for (const target::TargetInfo &amd : amdTargets())
    settings.push_back({amd.warpSize, std::min(testCase.numWarps, amd.maxThreads / amd.warpSize),
                        &amd, amd.hasShuffle, amd.sharedMemoryBytes / 1024});
  auto isTooLarge = [](llvm::StringRef error) {
    return error.contains("lowering fails") && error.contains(" bytes of shared memory, but ") &&
           error.contains("use smaller blocks");
  };
  // Orders of the warps, different ones for each setting; a few of the first.
  uint64_t seed = 1;
  for (const Setting &setting : settings) {
    std::vector<uint64_t> seeds(seed == 1 ? 4 : 1);
    for (uint64_t &next : seeds)
      next = seed++;
    target::TargetInfo target;
    if (setting.like)
      target = *setting.like;
    target.warpSize = setting.lanes;
    target.sharedMemoryBytes = setting.sharedKilobytes * 1024;
    target.hasShuffle = setting.hasShuffle;
    target.hasDotBytes = !setting.like && setting.lanes != 8;
    if (setting.isOpaque)
      target.matrixInstructions = cooperativeMatrices(setting.lanes);
    if (target.name.empty())
      target.name = "generic";
    KernelCase asked = testCase;
    asked.numCtas = std::max(testCase.numCtas, setting.numCtas);
    std::vector<TensorArgument> got;
    std::string error =
        emulateOn(*prepared, target, setting.warps, asked, got, setting.mostElements, seeds);
    std::string where = std::to_string(setting.warps) + " warps of " +
                        std::to_string(setting.lanes) + " lanes on " + target.name + ": ";
    // A listed case must not fit: a stale list would hide that a case no longer fits.
    const std::string pair = pairOf(testCase, setting);
    if (!pairsThatAreTooLarge().contains(pair))
      EXPECT_EQ(error, "") << where << pair;
    else if (!isTooLarge(error))
      ADD_FAILURE() << where << pair << ": it fits; take it from too_large.txt\n" << error;
    if (error.empty())
      EXPECT_EQ(compare(*expected, got), "") << where;
  }
}

TEST_P(Kernels, CompileToPtxThatAssembles) {
  const KernelCase &testCase = GetParam();
  SCOPED_TRACE(testCase.line());
  llvm::Expected<PreparedCase> prepared = prepare(testCase);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  for (const char *arch : {"sm_75", "sm_80", "sm_90a", "sm_100"}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = prepared->kernel.module->clone();
    nvptx::NvptxOptions options;
    options.arch = arch;
    options.numWarps = testCase.numWarps;
    options.numStages = testCase.numStages;
    options.acrossK = testCase.acrossK;
    options.numCtas = testCase.numCtas;
    mlir::ScopedDiagnosticHandler handler(prepared->context.get(),
                                          [](mlir::Diagnostic &) { return mlir::success(); });
    auto artifact = nvptx::compile(*module, options);
    if (!artifact) {
      std::string error = llvm::toString(artifact.takeError());
      // A feature that an older architecture lacks is an error that names the newer one.
      bool explains = llvm::StringRef(error).contains("needs sm_");
      EXPECT_TRUE(explains) << arch << ": " << error;
      continue;
    }
    if (knows(arch))
      EXPECT_EQ(assemble(artifact->ptx, arch), "") << arch;
  }
  if (findPtxas().empty())
    GTEST_SKIP() << "ptxas is not installed: compiled, but not assembled";
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(loadKernelCases()),
                         [](const testing::TestParamInfo<KernelCase> &info) {
                           return info.param.name();
                         });

const KernelCase &findCase(llvm::StringRef kernel, unsigned number) {
  static const std::vector<KernelCase> cases = loadKernelCases();
  return *llvm::find_if(
      cases, [&](const KernelCase &c) { return c.kernel == kernel && c.number == number; });
}

std::string errorOn(const target::TargetInfo &target, unsigned numWarps, llvm::StringRef kernel,
                    unsigned number = 0) {
  const KernelCase &testCase = findCase(kernel, number);
  llvm::Expected<PreparedCase> prepared = prepare(testCase);
  if (!prepared)
    return llvm::toString(prepared.takeError());
  std::vector<TensorArgument> got;
  return emulateOn(*prepared, target, numWarps, testCase, got);
}

TEST(Limits, TooManyThreadsNameTheOptionAndHowManyFit) {
  target::TargetInfo target;
  target.name = "small";
  target.warpSize = 8;
  target.maxThreads = 64;
  EXPECT_EQ(errorOn(target, 8, "transpose"), "");
  EXPECT_EQ(errorOn(target, 16, "transpose"),
            "lowering fails: kernel 'transpose' would run in 128 threads with num_warps=16, but "
            "small allows 64 in a program, which is 64 fewer; use num_warps=8 or less\n");
  target.warpSize = 128;
  EXPECT_EQ(
      errorOn(target, 1, "transpose"),
      "lowering fails: kernel 'transpose' would run in 128 threads with num_warps=1, but small "
      "allows 64 in a program, which is 64 fewer; one warp alone is too large\n");
}

TEST(Limits, ConversionsThatDoNotFitTakeTurns) {
  // 64 by 32 elements of 4 bytes: four rounds.
  target::TargetInfo target;
  target.name = "small";
  target.sharedMemoryBytes = 2048;
  EXPECT_EQ(errorOn(target, 4, "transpose"), "");
}

TEST(Limits, TooLittleSharedMemoryIsToldWithWhatHelps) {
  target::TargetInfo target;
  target.name = "small";
  target.sharedMemoryBytes = 300;
  // 256 bins of 4 bytes, whatever the number of warps.
  EXPECT_EQ(errorOn(target, 4, "histogram", 3),
            "lowering fails: needs 1024 bytes of shared memory, but small has 300 for a program, "
            "which is 724 too few; use smaller blocks\n");
  // The sums of four warps take 16 bytes, those of two would take 8.
  target.sharedMemoryBytes = 8;
  EXPECT_EQ(errorOn(target, 4, "reduce_all", 7),
            "lowering fails: needs 16 bytes of shared memory, but small has 8 for a program, which "
            "is 8 too few; use smaller blocks or num_warps=2\n");
}

/// As a device without asynchronous copies, with opaque matrix instructions or none.
target::TargetInfo throughRegisters(bool isOpaque) {
  target::TargetInfo target;
  target.name = "generic";
  target.sharedMemoryBytes = 160 * 1024;
  if (isOpaque)
    target.matrixInstructions = cooperativeMatrices(32);
  return target;
}

/// However many slots a loop has, and with none, its product gives the same bits.
TEST(SchedulesByHand, GiveEqualBits) {
  auto ampere = nvptx::getArchitecture("sm_80"), hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(ampere)) << llvm::toString(ampere.takeError());
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  auto instinct = amdgpu::getArchitecture("gfx950");
  ASSERT_TRUE(bool(instinct)) << llvm::toString(instinct.takeError());
  target::TargetInfo following = instinct->info; // as --async-copies
  following.hasAsyncCopy = following.copiesFollowLanes = true;
  struct Variant {
    std::string schedule;
    bool wantsAsync = false, wantsRoles = false, wantsTurns = false;
  };
  std::vector<Variant> variants;
  for (const char *slots : {"1", "3", "4", "6"})
    variants.push_back({std::string("loop #0: copies=registers slots=") + slots});
  for (const char *slots : {"2", "3", "4", "6", "4 distance=1", "6 distance=3"})
    variants.push_back({std::string("loop #0: copies=chunks slots=") + slots, true});
  for (const char *slots : {"2", "4", "6 distance=2"})
    variants.push_back(
        {std::string("loop #0: roles=producer:4,consumer slots=") + slots, true, true});
  for (const char *slots : {"2", "3 copies=registers"})
    variants.push_back({std::string("loop #0: turns=on slots=") + slots, false, false, true});
  const KernelCase &testCase = findCase("group_stages", 3);
  llvm::Expected<PreparedCase> prepared = prepare(testCase);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  for (const target::TargetInfo &target : {ampere->info, hopper->info, instinct->info, following,
                                           throughRegisters(false), throughRegisters(true)}) {
    std::vector<TensorArgument> expected;
    ASSERT_EQ(
        emulateOn(*prepared, target, 4, testCase, expected, 0, {0}, {.text = "loop #0: none"}), "")
        << target.name;
    for (const Variant &variant : variants) {
      if ((variant.wantsAsync && !target.hasAsyncCopy) ||
          (variant.wantsRoles && !target.hasRoles) || (variant.wantsTurns && !target.hasTurns))
        continue;
      SCOPED_TRACE(target.name + ": " + variant.schedule);
      std::vector<TensorArgument> got;
      ASSERT_EQ(emulateOn(*prepared, target, 4, testCase, got, 0, {0, 1, 2, 3},
                          {.text = variant.schedule}),
                "");
      for (auto [left, right] : llvm::zip_equal(expected, got))
        EXPECT_TRUE(left.bytes == right.bytes) << left.name;
    }
  }
}

TEST(SchedulesByHand, AssembleForGpus) {
  const KernelCase &testCase = findCase("group_stages", 3);
  llvm::Expected<PreparedCase> prepared = prepare(testCase);
  ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
  for (const char *arch : {"sm_80", "sm_90a"})
    for (const char *schedule :
         {"loop #0: none", "loop #0: slots=3", "loop #0: slots=4", "loop #0: slots=6 distance=2",
          "loop #0: slots=3 copies=registers", "loop #0: slots=4 roles=producer:4,consumer",
          "loop #0: slots=3 roles=producer:8,consumer"}) {
      SCOPED_TRACE(std::string(arch) + ": " + schedule);
      mlir::OwningOpRef<mlir::ModuleOp> module = prepared->kernel.module->clone();
      nvptx::NvptxOptions options;
      options.arch = arch;
      options.schedule = schedule;
      bool hasRoles = llvm::StringRef(schedule).contains("roles");
      if (hasRoles && llvm::StringRef(arch) != "sm_90a")
        continue;
      options.numWarps = llvm::StringRef(schedule).contains("producer:8") ? 8 : 4;
      auto artifact = nvptx::compile(*module, options);
      ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
      EXPECT_EQ(artifact->numThreads, options.numWarps * (hasRoles ? 64 : 32));
      if (knows(arch))
        EXPECT_EQ(assemble(artifact->ptx, arch), "");
    }
  if (findPtxas().empty())
    GTEST_SKIP() << "ptxas is not installed: compiled, but not assembled";
}

TEST(KernelTable, IsNotEmpty) { EXPECT_GT(loadKernelCases().size(), 100u); }

TEST(KernelTable, PairsThatAreTooLargeExist) {
  std::set<std::string> all;
  for (const KernelCase &testCase : loadKernelCases())
    for (const Setting &setting : kSmallSettings)
      all.insert(pairOf(testCase, setting));
  for (const std::string &pair : pairsThatAreTooLarge())
    EXPECT_TRUE(all.contains(pair)) << pair;
}

} // namespace

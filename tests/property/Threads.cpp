// Lowering and emulation of one kernel.
#include "tests/property/Threads.h"

#include "backends/common/Stages.h"
#include "ir/distribute/Passes.h"
#include "ir/distribute/SplitTensors.h"
#include "ir/layout/Fragments.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/RegisterDialects.h"
#include "tests/kernels/Emulator.h"
#include "tests/matrix/Launch.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::property;
using matrix::Failure;

namespace {

struct Setting {
  const char *name;
  unsigned lanes;
  bool hasShuffle = true;
  uint64_t sharedBytes = 160 * 1024;
  bool hasMatrices = false;
  bool readsFloat8 = true;
  int64_t mostElements = 0; ///< Larger tensors are computed in parts, if it is not 0.
  /// It has exactly as much shared memory as the budget states that the kernel takes: it must fit.
  bool isStated = false;
  /// What NVIDIA's have: asynchronous copies, fragments of a warp, and products of warp groups.
  bool hasAsyncCopy = false, hasFragments = false, hasWarpGroups = false;
  /// A loop that can be split gets a producer of its own.
  bool hasRoles = false;
  unsigned blocks = 1; ///< Of a program that can be divided.
};

/// Conversions are split into several rounds in little shared memory; kernels that do not fit get
/// more.
constexpr Setting kSettings[] = {
    {"warps of 32 lanes", 32},
    {"warps of 8 lanes", 8},
    {"warps of 64 lanes", 64},
    {"warps of 16 lanes, no 8-bit floats", 16, true, 160 * 1024, false, false},
    {"warps of 8 lanes without shuffles", 8, false},
    {"warps of 32 lanes, 2 KiB of shared memory", 32, true, 2 * 1024},
    {"warps of 32 lanes with cooperative matrices", 32, true, 160 * 1024, true},
    {"warps of 8 lanes with cooperative matrices", 8, true, 48 * 1024, true, false},
    {"warps of 32 lanes, tensors in parts", 32, true, 160 * 1024, false, true, 32},
    {"warps of 8 lanes, small tensors in parts", 8, true, 160 * 1024, false, true, 4},
    {"warps of 32 lanes, as much shared memory as is stated", 32, true, 160 * 1024, false, true, 0,
     true},
    {"warps of 8 lanes without shuffles, as much shared memory as is stated", 8, false, 160 * 1024,
     false, true, 0, true},
    {"warps of 32 lanes with cooperative matrices, as much shared memory as is stated", 32, true,
     160 * 1024, true, true, 0, true},
    {.name =
         "warps of 32 lanes with fragments and asynchronous copies, as much shared memory as is "
         "stated",
     .lanes = 32,
     .isStated = true,
     .hasAsyncCopy = true,
     .hasFragments = true},
    {.name = "warps of 32 lanes with groups and asynchronous copies, as much shared memory as is "
             "stated",
     .lanes = 32,
     .isStated = true,
     .hasAsyncCopy = true,
     .hasFragments = true,
     .hasWarpGroups = true},
    {.name = "warps of 8 lanes with roles, as much shared memory as is stated",
     .lanes = 8,
     .isStated = true,
     .hasAsyncCopy = true,
     .hasRoles = true},
    {.name = "warps of 32 lanes with roles and fragments, as much shared memory as is stated",
     .lanes = 32,
     .isStated = true,
     .hasAsyncCopy = true,
     .hasFragments = true,
     .hasRoles = true},
    {.name = "warps of 32 lanes with roles and groups, as much shared memory as is stated",
     .lanes = 32,
     .isStated = true,
     .hasAsyncCopy = true,
     .hasFragments = true,
     .hasWarpGroups = true,
     .hasRoles = true},
    {.name = "warps of 32 lanes, programs of two blocks", .lanes = 32, .blocks = 2},
    {.name = "warps of 8 lanes, programs of eight blocks", .lanes = 8, .blocks = 8},
};

/// Products of a warp; and of groups that are small enough for the tiles of these kernels.
void addFragments(target::TargetInfo &target, bool hasWarpGroups) {
  using Element = target::MatrixElement;
  using Fragment = layout::FragmentKind;
  auto add = [&](const char *name, Element operand, Element acc, unsigned k, Fragment a, Fragment b,
                 bool takesAnyOrder) {
    layout::LinearLayout left = fragmentLayout(a), right = fragmentLayout(b),
                         sum = fragmentLayout(Fragment::MmaD);
    target.matrixInstructions.push_back({name, operand, operand, acc, 16, 8, k, left, right, sum});
    if (hasWarpGroups)
      target.warpGroupInstructions.push_back({name, operand, operand, acc, /*warps=*/1, /*m=*/16,
                                              /*n=*/256, k, left, sum, takesAnyOrder});
  };
  add("f16", Element::F16, Element::F32, 16, Fragment::MmaA16, Fragment::MmaB16, true);
  add("i8", Element::I8, Element::I32, 32, Fragment::MmaA8, Fragment::MmaB8, false);
}

target::TargetInfo makeTarget(const Setting &setting) {
  target::TargetInfo target;
  target.name = "threads";
  target.warpSize = setting.lanes;
  target.sharedMemoryBytes = setting.sharedBytes;
  target.hasShuffle = setting.hasShuffle;
  target.readsFloat8 = setting.readsFloat8;
  target.hasDotBytes = setting.lanes != 8;
  target.hasAsyncCopy = setting.hasAsyncCopy;
  target.hasLoadMatrix = setting.hasFragments;
  target.hasRoles = setting.hasRoles;
  if (setting.hasFragments)
    addFragments(target, setting.hasWarpGroups);
  if (setting.hasMatrices) {
    using Element = target::MatrixElement;
    auto add = [&](Element operand, Element acc, unsigned n, unsigned k) {
      target.matrixInstructions.push_back(
          *target::opaqueInstruction(operand, operand, acc, 16, n, k, setting.lanes));
    };
    for (unsigned n : {16, 8}) {
      add(Element::F16, Element::F32, n, 16);
      add(Element::F16, Element::F16, n, 16);
      add(Element::I8, Element::I32, 16, n * 2);
    }
    add(Element::BF16, Element::F32, 16, 16);
  }
  return target;
}

/// Gives the target as much shared memory as the kernel takes at most, by its schedule for a target
/// with as much. False if it has no schedule.
bool findStated(ModuleOp module, target::TargetInfo &target, unsigned numWarps, unsigned numStages,
                const backend::ScheduleText &byHand) {
  // Less memory means fewer slots, and operands of loops without any are stored.
  for (bool isFirst = true;; isFirst = false) {
    OwningOpRef<ModuleOp> scheduled = module.clone();
    if (failed(backend::lowerToThreads(*scheduled, {&target, numWarps, numStages},
                                       backend::ThreadStage::Schedule, byHand)))
      return false;
    int64_t bytes = 0;
    for (auto kernel : scheduled->getOps<func::FuncOp>())
      if (kernel->hasAttr(tile::TileDialect::kKernelAttr))
        bytes = std::max(bytes, schedule::getDemand(kernel, distribute::LayoutAssignment(
                                                                kernel, target, numWarps)));
    if (!isFirst && uint64_t(bytes) <= target.sharedMemoryBytes)
      return true;
    target.sharedMemoryBytes = std::max<uint64_t>(bytes, 16);
  }
}

/// A schedule that splits the first loop that can be split into a producer and a consumer; empty if
/// there is none. `seed` chooses the number of slots and how many of them are on their way.
backend::ScheduleText findRoles(ModuleOp module, const target::TargetInfo &target,
                                unsigned numWarps, unsigned numStages, uint64_t seed) {
  unsigned slots = 2 + seed % 4, distance = 1 + unsigned(seed / 4) % (slots - 1), loops = 0;
  module.walk([&](scf::ForOp) { ++loops; });
  for (unsigned loop = 0; loop < loops; ++loop) {
    backend::ScheduleText text = {("loop #" + llvm::Twine(loop) + ": slots=" + llvm::Twine(slots) +
                                   " distance=" + llvm::Twine(distance) +
                                   " roles=producer:" + llvm::Twine(numWarps) + ",consumer\n")
                                      .str(),
                                  "roles"};
    OwningOpRef<ModuleOp> scheduled = module.clone();
    if (succeeded(backend::lowerToThreads(*scheduled, {&target, numWarps, numStages},
                                          backend::ThreadStage::Schedule, text)))
      return text;
  }
  return {};
}

/// A number as the bits of a parameter.
uint64_t getBits(const matrix::RunArgument &argument, Type type) {
  if (!argument.isFloat) {
    unsigned bits = type.isInteger() ? type.getIntOrFloatBitWidth() : 64;
    return bits < 64 ? argument.bits & ((uint64_t(1) << bits) - 1) : argument.bits;
  }
  llvm::APFloat value(std::bit_cast<double>(argument.bits));
  bool losesInfo;
  if (auto floating = dyn_cast<FloatType>(type))
    value.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

class Threads : public matrix::Target {
public:
  Threads(StringRef kinds, ThreadCounts *counts) : counts(counts) {
    llvm::copy_if(kSettings, std::back_inserter(settings),
                  [&](const Setting &setting) { return StringRef(setting.name).contains(kinds); });
    assert(!settings.empty() && "no kind has such a description");
  }
  std::string getName() const override { return "threads"; }
  std::string getDescription() const override { return "emulator of threads"; }

  matrix::Outcome run(const matrix::Request &given, std::array<uint32_t, 3> grid,
                      const std::vector<matrix::RunArgument> &arguments,
                      std::vector<std::vector<uint8_t>> &buffers) override {
    std::vector<uint8_t> optimized;
    if (std::string error = matrix::optimize(given, optimized); !error.empty())
      return Failure{Failure::Kind::Run, error, false};
    matrix::Request request = given;
    request.bytecode = optimized;
    size_t choice = llvm::hash_combine_range(request.bytecode) % settings.size();
    Setting setting = settings[choice];
    matrix::Outcome failed = run(setting, request, grid, arguments, buffers);
    if (failed && !setting.isStated && StringRef(failed->message).contains("use smaller blocks")) {
      setting.sharedBytes = 160 * 1024;
      failed = run(setting, request, grid, arguments, buffers);
    }
    // The largest tensors take the emulator too long in small parts.
    if (failed && setting.mostElements &&
        StringRef(failed->message).starts_with("too many steps")) {
      setting.mostElements = 0;
      failed = run(setting, request, grid, arguments, buffers);
    }
    if (failed)
      failed->message += std::string("\n(") + setting.name + ")";
    return failed;
  }

private:
  matrix::Outcome run(const Setting &setting, const matrix::Request &request,
                      std::array<uint32_t, 3> grid,
                      const std::vector<matrix::RunArgument> &arguments,
                      std::vector<std::vector<uint8_t>> &buffers) {
    // Types and attributes of a context stay until it ends.
    if (uses++ % 400 == 0) {
      DialectRegistry registry;
      registerAllDialects(registry);
      registry.insert<simt::SimtDialect, vector::VectorDialect, cf::ControlFlowDialect>();
      context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
      context->loadAllAvailableDialects();
    }
    std::string diagnostics;
    ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return success();
    });
    auto refuse = [&](const char *what) {
      return Failure{Failure::Kind::Compile, diagnostics.empty() ? what : diagnostics, false};
    };
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        StringRef(reinterpret_cast<const char *>(request.bytecode.data()), request.bytecode.size()),
        ParserConfig(context.get()));
    if (!module)
      return refuse("the module cannot be read");
    // In smaller parts than backends ask for.
    if (setting.mostElements) {
      PassManager padding(context.get());
      padding.addPass(createTilePad());
      if (failed(padding.run(*module)))
        return refuse("padding fails");
      splitTensors(*module, setting.mostElements, setting.mostElements / 2);
    }
    target::TargetInfo target = makeTarget(setting);
    unsigned roles = setting.hasRoles ? 2 : 1;
    unsigned numWarps = std::min(request.numWarps, target.maxThreads / setting.lanes / roles);
    // As random as the kernel, and the same whenever it is run again.
    uint64_t seed = llvm::xxh3_64bits(request.bytecode);
    backend::ScheduleText byHand;
    if (setting.hasRoles) {
      byHand = findRoles(*module, target, numWarps, request.numStages, seed);
      diagnostics.clear(); // Of loops that cannot be split.
    }
    if (seed >> 32 & 1)
      byHand.prefetch = "on";
    if (setting.isStated && !findStated(*module, target, numWarps, request.numStages, byHand))
      return refuse("the schedule fails");
    target.maxBlocks = setting.blocks;
    distribute::Program program{.target = &target,
                                .numWarps = numWarps,
                                .numStages = request.numStages,
                                .numCtas = setting.blocks};
    if (counts && failed(count(*module, program, byHand)))
      return refuse("the schedule cannot be expanded");
    if (failed(backend::lowerToThreads(*module, program, backend::ThreadStage::Simt, byHand)))
      return refuse("the lowering fails");
    if (failed(verify(*module)))
      return refuse("per-thread IR is invalid");

    // Aligned as device memory is.
    std::vector<std::unique_ptr<uint8_t[]>> storage;
    std::vector<test::MemoryRange> memory;
    for (const std::vector<uint8_t> &buffer : buffers) {
      storage.push_back(std::make_unique<uint8_t[]>(buffer.size() + 256));
      auto *base =
          reinterpret_cast<uint8_t *>(llvm::alignAddr(storage.back().get(), llvm::Align(256)));
      llvm::copy(buffer, base);
      memory.push_back({base, buffer.size()});
    }
    auto kernel = module->lookupSymbol<func::FuncOp>(request.kernel);
    std::vector<uint64_t> words;
    for (auto [argument, type] : llvm::zip_equal(arguments, kernel.getArgumentTypes()))
      words.push_back(
          argument.buffer >= 0
              ? reinterpret_cast<uint64_t>(memory[static_cast<size_t>(argument.buffer)].base) +
                    argument.offset
              : getBits(argument, type));
    auto threads = kernel->getAttrOfType<IntegerAttr>(simt::SimtDialect::kThreadsAttr);
    unsigned warps = unsigned(threads.getInt()) / setting.lanes; // Of all roles.
    if (llvm::Error error = test::emulate(kernel, words, memory, {&target, warps, grid[0], seed}))
      return Failure{Failure::Kind::Run, llvm::toString(std::move(error)), false};
    for (auto [buffer, range] : llvm::zip_equal(buffers, memory))
      llvm::copy(llvm::ArrayRef(range.base, range.bytes), buffer.begin());
    return std::nullopt;
  }

  LogicalResult count(ModuleOp module, const distribute::Program &program,
                      const backend::ScheduleText &byHand) {
    OwningOpRef<ModuleOp> expanded = module.clone();
    if (failed(backend::lowerToThreads(*expanded, program, backend::ThreadStage::Expand, byHand)))
      return failure();
    auto has = [&]<typename Op>() {
      return expanded->walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
    };
    ++counts->kernels;
    counts->rings += has.template operator()<schedule::RingOp>();
    counts->roles += has.template operator()<schedule::RoleOp>();
    return success();
  }

  std::vector<Setting> settings;
  ThreadCounts *counts; ///< May be null.
  std::unique_ptr<MLIRContext> context;
  unsigned uses = 0;
};

} // namespace

std::unique_ptr<matrix::Target> property::makeThreads(StringRef kinds, ThreadCounts *counts) {
  return std::make_unique<Threads>(kinds, counts);
}

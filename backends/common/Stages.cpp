// The parts of a compilation that do not depend on the target.
#include "backends/common/Stages.h"

#include "ir/distribute/LayoutAssignment.h"
#include "ir/distribute/Passes.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Timeline.h"
#include "ir/simt/Passes.h"
#include "ir/simt/SimtOps.h"
#include "ir/simt/sync/SharedMap.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/PassRecorder.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tilerun;

llvm::Error backend::makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Error backend::checkNumWarps(unsigned numWarps) {
  if (llvm::isPowerOf2_32(numWarps) && numWarps <= 32)
    return llvm::Error::success();
  return makeError("num_warps must be 1, 2, 4, 8, 16 or 32, but is " + llvm::Twine(numWarps));
}

llvm::Error backend::checkNumCtas(unsigned numCtas) {
  if (llvm::isPowerOf2_32(numCtas) && numCtas <= tile::TileDialect::kMostBlocks)
    return llvm::Error::success();
  return makeError("num_ctas must be 1, 2, 4 or 8, but is " + llvm::Twine(numCtas));
}

llvm::Expected<func::FuncOp> backend::findKernel(ModuleOp module) {
  func::FuncOp kernel;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
      if (kernel)
        return makeError("the module has more than one kernel: " + kernel.getName() + " and " +
                         function.getName());
      kernel = function;
    }
  if (!kernel)
    return makeError("the module has no kernel (a function with the attribute 'tile.kernel')");
  return kernel;
}

std::vector<backend::KernelParameter> backend::getParameters(func::FuncOp kernel) {
  std::vector<KernelParameter> parameters;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    KernelParameter parameter;
    if (auto name = kernel.getArgAttrOfType<StringAttr>(i, tile::TileDialect::kNameAttr))
      parameter.name = name.str();
    if (isa<tile::PointerType>(type)) {
      parameter.kind = KernelParameter::Kind::Pointer;
      parameter.bits = 64;
    } else if (type.isIntOrFloat()) {
      parameter.kind =
          isa<FloatType>(type) ? KernelParameter::Kind::Float : KernelParameter::Kind::Integer;
      parameter.bits = type.getIntOrFloatBitWidth();
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

static bool isTimeline(backend::ThreadStage stage) {
  return stage == backend::ThreadStage::Timeline || stage == backend::ThreadStage::TimelineJson;
}

void backend::buildThreadPasses(OpPassManager &manager, ThreadStage last,
                                const ScheduleText &byHand) {
  manager.addPass(createTileExpandDescriptors());
  manager.addPass(createTilePad());
  manager.addPass(schedule::createScheduleBlocks());
  manager.addPass(createTileSplit());
  manager.addPass(schedule::createSchedulePrefetch({.prefetch = byHand.prefetch}));
  manager.addPass(createTileDistribute());
  if (last == ThreadStage::Layout)
    return;
  schedule::ScheduleStagesOptions options;
  options.text = byHand.text;
  options.name = byHand.name;
  options.boxes = byHand.boxes;
  options.late = byHand.late;
  options.turns = byHand.turns;
  manager.addPass(schedule::createScheduleStages(options));
  manager.addPass(schedule::createScheduleRoles({.text = byHand.text, .name = byHand.name}));
  manager.addPass(schedule::createSchedulePersist({.persistent = byHand.persistent}));
  manager.addPass(schedule::createScheduleStores({.stores = byHand.asyncStores}));
  manager.addPass(schedule::createScheduleAllocate());
  manager.addPass(schedule::createScheduleEvictions({.evictions = byHand.evictions}));
  manager.addPass(schedule::createScheduleRetain({.retain = byHand.retain}));
  if (last == ThreadStage::Schedule)
    return;
  manager.addPass(schedule::createScheduleExpand());
  manager.addPass(schedule::createScheduleMulticast({.multicast = byHand.multicast}));
  manager.addPass(schedule::createScheduleRematerialize({.rematerialize = byHand.rematerialize}));
  if (last == ThreadStage::Expand || isTimeline(last))
    return;
  manager.addPass(createLowerToThreads());
}

LogicalResult backend::lowerToThreads(ModuleOp module, const distribute::Program &program,
                                      ThreadStage last, const ScheduleText &byHand,
                                      PassRecorder *recorder) {
  distribute::setProgram(module, program);
  // The module's own layouts may have been made for another target.
  bool hasLayouts = llvm::any_of(module.getOps<func::FuncOp>(), distribute::keepsLayouts);
  if (hasLayouts && failed(verify(module)))
    return failure();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  // The last result is verified where other code relies on it; tests verify after each pass.
  passes.enableVerifier(false);
  // Fails where no such options are registered, as in plugins.
  (void)applyPassManagerCLOptions(passes);
  buildThreadPasses(passes, last, byHand);
  if (recorder)
    passes.addInstrumentation(recorder->makeInstrumentation());
  return passes.run(module);
}

uint64_t backend::getSharedBytes(func::FuncOp kernel) {
  auto bytes = kernel->getAttrOfType<IntegerAttr>(simt::SimtDialect::kSharedBytesAttr);
  return bytes ? bytes.getInt() : 0;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Before anything listens to the context.
static MLIRContext *prepareContext(ModuleOp module,
                                   backend::StageRunner::RegisterDialects registerDialects) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext *context = module.getContext();
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  return context;
}

backend::StageRunner::StageRunner(ModuleOp module, RegisterDialects registerDialects)
    : module(module), diagnostics(prepareContext(module, registerDialects)) {}

llvm::Error backend::StageRunner::check(LogicalResult result, llvm::StringRef stage) const {
  if (succeeded(result))
    return llvm::Error::success();
  llvm::StringRef text = diagnostics.getText();
  return text.empty() ? makeError(stage + " failed without a diagnostic") : makeError(text);
}

llvm::Expected<std::optional<std::string>>
backend::StageRunner::lowerToThreads(const distribute::Program &program,
                                     std::optional<ThreadStage> asked, const ScheduleText &byHand,
                                     bool locations, llvm::function_ref<void()> explain) const {
  const bool wantsRemarks = asked == ThreadStage::Remarks || asked == ThreadStage::RemarksJson;
  std::optional<RemarkCollector> remarks;
  if (wantsRemarks)
    remarks.emplace(ModuleOp(module).getContext());
  const ThreadStage last = asked && !wantsRemarks ? *asked : ThreadStage::Simt;
  const bool wantsPasses = last == ThreadStage::Passes || last == ThreadStage::PassesJson;
  PassRecorder recorder;
  if (llvm::Error error = check(
          backend::lowerToThreads(module, program, last, byHand, wantsPasses ? &recorder : nullptr),
          "lowering to threads"))
    return std::move(error);
  if (llvm::Error error = check(verify(module), "verifying per-thread IR"))
    return std::move(error);
  if (!asked)
    return std::nullopt;
  if (wantsPasses)
    return last == ThreadStage::Passes ? recorder.toText() : recorder.toJson();
  llvm::Expected<std::optional<std::string>> derived = printDerived(last, *program.target);
  if (!derived || *derived)
    return derived;
  if (!remarks)
    return print(locations);
  if (explain)
    explain();
  std::string text = asked == ThreadStage::Remarks ? remarks->toText() : remarks->toJson();
  return text.empty() ? "# no remarks\n" : std::move(text);
}

llvm::Expected<std::optional<std::string>>
backend::StageRunner::printDerived(ThreadStage stage, const target::TargetInfo &target) const {
  const bool isShared =
      stage == ThreadStage::SharedMemory || stage == ThreadStage::SharedMemoryJson;
  if (!isShared && !isTimeline(stage))
    return std::nullopt;
  llvm::Expected<func::FuncOp> kernel = findKernel(module);
  if (!kernel)
    return kernel.takeError();
  if (isShared) {
    const simt::SharedMap map = simt::makeSharedMap(*kernel, target.sharedMemoryBytes);
    return stage == ThreadStage::SharedMemory ? simt::toText(map) : simt::toJson(map);
  }
  FailureOr<schedule::Timeline> timeline = schedule::makeTimeline(*kernel);
  if (failed(timeline))
    return check(failure(), "following the schedule");
  return stage == ThreadStage::Timeline ? schedule::toText(*timeline) : schedule::toJson(*timeline);
}

llvm::Error backend::StageRunner::explain(llvm::Error error) const {
  llvm::StringRef text = diagnostics.getText();
  return !error || text.empty() ? std::move(error)
                                : llvm::joinErrors(std::move(error), makeError(text));
}

std::string backend::StageRunner::print(bool locations) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  ModuleOp(module).print(os, flags);
  return text;
}

llvm::Error backend::readModule(llvm::StringRef bytes,
                                StageRunner::RegisterDialects registerDialects,
                                llvm::function_ref<llvm::Error(ModuleOp)> compile) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Without a handler MLIR prints errors.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  tile::DiagnosticText diagnostics(&context);
  OwningOpRef<ModuleOp> module = tile::readModule(bytes, &context);
  if (!module)
    return makeError("the module cannot be read: " + diagnostics.getText());
  return compile(*module);
}

// See Compile.h: the stages in order.
#include "backends/amdgpu/Compile.h"
#include "backends/amdgpu/Atomics.h"
#include "backends/amdgpu/Buffers.h"
#include "backends/amdgpu/Copies.h"
#include "backends/amdgpu/Link.h"
#include "backends/amdgpu/Math.h"
#include "backends/amdgpu/Patterns.h"
#include "backends/amdgpu/PeelLoops.h"
#include "backends/amdgpu/Repairs.h"
#include "backends/amdgpu/Resources.h"
#include "backends/amdgpu/Saturation.h"
#include "backends/amdgpu/SharedOffsets.h"
#include "backends/amdgpu/WholeOperands.h"
#include "backends/amdgpu/WholeWaves.h"
#include "backends/common/DebugWriter.h"
#include "backends/common/Stages.h"
#include "backends/llvm/CodeGen.h"
#include "backends/llvm/CommonPatterns.h"
#include "backends/llvm/KernelEntry.h"
#include "backends/llvm/MemoryPatterns.h"
#include "backends/llvm/Translate.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/schedule/Stages.h"
#include "ir/simt/Scalarize.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/transforms/Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;
using backend::makeError;

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

/// Loaders of ROCm 6 and later take it; LLVM's default is a newer one.
static constexpr unsigned kCodeObjectVersion = 500;

void amdgpu::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                  LLVM::LLVMDialect, vector::VectorDialect, cf::ControlFlowDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

namespace {
struct Compilation {
  ModuleOp module;
  const AmdgpuOptions &options;
  Architecture arch;
  AmdgpuArtifact artifact;
  schedule::Choice buffers = schedule::Choice::Auto;

  llvm::Error check();
  distribute::Program getProgram() const {
    return {.target = &arch.info,
            .numWarps = options.numWarps,
            .numStages = options.numStages,
            .numCtas = options.numCtas};
  }
  /// Decides which accesses are buffer instructions.
  void useBuffers();
  LogicalResult toLlvmDialect();
  llvm::Expected<llvmbackend::Translation> toLlvm(llvm::LLVMContext &context);

private:
  void addHiddenArguments(func::FuncOp kernel);
  void makeEntry(func::FuncOp kernel);
};
} // namespace

llvm::Error Compilation::check() {
  if (llvm::Error error = backend::checkNumWarps(options.numWarps))
    return error;
  if (llvm::Error error = backend::checkNumCtas(options.numCtas))
    return error;
  llvm::Expected<Architecture> found = getArchitecture(options.arch);
  if (!found)
    return found.takeError();
  arch = std::move(*found);
  if (options.wavesPerSimd > arch.limits.maxWaves)
    return makeError("waves_per_eu must be 1 to " + llvm::Twine(arch.limits.maxWaves) + " on " +
                     arch.name + ", but is " + llvm::Twine(options.wavesPerSimd) +
                     "; leave it out for no limit of registers");
  if (options.matrixSize != 0 && options.matrixSize != 16 && options.matrixSize != 32)
    return makeError("matrix_instr_nonkdim must be 0, 16 or 32, but is " +
                     llvm::Twine(options.matrixSize) + "; leave it out for the compiler's choice");
  const std::optional<schedule::Choice> choice = schedule::getChoice(options.buffers);
  if (!choice)
    return makeError("'" + options.buffers +
                     "' is not a choice of buffers; use 'auto', 'off' or 'on'");
  buffers = *choice;
  if (options.kPack > 2)
    return makeError("kpack must be 1 or 2, but is " + llvm::Twine(options.kPack) +
                     "; leave it out for reads that are as wide as they can be");
  if (options.matrixSize && arch.isCdna()) {
    // float64 has instructions of 16 rows only, which stay.
    const std::vector all(arch.info.matrixInstructions.begin(), arch.info.matrixInstructions.end());
    llvm::erase_if(arch.info.matrixInstructions, [&](const target::MatrixInstruction &row) {
      return row.m != options.matrixSize && llvm::any_of(all, [&](const auto &other) {
               return other.m == options.matrixSize && other.a == row.a && other.b == row.b &&
                      other.acc == row.acc;
             });
    });
  }
  if (options.copiesAsync) {
    if (!arch.hasWideCopies())
      return makeError(
          "async-copies is for gfx950, which copies 16 bytes of a lane to shared memory "
          "at a time, and not for " +
          arch.name + "; leave it out");
    arch.info.hasAsyncCopy = arch.info.copiesFollowLanes = true;
  }
  if (options.kPack)
    arch.info.mostStepsOfRead = options.kPack;
  // Waves of one program that run on a SIMD share its registers.
  const unsigned waves = std::max(options.wavesPerSimd,
                                  unsigned(llvm::divideCeil(options.numWarps, arch.limits.simds)));
  arch.info.registers = std::min(arch.info.registers, arch.limits.registers / waves);
  llvm::Expected<func::FuncOp> kernel = backend::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  artifact.kernel = llvmbackend::getEntryName(kernel->getName());
  artifact.arch = arch.targetId;
  artifact.waveSize = arch.info.warpSize;
  artifact.numThreads = options.numWarps * arch.info.warpSize;
  artifact.parameters = backend::getParameters(*kernel);
  return llvm::Error::success();
}

/// The grid's size is an argument, because the packet of a launch is slow to reach, and makes the
/// arguments of every kernel longer. So is the address of the buffer for messages.
void Compilation::addHiddenArguments(func::FuncOp kernel) {
  SmallVector<tile::NumProgramsOp> sizes;
  SmallVector<simt::DebugBufferOp> buffers;
  kernel.walk([&](tile::NumProgramsOp op) { sizes.push_back(op); });
  kernel.walk([&](simt::DebugBufferOp op) { buffers.push_back(op); });
  Builder b(kernel.getContext());
  auto add = [&](HiddenArgument argument, Type type) {
    (void)kernel.insertArgument(kernel.getNumArguments(), type, {}, kernel.getLoc());
    artifact.hidden.push_back(argument);
    return kernel.getArguments().back();
  };
  if (!sizes.empty()) {
    Value axes[] = {add(HiddenArgument::NumProgramsX, b.getI32Type()),
                    add(HiddenArgument::NumProgramsY, b.getI32Type()),
                    add(HiddenArgument::NumProgramsZ, b.getI32Type())};
    for (tile::NumProgramsOp op : sizes) {
      op.getResult().replaceAllUsesWith(axes[op.getAxis()]);
      op.erase();
    }
  }
  if (!buffers.empty()) {
    Value address = add(HiddenArgument::DebugBuffer, b.getI64Type());
    for (simt::DebugBufferOp op : buffers) {
      op.getResult().replaceAllUsesWith(address);
      op.erase();
    }
  }
}

void Compilation::makeEntry(func::FuncOp kernel) {
  Builder b(kernel.getContext());
  const std::string threads = std::to_string(artifact.numThreads);
  llvmbackend::EntryForm form{
      LLVM::CConv::AMDGPU_KERNEL,
      {b.getStringAttr("nounwind"),
       b.getStrArrayAttr({"amdgpu-flat-work-group-size", threads + "," + threads}),
       b.getStrArrayAttr({"uniform-work-group-size", "true"}),
       b.getStrArrayAttr({"denormal-fp-math-f32", "ieee"})}};
  // A minimum only: with a maximum LLVM pads the registers to keep more waves out.
  if (options.wavesPerSimd)
    form.attributes.push_back(
        b.getStrArrayAttr({"amdgpu-waves-per-eu", std::to_string(options.wavesPerSimd)}));
  llvmbackend::makeEntry(kernel, form);
}

void Compilation::useBuffers() {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr))
      amdgpu::useBuffers(function, arch, buffers);
}

LogicalResult Compilation::toLlvmDialect() {
  MLIRContext *context = module.getContext();
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
      backend::prepareDebug(function, arch.info.sharedMemoryBytes, artifact.debugSites);
      splitFloatExtrema(function);
    }
  if (failed(llvmbackend::expandMath(module, getMathUnits(arch), options.fpFusion, arch.info.name)))
    return failure();
  const int64_t arenaAlignment = llvmbackend::getArenaAlignment(module, 16);
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!function->hasAttr(tile::TileDialect::kKernelAttr)) {
      function.erase(); // helpers were inlined
      continue;
    }
    if (auto threads = function->getAttrOfType<IntegerAttr>(simt::SimtDialect::kThreadsAttr))
      artifact.numThreads = threads.getInt();
    if (failed(roundNarrowOnce(function)))
      return failure();
    correctQuotients(function);
    addConstantOffsets(function);
    peelLastIterations(function);
    amdgpu::useBuffers(function, arch, buffers);
    branchOnMasks(function);
    countCopies(function);
    simt::scalarize(function, simt::PoisonIs::Poison);
    joinTransposedReads(function);
    addHiddenArguments(function);
    artifact.sharedBytes = backend::getSharedBytes(function);
    makeEntry(function);
  }
  // Its size is part of the code object, and LLVM needs it to know how many programs run at a time.
  if (artifact.sharedBytes)
    llvmbackend::createArena(module, LLVM::Linkage::Internal, artifact.sharedBytes, arenaAlignment);
  createZeros(module);
  if (failed(llvmbackend::lowerControlFlow(module)))
    return failure();
  LowerToLLVMOptions lowering(context);
  LLVMTypeConverter converter(context, lowering);
  llvmbackend::addSharedConversion(converter);
  RewritePatternSet patterns(context);
  llvmbackend::populateCommonPatterns(converter, patterns);
  llvmbackend::populateMemoryPatterns(converter, patterns);
  populateMemoryPatterns(converter, patterns, arch);
  populateCopyPatterns(converter, patterns, arch);
  populateThreadPatterns(converter, patterns, arch);
  populateShufflePatterns(converter, patterns, arch);
  populateMatrixPatterns(converter, patterns, arch);
  populateFpCastPatterns(converter, patterns, arch);
  populateAtomicPatterns(converter, patterns);
  populateAssemblyPatterns(converter, patterns);
  populateDebugPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  return options.lineInfo ? llvmbackend::addLineInfo(module, LLVM::DIEmissionKind::LineTablesOnly)
                          : success();
}

llvm::Expected<llvmbackend::Translation> Compilation::toLlvm(llvm::LLVMContext &context) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // Of assembly that kernels bring along.
  });
  unsigned level = options.debug ? std::min(options.optLevel, 1u) : options.optLevel;
  llvm::Expected<llvmbackend::Translation> translated = llvmbackend::translate(
      module, context, artifact.kernel,
      {"amdgcn-amd-amdhsa", arch.name, arch.llvmFeatures, llvm::Reloc::PIC_, level});
  if (!translated)
    return translated;
  llvm::Module &result = *translated->module;
  result.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", kCodeObjectVersion);
  permitHardwareAtomics(result);
  separateCopies(result);
  llvmbackend::optimize(result, *translated->machine, level, /*rotatesLoops=*/true);
  // On RDNA, registers are assigned worse with it.
  if (arch.isCdna())
    expandSaturation(result);
  keepWholeWaves(result);
  keepDoubledSums(result);
  keepSignals(result);
  keepExchangesApart(result, arch.generation);
  readProgramOnce(result, arch.generation);
  return translated;
}

/// Runs the stages up to `stage`; `text` gets its text, but for the last.
static llvm::Expected<AmdgpuArtifact> runStages(ModuleOp module, const AmdgpuOptions &options,
                                                Stage stage, std::string *text) {
  backend::StageRunner runner(module, amdgpu::registerDialects);
  Compilation compilation{module, options, {}, {}};
  if (llvm::Error error = compilation.check())
    return std::move(error);
  if (options.xcds > 1) {
    PassManager passes(module.getContext());
    passes.addPass(createTileOrderPrograms({options.xcds}));
    if (llvm::Error error = runner.check(passes.run(module), "the order of programs"))
      return std::move(error);
  }
  llvm::Expected<std::optional<std::string>> asked =
      runner.lowerToThreads(compilation.getProgram(), backend::getThreadStage(stage),
                            {.text = options.schedule,
                             .name = options.scheduleName,
                             .turns = options.turns,
                             .evictions = options.evictions,
                             .prefetch = options.prefetch},
                            options.locations, [&] { compilation.useBuffers(); });
  if (!asked)
    return asked.takeError();
  if (*asked) {
    *text = std::move(**asked);
    return compilation.artifact;
  }
  if (llvm::Error error = runner.check(compilation.toLlvmDialect(), "lowering to LLVM"))
    return std::move(error);
  if (stage == Stage::LlvmDialect) {
    *text = runner.print(options.locations);
    return compilation.artifact;
  }
  llvm::LLVMContext context;
  // Names of values are a third of the optimizer's time, and only people read them.
  context.setDiscardValueNames(stage != Stage::Llvm);
  llvm::Expected<llvmbackend::Translation> translated = compilation.toLlvm(context);
  if (!translated)
    return translated.takeError();
  if (stage == Stage::Llvm) {
    llvm::raw_string_ostream os(*text);
    translated->module->print(os, nullptr);
    return compilation.artifact;
  }
  llvm::Expected<std::string> code =
      stage == Stage::Amdgcn ? llvmbackend::emitAssembly(*translated->module, *translated->machine)
                             : llvmbackend::emitObject(*translated->module, *translated->machine);
  if (!code)
    return code.takeError();
  if (stage == Stage::Amdgcn) {
    *text = std::move(*code);
    return compilation.artifact;
  }
  llvm::Expected<std::string> linked = linkCodeObject(*code);
  if (!linked)
    return linked.takeError();
  compilation.artifact.codeObject = std::move(*linked);
  if (stage == Stage::Hsaco)
    return compilation.artifact;
  llvm::Expected<Resources> resources = readResources(compilation.artifact.codeObject);
  if (!resources)
    return resources.takeError();
  *text = stage == Stage::Resources ? toText(*resources, compilation.arch)
                                    : toJson(*resources, compilation.arch);
  return compilation.artifact;
}

llvm::Expected<AmdgpuArtifact> amdgpu::compile(ModuleOp module, const AmdgpuOptions &options) {
  return runStages(module, options, Stage::Hsaco, nullptr);
}

llvm::Expected<AmdgpuArtifact> amdgpu::compile(llvm::StringRef bytecode,
                                               const AmdgpuOptions &options, Stage stage) {
  AmdgpuArtifact artifact;
  llvm::Error error =
      backend::readModule(bytecode, registerDialects, [&](ModuleOp module) -> llvm::Error {
        std::string text;
        llvm::Expected<AmdgpuArtifact> compiled = runStages(module, options, stage, &text);
        if (!compiled)
          return compiled.takeError();
        artifact = std::move(*compiled);
        if (stage != Stage::Hsaco)
          artifact.codeObject = std::move(text);
        return llvm::Error::success();
      });
  if (error)
    return std::move(error);
  return artifact;
}

llvm::Expected<std::string> amdgpu::compileTo(ModuleOp module, const AmdgpuOptions &options,
                                              Stage stage) {
  std::string text;
  llvm::Expected<AmdgpuArtifact> artifact = runStages(module, options, stage, &text);
  if (!artifact)
    return artifact.takeError();
  return stage == Stage::Hsaco ? artifact->codeObject : text;
}

// See Compile.h: the stages in order.
#include "backends/nvptx/Compile.h"
#include "backends/common/ParameterSteps.h"
#include "backends/common/Stages.h"
#include "backends/llvm/CodeGen.h"
#include "backends/llvm/CommonPatterns.h"
#include "backends/llvm/KernelEntry.h"
#include "backends/llvm/MemoryPatterns.h"
#include "backends/llvm/Translate.h"
#include "backends/nvptx/Patterns.h"
#include "backends/nvptx/Persistent.h"
#include "backends/nvptx/Pressure.h"
#include "backends/nvptx/Ptxas.h"
#include "backends/nvptx/SinkConversions.h"
#include "backends/nvptx/TensorMaps.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/Scalarize.h"
#include "ir/simt/sync/Roles.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;
using backend::makeError;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

/// Of one thread, on every architecture.
static constexpr unsigned kMostRegisters = 255;
/// Of one program, besides number 0, which all its threads share.
static constexpr unsigned kNamedBarriers = 15;

void nvptx::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                  LLVM::LLVMDialect, vector::VectorDialect, cf::ControlFlowDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

namespace {
struct Compilation {
  ModuleOp module;
  const NvptxOptions &options;
  Architecture arch;
  unsigned ptx;
  NvptxArtifact artifact;
  SmallVector<int32_t, 3> mostPrograms = {}; ///< Of launches, on each axis; empty: any number.

  llvm::Error check();
  distribute::Program getProgram() const;
  LogicalResult toLlvmDialect();
  unsigned countPrograms() const;
  llvm::Expected<llvmbackend::Translation> toLlvm(llvm::LLVMContext &context);
};
} // namespace

llvm::Error Compilation::check() {
  if (llvm::Error error = backend::checkNumWarps(options.numWarps))
    return error;
  if (llvm::Error error = backend::checkNumCtas(options.numCtas))
    return error;
  if (options.maxRegisters && (options.maxRegisters < 24 || options.maxRegisters > kMostRegisters))
    return makeError("maxnreg must be 24 to 255 registers, but is " +
                     llvm::Twine(options.maxRegisters) + "; leave it out for no limit");
  llvm::Expected<Architecture> found = getArchitecture(options.arch);
  if (!found)
    return found.takeError();
  arch = std::move(*found);
  if (options.boxes == "on" && !arch.info.hasBoxCopies)
    return makeError(arch.info.name + " has no copies of boxes (TMA); use tma=off, or sm_90a");
  ptx = options.ptxVersion ? options.ptxVersion : arch.defaultPtx;
  if (ptx < arch.defaultPtx || ptx > 90)
    return makeError("PTX version " + llvm::Twine(ptx / 10) + "." + llvm::Twine(ptx % 10) +
                     " cannot be used for " + arch.name + ": it takes " +
                     llvm::Twine(arch.defaultPtx / 10) + "." + llvm::Twine(arch.defaultPtx % 10) +
                     " to 9.0");
  llvm::Expected<func::FuncOp> kernel = backend::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  artifact.kernel = llvmbackend::getEntryName(kernel->getName());
  artifact.arch = arch.name;
  artifact.numThreads = options.numWarps * 32;
  artifact.parameters = backend::getParameters(*kernel);
  return llvm::Error::success();
}

distribute::Program Compilation::getProgram() const {
  return {&arch.info,
          options.numWarps,
          options.numStages,
          /*warpUnit=*/0,
          options.acrossK,
          options.numCtas,
          options.fewPrograms == "on" || (options.fewPrograms == "auto" && options.boxes != "off")};
}

/// Registers of a thread that a program of so many threads may begin with: its warps are on four
/// units of a multiprocessor, each of which has a quarter of the registers.
static unsigned getOwnRegisters(unsigned threads) {
  return 16384 / unsigned(llvm::divideCeil(threads, 128u)) / 32 / 8 * 8;
}

/// The entry, for `threads` of a program.
static LLVM::LLVMFuncOp makeEntry(func::FuncOp kernel, unsigned threads, unsigned blocks,
                                  unsigned maxRegisters, bool setsRegisters) {
  OpBuilder b(kernel);
  llvmbackend::EntryForm form{
      LLVM::CConv::PTX_Kernel,
      {b.getStrArrayAttr({"nvvm.reqntid", std::to_string(threads) + ",1,1"}),
       b.getStringAttr("nounwind")}};
  if (blocks > 1)
    form.attributes.push_back(
        b.getStrArrayAttr({"nvvm.cluster_dim", std::to_string(blocks) + ",1,1"}));
  // Given this limit, ptxas ignores that all threads together must fit in 65536 registers.
  unsigned limit = std::min(maxRegisters, getOwnRegisters(threads));
  // The assembler ignores that warps hand over registers unless it knows how many they begin with.
  if (setsRegisters)
    form.attributes.push_back(b.getStrArrayAttr({"nvvm.minctasm", "1"}));
  else if (maxRegisters)
    form.attributes.push_back(b.getStrArrayAttr({"nvvm.maxnreg", std::to_string(limit)}));
  return llvmbackend::makeEntry(kernel, form);
}

/// As many as fit on a multiprocessor if each thread takes all of the registers that it may.
unsigned Compilation::countPrograms() const {
  constexpr unsigned kReservedBytes = 1024, kSharedBytes = 228 * 1024;
  unsigned registers = options.maxRegisters ? options.maxRegisters : kMostRegisters;
  uint64_t byRegisters = arch.info.countPrograms(artifact.numThreads, registers),
           byMemory = kSharedBytes / (artifact.sharedBytes + kReservedBytes);
  return unsigned(std::max<uint64_t>(std::min(byRegisters, byMemory), 1));
}

LogicalResult Compilation::toLlvmDialect() {
  MLIRContext *context = module.getContext();
  if (failed(checkWarpGroups(module, arch)) ||
      failed(llvmbackend::expandMath(module, getMathUnits(arch), options.fpFusion, arch.info.name)))
    return failure();
  const int64_t arenaAlignment = llvmbackend::getArenaAlignment(module, 128);
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!function->hasAttr(tile::TileDialect::kKernelAttr)) {
      function.erase(); // helpers were inlined
      continue;
    }
    if (auto threads = function->getAttrOfType<IntegerAttr>(simt::SimtDialect::kThreadsAttr))
      artifact.numThreads = threads.getInt(); // with those of roles
    // A limit of the caller's holds for every role.
    if (options.maxRegisters)
      function.walk([](simt::RoleOp role) { role.setRegisters(0); });
    const bool setsRegisters = simt::setRegisters(function);
    if (failed(simt::expandRoles(function, arch.info.warpSize, kNamedBarriers,
                                 getOwnRegisters(artifact.numThreads))))
      return failure();
    simt::scalarize(function, simt::PoisonIs::Poison);
    artifact.sharedBytes = backend::getSharedBytes(function);
    artifact.blocks = tile::getBlocks(function);
    const bool isPersistent = addGrid(function);
    std::vector<backend::DerivedParameter> maps = addTensorMaps(function);
    auto registers = function->getAttrOfType<IntegerAttr>(simt::SimtDialect::kRegistersAttr);
    auto preferred =
        function->getAttrOfType<schedule::PrefersAttr>(simt::SimtDialect::kPrefersAttr);
    auto most = function->getAttrOfType<DenseI32ArrayAttr>(tile::TileDialect::kMostProgramsAttr);
    LLVM::LLVMFuncOp entry = makeEntry(function, artifact.numThreads, artifact.blocks,
                                       options.maxRegisters || !registers
                                           ? options.maxRegisters
                                           : std::min<unsigned>(registers.getInt(), kMostRegisters),
                                       setsRegisters);
    markTensorMaps(entry, maps.size());
    if (isPersistent) {
      markGrid(entry, maps.size());
      artifact.derived.push_back(getGridParameter());
      artifact.programsPerUnit = setsRegisters ? 1 : countPrograms();
    }
    llvm::append_range(artifact.derived, std::move(maps));
    // The last ones: the driver, which gets a place for each, takes as many as the entry has.
    if (preferred)
      artifact.derived.push_back(backend::getPreference(preferred));
    if (most)
      mostPrograms.assign(most.asArrayRef().begin(), most.asArrayRef().end());
    if (most && options.fewPrograms != "on")
      artifact.derived.push_back(backend::getProgramLimits(most));
  }
  if (artifact.sharedBytes)
    llvmbackend::createArena(module, LLVM::Linkage::External, /*bytes=*/0, arenaAlignment);
  if (failed(llvmbackend::lowerControlFlow(module)))
    return failure();
  LowerToLLVMOptions lowering(context);
  LLVMTypeConverter converter(context, lowering);
  llvmbackend::addSharedConversion(converter);
  RewritePatternSet patterns(context);
  llvmbackend::populateCommonPatterns(converter, patterns);
  llvmbackend::populateMemoryPatterns(converter, patterns);
  populateMemoryPatterns(converter, patterns, arch);
  populateThreadPatterns(converter, patterns, arch, artifact.blocks, options.boundedWaits);
  populateGridPatterns(converter, patterns, artifact.blocks);
  populateBoxPatterns(converter, patterns, arch, artifact.blocks);
  populateMatrixPatterns(converter, patterns, arch);
  populateSmallFloatPatterns(converter, patterns, arch);
  populateAtomicPatterns(converter, patterns, arch);
  populateWgmmaPatterns(converter, patterns, artifact.blocks);
  populateAssemblyPatterns(converter, patterns);
  populateMathPatterns(converter, patterns, arch);
  populateDebugPatterns(converter, patterns, arch);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  return options.lineInfo
             ? llvmbackend::addLineInfo(module, LLVM::DIEmissionKind::DebugDirectivesOnly)
             : success();
}

llvm::Expected<llvmbackend::Translation> Compilation::toLlvm(llvm::LLVMContext &context) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  unsigned level = options.debug ? std::min(options.optLevel, 1u) : options.optLevel;
  const std::string features = "+ptx" + std::to_string(ptx);
  // One level more would number values twice again, which the optimizer has done.
  llvm::Expected<llvmbackend::Translation> translated =
      llvmbackend::translate(module, context, artifact.kernel,
                             {"nvptx64-nvidia-cuda", arch.name, features, std::nullopt, level,
                              llvm::CodeGenOptLevel::Default});
  if (!translated)
    return translated;
  llvm::Module &result = *translated->module;
  llvmbackend::optimize(result, *translated->machine, level);
  widenAbsolute(result);
  multiplyToNegate(result);
  complementToNegate(result);
  if (level > 1) {
    keepWideOffsets(result);
    sinkConversions(result);
  }
  // Left to itself, ptxas gives some kernels 32 registers that spill with 255. One that spills in
  // any case gets them all; others would lose programs that run beside each other.
  for (llvm::Function &function : result)
    if (!function.hasFnAttribute("nvvm.maxnreg") && !function.hasFnAttribute("nvvm.minctasm") &&
        estimateRegisters(function) > kMostRegisters)
      function.addFnAttr("nvvm.minctasm", "1");
  // Tensor maps are read where they are passed, without a copy.
  for (llvm::Function &function : result)
    for (llvm::Argument &argument : function.args())
      if (argument.hasByValAttr())
        argument.addAttr(llvm::Attribute::get(context, "nvvm.grid_constant"));
  return translated;
}

/// PTX has no escapes in names of files, which LLVM writes: a backslash stands for itself, and a
/// quotation mark cannot be written, so that an apostrophe takes its place.
static void spellFileNames(std::string &ptx) {
  for (size_t at = ptx.find("\n\t.file\t"); at != std::string::npos;
       at = ptx.find("\n\t.file\t", at + 1))
    for (size_t i = at + 1; i < ptx.size() && ptx[i] != '\n'; ++i) {
      if (ptx[i] != '\\' || i + 1 == ptx.size())
        continue;
      if (ptx[i + 1] == '"')
        ptx.replace(i, 2, "'");
      else if (ptx[i + 1] == '\\')
        ptx.erase(i, 1);
    }
}

/// For who launches the text, without the steps that other launches take.
static void noteMostPrograms(std::string &ptx, ArrayRef<int32_t> most) {
  if (most.empty())
    return;
  std::string numbers;
  for (int32_t number : most)
    numbers += (numbers.empty() ? "" : " x ") + (number ? std::to_string(number) : "any");
  ptx.insert(0, "// For launches of at most " + numbers + " programs: --few-programs\n");
}

/// Runs the stages up to `stage`; `text` gets its text.
static llvm::Expected<NvptxArtifact> runStages(ModuleOp module, const NvptxOptions &options,
                                               Stage stage, std::string *text) {
  backend::StageRunner runner(module, nvptx::registerDialects);
  Compilation compilation{module, options, {}, 0, {}};
  if (llvm::Error error = compilation.check())
    return std::move(error);
  llvm::Expected<std::optional<std::string>> asked = runner.lowerToThreads(
      compilation.getProgram(), backend::getThreadStage(stage),
      {options.schedule, options.scheduleName, options.boxes, options.late, options.turns,
       options.persistent, options.rematerialize, options.evictions,
       options.retain == "auto" && options.boxes == "off" ? "off" : options.retain,
       options.prefetch, options.multicast, options.asyncStores},
      options.locations);
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
  // Names of values take a third of the optimizer's time, and only people read them.
  context.setDiscardValueNames(stage != Stage::Llvm);
  llvm::Expected<llvmbackend::Translation> code = compilation.toLlvm(context);
  if (!code)
    return code.takeError();
  if (stage == Stage::Llvm) {
    llvm::raw_string_ostream os(*text);
    code->module->print(os, nullptr);
    return compilation.artifact;
  }
  llvm::Expected<std::string> ptx = llvmbackend::emitAssembly(*code->module, *code->machine);
  if (!ptx)
    return ptx.takeError();
  spellFileNames(*ptx);
  noteMostPrograms(*ptx, compilation.mostPrograms);
  compilation.artifact.ptx = std::move(*ptx);
  return compilation.artifact;
}

llvm::Expected<NvptxArtifact> nvptx::compile(ModuleOp module, const NvptxOptions &options) {
  return runStages(module, options, Stage::Ptx, nullptr);
}

llvm::Expected<NvptxArtifact> nvptx::compile(llvm::StringRef bytecode, const NvptxOptions &options,
                                             Stage stage) {
  NvptxArtifact artifact;
  llvm::Error error =
      backend::readModule(bytecode, registerDialects, [&](ModuleOp module) -> llvm::Error {
        std::string text;
        llvm::Expected<NvptxArtifact> compiled = runStages(module, options, stage, &text);
        if (!compiled)
          return compiled.takeError();
        artifact = std::move(*compiled);
        if (stage != Stage::Ptx)
          artifact.ptx = std::move(text);
        return llvm::Error::success();
      });
  if (error)
    return std::move(error);
  return artifact;
}

llvm::Expected<std::string> nvptx::compileTo(ModuleOp module, const NvptxOptions &options,
                                             Stage stage) {
  std::string text;
  llvm::Expected<NvptxArtifact> artifact = runStages(module, options, stage, &text);
  if (!artifact)
    return artifact.takeError();
  return stage == Stage::Ptx ? artifact->ptx : text;
}

// See CodeGen.h.
#include "backends/llvm/CodeGen.h"
#include "backends/llvm/ForwardElements.h"
#include "backends/llvm/RotateLoops.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

/// Some passes take time that grows with the square of a block's length. Strength reduction, which
/// is the slowest, saves some address arithmetic; the others matter in ordinary kernels.
static constexpr size_t kLongBlock = 512, kVeryLongBlock = 8192;

static bool hasBlockOver(const Module &module, size_t length) {
  return any_of(module, [&](const Function &function) {
    return any_of(function, [&](const BasicBlock &block) { return block.size() > length; });
  });
}

void tilerun::llvmbackend::optimize(Module &module, TargetMachine &machine, unsigned level,
                                    bool rotatesLoops) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassInstrumentationCallbacks callbacks;
  // Combining instructions takes longest of all passes, and the pipeline repeats it. After values
  // were numbered, the repetitions until loops are unrolled leave nothing to do that the last one,
  // which follows, would not do.
  bool numbersValues = false, unrollsLoops = false;
  callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, const Any &) {
    numbersValues |= pass == "GVNPass";
    unrollsLoops |= pass == "LoopUnrollPass";
    if (pass == "InstCombinePass")
      return !numbersValues || unrollsLoops;
    return pass != "VectorCombinePass" || !hasBlockOver(module, kVeryLongBlock);
  });
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  ModulePassManager passes;
  // One vector holds a thread's registers; nothing but loads and stores works on it as a whole.
  ScalarizerPassOptions scalarize;
  scalarize.ScalarizeVariableInsertExtract = true;
  scalarize.ScalarizeLoadStore = false;
  FunctionPassManager early;
  early.addPass(ForwardElementsPass());
  early.addPass(ScalarizerPass(scalarize));
  early.addPass(EarlyCSEPass(true));
  if (rotatesLoops)
    early.addPass(RotateLoopsPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(builder.buildPerModuleDefaultPipeline(level <= 1 ? OptimizationLevel::O1
                                                                  : OptimizationLevel::O3));
  passes.run(module, modules);
}

/// Whether there are AMD's buffer instructions. Strength reduction expresses an offset by one that
/// another instruction computes, which may be negative: 4 i + 156 as (4 i - 8) + 164. The code
/// generator makes 164 a part of the instruction, and the hardware compares the register, as an
/// unsigned number, with the buffer's size.
static bool hasBuffers(const Module &module) {
  return any_of(module, [](const Function &function) {
    return function.getName().starts_with("llvm.amdgcn.raw.ptr.buffer.");
  });
}

namespace {
/// Passes are added to another manager, except for some that targets add at any level.
class WithoutSomePasses : public legacy::PassManagerBase {
public:
  WithoutSomePasses(legacy::PassManagerBase &passes, const Module &module) : passes(passes) {
    if (hasBlockOver(module, kLongBlock) || hasBuffers(module))
      leaveOut(createStraightLineStrengthReducePass());
    if (hasBlockOver(module, kVeryLongBlock))
      leaveOut(createNaryReassociatePass());
  }
  void add(Pass *pass) override {
    if (is_contained(leftOut, pass->getPassID()))
      delete pass;
    else
      passes.add(pass);
  }

private:
  void leaveOut(Pass *pass) {
    leftOut.push_back(pass->getPassID());
    delete pass;
  }
  legacy::PassManagerBase &passes;
  SmallVector<const void *, 2> leftOut;
};

/// Keeps the text of errors.
struct ErrorCollector : DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream os(errors);
      os << (errors.empty() ? "" : "\n");
      DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    return true;
  }
  std::string &errors;
};
} // namespace

static Expected<std::string> emit(Module &module, TargetMachine &machine, CodeGenFileType type) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  WithoutSomePasses filtered(passes, module);
  if (machine.addPassesToEmitFile(filtered, stream, nullptr, type))
    return createStringError(inconvertibleErrorCode(), "the target cannot emit this kind of file");
  // Without a handler, LLVM's diagnostics about a kernel's assembly terminate the process.
  std::string errors;
  LLVMContext &context = module.getContext();
  auto previous = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  passes.run(module);
  context.setDiagnosticHandler(std::move(previous));
  if (!errors.empty())
    return createStringError(inconvertibleErrorCode(), errors);
  return std::string(buffer.begin(), buffer.end());
}

Expected<std::string> tilerun::llvmbackend::emitAssembly(Module &module, TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::AssemblyFile);
}

Expected<std::string> tilerun::llvmbackend::emitObject(Module &module, TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::ObjectFile);
}

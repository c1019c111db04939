// See CodeGen.h.
#include "backends/llvm/CodeGen.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

void tilerun::llvmbackend::optimize(Module &module, TargetMachine &machine, unsigned level) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
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
  early.addPass(ScalarizerPass(scalarize));
  early.addPass(EarlyCSEPass(true));
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(builder.buildPerModuleDefaultPipeline(level <= 1 ? OptimizationLevel::O1
                                                                  : OptimizationLevel::O3));
  passes.run(module, modules);
}

namespace {
/// Passes go on to another manager, but for one that targets add whatever the level.
class WithoutStrengthReduction : public legacy::PassManagerBase {
public:
  explicit WithoutStrengthReduction(legacy::PassManagerBase &passes) : passes(passes) {
    std::unique_ptr<Pass> pass(createStraightLineStrengthReducePass());
    leftOut = pass->getPassID();
  }
  void add(Pass *pass) override {
    if (pass->getPassID() == leftOut)
      delete pass;
    else
      passes.add(pass);
  }

private:
  legacy::PassManagerBase &passes;
  const void *leftOut;
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

Expected<std::string> tilerun::llvmbackend::emitAssembly(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  // The time of strength reduction grows with the square of a block's length, and what it saves is
  // some address arithmetic.
  constexpr size_t kLongBlock = 512;
  bool isLong = any_of(module, [](const Function &function) {
    return any_of(function, [](const BasicBlock &block) { return block.size() > kLongBlock; });
  });
  WithoutStrengthReduction filtered(passes);
  if (machine.addPassesToEmitFile(isLong ? filtered
                                         : static_cast<legacy::PassManagerBase &>(passes),
                                  stream, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError(inconvertibleErrorCode(), "the target cannot emit assembly");
  // Without a handler of its own, what LLVM has to say of a kernel's assembly ends the process.
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

// See CodeGen.h.
#include "backends/llvm/CodeGen.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
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

Expected<std::string> tilerun::llvmbackend::emitAssembly(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError(inconvertibleErrorCode(), "the target cannot emit assembly");
  passes.run(module);
  return std::string(buffer.begin(), buffer.end());
}

// See Translate.h.
#include "backends/llvm/Translate.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace tilerun;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
llvmbackend::createMachine(const MachineForm &form) {
  const llvm::Triple triple(form.triple);
  std::string reason;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError("LLVM does not know the target '" + form.triple +
                                   "': " + reason);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, form.cpu, form.features, options, form.relocation, std::nullopt,
      form.level <= 1 ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::Aggressive));
}

llvm::Expected<std::unique_ptr<llvm::Module>> llvmbackend::translate(mlir::ModuleOp module,
                                                                     llvm::LLVMContext &context,
                                                                     llvm::TargetMachine &machine,
                                                                     llvm::StringRef name) {
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context, name);
  if (!result)
    return llvm::createStringError("the LLVM dialect could not be translated");
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  return result;
}

mlir::LogicalResult llvmbackend::addLineInfo(mlir::ModuleOp module,
                                             mlir::LLVM::DIEmissionKind kind) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass({/*emissionKind=*/kind}));
  return passes.run(module);
}

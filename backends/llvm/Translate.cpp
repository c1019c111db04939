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

llvmbackend::Translation::Translation() = default;
llvmbackend::Translation::Translation(Translation &&) noexcept = default;
llvmbackend::Translation::~Translation() = default;

llvm::Expected<llvmbackend::Translation> llvmbackend::translate(mlir::ModuleOp module,
                                                                llvm::LLVMContext &context,
                                                                llvm::StringRef name,
                                                                const MachineForm &form) {
  const llvm::Triple triple(form.triple);
  std::string reason;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError("LLVM does not know the target '" + form.triple +
                                   "': " + reason);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  Translation result;
  result.machine.reset(target->createTargetMachine(
      triple, form.cpu, form.features, options, form.relocation, std::nullopt,
      form.level <= 1 ? llvm::CodeGenOptLevel::Less : form.generator));
  result.module = mlir::translateModuleToLLVMIR(module, context, name);
  if (!result.module)
    return llvm::createStringError("the LLVM dialect could not be translated");
  result.module->setTargetTriple(triple);
  result.module->setDataLayout(result.machine->createDataLayout());
  return std::move(result);
}

mlir::LogicalResult llvmbackend::addLineInfo(mlir::ModuleOp module,
                                             mlir::LLVM::DIEmissionKind kind) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass({/*emissionKind=*/kind}));
  return passes.run(module);
}

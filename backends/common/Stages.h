// What the backends that make code have in common around their own stages: the kernel of a module
// and its parameters, lowering to threads, errors with their diagnostics, modules as bytecode.
#pragma once

#include "backends/common/Parameter.h"
#include "ir/distribute/DistributeDialect.h"
#include "ir/tile/DiagnosticText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilerun::backend {

llvm::Error makeError(const llvm::Twine &text);

/// What is asked for must be a power of two up to 32.
llvm::Error checkNumWarps(unsigned numWarps);

/// The one kernel of a module; none and several are errors of whoever made it.
llvm::Expected<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);
std::vector<KernelParameter> getParameters(mlir::func::FuncOp kernel);

/// How far the passes that all backends share go.
enum class ThreadStage { Layout, Schedule, Expand, Simt };

/// A schedule by hand (ir/schedule/HandSchedule.h): its text, or none, and its file's name.
struct ScheduleText {
  std::string text, name;
};

/// The passes from tile IR, whose module has a target, to per-thread IR: all backends run these.
void buildThreadPasses(mlir::OpPassManager &manager, ThreadStage last = ThreadStage::Simt,
                       const ScheduleText &schedule = {});
/// Runs them for `program`.
mlir::LogicalResult lowerToThreads(mlir::ModuleOp module, const distribute::Program &program,
                                   ThreadStage last = ThreadStage::Simt,
                                   const ScheduleText &schedule = {});

/// The shared memory of a kernel that was lowered to threads, in bytes.
uint64_t getSharedBytes(mlir::func::FuncOp kernel);

/// Runs the stages of one compilation and says what went wrong in them: the diagnostics of the
/// module's context, which are collected for as long as this lives.
class StageRunner {
public:
  using RegisterDialects = llvm::function_ref<void(mlir::DialectRegistry &)>;
  /// Makes sure that the module's context has the backend's dialects.
  StageRunner(mlir::ModuleOp module, RegisterDialects registerDialects);

  /// The error of a stage that failed; `stage` names it where it gave no diagnostic.
  llvm::Error check(mlir::LogicalResult result, llvm::StringRef stage) const;
  /// The same, and other code relies on the result: it is verified.
  llvm::Error lowerToThreads(const distribute::Program &program, ThreadStage last,
                             const ScheduleText &schedule) const;
  /// An error with what was diagnosed beside it.
  llvm::Error explain(llvm::Error error) const;
  /// The module's text.
  std::string print() const;

private:
  mlir::ModuleOp module;
  tile::DiagnosticText diagnostics;
};

/// Reads a module (bytecode or text) in a context of its own and hands it to `compile`. The error's
/// text if it cannot be read.
llvm::Error readModule(llvm::StringRef bytes, StageRunner::RegisterDialects registerDialects,
                       llvm::function_ref<llvm::Error(mlir::ModuleOp)> compile);

} // namespace tilerun::backend

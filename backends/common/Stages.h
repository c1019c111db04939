// The parts that all code-generating backends share: finding the kernel of a module and its
// parameters, lowering to threads, errors with their diagnostics, reading bytecode.
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

/// An error unless it is a power of two up to 32.
llvm::Error checkNumWarps(unsigned numWarps);

/// The only kernel of a module; none or several are errors.
llvm::Expected<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);
std::vector<KernelParameter> getParameters(mlir::func::FuncOp kernel);

/// The last of the shared passes to run.
enum class ThreadStage { Layout, Schedule, Expand, Simt };

/// A schedule by hand (ir/schedule/HandSchedule.h): its text, which may be empty, and its file's
/// name.
struct ScheduleText {
  std::string text, name;
};

/// Adds the passes from tile IR, in a module with a target, to per-thread IR, for all backends.
void buildThreadPasses(mlir::OpPassManager &manager, ThreadStage last = ThreadStage::Simt,
                       const ScheduleText &schedule = {});
/// Runs them for `program`.
mlir::LogicalResult lowerToThreads(mlir::ModuleOp module, const distribute::Program &program,
                                   ThreadStage last = ThreadStage::Simt,
                                   const ScheduleText &schedule = {});

/// The shared memory of a kernel that was lowered to threads, in bytes.
uint64_t getSharedBytes(mlir::func::FuncOp kernel);

/// Runs the stages of one compilation and reports their errors: it collects the diagnostics of the
/// module's context for as long as it lives.
class StageRunner {
public:
  using RegisterDialects = llvm::function_ref<void(mlir::DialectRegistry &)>;
  /// Loads the backend's dialects into the module's context.
  StageRunner(mlir::ModuleOp module, RegisterDialects registerDialects);

  /// The error of a failed stage; `stage` names it if there was no diagnostic.
  llvm::Error check(mlir::LogicalResult result, llvm::StringRef stage) const;
  /// Lowers to threads; the result is verified.
  llvm::Error lowerToThreads(const distribute::Program &program, ThreadStage last,
                             const ScheduleText &schedule) const;
  /// The error together with the diagnostics.
  llvm::Error explain(llvm::Error error) const;
  /// The module's text; with `locations`, the source location of each op.
  std::string print(bool locations = false) const;

private:
  mlir::ModuleOp module;
  tile::DiagnosticText diagnostics;
};

/// Reads a module (bytecode or text) in a context of its own and hands it to `compile`. An error if
/// it cannot be read.
llvm::Error readModule(llvm::StringRef bytes, StageRunner::RegisterDialects registerDialects,
                       llvm::function_ref<llvm::Error(mlir::ModuleOp)> compile);

} // namespace tilerun::backend

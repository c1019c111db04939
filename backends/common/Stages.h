// The parts that all code-generating backends share: finding the kernel of a module and its
// parameters, lowering to threads, errors with their diagnostics, reading bytecode.
#pragma once

#include "backends/common/Parameter.h"
#include "ir/distribute/DistributeDialect.h"
#include "ir/tile/DiagnosticText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilerun {
class PassRecorder;
}

namespace tilerun::backend {

llvm::Error makeError(const llvm::Twine &text);

/// An error unless it is a power of two up to 32.
llvm::Error checkNumWarps(unsigned numWarps);

/// An error unless it is a power of two up to 8, the blocks of portable clusters.
llvm::Error checkNumCtas(unsigned numCtas);

/// The only kernel of a module; none or several are errors.
llvm::Expected<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);
std::vector<KernelParameter> getParameters(mlir::func::FuncOp kernel);

/// What the shared passes can show. Layout, Schedule, Expand and the timelines end them early.
enum class ThreadStage {
#define TILERUN_THREAD_STAGE(enumerator, word, summary) enumerator,
#include "backends/common/ThreadStages.def"
};

/// The shared stage that a backend's own `Stage` asks for, by the names of its enumerators; nothing
/// for those behind per-thread IR.
template <typename Stage> std::optional<ThreadStage> getThreadStage(Stage stage) {
  switch (stage) {
#define TILERUN_THREAD_STAGE(enumerator, word, summary)                                            \
  case Stage::enumerator:                                                                          \
    return ThreadStage::enumerator;
#include "backends/common/ThreadStages.def"
  default:
    return std::nullopt;
  }
}

/// A schedule by hand (ir/schedule/HandSchedule.h): its text, which may be empty, and its file's
/// name; and the choices for loops that it does not name.
struct ScheduleText {
  std::string text = {}, name = "schedule";
  std::string boxes = "auto", late = "auto", turns = "auto", persistent = "auto",
              rematerialize = "auto", evictions = "auto", retain = "auto", prefetch = "auto",
              multicast = "auto", asyncStores = "auto"; ///< schedule::getChoice
};

/// Adds the passes from tile IR, in a module with a target, to per-thread IR, for all backends.
void buildThreadPasses(mlir::OpPassManager &manager, ThreadStage last = ThreadStage::Simt,
                       const ScheduleText &schedule = {});
/// Runs them for `program`. `recorder`: sees what each pass does; may be null.
mlir::LogicalResult lowerToThreads(mlir::ModuleOp module, const distribute::Program &program,
                                   ThreadStage last = ThreadStage::Simt,
                                   const ScheduleText &schedule = {},
                                   PassRecorder *recorder = nullptr);

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
  /// Lowers to threads, as far as `asked` needs it; the result is verified. Returns the text of
  /// `asked`, with `locations` the source location of each op; nothing where nothing was asked for.
  /// `explain`: decisions of the backend's own about per-thread IR, for their remarks; it is called
  /// for remarks alone, and may change the module.
  llvm::Expected<std::optional<std::string>>
  lowerToThreads(const distribute::Program &program, std::optional<ThreadStage> asked,
                 const ScheduleText &schedule = {}, bool locations = false,
                 llvm::function_ref<void()> explain = {}) const;
  /// The error together with the diagnostics.
  llvm::Error explain(llvm::Error error) const;
  /// The module's text; with `locations`, the source location of each op.
  std::string print(bool locations = false) const;

private:
  /// What is derived from the module, as text or JSON; nothing for stages that are IR.
  llvm::Expected<std::optional<std::string>> printDerived(ThreadStage stage,
                                                          const target::TargetInfo &target) const;

  mlir::ModuleOp module;
  tile::DiagnosticText diagnostics;
};

/// Reads a module (bytecode or text) in a context of its own and hands it to `compile`. An error if
/// it cannot be read.
llvm::Error readModule(llvm::StringRef bytes, StageRunner::RegisterDialects registerDialects,
                       llvm::function_ref<llvm::Error(mlir::ModuleOp)> compile);

} // namespace tilerun::backend

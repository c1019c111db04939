// The compiler's decisions against optimizations, with reasons and locations in the kernel's
// source. Remarks go through MLIR's remark engine: without one in the context they cost nothing,
// and reasons are not even built.
#pragma once

#include "mlir/IR/Operation.h"

namespace tilerun {

enum class RemarkName {
#define TILERUN_REMARK(enumerator, name, summary) enumerator,
#include "ir/tile/Remarks.def"
#undef TILERUN_REMARK
};
llvm::StringRef toString(RemarkName name);
llvm::ArrayRef<RemarkName> allRemarks();

/// Whether this context has a listener.
bool wantsRemarks(mlir::MLIRContext *context);

/// Reports about `op`. `isMissed`: something that would have been faster was not done.
void emitRemark(mlir::Operation *op, RemarkName name, const llvm::Twine &reason,
                bool isMissed = true);

/// " (line 12)" for a location with a line, else nothing: to name a second place in a reason.
std::string describeLine(mlir::Location loc);
/// The line of the construct itself, in its file; 0 where it is not known.
unsigned findLine(mlir::Location loc);

/// One remark as data. `line` is 0 where the source is not known.
struct CollectedRemark {
  std::string name, kernel, file, reason;
  unsigned line = 0, column = 0;
  bool isMissed = true;
};

/// Collects the remarks of a context for as long as it lives; in program order, each once. One at a
/// time for each context.
class RemarkCollector {
public:
  explicit RemarkCollector(mlir::MLIRContext *context);
  ~RemarkCollector();
  RemarkCollector(const RemarkCollector &) = delete;
  RemarkCollector &operator=(const RemarkCollector &) = delete;

  llvm::ArrayRef<CollectedRemark> get() const { return *remarks; }
  /// One line each: "k.py:12:5: remark: loop-not-pipelined: ...".
  std::string toText() const;
  /// An array of objects with name, missed, kernel, file, line, column and reason.
  std::string toJson() const;

private:
  mlir::MLIRContext *context;
  std::shared_ptr<std::vector<CollectedRemark>> remarks;
};

} // namespace tilerun

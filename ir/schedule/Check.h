// What a schedule asks of the target, checked: of attributes before they are expanded, and of the
// ops after that. Each is checked once in a pipeline of passes, as an analysis that the passes hand
// on; text that comes in between is checked where it comes in.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilerun::schedule {

/// Checks what a kernel's schedule asks of the target: means, forms of slots, roles, the budget.
mlir::LogicalResult checkSchedule(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts);

/// The same of a kernel that is expanded: copies that the target can make, rings that fit, and the
/// protocol of its channels (Protocol.h).
mlir::LogicalResult checkExpanded(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts);

/// Whether each tile that is recalled has been retained before, in the same iterations.
mlir::LogicalResult checkRecalls(mlir::func::FuncOp kernel);

/// checkSchedule of every kernel of a module that is not expanded yet. Diagnostics come when this
/// is made.
class ScheduleCheck {
public:
  explicit ScheduleCheck(mlir::Operation *module);
  bool isValid() const { return valid; }

private:
  bool valid;
};

/// checkExpanded of every kernel of a module that is expanded.
class ExpandedCheck {
public:
  explicit ExpandedCheck(mlir::Operation *module);
  bool isValid() const { return valid; }

private:
  bool valid;
};

} // namespace tilerun::schedule

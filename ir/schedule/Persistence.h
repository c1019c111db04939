// Programs that take several tiles: fewer programs are launched than the caller asks for, as many
// as run at a time, and each takes every n-th of the caller's programs, where n is how many are
// launched. With roles the
// producer fills slots for the next one while the consumer stores what it has computed.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Boxes.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Makes `kernel` persistent (`sched.persistent`) if it can be and `choice` wants it to be: with
/// Choice::Auto, where one program fills a unit and all are equally long. A remark says why not.
/// Leaves kernels without roles as they are, without a remark. Precondition: its roles are
/// assigned.
void choosePersistence(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                       Choice choice);

/// Whether programs may differ in how often they run the loop.
bool dependsOnProgram(mlir::scf::ForOp loop);

/// Whether each launched program of the kernel runs several of the caller's.
inline bool isPersistent(mlir::func::FuncOp kernel) {
  return kernel->hasAttr(SchedDialect::kPersistent);
}

/// Puts a loop over the caller's programs into `block`, which is empty: its body, without a
/// terminator. `cursors`, as many as it has elements, are carried by it: they get its arguments.
mlir::Block *openPrograms(mlir::OpBuilder &b, mlir::Block *block,
                          llvm::MutableArrayRef<mlir::Value> cursors);
/// Ends such a body, with the values of `cursors` for the next program, and gives its ops the
/// numbers of the caller's program.
void closePrograms(mlir::Block *body, mlir::ValueRange cursors);

} // namespace tilerun::schedule

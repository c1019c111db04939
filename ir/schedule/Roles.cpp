// See Roles.h.
#include "ir/schedule/Roles.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/RoleRules.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

static LogicalResult assignRole(scf::ForOp loop, const LayoutAssignment &layouts,
                                const HandSchedule::Entry &entry) {
  auto refuse = [&](const Twine &why) {
    return emitError(entry.loc) << entry.describe() << " wants roles, but " << why;
  };
  if (std::string fault = findRoleFault(entry.producers, layouts); !fault.empty())
    return refuse(fault);
  PipelineAttr pipeline = getPipeline(loop);
  if (!pipeline)
    return refuse("it has no pipeline; run schedule-stages with the same schedule first");
  if (pipeline.getCopies() != CopyKind::Chunks)
    return refuse("a producer fills slots by copies=chunks alone");
  if (std::optional<Refusal> fault = findRoleFault(loop)) {
    auto error = emitError(entry.loc)
                 << entry.describe() << " cannot be split into roles: " << fault->why;
    error.attachNote(fault->op->getLoc()) << "here";
    return error;
  }
  loop->removeAttr(SchedDialect::kRoleAsked);
  loop->setAttr(SchedDialect::kRole, RoleAttr::get(loop.getContext(), entry.producers));
  dropAllocation(loop->getParentOfType<func::FuncOp>());
  return success();
}

LogicalResult schedule::assignRoles(func::FuncOp kernel, const LayoutAssignment &layouts,
                                    const HandSchedule &byHand) {
  auto matched = byHand.match(kernel);
  if (failed(matched))
    return failure();
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) -> WalkResult {
    const HandSchedule::Entry *entry = matched->lookup(loop);
    if (!entry || !entry->producers)
      return WalkResult::advance();
    return assignRole(loop, layouts, *entry);
  });
  return failure(walk.wasInterrupted());
}

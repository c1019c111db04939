// See Roles.h.
#include "ir/schedule/Roles.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/RoleRules.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// Gives the loop its role, which is its by the schedule `entry` (null: by its boxes).
static LogicalResult assignRole(scf::ForOp loop, const LayoutAssignment &layouts,
                                const HandSchedule::Entry *entry) {
  auto refuse = [&](const Twine &why) {
    if (entry)
      return emitError(entry->loc) << entry->describe() << " wants roles, but " << why;
    return loop.emitOpError("has copies = boxes, which need a role, but ") << why;
  };
  PipelineAttr pipeline = getPipeline(loop);
  if (!pipeline)
    return refuse("it has no pipeline; run schedule-stages with the same schedule first");
  unsigned producers = entry && entry->producers                 ? entry->producers
                       : pipeline.getCopies() == CopyKind::Boxes ? getBoxProducers(layouts)
                                                                 : layouts.numWarps();
  if (std::string fault = findRoleFault(producers, pipeline.getCopies(), layouts); !fault.empty())
    return refuse(fault);
  if (pipeline.getCopies() == CopyKind::Registers)
    return refuse("a producer fills slots by copies=chunks or copies=boxes");
  if (std::optional<Refusal> fault = findRoleFault(loop)) {
    auto error =
        entry ? emitError(entry->loc) << entry->describe() : emitError(loop.getLoc()) << "the loop";
    error << " cannot be split into roles: " << fault->why;
    error.attachNote(fault->op->getLoc()) << "here";
    return error;
  }
  loop->removeAttr(SchedDialect::kRoleAsked);
  loop->setAttr(SchedDialect::kRole, RoleAttr::get(loop.getContext(), producers));
  dropAllocation(loop->getParentOfType<func::FuncOp>());
  return success();
}

LogicalResult schedule::assignRoles(func::FuncOp kernel, const LayoutAssignment &layouts,
                                    const HandSchedule *byHand) {
  llvm::DenseMap<Operation *, const HandSchedule::Entry *> entries;
  if (byHand) {
    auto matched = byHand->match(kernel);
    if (failed(matched))
      return failure();
    entries = std::move(*matched);
  }
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) -> WalkResult {
    const HandSchedule::Entry *entry = entries.lookup(loop);
    PipelineAttr pipeline = getPipeline(loop);
    bool isBoxes = pipeline && pipeline.getCopies() == CopyKind::Boxes && !hasRoles(loop);
    if (!isBoxes && !(entry && entry->producers))
      return WalkResult::advance();
    return assignRole(loop, layouts, entry);
  });
  return failure(walk.wasInterrupted());
}

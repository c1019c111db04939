// What a schedule asks of the target: that it has the means, that products read slots of that form,
// that everything fits together into shared memory. The dialect's verifier has checked the rest.
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/schedule/Stages.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

static LogicalResult checkLoop(scf::ForOp loop, const LayoutAssignment &layouts) {
  if (unsigned producers = getPipeline(loop).getProducers()) {
    std::string fault = findRoleFault(producers, layouts);
    if (!fault.empty())
      return loop.emitOpError("cannot follow its schedule: it has roles, but ") << fault;
    if (std::optional<Refusal> refusal = findRoleFault(loop)) {
      auto error = loop.emitOpError("cannot be split into roles: ") << refusal->why;
      error.attachNote(refusal->op->getLoc()) << "here";
      return error;
    }
  }
  RingRules rules(loop, layouts, getPipeline(loop).getCopies());
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    RingAttr ring = getRing(load);
    Refusal refusal;
    if (ring && !rules.check(load, ring, refusal))
      return load.emitOpError("cannot follow its schedule: ") << refusal.why;
  }
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (isDeferred(dot) && !rules.mayDefer(dot))
      return dot.emitOpError("cannot follow its schedule: its instructions do not run on into the "
                             "next iteration on ")
             << layouts.target().name;
  return success();
}

/// Rings of all loops around each loop, and of roles, beside what its ops need.
static LogicalResult checkBudget(scf::ForOp loop, const LayoutAssignment &layouts,
                                 const SharedDemand &demand) {
  int64_t rings = 0;
  for (scf::ForOp around = loop; around; around = around->getParentOfType<scf::ForOp>())
    if (getPipeline(around) && !hasRoles(around))
      rings += ringBytesOf(around);
  auto kernel = loop->getParentOfType<func::FuncOp>();
  if (scf::ForOp roles = findRoleLoop(kernel))
    rings += ringBytesOf(roles);
  int64_t others = demand.within(hasRoles(loop) ? kernel.getOperation() : loop),
          has = layouts.target().sharedMemoryBytes;
  if (rings + others <= has)
    return success();
  return loop.emitOpError("cannot follow its schedule: rings of ")
         << rings << " bytes and other ops of " << others
         << " bytes do not fit the shared memory of " << layouts.target().name << ", which has "
         << has;
}

LogicalResult schedule::checkSchedule(func::FuncOp kernel, const LayoutAssignment &layouts) {
  std::optional<SharedDemand> demand;
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) -> WalkResult {
    if (!getPipeline(loop))
      return WalkResult::advance();
    if (!demand)
      demand.emplace(kernel, layouts);
    if (failed(checkLoop(loop, layouts)) || failed(checkBudget(loop, layouts, *demand)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Expanded kernels
//===----------------------------------------------------------------------===//

static LogicalResult checkCopy(CopyOp copy, const LayoutAssignment &layouts) {
  if (!copy->hasAttr(DistributeDialect::kAccessAttr))
    return copy.emitOpError() << "has no '" << DistributeDialect::kAccessAttr
                              << "', which says what each thread copies";
  if (!layouts.target().hasAsyncCopy)
    return copy.emitOpError("cannot be made: ")
           << layouts.target().name << " has no asynchronous copies";
  int64_t bytes = accessBytes(copy, getRingType(copy.getRing()).getTile().getElementType(), layouts,
                              kMostCopyBytes);
  if (bytes < kLeastCopyBytes)
    return copy.emitOpError("moves 4 bytes or more at a time, but here only ")
           << bytes << " neighbouring bytes are known to be aligned and contiguous";
  return success();
}

/// Rings that are alive together: for each loop those from outside that it, or a loop around it,
/// uses.
static LogicalResult checkRings(func::FuncOp kernel, const LayoutAssignment &layouts) {
  llvm::MapVector<Operation *, int64_t> inUse; // by loops; rings that no loop uses by themselves
  kernel.walk([&](RingOp ring) {
    RingType type = ring.getRing().getType();
    int64_t bytes = type.getSlots() * slotBytesOf(type.getTile(), type.getForm());
    llvm::SetVector<Operation *> loops;
    loops.insert(ring);
    for (Operation *user : ring->getUsers()) {
      Operation *outermost = nullptr;
      for (Operation *around = user->getParentOp(); !around->isAncestor(ring);
           around = around->getParentOp())
        if (isa<LoopLikeOpInterface>(around))
          outermost = around;
      if (outermost)
        outermost->walk([&](LoopLikeOpInterface loop) { loops.insert(loop); });
    }
    for (Operation *loop : loops)
      inUse[loop] += bytes;
  });
  int64_t has = layouts.target().sharedMemoryBytes;
  for (auto [op, bytes] : inUse)
    if (bytes > has)
      return op->emitOpError("uses rings of ")
             << bytes << " bytes, which do not fit the shared memory of " << layouts.target().name
             << ", which has " << has;
  return success();
}

LogicalResult schedule::checkExpanded(func::FuncOp kernel, const LayoutAssignment &layouts) {
  WalkResult walk =
      kernel.walk([&](CopyOp copy) -> WalkResult { return checkCopy(copy, layouts); });
  return failure(walk.wasInterrupted() || failed(checkRings(kernel, layouts)));
}

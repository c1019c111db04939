// What a schedule asks of the target: that it has the means, that products read slots of that form,
// that everything fits together into shared memory. The dialect's verifier has checked the rest.
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/schedule/Stages.h"

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

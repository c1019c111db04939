// See Allocate.h.
#include "ir/schedule/Allocate.h"
#include "ir/schedule/FewerWarps.h"
#include "ir/schedule/HandSchedule.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/schedule/Stages.h"
#include "ir/tile/Remarks.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

namespace {
class Allocator {
public:
  Allocator(func::FuncOp kernel, const LayoutAssignment &layouts)
      : kernel(kernel), layouts(layouts), budget(layouts.target().budget()) {}
  LogicalResult run();

private:
  /// Allocates for the loops in `op`, beside rings of `inUse` bytes around them.
  LogicalResult visit(Operation *op, int64_t inUse);
  LogicalResult allocate(scf::ForOp loop, int64_t &inUse);
  LogicalResult allocateRoles(int64_t &inUse);
  LogicalResult follow(scf::ForOp loop, int64_t &inUse);
  void cut(scf::ForOp loop, int64_t &inUse);
  target::MemoryBudget::RingNeeds getNeeds(scf::ForOp loop, int64_t inUse) const;
  void setConversions(Operation *op, const SharedDemand &demand, int64_t inUse, int64_t around);

  func::FuncOp kernel;
  const LayoutAssignment &layouts;
  target::MemoryBudget budget;
  LoopSet waiting;                              ///< Loops whose slots are not decided yet.
  llvm::DenseMap<Operation *, int64_t> inUseBy; ///< By loops: rings and stored operands.
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

target::MemoryBudget::RingNeeds Allocator::getNeeds(scf::ForOp loop, int64_t inUse) const {
  SharedDemand demand(kernel, layouts, &waiting);
  // Rings of roles are there as long as the kernel runs.
  Operation *life = loop;
  if (hasRoles(loop))
    life = loop->getParentOfType<func::FuncOp>();
  return {slotBytesOf(loop), inUse, demand.storedBy(loop), demand.within(life)};
}

static void remarkPipelined(scf::ForOp loop, int64_t slotBytes, const Twine &why = "") {
  PipelineAttr pipeline = getPipeline(loop);
  int64_t slots = pipeline.getSlots(), distance = pipeline.getDistance();
  emitRemark(loop, RemarkName::LoopPipelined,
             "loads run " + Twine(distance) + (distance == 1 ? " iteration" : " iterations") +
                 " ahead into " + Twine(slots) + (slots == 1 ? " slot of " : " slots of ") +
                 Twine(slotBytes) + " bytes, " +
                 (pipeline.getCopies() == CopyKind::Registers ? "through registers"
                  : pipeline.getCopies() == CopyKind::Boxes   ? "by copies of boxes"
                                                              : "by asynchronous copies") +
                 why,
             /*isMissed=*/false);
}

/// As many slots as fit, of those that the loop asks for.
void Allocator::cut(scf::ForOp loop, int64_t &inUse) {
  PipelineAttr asked = getPipeline(loop);
  bool isAsync = asked.getCopies() != CopyKind::Registers;
  int64_t least = isAsync ? 2 : 1;
  target::MemoryBudget::RingNeeds needs = getNeeds(loop, inUse);
  int64_t slots = std::min(asked.getSlots(), budget.slotsFor(needs));
  // A ring may end between two places where the next one can start.
  while (slots > 0 &&
         ringBytesOf(loop, slots, layouts.target()) + needs.inUse + needs.others > budget.total())
    --slots;
  auto memory = [&] {
    return "a slot takes " + std::to_string(needs.slotBytes) + " bytes, and of the " +
           std::to_string(budget.total()) + " bytes of shared memory " +
           std::to_string(needs.inUse) + " are in use by loops around and " +
           std::to_string(needs.others) + " by ops in the loop";
  };
  if (slots < least) {
    removePipeline(loop);
    emitRemark(loop, RemarkName::LoopNotPipelined,
               "the loop is not pipelined: " + Twine(least) +
                   (least > 1 ? " slots do" : " slot does") + " not fit: " + memory());
    return;
  }
  if (slots < asked.getSlots()) {
    emitRemark(loop, RemarkName::FewerSlots,
               "the loop has " + Twine(slots) + (slots == 1 ? " slot" : " slots") + " instead of " +
                   Twine(asked.getSlots()) + ": " + memory());
    int64_t distance = isAsync ? std::min(asked.getDistance(), slots - 1) : slots;
    loop->setAttr(SchedDialect::kPipeline,
                  PipelineAttr::get(loop.getContext(), slots, distance, asked.getCopies()));
  }
  remarkPipelined(loop, needs.slotBytes);
  inUse += ringBytesOf(loop, layouts.target()) + needs.stored;
}

/// A schedule by hand has the slots that it says, or is an error.
LogicalResult Allocator::follow(scf::ForOp loop, int64_t &inUse) {
  target::MemoryBudget::RingNeeds needs = getNeeds(loop, inUse);
  int64_t rings = ringBytesOf(loop, layouts.target()), slots = getPipeline(loop).getSlots();
  std::optional<HandSchedule::Origin> origin = HandSchedule::getOrigin(loop);
  // Of one that is written as an attribute the check says the same, at the loop.
  if (origin && rings + needs.inUse + needs.others > budget.total())
    return emitError(origin->loc) << origin->loop << ": " << slots
                                  << (slots == 1 ? " slot of " : " slots of ") << needs.slotBytes
                                  << (slots == 1 ? " bytes does" : " bytes do")
                                  << " not fit: of the " << budget.total()
                                  << " bytes of shared memory of " << layouts.target().name << ", "
                                  << needs.inUse << " are in use by loops around and "
                                  << needs.others << " by ops in the loop";
  remarkPipelined(loop, needs.slotBytes,
                  origin ? ", as its schedule says" + describeLine(origin->loc)
                         : std::string(", as its schedule says"));
  inUse += rings + needs.stored;
  return success();
}

LogicalResult Allocator::allocate(scf::ForOp loop, int64_t &inUse) {
  if (!getPipeline(loop))
    return success();
  waiting.erase(loop);
  // Roles that no text asks for and that do not copy boxes are attributes that somebody wrote.
  if (loop->hasAttr(SchedDialect::kByHand) ||
      (hasRoles(loop) && getPipeline(loop).getCopies() != CopyKind::Boxes))
    return follow(loop, inUse);
  cut(loop, inUse);
  return success();
}

/// Rings between roles are in use all the time, so that loop comes first.
LogicalResult Allocator::allocateRoles(int64_t &inUse) {
  SmallVector<scf::ForOp> loops = findRoleLoops(kernel);
  if (loops.empty())
    return success();
  // All have the same rings, and keep or lose them together: as one by hand says, if there is one.
  auto *byHand =
      llvm::find_if(loops, [](scf::ForOp each) { return each->hasAttr(SchedDialect::kByHand); });
  scf::ForOp loop = byHand == loops.end() ? loops.front() : *byHand;
  for (scf::ForOp each : loops)
    waiting.erase(each);
  int64_t within = 0;
  if (failed(allocate(loop, within)))
    return failure();
  for (scf::ForOp other : loops) {
    if (other == loop)
      continue;
    if (getPipeline(loop)) {
      other->setAttr(SchedDialect::kPipeline, getPipeline(loop));
      remarkPipelined(other, slotBytesOf(other), ", those of another loop");
      continue;
    }
    removePipeline(other);
    emitRemark(other, RemarkName::LoopNotPipelined,
               "the loop is not pipelined: it would use the rings of another loop" +
                   describeLine(loop.getLoc()) + ", which do not fit");
  }
  if (!getPipeline(loop))
    kernel->removeAttr(SchedDialect::kPersistent);
  inUse = getPipeline(loop) ? ringBytesOf(loop, layouts.target()) : 0;
  SharedDemand demand(kernel, layouts, &waiting);
  for (scf::ForOp each : loops)
    inUseBy[each] = inUse ? inUse + demand.storedBy(each) : 0;
  return success();
}

LogicalResult Allocator::visit(Operation *op, int64_t inUse) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block) {
        int64_t within = inUse;
        if (auto loop = dyn_cast<scf::ForOp>(inner)) {
          if (auto known = inUseBy.find(loop); known != inUseBy.end())
            within = known->second;
          else if (failed(allocate(loop, within)))
            return failure();
          inUseBy[loop] = within;
        }
        if (inner.getNumRegions() && failed(visit(&inner, within)))
          return failure();
      }
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Every region of loops says how much a conversion in it may take, if that is not the same as
/// around it.
void Allocator::setConversions(Operation *op, const SharedDemand &demand, int64_t inUse,
                               int64_t around) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    inUse = inUseBy.lookup(loop);
  if (isa<func::FuncOp, scf::ForOp>(op)) {
    int64_t stored = 0; // which `inUse` has already
    for (auto loop = dyn_cast<scf::ForOp>(op); loop; loop = loop->getParentOfType<scf::ForOp>())
      if (getPipeline(loop))
        stored += demand.storedBy(loop);
    int64_t rings = inUse - stored, room = budget.total() - rings;
    int64_t bytes = budget.forConversions(rings, room - demand.roomForConversions(op, room));
    if (bytes != around || isa<func::FuncOp>(op))
      op->setAttr(SchedDialect::kConversions,
                  IntegerAttr::get(IntegerType::get(op->getContext(), 64), bytes));
    else
      op->removeAttr(SchedDialect::kConversions);
    around = bytes;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        if (inner.getNumRegions())
          setConversions(&inner, demand, inUse, around);
}

LogicalResult Allocator::run() {
  kernel.walk([&](scf::ForOp loop) {
    if (getPipeline(loop))
      waiting.insert(loop);
  });
  int64_t inUse = 0;
  if (failed(allocateRoles(inUse)) || failed(visit(kernel, inUse)))
    return failure();
  setConversions(kernel, SharedDemand(kernel, layouts), inUse, 0);
  return success();
}

void schedule::dropAllocation(func::FuncOp kernel) {
  if (!isAllocated(kernel))
    return;
  kernel->removeAttr(SchedDialect::kFewerWarps);
  kernel->walk([](Operation *op) { op->removeAttr(SchedDialect::kConversions); });
}

int64_t schedule::getDemand(func::FuncOp kernel, const LayoutAssignment &layouts) {
  SharedDemand demand(kernel, layouts);
  scf::ForOp roles = findRoleLoop(kernel);
  const target::TargetInfo &target = layouts.target();
  int64_t most = (roles ? ringBytesOf(roles, target) : 0) + demand.within(kernel);
  kernel.walk([&](scf::ForOp loop) {
    if (getPipeline(loop))
      most = std::max(most, ringBytesIn(loop, target) + demand.within(loop));
  });
  return most;
}

/// Whether a text wants roles that no pass has made.
static LogicalResult checkRolesAsked(func::FuncOp kernel) {
  WalkResult walk = kernel.walk([](scf::ForOp loop) -> WalkResult {
    if (!loop->hasAttr(SchedDialect::kRoleAsked))
      return WalkResult::advance();
    std::optional<HandSchedule::Origin> origin = HandSchedule::getOrigin(loop);
    return emitError(origin ? origin->loc : loop.getLoc())
           << (origin ? origin->loop : std::string("the loop"))
           << " wants roles; run schedule-roles with the same text before schedule-allocate";
  });
  return failure(walk.wasInterrupted());
}

LogicalResult schedule::allocateSlots(func::FuncOp kernel, const LayoutAssignment &layouts) {
  if (failed(checkRolesAsked(kernel)))
    return failure();
  kernel.getContext()->getOrLoadDialect<SchedDialect>();
  if (isAllocated(kernel))
    return success();
  if (failed(Allocator(kernel, layouts).run()))
    return failure();
  noteFewerWarps(kernel, layouts);
  return success();
}

// See Stages.h.
#include "ir/schedule/Stages.h"
#include "ir/schedule/Explain.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/tile/LoopHints.h"
#include "ir/tile/Remarks.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

int64_t schedule::askedSlots(scf::ForOp loop, unsigned numStages) {
  int64_t slots = numStages;
  if (auto own = loop->getAttrOfType<IntegerAttr>(tile::kNumStagesHint))
    slots = own.getValue().trySExtValue().value_or(1);
  return std::min(slots, kMaxSlots);
}

namespace {
class StageScheduler {
public:
  StageScheduler(func::FuncOp kernel, const LayoutAssignment &layouts, const StageOptions &options)
      : kernel(kernel), layouts(layouts), options(options), budget(layouts.target().budget()) {}
  LogicalResult run();

private:
  /// Schedules the loops in `op`, beside rings of `inUse` bytes around them.
  LogicalResult visit(Operation *op, int64_t inUse);
  LogicalResult schedule(scf::ForOp loop, int64_t &inUse);
  LogicalResult scheduleRoles(int64_t &inUse);
  LogicalResult scheduleByHand(scf::ForOp loop, const HandSchedule::Entry &entry, int64_t &inUse);
  void choose(scf::ForOp loop, int64_t &inUse);
  /// Marks the loads that can run ahead; the first refusal of one that feeds products.
  std::optional<Refusal> markRings(scf::ForOp loop, CopyKind copies);
  void clearRings(scf::ForOp loop);
  /// Of the loop's rings, once its loads are marked.
  target::MemoryBudget::RingNeeds getNeeds(scf::ForOp loop, int64_t inUse) const;
  void set(scf::ForOp loop, PipelineAttr pipeline);
  void remarkPipelined(scf::ForOp loop, PipelineAttr pipeline, int64_t slotBytes,
                       const Twine &why = "");
  void setConversions(Operation *op, const SharedDemand &demand, int64_t inUse, int64_t around);
  void remark(scf::ForOp loop, RemarkName name, const Twine &reason, bool isMissed = true) {
    emitRemark(loop, name, reason, isMissed);
  }

  func::FuncOp kernel;
  const LayoutAssignment &layouts;
  const StageOptions &options;
  target::MemoryBudget budget;
  llvm::DenseMap<Operation *, const HandSchedule::Entry *> byHand;
  llvm::DenseMap<Operation *, int64_t> inUseBy; ///< By scheduled loops: rings and stored operands.
};
} // namespace

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// Remarks of loads that a product reads, but not as rings need it.
static void explainDetours(scf::ForOp loop, std::optional<Refusal> &first) {
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op))
      return WalkResult::skip();
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || feedsProduct(load.getResult(), loop.getBody()))
      return WalkResult::advance();
    if (std::optional<Refusal> detour = explainDetour(load, loop)) {
      emitRemark(load, RemarkName::LoadNotAhead, "the load does not run ahead: " + detour->why);
      if (!first)
        first = std::move(detour);
    }
    return WalkResult::advance();
  });
}

std::optional<Refusal> StageScheduler::markRings(scf::ForOp loop, CopyKind copies) {
  RingRules rules(loop, layouts, copies);
  std::optional<Refusal> first;
  explainDetours(loop, first);
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (!feedsProduct(load.getResult(), loop.getBody()))
      continue;
    Refusal refusal;
    if (RingAttr ring = rules.plan(load, refusal)) {
      load->setAttr(SchedDialect::kRing, ring);
      continue;
    }
    emitRemark(load, RemarkName::LoadNotAhead, "the load does not run ahead: " + refusal.why);
    if (!first)
      first = std::move(refusal);
  }
  return first;
}

void StageScheduler::clearRings(scf::ForOp loop) {
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    load->removeAttr(SchedDialect::kRing);
}

target::MemoryBudget::RingNeeds StageScheduler::getNeeds(scf::ForOp loop, int64_t inUse) const {
  SharedDemand demand(kernel, layouts);
  // Rings of roles are there as long as the kernel runs.
  Operation *life = loop;
  if (hasRoles(loop))
    life = loop->getParentOfType<func::FuncOp>();
  return {slotBytesOf(loop), inUse, demand.storedBy(loop), demand.within(life)};
}

void StageScheduler::set(scf::ForOp loop, PipelineAttr pipeline) {
  loop->setAttr(SchedDialect::kPipeline, pipeline);
  RingRules rules(loop, layouts, pipeline.getCopies());
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (rules.mayDefer(dot))
      dot->setAttr(SchedDialect::kDeferred, UnitAttr::get(loop.getContext()));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void StageScheduler::remarkPipelined(scf::ForOp loop, PipelineAttr pipeline, int64_t slotBytes,
                                     const Twine &why) {
  remark(loop, RemarkName::LoopPipelined,
         "loads run " + Twine(pipeline.getDistance()) +
             (pipeline.getDistance() == 1 ? " iteration" : " iterations") + " ahead into " +
             Twine(pipeline.getSlots()) + (pipeline.getSlots() == 1 ? " slot of " : " slots of ") +
             Twine(slotBytes) + " bytes, " +
             (pipeline.getCopies() == CopyKind::Chunks ? "by asynchronous copies"
                                                       : "through registers") +
             why,
         /*isMissed=*/false);
}

void StageScheduler::choose(scf::ForOp loop, int64_t &inUse) {
  const target::TargetInfo &target = layouts.target();
  CopyKind copies = target.hasAsyncCopy ? CopyKind::Chunks : CopyKind::Registers;
  int64_t asked = askedSlots(loop, options.numStages);
  auto refuse = [&](const Twine &why) {
    clearRings(loop);
    remark(loop, RemarkName::LoopNotPipelined, "the loop is not pipelined: " + why);
  };
  if (asked < 2)
    return refuse("num_stages=" + Twine(asked) + " asks for none of its loads to run ahead");
  if (loop.getUnsignedCmp())
    return refuse("its induction variable is compared as unsigned, and may wrap past the end");
  std::optional<Refusal> refusal = markRings(loop, copies);
  int64_t slotBytes = slotBytesOf(loop);
  if (!slotBytes)
    return refuse(refusal ? "none of its loads can run ahead; " + refusal->why
                          : "none of its loads feeds a product of its body");
  int64_t wanted = copies == CopyKind::Chunks ? asked : std::min(asked, kMaxRegisterSlots);
  int64_t least = copies == CopyKind::Chunks ? 2 : 1;
  target::MemoryBudget::RingNeeds needs = getNeeds(loop, inUse);
  int64_t slots = std::min(wanted, budget.slotsFor(needs));
  auto memory = [&] {
    return "a slot takes " + std::to_string(slotBytes) + " bytes, and of the " +
           std::to_string(budget.total()) + " bytes of shared memory " +
           std::to_string(needs.inUse) + " are in use by loops around and " +
           std::to_string(needs.others) + " by ops in the loop";
  };
  if (slots < least)
    return refuse(Twine(least) + (least > 1 ? " slots do" : " slot does") +
                  " not fit: " + memory());
  if (slots < wanted)
    remark(loop, RemarkName::FewerSlots,
           "the loop has " + Twine(slots) + " slots instead of " + Twine(wanted) + ": " + memory());
  // Chunks fill all slots but the one that is read; of registers, the last iteration is in none.
  int64_t distance = copies == CopyKind::Chunks ? slots - 1 : slots;
  auto pipeline = PipelineAttr::get(loop.getContext(), slots, distance, copies, 0);
  set(loop, pipeline);
  remarkPipelined(loop, pipeline, slotBytes);
  inUse += slots * slotBytes + needs.stored;
}

LogicalResult StageScheduler::scheduleByHand(scf::ForOp loop, const HandSchedule::Entry &entry,
                                             int64_t &inUse) {
  if (entry.isNone) {
    remark(loop, RemarkName::LoopNotPipelined,
           "the loop is not pipelined: its schedule says so" + describeLine(entry.loc));
    return success();
  }
  const target::TargetInfo &target = layouts.target();
  if (entry.producers)
    if (std::string fault = findRoleFault(entry.producers, layouts); !fault.empty())
      return emitError(entry.loc) << entry.describe() << " wants roles, but " << fault;
  CopyKind copies =
      entry.copies.value_or(target.hasAsyncCopy ? CopyKind::Chunks : CopyKind::Registers);
  bool isChunks = copies == CopyKind::Chunks;
  if (isChunks && !target.hasAsyncCopy)
    return emitError(entry.loc) << entry.describe() << " wants copies=chunks, but " << target.name
                                << " has no asynchronous copies; use copies=registers";
  if (entry.producers && !isChunks)
    return emitError(entry.loc)
           << entry.describe() << " wants roles, but a producer fills slots by copies=chunks alone";
  int64_t distance = entry.distance.value_or(isChunks ? entry.slots - 1 : entry.slots);
  if (std::string fault = findFault(entry.slots, distance, copies); !fault.empty())
    return emitError(entry.loc) << entry.describe() << ": " << fault;
  auto refuse = [&](const Twine &why, Operation *op) {
    auto error = emitError(entry.loc) << entry.describe() << " cannot be pipelined: " << why;
    error.attachNote(op->getLoc()) << "here";
    return failure();
  };
  if (loop.getUnsignedCmp())
    return refuse("its induction variable is compared as unsigned, and may wrap past the end",
                  loop);
  std::optional<Refusal> refusal = markRings(loop, copies);
  if (!slotBytesOf(loop))
    return refusal ? refuse("none of its loads can run ahead; " + refusal->why, refusal->op)
                   : refuse("none of its loads feeds a product of its body", loop);
  if (entry.producers)
    if (std::optional<Refusal> fault = findRoleFault(loop)) {
      auto error = emitError(entry.loc)
                   << entry.describe() << " cannot be split into roles: " << fault->why;
      error.attachNote(fault->op->getLoc()) << "here";
      return failure();
    }
  set(loop, PipelineAttr::get(loop.getContext(), entry.slots, distance, copies, entry.producers));
  loop->setAttr(SchedDialect::kByHand, UnitAttr::get(loop.getContext()));
  target::MemoryBudget::RingNeeds needs = getNeeds(loop, inUse);
  int64_t rings = ringBytesOf(loop);
  if (rings + needs.inUse + needs.others > budget.total())
    return emitError(entry.loc) << entry.describe() << ": " << entry.slots << " slots of "
                                << needs.slotBytes << " bytes do not fit: of the " << budget.total()
                                << " bytes of shared memory of " << target.name << ", "
                                << needs.inUse << " are in use by loops around and " << needs.others
                                << " by ops in the loop";
  remarkPipelined(loop, getPipeline(loop), needs.slotBytes,
                  ", as its schedule says" + describeLine(entry.loc));
  inUse += rings + needs.stored;
  return success();
}

LogicalResult StageScheduler::schedule(scf::ForOp loop, int64_t &inUse) {
  if (auto entry = byHand.find(loop); entry != byHand.end())
    return scheduleByHand(loop, *entry->second, inUse);
  if (PipelineAttr given = getPipeline(loop)) { // checked at the end
    target::MemoryBudget::RingNeeds needs = getNeeds(loop, inUse);
    inUse += ringBytesOf(loop) + needs.stored;
    return success();
  }
  choose(loop, inUse);
  return success();
}

/// Rings between roles are in use all the time, so that loop comes first.
LogicalResult StageScheduler::scheduleRoles(int64_t &inUse) {
  scf::ForOp found;
  kernel.walk([&](scf::ForOp loop) {
    auto entry = byHand.find(loop);
    if (entry == byHand.end() ? !hasRoles(loop) : !entry->second->producers)
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  if (!found)
    return success();
  int64_t within = 0;
  if (failed(schedule(found, within)))
    return failure();
  inUseBy[found] = within;
  inUse = ringBytesOf(found);
  return success();
}

LogicalResult StageScheduler::visit(Operation *op, int64_t inUse) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block) {
        int64_t within = inUse;
        if (auto loop = dyn_cast<scf::ForOp>(inner)) {
          if (auto known = inUseBy.find(loop); known != inUseBy.end())
            within = known->second;
          else if (failed(schedule(loop, within)))
            return failure();
          inUseBy[loop] = within;
        } else if (auto loop = dyn_cast<scf::WhileOp>(inner)) {
          emitRemark(loop, RemarkName::LoopNotPipelined,
                     "the loop is not pipelined: its trip count is not known before it ends");
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
void StageScheduler::setConversions(Operation *op, const SharedDemand &demand, int64_t inUse,
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

LogicalResult StageScheduler::run() {
  kernel.getContext()->getOrLoadDialect<SchedDialect>();
  explainLayouts(kernel, layouts);
  if (options.byHand) {
    auto matched = options.byHand->match(kernel);
    if (failed(matched))
      return failure();
    byHand = std::move(*matched);
  }
  int64_t inUse = 0;
  if (failed(scheduleRoles(inUse)) || failed(visit(kernel, inUse)))
    return failure();
  setConversions(kernel, SharedDemand(kernel, layouts), inUse, 0);
  return checkSchedule(kernel, layouts);
}

LogicalResult schedule::scheduleStages(func::FuncOp kernel, const LayoutAssignment &layouts,
                                       const StageOptions &options) {
  return StageScheduler(kernel, layouts, options).run();
}

void schedule::useLeastMemory(func::FuncOp kernel, const LayoutAssignment &layouts) {
  kernel.walk([&](Operation *op) {
    for (StringRef name : {SchedDialect::kPipeline, SchedDialect::kRing, SchedDialect::kDeferred,
                           SchedDialect::kConversions})
      op->removeAttr(name);
  });
  target::MemoryBudget budget = layouts.target().budget();
  int64_t least = std::max(budget.forLeastConversion(), target::MemoryBudget::kLeastConversion);
  kernel->setAttr(SchedDialect::kConversions,
                  IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), least));
}

bool schedule::fitsWithLeast(func::FuncOp kernel, const LayoutAssignment &layouts) {
  target::MemoryBudget budget = layouts.target().budget();
  return SharedDemand(kernel, layouts).fixedWithin(kernel) <= budget.total();
}

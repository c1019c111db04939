// See Stages.h.
#include "ir/schedule/Stages.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/Check.h"
#include "ir/schedule/Explain.h"
#include "ir/schedule/LateChoice.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/Persistence.h"
#include "ir/schedule/RegisterDemand.h"
#include "ir/schedule/Rings.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/Roles.h"
#include "ir/schedule/WarpTurns.h"
#include "ir/tile/LoopHints.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

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

void schedule::removePipeline(scf::ForOp loop) {
  for (StringRef name : {SchedDialect::kPipeline, SchedDialect::kByHand, SchedDialect::kRole,
                         SchedDialect::kRoleAsked})
    loop->removeAttr(name);
  for (Operation &op : *loop.getBody())
    for (StringRef name : {SchedDialect::kRing, SchedDialect::kBox, SchedDialect::kDeferred,
                           SchedDialect::kStage, SchedDialect::kTurns})
      op.removeAttr(name);
}

std::optional<Choice> schedule::getChoice(StringRef name) {
  return llvm::StringSwitch<std::optional<Choice>>(name)
      .Case("auto", Choice::Auto)
      .Case("off", Choice::Off)
      .Case("on", Choice::On)
      .Default(std::nullopt);
}

namespace {
/// The means by which a loop's loads run ahead.
struct Ahead {
  CopyKind copies;
  int64_t slots, distance;
};

class StageScheduler {
public:
  StageScheduler(func::FuncOp kernel, const LayoutAssignment &layouts, const StageOptions &options)
      : kernel(kernel), layouts(layouts), options(options) {}
  LogicalResult run();

private:
  CopyKind chooseCopies(scf::ForOp loop);
  void choose(scf::ForOp loop);
  bool chooseBoxes(scf::ForOp loop, int64_t slots);
  LogicalResult follow(scf::ForOp loop, const HandSchedule::Entry &entry);
  FailureOr<Ahead> read(const HandSchedule::Entry &entry) const;
  /// Marks the loads that can run ahead; the first refusal of one that feeds products.
  std::optional<Refusal> markRings(scf::ForOp loop, CopyKind copies);
  std::optional<Refusal> findBoxFault(scf::ForOp loop);
  std::optional<Refusal> findOtherBoxes(scf::ForOp loop);
  /// Of loads that run ahead through registers, leaves those for which there are any.
  std::optional<Refusal> keepWithinRegisters(scf::ForOp loop);
  void set(scf::ForOp loop, const Ahead &ahead);
  /// Lets the products of the loop's body be turns, all of them or as the options say; why not, if
  /// none of them can be one.
  std::optional<std::string> setTurns(scf::ForOp loop, Choice choice);

  func::FuncOp kernel;
  const LayoutAssignment &layouts;
  const StageOptions &options;
};
} // namespace

static constexpr StringLiteral
    kUnsigned("its induction variable is compared as unsigned, and may wrap past the end");
static constexpr StringLiteral kNoProduct("none of its loads feeds a product of its body");

static void remarkNone(Operation *loop, const Twine &why) {
  emitRemark(loop, RemarkName::LoopNotPipelined, "the loop is not pipelined: " + why);
}

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
  bool isBoxes = copies == CopyKind::Boxes;
  if (!isBoxes)
    explainDetours(loop, first);
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (!feedsProduct(load.getResult(), loop.getBody()))
      continue;
    Refusal refusal;
    if (RingAttr ring = rules.plan(load, refusal)) {
      load->setAttr(SchedDialect::kRing, ring);
      if (isBoxes)
        load->setAttr(SchedDialect::kBox, rules.findBox(load, ring));
      continue;
    }
    if (!isBoxes)
      emitRemark(load, RemarkName::LoadNotAhead, "the load does not run ahead: " + refusal.why);
    if (!first)
      first = std::move(refusal);
  }
  return first;
}

std::optional<Refusal> StageScheduler::keepWithinRegisters(scf::ForOp loop) {
  const target::TargetInfo &target = layouts.target();
  std::optional<Refusal> first;
  int64_t needed = countRegisters(loop, layouts);
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (!getRing(load))
      continue;
    const int64_t own = countRegisters(load, layouts);
    if (!target.registers || needed + own <= target.registers) {
      needed += own;
      continue;
    }
    load->removeAttr(SchedDialect::kRing);
    Refusal refusal{load,
                    ("of the " + Twine(target.registers) +
                     " registers of a thread the loop "
                     "needs about " +
                     Twine(needed) + ", and the load " + Twine(own) + " more on its way to a slot")
                        .str()};
    emitRemark(load, RemarkName::LoadNotAhead, "the load does not run ahead: " + refusal.why);
    if (!first)
      first = std::move(refusal);
  }
  return first;
}

void StageScheduler::set(scf::ForOp loop, const Ahead &ahead) {
  loop->setAttr(SchedDialect::kPipeline,
                PipelineAttr::get(loop.getContext(), ahead.slots, ahead.distance, ahead.copies));
  RingRules rules(loop, layouts, ahead.copies);
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (rules.mayDefer(dot))
      dot->setAttr(SchedDialect::kDeferred, UnitAttr::get(loop.getContext()));
  if (ahead.copies == CopyKind::Boxes)
    markLateProducts(loop, layouts, options.late);
  (void)setTurns(loop, options.turns);
  dropAllocation(kernel);
}

std::optional<std::string> StageScheduler::setTurns(scf::ForOp loop, Choice choice) {
  if (choice == Choice::Off)
    return std::nullopt;
  if (layouts.target().hasTurns)
    return setTurnsOfWarps(loop, layouts, choice);
  if (!layouts.target().hasRoles || layouts.target().warpGroupInstructions.empty())
    return "warps of " + layouts.target().name + " take no turns";
  // Groups of a long loop get out of step by themselves.
  if (choice == Choice::Auto && !dependsOnProgram(loop))
    return std::nullopt;
  return setTurnsOfGroups(loop, layouts);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Copies fill all slots but the one that is read; of registers, the last iteration is in none.
static int64_t farthest(CopyKind copies, int64_t slots) {
  return copies == CopyKind::Registers ? slots : slots - 1;
}

/// What keeps a loop whose loads may be boxes from copying them by a role of its own.
std::optional<Refusal> StageScheduler::findBoxFault(scf::ForOp loop) {
  if (std::string fault = findRoleFault(getBoxProducers(layouts), CopyKind::Boxes, layouts);
      !fault.empty())
    return Refusal{loop, fault};
  if (std::optional<Refusal> refusal = markRings(loop, CopyKind::Boxes))
    return refusal;
  if (int64_t count = llvm::count_if(loop.getBody()->getOps<tile::LoadOp>(), getRing);
      count > kMaxBoxes)
    return Refusal{loop, "it has " + std::to_string(count) + " of them, and a launch describes " +
                             std::to_string(kMaxBoxes) + " tensors at most"};
  if (std::optional<Refusal> refusal = findRoleFault(loop))
    return refusal;
  return std::nullopt;
}

/// What keeps it from using the rings of a loop before it that copies boxes.
std::optional<Refusal> StageScheduler::findOtherBoxes(scf::ForOp loop) {
  scf::ForOp first;
  llvm::SmallDenseSet<Attribute> tensors;
  kernel.walk([&](scf::ForOp other) {
    PipelineAttr pipeline = getPipeline(other);
    if (!pipeline || pipeline.getCopies() != CopyKind::Boxes)
      return;
    if (!first && other != loop)
      first = other;
    for (auto load : other.getBody()->getOps<tile::LoadOp>())
      if (Attribute box = load->getAttr(SchedDialect::kBox))
        tensors.insert(box);
  });
  if (!first)
    return std::nullopt;
  if (std::optional<Refusal> fault = findSharingFault(first, loop))
    return fault;
  if (int64_t(tensors.size()) <= kMaxBoxes)
    return std::nullopt;
  return Refusal{loop, "with other loops it has " + std::to_string(tensors.size()) +
                           " of them, and a launch describes " + std::to_string(kMaxBoxes) +
                           " tensors at most"};
}

/// Whether a role for copies pays: the loop's products are by instructions of warp groups, and
/// their sums take so many registers that a program has its unit for itself anyway. Where two
/// programs fit, one hides what the other waits for, and a role would cost the second one.
static bool paysForRole(scf::ForOp loop, const LayoutAssignment &layouts) {
  // Beside sums a thread has some forty registers more, and two programs of eight warps have 128
  // for each. Of fewer warps more than two may fit.
  constexpr int64_t kOfTwoPrograms = 88, kOfMore = 128;
  int64_t least = getBoxProducers(layouts) > 1 ? kOfTwoPrograms : kOfMore;
  int64_t elements = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    if (!layouts.getDot(dot).warpGroup)
      return false;
    elements += cast<RankedTensorType>(dot.getType()).getNumElements();
  }
  // Blocks of a program share what they copy, so the whole program counts.
  elements *= tile::getBlocks(loop->getParentOfType<func::FuncOp>());
  return elements >= least * layouts.numWarps() * layouts.target().warpSize;
}

/// Gives the loop copies of boxes, if all of its loads that feed products can be some.
bool StageScheduler::chooseBoxes(scf::ForOp loop, int64_t slots) {
  bool feeds = llvm::any_of(loop.getBody()->getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
    return feedsProduct(load.getResult(), loop.getBody());
  });
  if (options.boxes == Choice::Off || !layouts.target().hasBoxCopies || !feeds ||
      (options.boxes == Choice::Auto && !paysForRole(loop, layouts)))
    return false;
  std::optional<Refusal> refusal = findBoxFault(loop);
  if (!refusal) {
    set(loop, {CopyKind::Boxes, slots, farthest(CopyKind::Boxes, slots)});
    refusal = findOtherBoxes(loop);
  }
  if (refusal) {
    emitRemark(refusal->op, RemarkName::LoadNotBox,
               "the loop's loads are not copies of boxes: " + refusal->why);
    removePipeline(loop);
    return false;
  }
  explainLateProducts(loop);
  return true;
}

/// Asynchronous copies where the target has them, unless they can fill fewer slots than registers.
CopyKind StageScheduler::chooseCopies(scf::ForOp loop) {
  const target::TargetInfo &target = layouts.target();
  if (!target.hasAsyncCopy)
    return CopyKind::Registers;
  if (!target.copiesFollowLanes)
    return CopyKind::Chunks;
  std::optional<Refusal> refusal;
  auto countRings = [&](CopyKind copies) {
    RingRules rules(loop, layouts, copies);
    return llvm::count_if(loop.getBody()->getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
      Refusal why;
      bool runsAhead = feedsProduct(load.getResult(), loop.getBody()) && rules.plan(load, why);
      if (!runsAhead && why.op && copies == CopyKind::Chunks)
        refusal = std::move(why);
      return runsAhead;
    });
  };
  if (countRings(CopyKind::Chunks) >= countRings(CopyKind::Registers))
    return CopyKind::Chunks;
  emitRemark(refusal->op, RemarkName::LoadsThroughRegisters,
             "the loop's loads run ahead through registers: " + refusal->why);
  return CopyKind::Registers;
}

void StageScheduler::choose(scf::ForOp loop) {
  CopyKind copies = chooseCopies(loop);
  int64_t slots = askedSlots(loop, options.numStages);
  if (slots < 2)
    return remarkNone(loop,
                      "num_stages=" + Twine(slots) + " asks for none of its loads to run ahead");
  if (loop.getUnsignedCmp())
    return remarkNone(loop, kUnsigned);
  if (chooseBoxes(loop, slots))
    return;
  std::optional<Refusal> refusal = markRings(loop, copies);
  if (copies == CopyKind::Registers)
    if (std::optional<Refusal> spilled = keepWithinRegisters(loop); spilled && !refusal)
      refusal = std::move(spilled);
  if (!slotBytesOf(loop))
    return remarkNone(loop, refusal ? "none of its loads can run ahead; " + refusal->why
                                    : kNoProduct.str());
  if (copies == CopyKind::Registers)
    slots = std::min(slots - layouts.target().countsFlightAsStage, kMaxRegisterSlots);
  set(loop, {copies, slots, farthest(copies, slots)});
}

/// What the text asks for, if a loop and the target can have that.
FailureOr<Ahead> StageScheduler::read(const HandSchedule::Entry &entry) const {
  const target::TargetInfo &target = layouts.target();
  CopyKind copies =
      entry.copies.value_or(target.hasAsyncCopy ? CopyKind::Chunks : CopyKind::Registers);
  if (copies == CopyKind::Chunks && !target.hasAsyncCopy)
    return emitError(entry.loc) << entry.describe() << " wants copies=chunks, but " << target.name
                                << " has no asynchronous copies; use copies=registers";
  if (copies == CopyKind::Boxes && !target.hasBoxCopies)
    return emitError(entry.loc) << entry.describe() << " wants copies=boxes, but " << target.name
                                << " has no copies of boxes";
  int64_t distance = entry.distance.value_or(farthest(copies, entry.slots));
  if (std::string fault = findFault(entry.slots, distance, copies); !fault.empty())
    return emitError(entry.loc) << entry.describe() << ": " << fault;
  return Ahead{copies, entry.slots, distance};
}

LogicalResult StageScheduler::follow(scf::ForOp loop, const HandSchedule::Entry &entry) {
  if (getPipeline(loop)) {
    removePipeline(loop);
    dropAllocation(kernel);
  }
  if (entry.isNone) {
    remarkNone(loop, "its schedule says so" + describeLine(entry.loc));
    return success();
  }
  FailureOr<Ahead> ahead = read(entry);
  if (failed(ahead))
    return failure();
  auto refuse = [&](const Twine &why, Operation *op) {
    auto error = emitError(entry.loc) << entry.describe() << " cannot be pipelined: " << why;
    error.attachNote(op->getLoc()) << "here";
    return failure();
  };
  if (loop.getUnsignedCmp())
    return refuse(kUnsigned, loop);
  std::optional<Refusal> refusal = markRings(loop, ahead->copies);
  if (refusal && ahead->copies == CopyKind::Boxes) {
    removePipeline(loop);
    return refuse("not all of its loads are boxes; " + refusal->why, refusal->op);
  }
  if (!slotBytesOf(loop))
    return refusal ? refuse("none of its loads can run ahead; " + refusal->why, refusal->op)
                   : refuse(kNoProduct, loop);
  set(loop, *ahead);
  if (entry.turns == false)
    for (auto dot : loop.getBody()->getOps<tile::DotOp>())
      dot->removeAttr(SchedDialect::kTurns);
  if (entry.turns == true)
    if (std::optional<std::string> why = setTurns(loop, Choice::On)) {
      auto error = emitError(entry.loc) << entry.describe() << " cannot have turns=on: " << *why;
      error.attachNote(loop.getLoc()) << "here";
      return failure();
    }
  explainLateProducts(loop);
  loop->setAttr(SchedDialect::kByHand, entry.getOrigin(loop.getContext()));
  if (entry.producers)
    loop->setAttr(SchedDialect::kRoleAsked, RoleAttr::get(loop.getContext(), entry.producers));
  return success();
}

LogicalResult StageScheduler::run() {
  kernel.getContext()->getOrLoadDialect<SchedDialect>();
  llvm::DenseMap<Operation *, const HandSchedule::Entry *> byHand;
  if (options.byHand) {
    auto matched = options.byHand->match(kernel);
    if (failed(matched))
      return failure();
    byHand = std::move(*matched);
  }
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (isa<scf::WhileOp>(op))
      remarkNone(op, "its trip count is not known before it ends");
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return WalkResult::advance();
    if (const HandSchedule::Entry *entry = byHand.lookup(loop))
      return follow(loop, *entry);
    if (!getPipeline(loop))
      choose(loop);
    return WalkResult::advance();
  });
  explainLayouts(kernel, layouts);
  return failure(walk.wasInterrupted());
}

LogicalResult schedule::scheduleStages(func::FuncOp kernel, const LayoutAssignment &layouts,
                                       const StageOptions &options) {
  return StageScheduler(kernel, layouts, options).run();
}

LogicalResult schedule::scheduleKernel(func::FuncOp kernel, const LayoutAssignment &layouts,
                                       const StageOptions &options) {
  if (failed(scheduleStages(kernel, layouts, options)) ||
      failed(assignRoles(kernel, layouts, options.byHand)))
    return failure();
  choosePersistence(kernel, layouts, options.persistent);
  if (failed(allocateSlots(kernel, layouts)))
    return failure();
  return checkSchedule(kernel, layouts);
}

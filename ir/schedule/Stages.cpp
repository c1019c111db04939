// See Stages.h.
#include "ir/schedule/Stages.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/Check.h"
#include "ir/schedule/Explain.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/Roles.h"
#include "ir/tile/LoopHints.h"
#include "ir/tile/Remarks.h"

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
    for (StringRef name :
         {SchedDialect::kRing, SchedDialect::kBox, SchedDialect::kDeferred, SchedDialect::kStage})
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
  void choose(scf::ForOp loop);
  bool chooseBoxes(scf::ForOp loop, int64_t slots);
  LogicalResult follow(scf::ForOp loop, const HandSchedule::Entry &entry);
  FailureOr<Ahead> read(const HandSchedule::Entry &entry) const;
  /// Marks the loads that can run ahead; the first refusal of one that feeds products.
  std::optional<Refusal> markRings(scf::ForOp loop, CopyKind copies);
  std::optional<Refusal> findBoxFault(scf::ForOp loop);
  void set(scf::ForOp loop, const Ahead &ahead);
  void markLate(scf::ForOp loop);

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

void StageScheduler::set(scf::ForOp loop, const Ahead &ahead) {
  loop->setAttr(SchedDialect::kPipeline,
                PipelineAttr::get(loop.getContext(), ahead.slots, ahead.distance, ahead.copies));
  RingRules rules(loop, layouts, ahead.copies);
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (rules.mayDefer(dot))
      dot->setAttr(SchedDialect::kDeferred, UnitAttr::get(loop.getContext()));
  if (ahead.copies == CopyKind::Boxes)
    markLate(loop);
  dropAllocation(kernel);
}

/// Registers of a thread that the loop's sums take, and factors that are carried to late products.
static int64_t countRegisters(scf::ForOp loop, tile::DotOp late, const LayoutAssignment &layouts) {
  constexpr int64_t kRegisterBits = 32;
  auto bitsOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() * tile::getElementBytes(type.getElementType()) * 8;
  };
  int64_t bits = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    bits += bitsOf(dot.getResult());
  Refusal unused;
  for (unsigned number : findLateProduct(late, loop, unused)->computed)
    bits += bitsOf(late->getOperand(number));
  return bits / (kRegisterBits * layouts.numWarps() * layouts.target().warpSize);
}

/// Products that are made in the next iteration, while threads compute what is between them and
/// the first one.
void StageScheduler::markLate(scf::ForOp loop) {
  // Of four fifths of a thread's registers; the rest is for addresses, masks, and rows.
  constexpr int64_t kMostRegisters = 255, kNumerator = 4, kDenominator = 5;
  auto products = loop.getBody()->getOps<tile::DotOp>();
  if (options.late == Choice::Off || llvm::any_of(products, isDeferred))
    return;
  RingRules rules(loop, layouts, CopyKind::Boxes);
  for (tile::DotOp dot : products) {
    auto explain = [&](Operation *op, const Twine &why) {
      emitRemark(op, RemarkName::ProductNotLate,
                 "the product is made in its own iteration: " + why);
    };
    if (dot == findFirstProduct(loop))
      continue;
    if (Refusal refusal; !rules.mayBeLate(dot, refusal)) {
      explain(refusal.op, refusal.why);
      continue;
    }
    unsigned registers = getRegisters(getBoxProducers(layouts), layouts).consumer;
    int64_t most = (registers ? registers : kMostRegisters) * kNumerator / kDenominator,
            takes = countRegisters(loop, dot, layouts);
    if (options.late == Choice::Auto && takes > most) {
      explain(dot, "sums and factors would take " + Twine(takes) + " registers of a thread, and " +
                       Twine(most) + " are for them");
      continue;
    }
    dot->setAttr(SchedDialect::kStage, Builder(loop.getContext()).getI32IntegerAttr(1));
    emitRemark(dot, RemarkName::ProductLate,
               "the product is made beside the next iteration's first product",
               /*isMissed=*/false);
  }
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
  std::optional<Refusal> other;
  kernel.walk([&](scf::ForOp before) {
    if (PipelineAttr pipeline = getPipeline(before);
        pipeline && before != loop && pipeline.getCopies() == CopyKind::Boxes)
      other = Refusal{before, "another loop of the kernel has roles already"};
  });
  return other;
}

/// Whether a role for copies pays: the loop's products are by instructions of warp groups, and
/// their sums take so many registers that a program has its unit for itself anyway. Where two
/// programs fit, one hides what the other waits for, and a role would cost the second one.
static bool paysForRole(scf::ForOp loop, const LayoutAssignment &layouts) {
  constexpr int64_t kLeastRegisters = 128;
  int64_t elements = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    if (!layouts.getDot(dot).warpGroup)
      return false;
    elements += cast<RankedTensorType>(dot.getType()).getNumElements();
  }
  return elements >= kLeastRegisters * layouts.numWarps() * layouts.target().warpSize;
}

/// Gives the loop copies of boxes, if all of its loads that feed products can be some.
bool StageScheduler::chooseBoxes(scf::ForOp loop, int64_t slots) {
  bool feeds = llvm::any_of(loop.getBody()->getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
    return feedsProduct(load.getResult(), loop.getBody());
  });
  if (options.boxes == Choice::Off || !layouts.target().hasBoxCopies || !feeds ||
      (options.boxes == Choice::Auto && !paysForRole(loop, layouts)))
    return false;
  if (std::optional<Refusal> refusal = findBoxFault(loop)) {
    emitRemark(refusal->op, RemarkName::LoadNotBox,
               "the loop's loads are not copies of boxes: " + refusal->why);
    removePipeline(loop);
    return false;
  }
  set(loop, {CopyKind::Boxes, slots, farthest(CopyKind::Boxes, slots)});
  return true;
}

void StageScheduler::choose(scf::ForOp loop) {
  CopyKind copies = layouts.target().hasAsyncCopy ? CopyKind::Chunks : CopyKind::Registers;
  int64_t slots = askedSlots(loop, options.numStages);
  if (slots < 2)
    return remarkNone(loop,
                      "num_stages=" + Twine(slots) + " asks for none of its loads to run ahead");
  if (loop.getUnsignedCmp())
    return remarkNone(loop, kUnsigned);
  if (chooseBoxes(loop, slots))
    return;
  std::optional<Refusal> refusal = markRings(loop, copies);
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
      failed(assignRoles(kernel, layouts, options.byHand)) ||
      failed(allocateSlots(kernel, layouts)))
    return failure();
  return checkSchedule(kernel, layouts);
}

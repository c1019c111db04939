// See Rings.h.
#include "ir/schedule/Rings.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;
using namespace tilerun::layout;

bool schedule::feedsProduct(Value value, Block *body) {
  return llvm::any_of(findReaders(value),
                      [&](tile::DotOp reader) { return reader->getBlock() == body; });
}

namespace {
/// The way from a load to the product that reads it.
struct Detour {
  tile::DotOp product;
  Operation *between = nullptr; ///< The first op that computes something else of it.
};
} // namespace

static std::optional<Detour> findProduct(Value value, Operation *between, unsigned depth) {
  constexpr unsigned kMaxDepth = 6, kMaxUses = 16;
  if (depth > kMaxDepth || value.hasNUsesOrMore(kMaxUses))
    return std::nullopt;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto dot = dyn_cast<tile::DotOp>(user)) {
      if (use.getOperandNumber() < 2)
        return Detour{dot, between};
      continue;
    }
    bool isTrans = isa<tile::TransOp>(user);
    if (!isTrans && (!user->hasTrait<OpTrait::Elementwise>() || user->getNumResults() != 1 ||
                     user->getNumRegions() || !isMemoryEffectFree(user)))
      continue;
    Operation *first = between || isTrans ? between : user;
    if (auto found = findProduct(user->getResult(0), first, depth + 1))
      return found;
  }
  return std::nullopt;
}

std::optional<Refusal> schedule::explainDetour(tile::LoadOp load, scf::ForOp loop) {
  std::optional<Detour> detour = findProduct(load.getResult(), nullptr, 0);
  if (!detour || !loop->isProperAncestor(detour->product))
    return std::nullopt;
  auto describe = [](Operation *op) {
    return "'" + op->getName().getStringRef().str() + "'" + describeLine(op->getLoc());
  };
  auto around = [&](Operation *op) {
    Operation *parent = op->getParentOp();
    return parent == loop.getOperation() ? nullptr : parent;
  };
  if (Operation *parent = around(load))
    return Refusal{load, "it is inside this " + describe(parent) +
                             ", and only loads of the loop's own body run ahead"};
  if (Operation *parent = around(detour->product))
    return Refusal{detour->product, "the product that reads it is inside this " + describe(parent) +
                                        ", and slots are read in the loop's own body"};
  if (!detour->between)
    return std::nullopt;
  return Refusal{detour->between, "its product reads it through this " + describe(detour->between) +
                                      ", and slots hold tiles as they are in memory"};
}

int64_t schedule::slotBytesOf(scf::ForOp loop) {
  int64_t total = 0;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (RingAttr ring = getRing(load))
      total += slotBytesOf(cast<RankedTensorType>(load.getType()), ring);
  return total;
}

//===----------------------------------------------------------------------===//
// Products that read a tile
//===----------------------------------------------------------------------===//

namespace {
/// The form of a tile that suits a product.
enum class Reader { Any, Padded, None };
} // namespace

/// The form that suits all products that read `value`; None if there is no such form.
static Reader readerOf(Value value, const LayoutAssignment &layouts) {
  std::optional<Reader> common;
  for (OpOperand &use : value.getUses()) {
    Reader reader = Reader::Any;
    if (auto trans = dyn_cast<tile::TransOp>(use.getOwner())) {
      reader = readerOf(trans.getResult(), layouts);
    } else if (auto dot = cast<tile::DotOp>(use.getOwner()); isOpaque(dot, layouts)) {
      reader = readsPadded(dot, use.getOperandNumber(), layouts) ? Reader::Padded : Reader::None;
    }
    if (common.value_or(reader) != reader)
      return Reader::None;
    common = reader;
  }
  return common.value_or(Reader::None);
}

/// Whether all products read `value` transposed, from a tile that is contiguous along `inner`.
static bool isReadTransposed(Value value, unsigned inner, const LayoutAssignment &layouts) {
  if (!layouts.target().hasTransposedRead)
    return false;
  unsigned bytes = tile::getElementBytes(getElementTypeOrSelf(value.getType()));
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto trans = dyn_cast<tile::TransOp>(use.getOwner()))
      return isReadTransposed(trans.getResult(), trans.getOrder()[0] == 1 ? 1 - inner : inner,
                              layouts);
    const DotPlan &plan = layouts.getDot(cast<tile::DotOp>(use.getOwner()));
    const LinearLayout &operand = use.getOperandNumber() == 0 ? plan.a : plan.b;
    return plan.instruction && !plan.instruction->isOpaque &&
           layout::isReadTransposed(operand, inner, bytes);
  });
}

/// Whether all products read `value` by multiply-adds, from a tile whose lines, along `inner`, are
/// summed: a lane then reads some neighbouring lines, and the next lane those that follow.
static bool isReadAcrossLines(Value value, unsigned inner, const LayoutAssignment &layouts) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto trans = dyn_cast<tile::TransOp>(use.getOwner()))
      return isReadAcrossLines(trans.getResult(), trans.getOrder()[0] == 1 ? 1 - inner : inner,
                               layouts);
    const unsigned summed = use.getOperandNumber() == 0 ? 1 : 0;
    return !layouts.getDot(cast<tile::DotOp>(use.getOwner())).instruction && inner == summed;
  });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

bool RingRules::checkAhead(tile::LoadOp load, Refusal &refusal) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2) {
    refusal = {load, "a slot holds a tensor of two dimensions"};
    return false;
  }
  if (std::optional<LoopHazard> hazard = hazards.find(load)) {
    refusal = {hazard->op, hazard->why + describeLine(hazard->op->getLoc())};
    return false;
  }
  if (OpOperand *use = findOtherUse(load.getResult(), loop.getBody())) {
    Operation *user = use->getOwner();
    refusal = {user, "not only products of the loop's body read it, but also this '" +
                         user->getName().getStringRef().str() + "'" + describeLine(user->getLoc())};
    return false;
  }
  return true;
}

/// Whether the target has such copies, and they can be this load.
bool RingRules::checkCopies(tile::LoadOp load, RingAttr ring, Refusal &refusal) {
  const target::TargetInfo &target = layouts.target();
  auto refuse = [&](const Twine &why) {
    refusal = {load, why.str()};
    return false;
  };
  if (copies == CopyKind::Registers)
    return true;
  if (copies == CopyKind::Boxes) {
    if (!target.hasBoxCopies)
      return refuse(target.name + " has no copies of boxes");
    std::optional<Box> box = boxes.find(load, ring.getInner(), refusal);
    if (box && load->hasAttr(SchedDialect::kBox) &&
        load->getAttr(SchedDialect::kBox) != box->tensor)
      return refuse("its box is not the one that 'sched.box' says");
    return box.has_value();
  }
  if (!target.hasAsyncCopy)
    return refuse(target.name + " has no asynchronous copies");
  if (load.getOther() && !tile::isPositiveZero(load.getOther()))
    return refuse("asynchronous copies put 0 where the mask is false, and 'other' is not 0");
  int64_t bytes = accessBytes(load, getElementTypeOrSelf(load.getType()), layouts, kMostCopyBytes);
  if (bytes < kLeastCopyBytes)
    return refuse("asynchronous copies move 4 bytes or more, but here only " + Twine(bytes) +
                  " neighbouring bytes are known to be aligned and contiguous");
  if (!fillsNeighbours(load, cast<RankedTensorType>(load.getType()), ring, layouts))
    return refuse("elements that are neighbours in memory are not neighbours in its slot");
  return true;
}

bool RingRules::check(tile::LoadOp load, RingAttr ring, Refusal &refusal) {
  const target::TargetInfo &target = layouts.target();
  auto refuse = [&](const Twine &why) {
    refusal = {load, why.str()};
    return false;
  };
  if (!checkCopies(load, ring, refusal))
    return false;
  Reader reader = readerOf(load.getResult(), layouts);
  if (reader == Reader::None)
    return refuse("its products read it in different forms, or in another type than it has");
  bool isPadded = ring.getOrder() == TileOrder::Padded;
  if (isPadded != (reader == Reader::Padded))
    return refuse(isPadded ? "its products do not read padded tiles"
                           : "opaque matrix instructions read padded tiles, not swizzled ones");
  if (copies != CopyKind::Registers && isPadded)
    return refuse("opaque matrix instructions read padded tiles, which asynchronous copies cannot "
                  "fill");
  auto type = cast<RankedTensorType>(load.getType());
  if (copies == CopyKind::Chunks && target.copiesFollowLanes &&
      !followsLanes(load, type, ring, layouts))
    return refuse("asynchronous copies of " + target.name +
                  " fill 4 or 16 neighbouring bytes for each lane of a warp in order, and its "
                  "layout is another one");
  const AccessPlan &plan = layouts.getAccess(load);
  unsigned bytes = tile::getElementBytes(type.getElementType());
  if (isPadded && !canStorePadded(plan.layout))
    return refuse("its layout in registers cannot be stored to a padded tile");
  if (copies == CopyKind::Registers &&
      !accessShared(plan.layout, memoryOf(type, ring), bytes, target.sharedModel))
    return refuse("its layout in registers does not fit the tile");
  if (copies == CopyKind::Registers && ring.getPerWord() != 1 &&
      ring.getPerWord() != elementsPerWord(load, ring, layouts))
    return refuse("its neighbouring elements are not in the same words in memory and in the slot");
  return true;
}

RingAttr RingRules::plan(tile::LoadOp load, Refusal &refusal) {
  if (!checkAhead(load, refusal))
    return {};
  auto type = cast<RankedTensorType>(load.getType());
  const AccessPlan &access = layouts.getAccess(load);
  unsigned inner = access.tileInner.value_or(access.order.front());
  // Turned tiles of words suit stores across lines, too.
  const bool hasManyBanks = layouts.target().sharedModel.banks > 32;
  const bool isOfWords = tile::getElementBytes(type.getElementType()) == 4;
  bool isCrossed =
      copies == CopyKind::Registers && ((access.crosses() && !(hasManyBanks && isOfWords)) ||
                                        (isOfWords && !layouts.target().hasLoadMatrix &&
                                         isReadAcrossLines(load.getResult(), inner, layouts)));
  RingAttr ring = readerOf(load.getResult(), layouts) == Reader::Padded ? paddedForm(type, inner)
                  : isCrossed ? crossedForm(load.getContext(), inner)
                  : hasManyBanks || isReadTransposed(load.getResult(), inner, layouts)
                      ? turnedForm(load.getContext(), inner)
                      : swizzledForm(load.getContext(), inner);
  if (!check(load, ring, refusal))
    return {};
  if (copies == CopyKind::Registers)
    ring = RingAttr::get(load.getContext(), ring.getOrder(), inner, ring.getPitch(),
                         elementsPerWord(load, ring, layouts));
  LoopSlice slice;
  if (copies == CopyKind::Boxes)
    return ring;
  if (Operation *blocker = slice.add(loop, load, /*takesLoads=*/true)) {
    refusal = {blocker, "its address or mask depends on this '" +
                            blocker->getName().getStringRef().str() + "'" +
                            describeLine(blocker->getLoc()) +
                            ", which is not computed for later iterations"};
    return {};
  }
  return ring;
}

BoxAttr RingRules::findBox(tile::LoadOp load, RingAttr ring) {
  Refusal unused;
  std::optional<Box> box = boxes.find(load, ring.getInner(), unused);
  return box ? box->tensor : BoxAttr();
}

bool RingRules::mayDefer(tile::DotOp dot) {
  const DotPlan &plan = layouts.getDot(dot);
  if (copies == CopyKind::Registers || !plan.warpGroup)
    return false;
  // A tile that threads transpose elsewhere is filled again by the next iteration.
  if (plan.transposesTiles() && !isOnlyReader(dot->getOperand(1 - plan.registerOperand())))
    return false;
  for (Value operand : {dot.getA(), dot.getB()}) {
    tile::LoadOp load = loadOf(operand);
    if (!load || load->getParentOp() != loop || !getRing(load))
      return false;
  }
  // Only the next iteration's product may use this one's result.
  std::optional<unsigned> index = carriedIndex(dot, loop);
  if (!index || !dot.getAcc().hasOneUse() || !dot.getResult().hasOneUse() ||
      loop.getBody()->getTerminator()->getOperand(*index) != dot.getResult())
    return false;
  auto isThere = [&](Value value) {
    const LinearLayout *home = layouts.getHome(value);
    return home && *home == plan.d;
  };
  return endsAlone(dot) && isThere(dot.getAcc()) && isThere(loop.getResult(*index));
}

bool RingRules::endsAlone(tile::DotOp dot) const {
  const DotPlan &plan = layouts.getDot(dot);
  // It may not be rounded, or brought to another layout.
  bool isRounded = plan.warpGroup && getElementTypeOrSelf(dot.getType()).isF16() &&
                   plan.warpGroup->instruction->acc != target::MatrixElement::F16;
  const LinearLayout *home = layouts.getHome(dot.getResult());
  return plan.warpGroup && !isRounded && home && *home == plan.d;
}

bool RingRules::mayBeLate(tile::DotOp dot, Refusal &refusal) {
  auto refuse = [&](Operation *op, const Twine &why) {
    refusal = {op, why.str()};
    return false;
  };
  std::optional<LateProduct> late = findLateProduct(dot, loop, refusal);
  if (!late)
    return false;
  tile::DotOp first = findFirstProduct(loop);
  for (tile::DotOp each : {first, dot})
    if (!endsAlone(each) || layouts.getDot(each).warpGroup->turns)
      return refuse(each, "instructions of this product cannot be under way while others follow");
  const DotPlan &plan = layouts.getDot(dot);
  // The first iteration adds zeros, which changes what such instructions cannot hold.
  if (plan.warpGroup->instruction->isImprecise &&
      !tile::isPositiveZero(loop.getInitArgs()[late->carried]))
    return refuse(dot, "its instructions round sums, and the first one is not zero");
  for (unsigned number : late->computed)
    if (number != plan.registerOperand() ||
        !isInFragments(dot->getOperand(number), plan.registers(), layouts))
      return refuse(dot, "a computed factor is not in the registers of its instructions");
  for (Value sum : {loop.getResult(late->carried), Value(loop.getRegionIterArg(late->carried))})
    if (const LinearLayout *home = layouts.getHome(sum); !home || *home != plan.d)
      return refuse(dot, "its sum is not carried as its instructions leave it");
  return true;
}

// See LoopExpander.h.
#include "ir/schedule/LoopExpander.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

LoopExpander::LoopExpander(scf::ForOp op, const LayoutAssignment &layouts)
    : op(op), layouts(layouts), finder(op), b(op.getLoc(), op), loc(op.getLoc()),
      yield(op.getBody()->getTerminator()), conversions(op->getAttr(SchedDialect::kConversions)) {
  PipelineAttr pipeline = getPipeline(op);
  isAsync = pipeline.getCopies() != CopyKind::Registers;
  bool isBoxes = pipeline.getCopies() == CopyKind::Boxes;
  slots = pipeline.getSlots();
  distance = pipeline.getDistance();
  for (auto load : op.getBody()->getOps<tile::LoadOp>())
    if (getRing(load)) {
      loads.push_back(load);
      if (isBoxes) {
        boxes.push_back(*finder.find(load));
        continue;
      }
      Operation *blocker = slice.add(op, load, /*takesLoads=*/true);
      assert(!blocker && "the verifier accepted a load that cannot be computed ahead");
      (void)blocker;
    }
  ops = slice.inOrder();
  for (auto dot : op.getBody()->getOps<tile::DotOp>())
    if (isDeferred(dot))
      deferred.push_back(dot);
    else if (Refusal refusal; isLate(dot))
      late.push_back(*findLateProduct(dot, op, refusal));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value LoopExpander::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, value, /*width=*/32);
}

Value LoopExpander::isLess(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
}

Value LoopExpander::advance(Value slot) {
  Value following = arith::AddIOp::create(b, slot, constant(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, following, constant(slots));
  return arith::SelectOp::create(b, wraps, constant(0), following);
}

void LoopExpander::setHomes(Operation *to, ArrayRef<Attribute> homes) const {
  to->setAttr(DistributeDialect::kHomesAttr, ArrayAttr::get(to->getContext(), homes));
}

void LoopExpander::limitConversions(Operation *to) const {
  if (conversions)
    to->setAttr(SchedDialect::kConversions, conversions);
}

Value LoopExpander::keep(Value value, Value like) {
  Attribute home = layouts.getHomeAttr(like);
  if (!isa<RankedTensorType>(value.getType()) || layouts.getHomeAttr(value) == home)
    return value;
  auto kept = KeepOp::create(b, value);
  setHomes(kept, home);
  limitConversions(kept);
  return kept;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

void LoopExpander::createRings(unsigned producers, unsigned consumers) {
  MLIRContext *context = op.getContext();
  auto type = ChannelType::get(context, slots, getPipeline(op).getCopies(), producers, consumers);
  channel = ChannelOp::create(b, type);
  if (!late.empty())
    lateChannel = ChannelOp::create(b, type);
  for (tile::LoadOp load : loads)
    rings.push_back(RingOp::create(
        b, RingType::get(context, slots, cast<RankedTensorType>(load.getType()), getRing(load)),
        isOfLateProduct(load) ? lateChannel : channel));
}

void LoopExpander::copyAll(IRMapping &map, Value when, Value slot) {
  for (auto [load, ring] : llvm::zip(loads, rings)) {
    b.setLoc(load.getLoc());
    Value mask = load.getMask() ? map.lookupOrDefault(load.getMask()) : Value();
    auto copy = CopyOp::create(b, map.lookupOrDefault(load.getPtr()), mask, when, ring, slot);
    copy->setAttr(DistributeDialect::kAccessAttr, load->getAttr(DistributeDialect::kAccessAttr));
  }
  b.setLoc(loc);
}

void LoopExpander::readAll(Value slot, bool isLate) {
  Value from = isLate ? lateChannel : channel;
  for (auto [load, ring] : llvm::zip(loads, rings)) {
    if (getChannel(ring) != from)
      continue;
    auto read = ReadOp::create(b, load.getType(), ring, slot);
    setHomes(read, layouts.getHomeAttr(load.getResult()));
    load.getResult().replaceAllUsesWith(read);
    load.erase();
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

scf::ForOp LoopExpander::createLoop(ValueRange inits, ValueRange more,
                                    ArrayRef<Attribute> moreHomes) {
  Values all(inits);
  llvm::append_range(all, more);
  auto loop = scf::ForOp::create(b, op.getLowerBound(), op.getUpperBound(), op.getStep(), all);
  if (loop.getBody()->mightHaveTerminator())
    loop.getBody()->getTerminator()->erase();
  loop->setDiscardableAttrs(withoutSchedule(op->getDiscardableAttrDictionary()));
  limitConversions(loop);
  SmallVector<Attribute> homes;
  for (Value argument : op.getBody()->getArguments())
    homes.push_back(layouts.getHomeAttr(argument));
  llvm::append_range(homes, moreHomes);
  loop->setAttr(DistributeDialect::kArgumentsAttr, b.getArrayAttr(homes));
  homes.clear();
  for (Value result : op.getResults())
    homes.push_back(layouts.getHomeAttr(result));
  llvm::append_range(homes, moreHomes);
  setHomes(loop, homes);
  return loop;
}

void LoopExpander::moveBody(scf::ForOp loop) {
  Block *from = op.getBody(), *to = loop.getBody();
  to->getOperations().splice(b.getInsertionPoint(), from->getOperations(), from->begin(),
                             std::prev(from->end()));
  for (auto [old, argument] : llvm::zip(from->getArguments(), to->getArguments()))
    old.replaceAllUsesWith(argument);
}

void LoopExpander::replaceLoop(scf::ForOp loop) {
  Values results(loop.getResults().take_front(op.getNumResults()));
  if (!deferred.empty()) {
    Values sums;
    SmallVector<Attribute> homes;
    for (tile::DotOp dot : deferred) {
      unsigned index = *carriedIndex(dot, loop);
      sums.push_back(loop.getResult(index));
      homes.push_back(layouts.getHomeAttr(loop.getResult(index)));
    }
    auto wait = DotWaitOp::create(b, ValueRange(sums).getTypes(), sums, ValueRange(),
                                  /*pending=*/0);
    setHomes(wait, homes);
    for (auto [dot, sum] : llvm::zip(deferred, wait.getResults())) {
      results[*carriedIndex(dot, loop)] = sum;
      dot->removeAttr(SchedDialect::kDeferred);
      dot->setAttr(SchedDialect::kInFlight, b.getUnitAttr());
    }
  }
  op.replaceAllUsesWith(results);
  op.erase();
}

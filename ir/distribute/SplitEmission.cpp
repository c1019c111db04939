// The loops of a plan to split tensors, and what one of their iterations computes.
#include "ir/distribute/Splitter.h"
#include "ir/tile/LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::split;

Value Splitter::partOf(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return value;
  if (Value known = built.lookup({value, dim}))
    return known;
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= parts;
  RankedTensorType small = type.clone(shape);
  Value result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    result = arith::ConstantOp::create(b, loc, splat.resizeSplat(small));
  } else if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    result = tile::MakeRangeOp::create(b, loc, small, range.getStart(),
                                       uint32_t(range.getStart() + shape[0]));
    if (index) {
      Value size = arith::ConstantIntOp::create(b, loc, shape[0], 32);
      Value start = arith::MulIOp::create(b, loc, index, size, arith::IntegerOverflowFlags::nsw);
      result = arith::AddIOp::create(b, loc, result, tile::SplatOp::create(b, loc, small, start),
                                     arith::IntegerOverflowFlags::nsw);
    }
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    Value source = partOf(expand.getSource(), dim - (dim > expand.getAxis()));
    result = tile::ExpandDimsOp::create(b, loc, small, source, expand.getAxis());
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    Value source = broadcast.getSource();
    if (cast<RankedTensorType>(source.getType()).getDimSize(dim) != 1)
      source = partOf(source, dim);
    result = tile::BroadcastOp::create(b, loc, small, source);
  } else if (auto hint = dyn_cast<tile::HintOp>(op)) {
    // It may be of more elements than a part has.
    result = partOf(hint.getSource(), dim);
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(partOf(operand, dim));
    SmallVector<Type> types;
    for (Type own : op->getResultTypes())
      types.push_back(cast<RankedTensorType>(own).clone(shape));
    Operation *copy = b.insert(
        Operation::create(loc, op->getName(), types, operands, op->getDiscardableAttrDictionary(),
                          op->getPropertiesStorage(), BlockRange(), /*numRegions=*/0));
    for (auto [own, other] : llvm::zip(op->getResults(), copy->getResults()))
      built[{own, dim}] = other;
    return built[{value, dim}];
  }
  built[{value, dim}] = result;
  return result;
}

SmallVector<Value> Splitter::emitPart(Group &group, Value partIndex) {
  parts = group.parts;
  index = partIndex;
  built.clear();
  SmallVector<Value> results;
  for (auto [op, dim] : group.members) {
    if (isa<tile::LoadOp>(op)) {
      partOf(op->getResult(0), dim);
      continue;
    }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, partOf(operand, dim));
    llvm::append_range(results, b.clone(*op, mapping)->getResults());
  }
  return results;
}

SmallVector<Value> Splitter::combine(tile::ReduceOp op, ValueRange left, ValueRange right) {
  Block &body = op.getCombine().front();
  IRMapping mapping;
  for (auto [argument, value] :
       llvm::zip(body.getArguments(),
                 llvm::concat<const Value>(SmallVector<Value>(left), SmallVector<Value>(right))))
    mapping.map(argument, value);
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  for (Operation &inner : body.without_terminator()) {
    Operation *copy = b.clone(inner, mapping);
    if (tensor)
      for (Value result : copy->getResults())
        result.setType(tensor.clone(result.getType()));
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

void Splitter::emit(Group &group) {
  Operation *last = group.sinks.back();
  Location loc = last->getLoc();
  b.setInsertionPointAfter(last);
  SmallVector<tile::ReduceOp> reductions;
  for (Operation *op : group.sinks)
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      reductions.push_back(reduce);
  auto number = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); };
  // Reductions begin with the first part.
  SmallVector<Value> first;
  if (!reductions.empty())
    first = emitPart(group, Value());
  auto loop = scf::ForOp::create(b, loc, number(reductions.empty() ? 0 : 1), number(group.parts),
                                 number(1), first);
  loop->setAttr(tile::kSplitLoop, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = loop.getBody();
    if (body->mightHaveTerminator())
      b.setInsertionPoint(body->getTerminator());
    else
      b.setInsertionPointToEnd(body);
    SmallVector<Value> next = emitPart(group, loop.getInductionVar()), combined;
    size_t start = 0;
    for (tile::ReduceOp op : reductions) {
      size_t count = op->getNumResults();
      llvm::append_range(combined, combine(op, loop.getRegionIterArgs().slice(start, count),
                                           ValueRange(next).slice(start, count)));
      start += count;
    }
    if (!body->mightHaveTerminator())
      scf::YieldOp::create(b, loc, combined);
  }
  size_t start = 0;
  for (tile::ReduceOp op : reductions) {
    op->replaceAllUsesWith(loop.getResults().slice(start, op->getNumResults()));
    start += op->getNumResults();
  }
  Operation *end = loop;
  for (Operation *store : group.delayed) {
    store->moveAfter(end);
    end = store;
  }
  for (Operation *op : group.sinks)
    op->erase();
}

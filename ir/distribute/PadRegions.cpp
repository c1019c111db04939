// Padding of reductions, scans and functions of elements: surplus is left out of what is combined,
// and no region that could fail or go on for long runs on it.
#include "ir/distribute/Padding.h"
#include "ir/tile/TileUtils.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::padding;

/// Whether `region` must not run on just any values: it divides, or it has loops.
static bool isRisky(Region &region) {
  return region
      .walk([](Operation *op) {
        bool risky = isa<LoopLikeOpInterface>(op) || tile::mayDivideByZero(op) ||
                     (!op->hasTrait<OpTrait::IsTerminator>() && !isSpeculatable(op));
        return risky ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

/// The neutral element of `op`; null if it is unknown.
static TypedAttr identityOf(Operation *op) {
  Builder b(op->getContext());
  Type type = op->getResult(0).getType();
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    auto number = [&](const APFloat &value) { return b.getFloatAttr(type, value); };
    // Minus zero also keeps a sum of minus zeros as it is.
    if (isa<arith::AddFOp>(op))
      return number(APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::MulFOp>(op))
      return number(APFloat::getOne(semantics));
    if (floating.getWidth() == 8)
      return {};
    if (isa<arith::MaximumFOp>(op))
      return number(APFloat::getInf(semantics, /*Negative=*/true));
    if (isa<arith::MinimumFOp>(op))
      return number(APFloat::getInf(semantics));
    // NaN loses, and is what is left where there is nothing else.
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      return number(APFloat::getQNaN(semantics));
    return {};
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  auto number = [&](const APInt &value) { return b.getIntegerAttr(type, value); };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    return number(APInt::getZero(width));
  if (isa<arith::MulIOp>(op))
    return number(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return number(APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(op))
    return number(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(op))
    return number(APInt::getSignedMaxValue(width));
  return {};
}

/// Of a combine region: what to give each operand so that it changes nothing; empty if one is not
/// known.
static SmallVector<TypedAttr> findIdentities(Region &combine) {
  Block &body = combine.front();
  unsigned count = body.getNumArguments() / 2;
  SmallVector<TypedAttr> identities;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Operation *op = value.getDefiningOp();
    Value left = body.getArgument(i), right = body.getArgument(i + count);
    if (!op || op->getBlock() != &body || op->getNumOperands() != 2 ||
        !((op->getOperand(0) == left && op->getOperand(1) == right) ||
          (op->getOperand(0) == right && op->getOperand(1) == left)))
      return {};
    TypedAttr identity = identityOf(op);
    if (!identity)
      return {};
    identities.push_back(identity);
  }
  return identities;
}

//===----------------------------------------------------------------------===//
// Regions that distinguish real elements
//===----------------------------------------------------------------------===//

static Block *makeBody(OpBuilder &b, Region &to, Location loc, TypeRange types) {
  SmallVector<Location> locations(types.size(), loc);
  return b.createBlock(&to, {}, types, locations);
}

/// At the end of `body`: what `from` (which loses its ops) yields for `arguments` where `condition`
/// holds, else `otherwise`. `risky`: `from` must not run where it does not hold.
static SmallVector<Value> runWhere(OpBuilder &b, Location loc, Value condition, Block &from,
                                   ValueRange arguments, ValueRange otherwise, bool risky) {
  for (auto [old, argument] : llvm::zip(from.getArguments(), arguments))
    old.replaceAllUsesWith(argument);
  Operation *yield = from.getTerminator();
  SmallVector<Value> results(yield->getOperands());
  yield->erase();
  auto moveTo = [&](Block *block) {
    block->getOperations().splice(block->end(), from.getOperations());
  };
  if (!risky) {
    moveTo(b.getInsertionBlock());
    b.setInsertionPointToEnd(b.getInsertionBlock());
    for (auto [result, other] : llvm::zip(results, otherwise))
      result = arith::SelectOp::create(b, loc, condition, result, other);
    return results;
  }
  auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    moveTo(branch.thenBlock());
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, loc, results);
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loc, otherwise);
  }
  return SmallVector<Value>(branch.getResults());
}

void Padding::padReduction(Operation *op, unsigned axis, bool isScan, bool reverse) {
  Value like = op->getOperand(0);
  if (!isPadded(like))
    return;
  Region &combine = op->getRegion(0);
  bool risky = isRisky(combine);
  // Surplus at the end does not affect a scan.
  bool meetsSurplus = !llvm::isPowerOf2_64(realShape(like)[axis]) && (!isScan || reverse);
  if (!meetsSurplus && !risky)
    return;
  OpBuilder b(op);
  if (!risky)
    if (SmallVector<TypedAttr> identities = findIdentities(combine); !identities.empty()) {
      for (auto [operand, identity] : llvm::zip(op->getOpOperands(), identities))
        operand.set(selectReal(b, operand.get(), axis, identity));
      return;
    }

  // Each value goes with whether there is one. Real elements come first (in a reversed scan: last),
  // so that a later part has one only if the earlier one has (and the other way around).
  unsigned count = op->getNumOperands();
  SmallVector<Value> operands(op->getOperands());
  operands.push_back(risky ? isReal(like) : isReal(like, axis));
  SmallVector<Type> types(op->getResultTypes());
  types.push_back(tile::withElementType(types[0], b.getI1Type()));
  Operation *padded =
      isScan ? tile::ScanOp::create(b, op->getLoc(), types, operands, axis, reverse).getOperation()
             : tile::ReduceOp::create(b, op->getLoc(), types, operands, axis).getOperation();
  SmallVector<Type> side;
  for (Value operand : operands)
    side.push_back(getElementTypeOrSelf(operand.getType()));
  SmallVector<Type> arguments(side);
  arguments.append(side);
  Block *body = makeBody(b, padded->getRegion(0), op->getLoc(), arguments);
  ValueRange left = body->getArguments().take_front(count);
  ValueRange right = body->getArguments().slice(count + 1, count);
  Value leftReal = body->getArgument(count), rightReal = body->getArgument(2 * count + 1);
  SmallVector<Value> both(left);
  both.append(right.begin(), right.end());
  SmallVector<Value> results = runWhere(b, op->getLoc(), reverse ? leftReal : rightReal,
                                        combine.front(), both, reverse ? right : left, risky);
  results.push_back(reverse ? rightReal : leftReal);
  tile::YieldOp::create(b, op->getLoc(), results);
  replace(op, padded->getResults().drop_back());
}

void Padding::padMap(tile::MapOp op) {
  Value like = op.getOperand(0);
  if (!isPadded(like) || !isRisky(op.getBody()))
    return;
  OpBuilder b(op);
  SmallVector<Value> operands(op.getOperands());
  operands.push_back(isReal(like));
  auto padded = tile::MapOp::create(b, op.getLoc(), op.getResultTypes(), operands);
  SmallVector<Type> types;
  for (Value operand : operands)
    types.push_back(getElementTypeOrSelf(operand.getType()));
  Block *body = makeBody(b, padded.getBody(), op.getLoc(), types);
  SmallVector<Value> zeros;
  for (Type type : op.getBody().front().getTerminator()->getOperandTypes())
    zeros.push_back(tile::createZero(b, op.getLoc(), type));
  SmallVector<Value> results =
      runWhere(b, op.getLoc(), body->getArguments().back(), op.getBody().front(),
               body->getArguments().drop_back(), zeros,
               /*risky=*/true);
  tile::YieldOp::create(b, op.getLoc(), results);
  replace(op, padded.getResults());
}

//===----------------------------------------------------------------------===//
// Reductions of all elements
//===----------------------------------------------------------------------===//

/// The shape that the operands of `reduce` had before they were made 1-D, if going through its
/// dimensions is cheaper than bringing its elements in a row.
static ArrayRef<int64_t> findShape(tile::ReduceOp reduce) {
  ArrayRef<int64_t> shape;
  for (Value operand : reduce.getOperands()) {
    if (cast<RankedTensorType>(operand.getType()).getRank() != 1)
      return {};
    auto reshape = operand.getDefiningOp<tile::ReshapeOp>();
    if (!reshape) {
      if (!isa_and_present<tile::MakeRangeOp, tile::SplatOp>(operand.getDefiningOp()))
        return {};
      continue;
    }
    auto from = cast<RankedTensorType>(reshape.getSource().getType()).getShape();
    if (!shape.empty() && from != shape)
      return {};
    shape = from;
  }
  if (shape.empty() ||
      keepsOrder(shape, cast<RankedTensorType>(reduce.getOperand(0).getType()).getShape()))
    return {};
  return shape;
}

void padding::splitReductions(func::FuncOp function) {
  SmallVector<tile::ReduceOp> reductions;
  function.walk([&](tile::ReduceOp op) { reductions.push_back(op); });
  for (tile::ReduceOp op : reductions) {
    ArrayRef<int64_t> shape = findShape(op);
    if (shape.empty())
      continue;
    OpBuilder b(op);
    SmallVector<Value> values;
    for (Value operand : op.getOperands()) {
      auto reshape = operand.getDefiningOp<tile::ReshapeOp>();
      auto type = RankedTensorType::get(shape, getElementTypeOrSelf(operand.getType()));
      values.push_back(reshape ? reshape.getSource()
                               : tile::ReshapeOp::create(b, op.getLoc(), type, operand,
                                                         /*allow_reorder=*/false)
                                     .getResult());
    }
    // The innermost first, so that elements are combined in their order.
    for (unsigned dim = shape.size(); dim-- > 0;) {
      SmallVector<Type> types;
      for (Value value : values) {
        Type element = getElementTypeOrSelf(value.getType());
        types.push_back(dim ? Type(RankedTensorType::get(shape.take_front(dim), element))
                            : element);
      }
      auto part = tile::ReduceOp::create(b, op.getLoc(), types, values, dim);
      IRMapping mapping;
      op.getCombine().cloneInto(&part.getCombine(), mapping);
      values.assign(part.getOutputs().begin(), part.getOutputs().end());
    }
    llvm::SmallSetVector<Operation *, 4> inARow;
    for (Value operand : op.getOperands())
      inARow.insert(operand.getDefiningOp());
    op.replaceAllUsesWith(values);
    op.erase();
    for (Operation *unused : inARow)
      if (unused->use_empty())
        unused->erase();
  }
}

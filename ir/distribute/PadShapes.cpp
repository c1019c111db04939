// tile-pad: types, what is real of them, and ops on memory and single elements. See
// Padding.h for the idea.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/distribute/Padding.h"
#include "ir/distribute/Passes.h"
#include "ir/distribute/ProgramOptions.h"
#include "ir/tile/TileUtils.h"
#include "ir/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace tilerun {
#define GEN_PASS_DEF_TILEPAD
#include "ir/distribute/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;
using namespace tilerun::padding;

int64_t padding::padSize(int64_t size) { return llvm::PowerOf2Ceil(size); }

Type padding::padType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || llvm::all_of(tensor.getShape(), llvm::isPowerOf2_64))
    return type;
  return RankedTensorType::get(llvm::map_to_vector(tensor.getShape(), padSize),
                               tensor.getElementType());
}

bool padding::needsPadding(Operation *root) {
  auto changes = [](Type type) { return padType(type) != type; };
  return root
      ->walk([&](Operation *op) {
        bool found = llvm::any_of(op->getResultTypes(), changes);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            found |= llvm::any_of(block.getArgumentTypes(), changes);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// What is real
//===----------------------------------------------------------------------===//

bool Padding::isPadded(Value value) const {
  auto it = real.find(value);
  return it != real.end() && it->second != value.getType();
}

SmallVector<unsigned, 4> Padding::paddedDims(Value value) const {
  SmallVector<unsigned, 4> dims;
  if (isPadded(value))
    for (auto [dim, size] : llvm::enumerate(realShape(value)))
      if (!llvm::isPowerOf2_64(size))
        dims.push_back(dim);
  return dims;
}

OpBuilder Padding::atEntry() {
  Block &entry = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  if (lastAtEntry)
    b.setInsertionPointAfter(lastAtEntry);
  return b;
}

Value Padding::atEntry(OpBuilder &b, Value value) {
  // The op built last comes after all of its operands.
  lastAtEntry = value.getDefiningOp();
  return value;
}

Value Padding::range(OpBuilder &b, int64_t start, int64_t size) {
  auto type = RankedTensorType::get({size}, b.getI32Type());
  return tile::MakeRangeOp::create(b, function.getLoc(), type, uint32_t(start),
                                   uint32_t(start + size));
}

Value Padding::splat(OpBuilder &b, Type like, int64_t number) {
  unsigned width = getElementTypeOrSelf(like).getIntOrFloatBitWidth();
  APInt value(width, uint64_t(number), /*isSigned=*/true, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, function.getLoc(), tile::getConstantAttr(like, value));
}

Value Padding::stretch(OpBuilder &b, Value line, unsigned dim, ArrayRef<int64_t> shape) {
  for (unsigned other = 0; other < shape.size(); ++other)
    if (other != dim)
      line = tile::ExpandDimsOp::create(b, function.getLoc(), line, other);
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(line.getType()));
  if (line.getType() == type)
    return line;
  return tile::BroadcastOp::create(b, function.getLoc(), type, line);
}

Value Padding::isReal(Value like, ArrayRef<unsigned> dims) {
  ArrayRef<int64_t> sizes = realShape(like);
  std::vector<int64_t> key(sizes.begin(), sizes.end());
  int64_t chosen = 0;
  for (unsigned dim : dims)
    chosen |= int64_t(1) << dim;
  key.push_back(chosen);
  Value &mask = masks[key];
  if (mask)
    return mask;
  OpBuilder b = atEntry();
  auto shape = cast<RankedTensorType>(like.getType()).getShape();
  for (unsigned dim : dims) {
    Value index = range(b, 0, shape[dim]);
    Value below = arith::CmpIOp::create(b, function.getLoc(), arith::CmpIPredicate::slt, index,
                                        splat(b, index.getType(), sizes[dim]));
    Value wide = stretch(b, below, dim, shape);
    mask = mask ? Value(arith::AndIOp::create(b, function.getLoc(), mask, wide)) : wide;
  }
  return atEntry(b, mask);
}

Value Padding::selectReal(OpBuilder &b, Value value, ArrayRef<unsigned> dims, Attribute otherwise) {
  auto type = cast<RankedTensorType>(value.getType());
  Value other = arith::ConstantOp::create(
      b, value.getLoc(), SplatElementsAttr::get(cast<ShapedType>(type), otherwise));
  return arith::SelectOp::create(b, value.getLoc(), isReal(value, dims), value, other);
}

Value Padding::maskReal(OpBuilder &b, Value mask, Value like) {
  if (!mask)
    return isReal(like);
  Value none = splat(b, mask.getType(), 0);
  return arith::SelectOp::create(b, mask.getLoc(), isReal(like), mask, none);
}

bool Padding::hasZeroSurplus(Value value, unsigned dim, unsigned depth) const {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  auto same = [&](Value source, unsigned sourceDim) {
    return hasZeroSurplus(source, sourceDim, depth + 1);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::LoadOp load) {
        return !load.getOther() || tile::isPositiveZero(load.getOther());
      })
      .Case([&](tile::TransOp trans) {
        return same(trans.getSource(), unsigned(trans.getOrder()[dim]));
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::BitcastOp, tile::FpCastOp, tile::HintOp>(
          [&](Operation *cast) { return same(cast->getOperand(0), dim); })
      .Default([&](Operation *) { return tile::isPositiveZero(value); });
}

void Padding::replace(Operation *op, ValueRange values) {
  for (auto [from, to] : llvm::zip(op->getResults(), values)) {
    if (auto it = real.find(from); it != real.end()) {
      RankedTensorType type = it->second;
      real[to] = type;
    }
    from.replaceAllUsesWith(to);
  }
  for (Value result : op->getResults())
    real.erase(result);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Padding::padConstant(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto value = cast<DenseElementsAttr>(op.getValue());
  if (value.isSplat()) {
    op.setValueAttr(value.resizeSplat(type));
    return;
  }
  ArrayRef<int64_t> from = realShape(op.getResult()), to = type.getShape();
  Attribute zero = OpBuilder(op).getZeroAttr(type.getElementType());
  SmallVector<Attribute> elements(type.getNumElements(), zero);
  for (auto [i, element] : llvm::enumerate(value.getValues<Attribute>())) {
    int64_t rest = i, place = 0, stride = 1;
    for (unsigned dim = from.size(); dim-- > 0; rest /= from[dim], stride *= to[dim])
      place += rest % from[dim] * stride;
    elements[place] = element;
  }
  op.setValueAttr(DenseElementsAttr::get(type, elements));
}

void Padding::padRange(tile::MakeRangeOp op) {
  int64_t start = int32_t(op.getStart()), size = cast<RankedTensorType>(op.getType()).getDimSize(0);
  if (start + size <= INT32_MAX) {
    op.setEnd(uint32_t(start + size));
    return;
  }
  // The surplus has no numbers: it wraps around.
  OpBuilder b(op);
  Value index = range(b, 0, size);
  Value first = splat(b, op.getType(), start);
  replace(op, arith::AddIOp::create(b, op.getLoc(), index, first).getResult());
}

/// There is no mask: surplus elements go to where a real one goes, and exchange 0 for 0.
void Padding::padCas(tile::AtomicCASOp op) {
  OpBuilder b(op);
  auto shape = cast<RankedTensorType>(op.getPtr().getType()).getShape();
  Value ptr = op.getPtr(), mask = isReal(ptr);
  ArrayRef<int64_t> sizes = realShape(ptr);
  for (unsigned dim : paddedDims(op.getPtr())) {
    Value index = range(b, 0, shape[dim]);
    Value last = splat(b, index.getType(), sizes[dim] - 1);
    index = arith::MinSIOp::create(b, op.getLoc(), index, last);
    ptr = tile::GatherOp::create(b, op.getLoc(), ptr.getType(), ptr, stretch(b, index, dim, shape),
                                 dim);
  }
  Value zero = tile::createZero(b, op.getLoc(), op.getValue().getType());
  op.getPtrMutable().assign(ptr);
  for (OpOperand *operand : {&op.getCompareMutable(), &op.getValueMutable()})
    operand->assign(arith::SelectOp::create(b, op.getLoc(), mask, operand->get(), zero));
}

void Padding::padPrint(tile::PrintOp op) {
  if (llvm::none_of(op.getValues(), [&](Value value) { return isPadded(value); }))
    return;
  OpBuilder b(op);
  for (auto [value, isSigned] : llvm::zip(op.getValues(), op.getIsSigned())) {
    auto print =
        tile::PrintOp::create(b, op.getLoc(), op.getPrefix(), op.getHex(), value, isSigned);
    if (isPadded(value))
      print.setExtents(realShape(value));
  }
  op.erase();
}

void Padding::padAssert(tile::AssertOp op) {
  if (!isPadded(op.getCondition()))
    return;
  OpBuilder b(op);
  Value condition = op.getCondition(), yes = splat(b, condition.getType(), 1);
  op.getConditionMutable().assign(
      arith::SelectOp::create(b, op.getLoc(), isReal(condition), condition, yes));
  if (op.getMask())
    op.getMaskMutable().assign(maskReal(b, op.getMask(), condition));
}

/// Surplus along the summed dimension must add nothing; elsewhere it stays surplus.
void Padding::padDot(tile::DotOp op) {
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank();
  OpBuilder b(op);
  for (auto [operand, dim] :
       {std::pair(&op.getAMutable(), rank - 1), std::pair(&op.getBMutable(), rank - 2)}) {
    Value value = operand->get();
    if (llvm::isPowerOf2_64(realShape(value)[dim]) || hasZeroSurplus(value, dim))
      continue;
    Attribute zero = b.getZeroAttr(getElementTypeOrSelf(value.getType()));
    operand->assign(selectReal(b, value, dim, zero));
  }
}

/// A promise about whole runs holds for runs that do not reach beyond the end.
void Padding::padHint(tile::HintOp op) {
  if (!isPadded(op.getSource()))
    return;
  auto type = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> sizes = realShape(op.getResult());
  int64_t unit = 1;
  if (auto pointer = dyn_cast<tile::PointerType>(type.getElementType()))
    unit = tile::getElementBytes(pointer.getPointeeType());
  auto lowest = [](int64_t number) { return number & -number; };
  SmallVector<int64_t> divisibility(op.getDivisibility()), contiguity(op.getContiguity()),
      constancy(op.getConstancy());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (llvm::isPowerOf2_64(size))
      continue;
    if (!contiguity.empty()) {
      int64_t promised = contiguity[dim];
      contiguity[dim] = lowest(std::gcd(std::min(promised, size), size));
      if (contiguity[dim] < promised && !divisibility.empty())
        divisibility[dim] = std::min(lowest(divisibility[dim]), contiguity[dim] * unit);
    }
    if (!constancy.empty())
      constancy[dim] = lowest(std::gcd(std::min(constancy[dim], size), size));
  }
  op.setDivisibility(divisibility);
  op.setContiguity(contiguity);
  op.setConstancy(constancy);
}

/// Division of surplus by 0 would be undefined, and what is undefined is taken not to happen.
void Padding::guardDivision(Operation *op) {
  if (!tile::mayDivideByZero(op) || !isPadded(op->getResult(0)))
    return;
  OpBuilder b(op);
  Value divisor = op->getOperand(1);
  Attribute one = b.getIntegerAttr(getElementTypeOrSelf(divisor.getType()), 1);
  op->setOperand(1, selectReal(b, divisor, paddedDims(op->getResult(0)), one));
}

void Padding::pad(Operation *op) {
  OpBuilder b(op);
  auto maskAccess = [&](auto access) {
    if (isPadded(access.getPtr()))
      access.getMaskMutable().assign(maskReal(b, access.getMask(), access.getPtr()));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](arith::ConstantOp constant) {
        if (isPadded(constant.getResult()))
          padConstant(constant);
      })
      .Case([&](tile::MakeRangeOp range) {
        if (isPadded(range.getResult()))
          padRange(range);
      })
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp>(maskAccess)
      .Case([&](tile::AtomicCASOp swap) {
        if (isPadded(swap.getPtr()))
          padCas(swap);
      })
      .Case([&](tile::HistogramOp histogram) {
        if (isPadded(histogram.getSource()))
          histogram.getMaskMutable().assign(
              maskReal(b, histogram.getMask(), histogram.getSource()));
      })
      .Case([&](tile::PrintOp print) { padPrint(print); })
      .Case([&](tile::AssertOp assertion) { padAssert(assertion); })
      .Case([&](tile::DotOp dot) { padDot(dot); })
      .Case([&](tile::HintOp hint) { padHint(hint); })
      .Case([&](tile::ReshapeOp reshape) { padReshape(reshape); })
      .Case([&](tile::CatOp cat) { padCat(cat); })
      .Case([&](tile::GatherOp gather) { padGather(gather); })
      .Case([&](tile::ReduceOp reduce) {
        padReduction(reduce, reduce.getAxis(), /*isScan=*/false, /*reverse=*/false);
      })
      .Case([&](tile::ScanOp scan) {
        padReduction(scan, scan.getAxis(), /*isScan=*/true, scan.getReverse());
      })
      .Case([&](tile::MapOp map) { padMap(map); })
      .Default([&](Operation *other) { guardDivision(other); });
}

void Padding::run() {
  splitReductions(function);
  SmallVector<Operation *> ops;
  auto padValue = [&](Value value) {
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
      real[value] = tensor;
      value.setType(padType(tensor));
    }
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Terminators need nothing, and go with the regions that are made again.
    if (!op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
    for (Value result : op->getResults())
      padValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          padValue(argument);
  });
  FunctionType type = function.getFunctionType();
  auto padAll = [](TypeRange types) { return llvm::map_to_vector(types, padType); };
  function.setFunctionType(FunctionType::get(function.getContext(), padAll(type.getInputs()),
                                             padAll(type.getResults())));
  for (Operation *op : ops)
    pad(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether there was something to pad.
static bool padModule(ModuleOp module) {
  if (!needsPadding(module))
    return false;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !distribute::keepsLayouts(function))
      Padding(function).run();
  return true;
}

/// Cleanup after padding: known masks, computations on broadcasts.
static void addCleaning(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createTileReorderBroadcast());
  manager.addPass(createCSEPass());
}

namespace {
struct PadPass : public tilerun::impl::TilePadBase<PadPass> {
  using TilePadBase::TilePadBase;

  void getDependentDialects(DialectRegistry &registry) const final {
    TilePadBase::getDependentDialects(registry);
    OpPassManager cleaning(ModuleOp::getOperationName());
    addCleaning(cleaning);
    cleaning.getDependentDialects(registry);
  }

  void runOnOperation() final {
    if (failed(distribute::checkExpanded(getOperation(), "tile-pad")))
      return signalPassFailure();
    if (!padModule(getOperation()))
      return markAllAnalysesPreserved();
    OpPassManager cleaning(ModuleOp::getOperationName());
    addCleaning(cleaning);
    if (clean && failed(runPipeline(cleaning, getOperation())))
      signalPassFailure();
  }
};
} // namespace

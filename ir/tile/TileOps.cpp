// Generated op definitions, result type inference, integer ranges and memory effects of the `tile`
// dialect. Verifiers, folders and canonicalizations are in files of their own.
#include "ir/tile/TileOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tilerun::tile;

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                             ValueRange operands, DictionaryAttr attributes,
                                             OpaqueProperties properties, RegionRange regions,
                                             SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  uint32_t axis = adaptor.getAxis();
  if (!source || axis > source.getRank())
    return emitOptionalError(location, "axis ", axis, " is beyond the result's rank");
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  results.push_back(RankedTensorType::get(shape, source.getElementType()));
  return success();
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                        ValueRange operands, DictionaryAttr attributes,
                                        OpaqueProperties properties, RegionRange regions,
                                        SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  ArrayRef<int32_t> order = adaptor.getOrder();
  if (!source || int64_t(order.size()) != source.getRank())
    return emitOptionalError(location, "order has ", order.size(),
                             " entries, but the source has another rank");
  SmallVector<int64_t> shape;
  for (int32_t dim : order) {
    if (dim < 0 || dim >= source.getRank())
      return emitOptionalError(location, "order names dimension ", dim,
                               ", which the source does not have");
    shape.push_back(source.getDimSize(dim));
  }
  results.push_back(RankedTensorType::get(shape, source.getElementType()));
  return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       SmallVectorImpl<Type> &results) {
  Type operand = operands[0].getType();
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(operand))
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  shape.push_back(2);
  results.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(operand)));
  return success();
}

//===----------------------------------------------------------------------===//
// Integer ranges
//===----------------------------------------------------------------------===//

// A grid dimension has between 1 and 2^31 - 1 programs.
void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(),
                 ConstantIntRanges::fromUnsigned(APInt(32, 0), APInt(32, INT32_MAX - 1)));
}

void NumProgramsOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ConstantIntRanges::fromUnsigned(APInt(32, 1), APInt(32, INT32_MAX)));
}

void BlockRankOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  constexpr uint64_t kMost = TileDialect::kMostBlocks - 1;
  setResultRange(getResult(), ConstantIntRanges::fromUnsigned(APInt(32, 0), APInt(32, kMost)));
}

void MakeRangeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(),
                 ConstantIntRanges::fromSigned(APInt(32, getStart()), APInt(32, getEnd()) - 1));
}

// Ops that only move elements: every element of a result is one of an operand.
template <typename OpTy>
static void rangeOfMovedElements(OpTy op, ArrayRef<ConstantIntRanges> ranges,
                                 SetIntRangeFn setResultRange) {
  ConstantIntRanges range = ranges.front();
  for (const ConstantIntRanges &other : ranges.drop_front())
    range = range.rangeUnion(other);
  for (Value result : op->getResults())
    setResultRange(result, range);
}
#define MOVES_ELEMENTS(OP)                                                                         \
  void OP::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn setResultRange) {   \
    rangeOfMovedElements(*this, ranges, setResultRange);                                           \
  }
MOVES_ELEMENTS(SplatOp)
MOVES_ELEMENTS(BroadcastOp)
MOVES_ELEMENTS(ExpandDimsOp)
MOVES_ELEMENTS(ReshapeOp)
MOVES_ELEMENTS(TransOp)
MOVES_ELEMENTS(JoinOp)
MOVES_ELEMENTS(SplitOp)
MOVES_ELEMENTS(CatOp)
MOVES_ELEMENTS(HintOp)
#undef MOVES_ELEMENTS

void GatherOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ranges.front());
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addRead(Effects &effects, OpOperand &pointer) {
  effects.emplace_back(MemoryEffects::Read::get(), &pointer, GlobalMemory::get());
}
static void addWrite(Effects &effects, OpOperand &pointer) {
  effects.emplace_back(MemoryEffects::Write::get(), &pointer, GlobalMemory::get());
}

void LoadOp::getEffects(Effects &effects) {
  addRead(effects, getPtrMutable());
  // The write keeps a volatile load alive, in order and unmerged.
  if (getIsVolatile())
    addWrite(effects, getPtrMutable());
}

void StoreOp::getEffects(Effects &effects) { addWrite(effects, getPtrMutable()); }

void AtomicRMWOp::getEffects(Effects &effects) {
  addRead(effects, getPtrMutable());
  addWrite(effects, getPtrMutable());
}

void AtomicCASOp::getEffects(Effects &effects) {
  addRead(effects, getPtrMutable());
  addWrite(effects, getPtrMutable());
}

void InlineAsmOp::getEffects(Effects &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

Speculation::Speculatability InlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

#define GET_OP_CLASSES
#include "ir/tile/TileOps.cpp.inc"

// Verifiers of the `tile` dialect. Types and traits in TableGen check all that they can; the rest
// is here: relations between shapes, attributes and regions.
#include "ir/tile/InlineAsm.h"
#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun::tile;

/// The shape of a tensor; empty for a scalar.
static ArrayRef<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

static int64_t rankOf(Type type) { return shapeOf(type).size(); }

//===----------------------------------------------------------------------===//
// Making and shaping tensors
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = int32_t(getStart()), end = int32_t(getEnd());
  if (end <= start)
    return emitOpError() << "the range [" << start << ", " << end << ") is empty";
  if (end - start > kMaxElements)
    return emitOpError() << "the range has " << end - start << " elements; it may have up to "
                         << kMaxElements;
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || type.getDimSize(0) != end - start)
    return emitOpError() << "the result must be 1-D with " << end - start << " elements, but is "
                         << type;
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto source = shapeOf(getSource().getType()), result = shapeOf(getType());
  if (source.size() != result.size())
    return emitOpError() << "source and result must have the same rank, but have " << source.size()
                         << " and " << result.size();
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(source, result))) {
    auto [from, to] = sizes;
    if (from != to && from != 1)
      return emitOpError() << "dimension " << dim << " cannot be stretched from " << from << " to "
                           << to << "; only size 1 can";
  }
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  int64_t rank = rankOf(getSource().getType());
  if (getAxis() > rank)
    return emitOpError() << "axis " << getAxis() << " is out of range; the source has rank "
                         << rank;
  return success();
}

LogicalResult ReshapeOp::verify() {
  int64_t from = cast<RankedTensorType>(getSource().getType()).getNumElements();
  int64_t to = cast<RankedTensorType>(getType()).getNumElements();
  if (from != to)
    return emitOpError() << "source has " << from << " elements, but the result has " << to;
  return success();
}

LogicalResult TransOp::verify() {
  int64_t rank = rankOf(getSource().getType());
  if (int64_t(getOrder().size()) != rank)
    return emitOpError() << "order has " << getOrder().size()
                         << " entries, but the source has rank " << rank;
  SmallVector<bool> seen(rank, false);
  for (int32_t dim : getOrder()) {
    if (dim < 0 || dim >= rank)
      return emitOpError() << "order names dimension " << dim << ", but the source has rank "
                           << rank;
    if (std::exchange(seen[dim], true))
      return emitOpError() << "order names dimension " << dim << " twice";
  }
  return success();
}

LogicalResult SplitOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (source.getShape().back() != 2)
    return emitOpError() << "the innermost dimension must have size 2, but has "
                         << source.getShape().back();
  Type half = source.getElementType();
  if (source.getRank() > 1)
    half = RankedTensorType::get(source.getShape().drop_back(), source.getElementType());
  for (Type type : getResultTypes())
    if (type != half)
      return emitOpError() << "each result must be " << half << ", but one is " << type;
  return success();
}

LogicalResult CatOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getRank() != 1 || rhs.getRank() != 1)
    return emitOpError() << "operands must be 1-D, but are " << lhs << " and " << rhs;
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError() << "operands must have one element type, but have " << lhs.getElementType()
                         << " and " << rhs.getElementType();
  auto expected =
      RankedTensorType::get({lhs.getDimSize(0) + rhs.getDimSize(0)}, lhs.getElementType());
  if (getType() != expected)
    return emitOpError() << "the result must be " << expected << ", but is " << getType();
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (int64_t(getAxis()) >= source.getRank())
    return emitOpError() << "axis " << getAxis() << " is out of range; the source has rank "
                         << source.getRank();
  if (source.getRank() != indices.getRank())
    return emitOpError() << "source and indices must have one rank, but are " << source << " and "
                         << indices;
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim != int64_t(getAxis()) && source.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError() << "source and indices must agree except along axis " << getAxis()
                           << "; in dimension " << dim << " they have " << source.getDimSize(dim)
                           << " and " << indices.getDimSize(dim);
  auto expected = RankedTensorType::get(indices.getShape(), source.getElementType());
  if (getType() != expected)
    return emitOpError() << "the result must be " << expected << ", but is " << getType();
  return success();
}

LogicalResult HistogramOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (result.getRank() != 1)
    return emitOpError() << "the result must be 1-D, but is " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

LogicalResult AddPtrOp::verify() {
  Type base = getBase().getType(), offset = getOffset().getType();
  if (isa<RankedTensorType>(base) != isa<RankedTensorType>(offset) ||
      shapeOf(base) != shapeOf(offset))
    return emitOpError() << "the offset must have the pointer's shape, but the pointer is " << base
                         << " and the offset is " << offset;
  return success();
}

LogicalResult LoadOp::verify() {
  switch (getCache()) {
  case CacheModifier::None:
  case CacheModifier::CA:
  case CacheModifier::CG:
  case CacheModifier::CV:
    return success();
  default:
    return emitOpError() << "cache modifier '" << stringifyCacheModifier(getCache())
                         << "' is for stores; a load takes none, ca, cg or cv";
  }
}

LogicalResult StoreOp::verify() {
  switch (getCache()) {
  case CacheModifier::None:
  case CacheModifier::WB:
  case CacheModifier::CG:
  case CacheModifier::CS:
  case CacheModifier::WT:
    return success();
  default:
    return emitOpError() << "cache modifier '" << stringifyCacheModifier(getCache())
                         << "' is for loads; a store takes none, wb, cg, cs or wt";
  }
}

/// Bits of an element in memory: pointers count as their 64-bit address.
static unsigned bitsOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8 * getElementBytes(element);
}

static bool isWordSized(Type element) {
  unsigned bits = bitsOf(element);
  return bits == 16 || bits == 32 || bits == 64;
}

StringRef tilerun::tile::getAcceptedElements(AtomicKind kind, Type element) {
  switch (kind) {
  case AtomicKind::FAdd:
  case AtomicKind::FMax:
  case AtomicKind::FMin:
    return isa<FloatType>(element) && isWordSized(element) ? "" : "16, 32 and 64-bit floats";
  case AtomicKind::Xchg:
    return isWordSized(element) ? "" : "elements of 16, 32 and 64 bits";
  default: {
    bool isWide = element.isSignlessInteger(32) || element.isSignlessInteger(64);
    return isWide ? "" : "i32 and i64";
  }
  }
}

LogicalResult AtomicRMWOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  StringRef accepted = getAcceptedElements(getKind(), element);
  if (!accepted.empty())
    return emitOpError() << "'" << stringifyAtomicKind(getKind()) << "' works on " << accepted
                         << ", but the element type is " << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  if (!isWordSized(element))
    return emitOpError() << "works on elements of 16, 32 and 64 bits, but the element type is "
                         << element;
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSource().getType()), to = getElementTypeOrSelf(getType());
  if (isa<PointerType>(from) && isa<PointerType>(to))
    return success();
  if (isa<PointerType>(from) || isa<PointerType>(to))
    return emitOpError() << "a pointer can be cast to a pointer only, not " << from << " to " << to
                         << "; see tile.int_to_ptr and tile.ptr_to_int";
  if (!isa<F8E4M3B15Type>(from) && !isa<F8E4M3B15Type>(to))
    return emitOpError() << "use arith.bitcast between " << from << " and " << to;
  if (bitsOf(from) != bitsOf(to))
    return emitOpError() << "element types must have equal width, but " << from << " has "
                         << bitsOf(from) << " bits and " << to << " has " << bitsOf(to);
  return success();
}

LogicalResult FpCastOp::verify() {
  Type from = getElementTypeOrSelf(getSource().getType()), to = getElementTypeOrSelf(getType());
  if (getRounding() == RoundingMode::TowardZero && bitsOf(from) < bitsOf(to))
    return emitOpError() << "rounding mode 'rtz' is for narrowing, but " << to << " is wider than "
                         << from;
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || acc.getRank() != rank)
    return emitOpError() << "operands must all be 2-D or all be 3-D, but have ranks " << a.getRank()
                         << ", " << b.getRank() << " and " << acc.getRank();
  ArrayRef<int64_t> sa = a.getShape(), sb = b.getShape();
  if (rank == 3 && sa[0] != sb[0])
    return emitOpError() << "batch sizes differ: " << sa[0] << " and " << sb[0];
  if (sa[rank - 1] != sb[rank - 2])
    return emitOpError() << "inner sizes differ: a has " << sa[rank - 1] << " columns, b has "
                         << sb[rank - 2] << " rows";
  SmallVector<int64_t> product(sa);
  product.back() = sb.back();
  if (acc.getShape() != ArrayRef<int64_t>(product))
    return emitOpError() << "the accumulator must have shape "
                         << RankedTensorType::get(product, acc.getElementType()) << ", but is "
                         << acc;

  Type ea = a.getElementType(), eb = b.getElementType(), eacc = acc.getElementType();
  if (ea.isInteger()) {
    if (ea != eb || !ea.isInteger(8) || !eacc.isInteger(32))
      return emitOpError() << "integer products are i8 by i8 into i32, but the types are " << ea
                           << ", " << eb << " and " << eacc;
    return success();
  }
  if (!isa<FloatType>(ea) || !isa<FloatType>(eb) || !isa<FloatType>(eacc))
    return emitOpError() << "cannot multiply " << ea << " by " << eb << " into " << eacc;
  if (ea != eb && !(bitsOf(ea) == 8 && bitsOf(eb) == 8))
    return emitOpError() << "operands must have one element type, or two 8-bit float types, but "
                         << "have " << ea << " and " << eb;
  if (!eacc.isF16() && !eacc.isF32() && !eacc.isF64())
    return emitOpError() << "a float product accumulates in f16, f32 or f64, not in " << eacc;
  if (bitsOf(eacc) < bitsOf(ea))
    return emitOpError() << "the accumulator type " << eacc << " is narrower than the operands' "
                         << ea;
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

/// Regions touch no memory.
static LogicalResult verifyPure(Operation *op, Block &body, StringRef what) {
  for (Operation &inner : body)
    if (!isMemoryEffectFree(&inner)) {
      auto diagnostic = op->emitOpError("the ") << what << " region must be free of side effects";
      diagnostic.attachNote(inner.getLoc()) << "'" << inner.getName() << "' has some";
      return diagnostic;
    }
  return success();
}

/// The combine region takes 2N scalars, yields N, and touches no memory.
static LogicalResult verifyCombine(Operation *op, Region &combine) {
  Block &body = combine.front();
  unsigned count = op->getNumOperands();
  if (body.getNumArguments() != 2 * count)
    return op->emitOpError() << "the combine region must take " << 2 * count << " values, but has "
                             << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return op->emitOpError() << "the combine region must end with tile.yield";
  if (yield.getNumOperands() != count)
    return op->emitOpError() << "the combine region must yield " << count << " values, but yields "
                             << yield.getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    Type element = getElementTypeOrSelf(op->getOperand(i).getType());
    for (unsigned argument : {i, i + count})
      if (body.getArgument(argument).getType() != element)
        return op->emitOpError() << "combine argument " << argument << " must be " << element
                                 << ", but is " << body.getArgument(argument).getType();
    if (yield.getOperand(i).getType() != element)
      return op->emitOpError() << "yielded value " << i << " must be " << element << ", but is "
                               << yield.getOperand(i).getType();
  }
  return verifyPure(op, body, "combine");
}

static LogicalResult verifyAxis(Operation *op, uint32_t axis) {
  int64_t rank = rankOf(op->getOperand(0).getType());
  if (axis >= rank)
    return op->emitOpError() << "axis " << axis << " is out of range; the operands have rank "
                             << rank;
  if (op->getNumResults() != op->getNumOperands())
    return op->emitOpError() << "has " << op->getNumOperands() << " operands, but "
                             << op->getNumResults() << " results";
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyAxis(*this, getAxis())))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getOutputs())) {
    auto source = cast<RankedTensorType>(operand.getType());
    Type expected = source.getElementType();
    if (source.getRank() > 1) {
      SmallVector<int64_t> shape(source.getShape());
      shape.erase(shape.begin() + getAxis());
      expected = RankedTensorType::get(shape, source.getElementType());
    }
    if (result.getType() != expected)
      return emitOpError() << "reducing " << source << " along axis " << getAxis() << " gives "
                           << expected << ", not " << result.getType();
  }
  return verifyCombine(*this, getCombine());
}

LogicalResult ScanOp::verify() {
  if (failed(verifyAxis(*this, getAxis())))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getOutputs()))
    if (operand.getType() != result.getType())
      return emitOpError() << "scanning " << operand.getType() << " gives the same type, not "
                           << result.getType();
  return verifyCombine(*this, getCombine());
}

LogicalResult MapOp::verify() {
  if (getNumOperands() == 0 || getNumResults() == 0)
    return emitOpError() << "needs at least one operand and one result";
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError() << "the region must end with tile.yield";
  if (block.getNumArguments() != getNumOperands() || yield.getNumOperands() != getNumResults())
    return emitOpError() << "the region must take " << getNumOperands() << " values and yield "
                         << getNumResults() << ", but it takes " << block.getNumArguments()
                         << " and yields " << yield.getNumOperands();
  auto shape = cast<RankedTensorType>(getOperand(0).getType()).getShape();
  for (auto [operand, argument] : llvm::zip(getOperands(), block.getArguments()))
    if (argument.getType() != getElementTypeOrSelf(operand.getType()))
      return emitOpError() << "argument " << argument.getArgNumber() << " must be "
                           << getElementTypeOrSelf(operand.getType()) << ", but is "
                           << argument.getType();
  for (auto [i, result] : llvm::enumerate(getOutputs())) {
    auto expected = RankedTensorType::get(shape, yield.getOperand(i).getType());
    if (result.getType() != expected)
      return emitOpError() << "result " << i << " must be " << expected << ", but is "
                           << result.getType();
  }
  return verifyPure(*this, block, "map");
}

//===----------------------------------------------------------------------===//
// Hints and debugging
//===----------------------------------------------------------------------===//

LogicalResult HintOp::verify() {
  int64_t entries = std::max<int64_t>(1, rankOf(getType()));
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {{"divisibility", getDivisibility()},
                                                     {"contiguity", getContiguity()},
                                                     {"constancy", getConstancy()}};
  for (auto [name, list] : lists) {
    if (!list.empty() && int64_t(list.size()) != entries)
      return emitOpError() << name << " has " << list.size() << " entries, but " << getType()
                           << " needs " << entries;
    for (int64_t value : list)
      if (value < 1)
        return emitOpError() << name << " must be positive, but has " << value;
  }
  return success();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getValues().size())
    return emitOpError() << "needs one 'signed' entry per value, but has " << getIsSigned().size()
                         << " for " << getValues().size();
  for (Value value : getValues())
    if (!getExtents().empty() && rankOf(value.getType()) != int64_t(getExtents().size()))
      return emitOpError() << "extents has " << getExtents().size() << " entries, but a value is "
                           << value.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Target-specific ops
//===----------------------------------------------------------------------===//

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0 && getPure())
    return emitOpError() << "without results does nothing if it is pure";
  SmallVector<Type> types(getOperandTypes());
  llvm::append_range(types, getResultTypes());
  for (Type type : types)
    if (shapeOf(type) != shapeOf(types[0]))
      return emitOpError() << "operands and results must have one shape";
  if (int32_t(getPack()) < 1 || int32_t(getPack()) > 64)
    return emitOpError() << "pack must be 1 to 64, but is " << int32_t(getPack());
  std::string error =
      checkInlineAsm(getText(), getConstraints(), getPack(), getOperandTypes(), getResultTypes());
  if (!error.empty())
    return emitOpError() << error;
  return success();
}

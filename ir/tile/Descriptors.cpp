// Descriptors: their type's text and checks, and the verifiers and folders of their ops.
#include "ir/tile/TileOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tilerun::tile;

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

Type DescriptorType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  auto padding = DescriptorPadding::Zero;
  if (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    std::optional<DescriptorPadding> known = symbolizeDescriptorPadding(word);
    if (!known) {
      parser.emitError(place) << "a descriptor pads with zero or nan, not with '" << word << "'";
      return {};
    }
    padding = *known;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<DescriptorType>(parser.getContext(), ArrayRef<int64_t>(shape), element,
                                           padding);
}

void DescriptorType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType();
  if (getPadding() != DescriptorPadding::Zero)
    printer << ", " << stringifyDescriptorPadding(getPadding());
  printer << ">";
}

LogicalResult DescriptorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<int64_t> shape, Type elementType,
                                     DescriptorPadding padding) {
  if (shape.empty() || shape.size() > kMaxRank)
    return emitError() << "a descriptor has 1 to " << kMaxRank << " dimensions, not "
                       << shape.size();
  if (!isElementInteger(elementType) && !isElementFloat(elementType) &&
      !isa<PointerType>(elementType))
    return emitError() << "the elements of a descriptor are integers, floats or pointers of the "
                          "language, not "
                       << elementType;
  if (!hasTileShape(RankedTensorType::get(shape, elementType)))
    return emitError() << "the blocks of a descriptor have sizes of 1 or more and up to "
                       << kMaxElements << " elements, but these have the sizes " << shape;
  if (padding == DescriptorPadding::NaN && !isElementFloat(elementType))
    return emitError() << "only floats can be padded with NaN, and not " << elementType;
  return success();
}

RankedTensorType DescriptorType::getBlockType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

PointerType DescriptorType::getBaseType() const { return PointerType::get(getElementType()); }

// Anything else is returned as it is, so that verifiers can speak about it.
Type tilerun::tile::getBlockType(Type descriptor) {
  auto type = dyn_cast<DescriptorType>(descriptor);
  return type ? Type(type.getBlockType()) : descriptor;
}

Type tilerun::tile::getBaseType(Type descriptor) {
  auto type = dyn_cast<DescriptorType>(descriptor);
  return type ? Type(type.getBaseType()) : descriptor;
}

Type tilerun::tile::getRowNumbersType(Type rows) {
  auto type = dyn_cast<RankedTensorType>(rows);
  if (!type || type.getRank() == 0)
    return rows;
  return RankedTensorType::get(type.getShape().take_front(),
                               IntegerType::get(rows.getContext(), 64));
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyCount(Operation *op, StringRef what, size_t count, DescriptorType type) {
  if (count == type.getRank())
    return success();
  return op->emitOpError() << "needs one " << what << " for each of the " << type.getRank()
                           << " dimensions, but has " << count;
}

LogicalResult MakeDescriptorOp::verify() {
  if (failed(verifyCount(*this, "size", getSizes().size(), getType())))
    return failure();
  return verifyCount(*this, "stride", getStrides().size(), getType());
}

static LogicalResult verifyAxis(Operation *op, uint32_t axis, DescriptorType type) {
  if (axis < type.getRank())
    return success();
  return op->emitOpError() << "axis " << axis << " is out of range; the descriptor has "
                           << type.getRank() << " dimensions";
}

LogicalResult DescriptorSizeOp::verify() {
  return verifyAxis(*this, getAxis(), getDescriptor().getType());
}

LogicalResult DescriptorStrideOp::verify() {
  return verifyAxis(*this, getAxis(), getDescriptor().getType());
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyCount(*this, "offset", getOffsets().size(), getDescriptor().getType());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyCount(*this, "offset", getOffsets().size(), getDescriptor().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  DescriptorType type = getDescriptor().getType();
  if (failed(verifyCount(*this, "offset", getOffsets().size(), type)))
    return failure();
  if (getKind() == AtomicKind::Xchg)
    return emitOpError("cannot exchange, because it gives no old values; store the block instead");
  StringRef accepted = getAcceptedElements(getKind(), type.getElementType());
  if (!accepted.empty())
    return emitOpError() << "'" << stringifyAtomicKind(getKind()) << "' works on " << accepted
                         << ", but the element type is " << type.getElementType();
  return success();
}

/// Of a gather or scatter of `rows`.
static LogicalResult verifyRows(Operation *op, DescriptorType type, Type rows) {
  if (type.getRank() != 2 || type.getShape()[0] != 1)
    return op->emitOpError() << "needs a descriptor of two dimensions whose blocks have one row, "
                                "but it is "
                             << type;
  auto expected = RankedTensorType::get(
      {cast<RankedTensorType>(rows).getDimSize(0), type.getShape()[1]}, type.getElementType());
  if (rows != expected)
    return op->emitOpError() << "must have rows of blocks, as in " << expected << ", but they are "
                             << rows;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDescriptor().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDescriptor().getType(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

OpFoldResult DescriptorSizeOp::fold(FoldAdaptor) {
  auto made = getDescriptor().getDefiningOp<MakeDescriptorOp>();
  return made ? made.getSizes()[getAxis()] : OpFoldResult();
}

OpFoldResult DescriptorStrideOp::fold(FoldAdaptor) {
  auto made = getDescriptor().getDefiningOp<MakeDescriptorOp>();
  return made ? made.getStrides()[getAxis()] : OpFoldResult();
}

// Instructions of warp groups (GroupOps.td): tiles of operands, and what can be wrong with an op.
// Which shapes and tiles a target's instructions take is checked by its backend.
#include "ir/simt/SimtOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

layout::MatrixTile TileAttr::getTile() const {
  return {{getRows(), getColumns()}, getContiguous(), getScalarBytes(getElementType())};
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows,
                               int64_t columns, Type elementType, unsigned contiguous) {
  if (rows < 1 || columns < 1 || !llvm::isPowerOf2_64(rows) || !llvm::isPowerOf2_64(columns))
    return emitError() << "a tile of " << rows << " x " << columns
                       << " elements has a size that is not a power of two";
  if (contiguous > 1)
    return emitError() << "a tile's contiguous dimension must be 0 or 1, but is " << contiguous;
  if (!elementType.isIntOrFloat() || !llvm::isPowerOf2_32(elementType.getIntOrFloatBitWidth()))
    return emitError() << "a tile of " << elementType
                       << ", but its elements must be integers or floats";
  layout::MatrixTile tile{{rows, columns}, contiguous, getScalarBytes(elementType)};
  if (tile.lineBytes() < tile.kChunkBytes || tile.lines() < tile.kGroupLines)
    return emitError() << "a tile of " << tile.lines() << " lines of " << tile.lineBytes()
                       << " bytes, but it must have 8 or more, of 16 or more bytes";
  return success();
}

Attribute TileAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t, 2> shape;
  Type element;
  unsigned contiguous = 0;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseKeyword("contiguous") ||
      parser.parseInteger(contiguous) || parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(start, "expected <rows x columns x type, contiguous dimension>");
    return {};
  }
  return parser.getChecked<TileAttr>(start, parser.getContext(), shape[0], shape[1], element,
                                     contiguous);
}

void TileAttr::print(AsmPrinter &printer) const {
  printer << "<" << getRows() << "x" << getColumns() << "x" << getElementType() << ", contiguous "
          << getContiguous() << ">";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t GroupMmaOp::getThreads() {
  return getRows() * getColumns() / cast<VectorType>(getAcc().getType()).getNumElements();
}

/// An operand's block of `sizes`, over whose dimension `summed` the product sums.
static LogicalResult checkBlock(GroupMmaOp op, StringRef which, Value buffer, TileAttr attribute,
                                ArrayRef<int64_t> block, std::array<int64_t, 2> sizes,
                                unsigned summed) {
  layout::MatrixTile tile = attribute.getTile();
  if (auto made = buffer.getDefiningOp<SharedAllocOp>();
      made && made.getAlignment() % tile.alignment())
    return op.emitOpError() << which << " is in a buffer aligned to " << made.getAlignment()
                            << " bytes, but its tile needs " << tile.alignment();
  if (!tile.isOperand(summed, unsigned(sizes[summed])))
    return op.emitOpError() << which << " has lines of " << tile.lineBytes()
                            << " bytes along the dimension of the sum, but a step of "
                            << sizes[summed] << " elements must be in one";
  if (block.size() != 2)
    return op.emitOpError() << which << " needs the two coordinates of its block";
  for (unsigned dim = 0; dim < 2; ++dim)
    if (block[dim] < 0 || block[dim] + sizes[dim] > tile.shape[dim])
      return op.emitOpError() << which << " has a block of " << sizes[dim] << " elements at "
                              << block[dim] << " in a tile of " << tile.shape[dim]
                              << " along dimension " << dim;
  if (!tile.canStartAt(uint64_t(block[0]), uint64_t(block[1])))
    return op.emitOpError() << which
                            << " has a block that does not start at 16 bytes of a line whose "
                               "number is a multiple of 8";
  return success();
}

LogicalResult GroupMmaOp::verify() {
  if (getShape().size() != 3 || llvm::any_of(getShape(), [](int64_t n) { return n < 1; }))
    return emitOpError("needs a shape of three positive sizes: m, n, k");
  int64_t m = getRows(), n = getColumns(), k = getSteps();
  int64_t registers = cast<VectorType>(getAcc().getType()).getNumElements();
  if (m * n % registers || !llvm::isPowerOf2_64(uint64_t(m * n / registers)))
    return emitOpError() << "has " << registers << " registers of the result in a thread, but " << m
                         << " x " << n << " elements over them are not a power of two of threads";
  if (bool(getA()) == bool(getABuffer()) || bool(getABuffer()) != bool(getAOffset()) ||
      bool(getABuffer()) != bool(getATile()) || bool(getABuffer()) != getABlock().has_value())
    return emitOpError("needs its first operand in registers or in shared memory");
  if (getABuffer() && failed(checkBlock(*this, "the first operand", getABuffer(), *getATile(),
                                        *getABlock(), {m, k}, 1)))
    return failure();
  return checkBlock(*this, "the second operand", getBBuffer(), getBTile(), getBBlock(), {k, n}, 0);
}

LogicalResult GroupMmaWaitOp::verify() {
  if (getAccs().getTypes() != getResults().getTypes())
    return emitOpError("must return the accumulators that it takes");
  return success();
}

// Registration of the `simt` dialect and its generated definitions.
#include "ir/simt/SimtOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tilerun::simt;

#include "ir/simt/SimtDialect.cpp.inc"
#include "ir/simt/SimtEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/simt/SimtAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/simt/SimtTypes.cpp.inc"

#define GET_OP_CLASSES
#include "ir/simt/SimtOps.cpp.inc"

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void SimtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/simt/SimtTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/simt/SimtAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/simt/SimtOps.cpp.inc"
      >();
}

unsigned tilerun::simt::getScalarBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

LogicalResult RoleOp::verify() {
  if (int32_t(getFirst()) < 0 || int32_t(getEnd()) <= int32_t(getFirst()))
    return emitOpError() << "has no warps from " << int32_t(getFirst()) << " to "
                         << int32_t(getEnd());
  if (getBody().getNumArguments() != 1 || !getBody().getArgument(0).getType().isInteger(32))
    return emitOpError("takes one argument, the thread's number in it, an i32");
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError("is inside another role");
  WalkResult result = getBody().walk([&](BarrierOp barrier) {
    if (barrier.getScope() != BarrierScope::Program && barrier.getScope() != BarrierScope::Cluster)
      return WalkResult::advance();
    barrier.emitOpError(
        "of the whole program is inside a role, so that the warps of other roles do not reach it");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Type MatrixType::parse(AsmParser &parser) {
  SmallVector<int64_t, 2> shape;
  Type element;
  StringRef word;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseKeyword(&word) ||
      parser.parseGreater())
    return {};
  std::optional<MatrixUse> use = symbolizeMatrixUse(word);
  if (shape.size() != 2 || !use || !element.isIntOrFloat()) {
    parser.emitError(start, "expected <rows x columns x type, a|b|acc>");
    return {};
  }
  return get(parser.getContext(), shape[0], shape[1], element, *use);
}

void MatrixType::print(AsmPrinter &printer) const {
  printer << "<" << getRows() << "x" << getColumns() << "x" << getElementType() << ", "
          << stringifyMatrixUse(getUse()) << ">";
}

/// Lines of a matrix in memory: how long one is, and that they do not overlap.
static LogicalResult checkPitch(Operation *op, MatrixType type, int64_t pitch, bool byColumns) {
  int64_t line = (byColumns ? type.getRows() : type.getColumns()) *
                 int64_t(getScalarBytes(type.getElementType()));
  if (pitch < line || pitch % 16)
    return op->emitOpError() << "has a pitch of " << pitch
                             << " bytes, but needs a multiple of 16 of "
                             << "at least " << line;
  return success();
}

LogicalResult MatrixLoadOp::verify() {
  return checkPitch(*this, getType(), getPitch(), getColumnMajor());
}

LogicalResult MatrixStoreOp::verify() {
  return checkPitch(*this, getMatrix().getType(), getPitch(), false);
}

LogicalResult MatrixSplatOp::verify() {
  if (getScalar().getType() != getType().getElementType())
    return emitOpError("needs a scalar of the matrix's element type");
  return success();
}

LogicalResult MmaOp::verify() {
  std::optional<ArrayRef<int32_t>> bytes = getBytes();
  const size_t scales = getScales().size();
  if (bool(bytes) != (scales != 0) || (bytes && (scales != 2 || bytes->size() != 2)))
    return emitOpError("has scales and bytes for both operands or for none");
  if (bytes && llvm::any_of(*bytes, [](int32_t byte) { return byte < 0 || byte > 3; }))
    return emitOpError("has bytes of words, which are 0 to 3");
  return success();
}

LogicalResult MatrixMultiplyAddOp::verify() {
  MatrixType a = getA().getType(), b = getB().getType(), acc = getAcc().getType();
  if (a.getUse() != MatrixUse::A || b.getUse() != MatrixUse::B ||
      acc.getUse() != MatrixUse::Accumulator)
    return emitOpError("needs matrices for a, b and acc, in this order");
  if (a.getRows() != acc.getRows() || b.getColumns() != acc.getColumns() ||
      a.getColumns() != b.getRows())
    return emitOpError("has matrices whose sizes do not fit together");
  return success();
}

/// Accumulators and the registers of all of them.
static LogicalResult checkRegisters(Operation *op, TypeRange matrices, VectorType registers) {
  for (Type type : matrices) {
    auto matrix = cast<MatrixType>(type);
    if (matrix.getUse() != MatrixUse::Accumulator || type != matrices.front() ||
        matrix.getElementType() != registers.getElementType())
      return op->emitOpError("needs accumulators of one type and registers of their elements");
  }
  if (matrices.empty() || registers.getNumElements() % matrices.size())
    return op->emitOpError("needs as many registers for each matrix");
  return success();
}

LogicalResult MatrixFromRegistersOp::verify() {
  return checkRegisters(*this, getResultTypes(), cast<VectorType>(getRegisters().getType()));
}

LogicalResult MatrixToRegistersOp::verify() {
  return checkRegisters(*this, getMatrices().getTypes(),
                        cast<VectorType>(getRegisters().getType()));
}

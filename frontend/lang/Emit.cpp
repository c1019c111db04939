// Constants, shapes and broadcasting: the values that emitters build everything else from.
#include "frontend/lang/Emit.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

#include <cmath>

using namespace mlir;

namespace tilerun::lang {

mlir::Type getMlirType(MLIRContext *context, DType type) {
  if (type.isPointer()) {
    // A pointer to void is an address of bytes.
    DType pointee = type.getPointee();
    bool isVoid = !pointee.isPointer() && pointee.scalar == Scalar::Void;
    return tile::PointerType::get(getMlirType(context, isVoid ? dtype(Scalar::Int8) : pointee));
  }
  switch (type.scalar) {
  case Scalar::Void:
    return NoneType::get(context);
  case Scalar::F8E5:
    return Float8E5M2Type::get(context);
  case Scalar::F8E4NV:
    return Float8E4M3FNType::get(context);
  case Scalar::F8E4B8:
    return Float8E4M3FNUZType::get(context);
  case Scalar::F8E5B16:
    return Float8E5M2FNUZType::get(context);
  case Scalar::F8E4B15:
    return tile::F8E4M3B15Type::get(context);
  case Scalar::F16:
    return Float16Type::get(context);
  case Scalar::BF16:
    return BFloat16Type::get(context);
  case Scalar::F32:
    return Float32Type::get(context);
  case Scalar::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, type.getBits());
  }
}

mlir::Type getMlirType(MLIRContext *context, const TensorType &type) {
  mlir::Type element = getMlirType(context, type.dtype);
  return type.isScalar() ? element : RankedTensorType::get(type.shape, element);
}

std::optional<Literal> getLiteral(const Value &v) {
  if (auto *b = v.getIf<bool>())
    return Literal(*b);
  if (auto *i = v.getIf<PyInt>())
    return Literal(*i);
  if (auto *d = v.getIf<double>())
    return Literal(*d);
  return std::nullopt;
}

std::optional<Operand> getOperand(const Value &v) {
  if (auto *tensor = v.getIf<TensorValue>())
    return Operand(tensor->type.dtype);
  if (std::optional<Literal> literal = getLiteral(v))
    return Operand(*literal);
  return std::nullopt;
}

std::string shapeString(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "a scalar";
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

namespace {
double literalToDouble(const Literal &literal) {
  if (auto *b = std::get_if<bool>(&literal))
    return *b;
  if (auto *i = std::get_if<PyInt>(&literal))
    return static_cast<double>(*i);
  return std::get<double>(literal);
}

/// The bits of a literal in an integer type: booleans test against zero, integers wrap, floats
/// truncate.
APInt literalToInt(const Literal &literal, DType type) {
  unsigned bits = type.getBits();
  if (type.isBool())
    return APInt(1, literalToDouble(literal) != 0);
  if (auto *i = std::get_if<PyInt>(&literal))
    return APInt(bits, static_cast<uint64_t>(*i), false, /*implicitTrunc=*/true);
  llvm::APSInt result(bits, type.isUnsigned());
  bool exact;
  // Out of range is undefined in the language; APFloat saturates.
  llvm::APFloat(literalToDouble(literal))
      .convertToInteger(result, llvm::APFloat::rmTowardZero, &exact);
  return result;
}

/// Rounds to nearest even; 8-bit formats saturate to their largest finite value.
llvm::APFloat literalToFloat(const Literal &literal, const llvm::fltSemantics &semantics,
                             bool saturate) {
  llvm::APFloat value(literalToDouble(literal));
  if (auto *i = std::get_if<PyInt>(&literal)) {
    // Straight from the integer, so that there is one rounding only.
    APInt wide(128, {static_cast<uint64_t>(*i), static_cast<uint64_t>(*i >> 64)});
    value = llvm::APFloat(semantics);
    value.convertFromAPInt(wide, /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  } else {
    bool losesInfo;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  }
  double wanted = literalToDouble(literal);
  if (saturate && wanted == wanted) {
    llvm::APFloat largest = llvm::APFloat::getLargest(semantics, wanted < 0);
    if (!value.isFinite() || std::fabs(wanted) > std::fabs(largest.convertToDouble()))
      return largest;
  }
  return value;
}

TypedAttr makeElementAttr(Emitter &e, DType type, const Literal &literal) {
  mlir::Type element = getMlirType(e.builder.getContext(), type);
  if (type.isInt())
    return IntegerAttr::get(element, literalToInt(literal, type));
  auto floatType = cast<FloatType>(element);
  return FloatAttr::get(floatType,
                        literalToFloat(literal, floatType.getFloatSemantics(), type.isFp8()));
}
} // namespace

TensorValue makeConstant(Emitter &e, const TensorType &type, const Literal &literal) {
  assert(!type.dtype.isPointer() && type.dtype.scalar != Scalar::Void);
  if (type.dtype.scalar == Scalar::F8E4B15) {
    // No builtin attribute can hold this format.
    TensorValue wide = makeConstant(e, TensorType{dtype(Scalar::F32), type.shape},
                                    Literal(literalToDouble(literal)));
    return convert(e, wide, type.dtype);
  }
  TypedAttr attr = makeElementAttr(e, type.dtype, literal);
  if (!type.isScalar())
    attr = DenseElementsAttr::get(cast<RankedTensorType>(getMlirType(e.builder.getContext(), type)),
                                  Attribute(attr));
  return {arith::ConstantOp::create(e.builder, e.loc(), attr), type};
}

TensorValue makeConstant(Emitter &e, DType type, const Literal &literal) {
  return makeConstant(e, TensorType{type, {}}, literal);
}

TensorValue makePoison(Emitter &e, const TensorValue &like) {
  mlir::Type type = getMlirType(e.builder.getContext(), like.type);
  return {ub::PoisonOp::create(e.builder, e.loc(), type), like.type};
}

TensorValue expandDims(Emitter &e, const TensorValue &v, unsigned axis) {
  TensorType type = v.type;
  type.shape.insert(type.shape.begin() + axis, 1);
  mlir::Type result = getMlirType(e.builder.getContext(), type);
  if (v.type.isScalar())
    return {tile::SplatOp::create(e.builder, e.loc(), result, v.value), type};
  return {tile::ExpandDimsOp::create(e.builder, e.loc(), result, v.value, axis), type};
}

TensorValue reshapeTo(Emitter &e, const TensorValue &v, llvm::ArrayRef<int64_t> shape,
                      bool allowReorder) {
  if (v.type.shape == Shape(shape))
    return v;
  TensorType type{v.type.dtype, Shape(shape)};
  mlir::Type result = getMlirType(e.builder.getContext(), type);
  if (v.type.isScalar())
    return {tile::SplatOp::create(e.builder, e.loc(), result, v.value), type};
  return {tile::ReshapeOp::create(e.builder, e.loc(), result, v.value, allowReorder), type};
}

LogicalResult checkPure(Emitter &e, Block &body, SourceRange range) {
  for (Operation &op : body) {
    if (isMemoryEffectFree(&op))
      continue;
    // Of a branch, name the op inside it.
    Operation *guilty = &op;
    op.walk([&](Operation *inner) {
      if (inner->getNumRegions() || isMemoryEffectFree(inner))
        return WalkResult::advance();
      guilty = inner;
      return WalkResult::interrupt();
    });
    auto place = LocationAttr(guilty->getLoc()).findInstanceOf<FileLineColLoc>();
    std::string where = place ? " in line " + std::to_string(place.getLine()) : "";
    return e.services.error(range,
                            "the function may only compute with its arguments, but it loads, "
                            "stores, prints, asserts or runs assembly that is not pure" +
                                where + "; do that outside of it");
  }
  return success();
}

TensorValue extractSingle(Emitter &e, const TensorValue &v) {
  if (v.type.isScalar())
    return v;
  TensorValue flat = reshapeTo(e, v, {1});
  mlir::Type element = getMlirType(e.builder.getContext(), v.type.dtype);
  // It has one element, so the region never runs and may yield either side.
  auto reduce = tile::ReduceOp::create(e.builder, e.loc(), mlir::TypeRange(element),
                                       mlir::ValueRange(flat.value), 0u);
  OpBuilder::InsertionGuard guard(e.builder);
  mlir::Location loc = e.loc();
  Block *block = e.builder.createBlock(&reduce.getCombine(), {}, {element, element}, {loc, loc});
  tile::YieldOp::create(e.builder, loc, mlir::ValueRange(block->getArgument(0)));
  return {reduce.getResult(0), TensorType{v.type.dtype, {}}};
}

FailureOr<Shape> broadcastShapes(Emitter &e, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Shape out;
  size_t rank = std::max(a.size(), b.size());
  for (size_t i = 0; i < rank; ++i) {
    int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    int64_t y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (x != y && x != 1 && y != 1)
      return e.error("cannot broadcast shapes " + shapeString(a) + " and " + shapeString(b) +
                     ": dimension " + Twine(i) + " is " + Twine(x) + " in one and " + Twine(y) +
                     " in the other; sizes must be equal or 1");
    out.push_back(std::max(x, y));
  }
  if (std::string excess = findExcess(out); !excess.empty())
    return e.error("broadcasting " + shapeString(a) + " and " + shapeString(b) +
                   " gives a tensor of " + excess + "; use smaller blocks");
  return out;
}

TensorOr broadcastTo(Emitter &e, const TensorValue &v, llvm::ArrayRef<int64_t> shape) {
  if (v.type.shape == Shape(shape))
    return v;
  FailureOr<Shape> common = broadcastShapes(e, v.type.shape, shape);
  if (failed(common))
    return failure();
  if (*common != Shape(shape))
    return e.error("cannot broadcast a value of shape " + shapeString(v.type.shape) + " to " +
                   shapeString(shape));
  TensorType type{v.type.dtype, Shape(shape)};
  mlir::Type result = getMlirType(e.builder.getContext(), type);
  if (v.type.isScalar())
    return TensorValue{tile::SplatOp::create(e.builder, e.loc(), result, v.value), type};
  TensorValue padded = v;
  while (padded.type.shape.size() < shape.size())
    padded = expandDims(e, padded, 0);
  if (padded.type.shape == Shape(shape))
    return padded;
  return TensorValue{tile::BroadcastOp::create(e.builder, e.loc(), result, padded.value), type};
}

LogicalResult broadcastTogether(Emitter &e, MutableArrayRef<TensorValue> values) {
  Shape shape;
  for (const TensorValue &v : values) {
    FailureOr<Shape> common = broadcastShapes(e, shape, v.type.shape);
    if (failed(common))
      return failure();
    shape = *common;
  }
  for (TensorValue &v : values) {
    TensorOr wide = broadcastTo(e, v, shape);
    if (failed(wide))
      return failure();
    v = *wide;
  }
  return success();
}

arith::FastMathFlags fastFlags(DType type) {
  return type == dtype(Scalar::F32) ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
}

void markOverflow(Emitter &e, mlir::Value v, DType type) {
  if (!type.isInt() || type.isBool() || e.services.getOption("debug") == 0)
    return;
  if (Operation *op = v.getDefiningOp())
    op->setAttr(type.isSigned() ? tile::TileDialect::kSignedAttr : tile::TileDialect::kUnsignedAttr,
                e.builder.getUnitAttr());
}

} // namespace tilerun::lang

// Conversions between element types, and between compile-time and run-time values.
#include "frontend/lang/Emit.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
bool isStandardFloat(DType type) { return type.isFloat() && !type.isFp8(); }

mlir::Type typeLike(Emitter &e, const TensorValue &v, DType to) {
  return getMlirType(e.builder.getContext(), TensorType{to, v.type.shape});
}

TensorValue result(const TensorValue &v, DType to, mlir::Value value) {
  return {value, TensorType{to, v.type.shape}};
}

/// Float to float.
TensorValue convertFloat(Emitter &e, const TensorValue &v, DType to, tile::RoundingMode rounding) {
  DType from = v.type.dtype;
  mlir::Type type = typeLike(e, v, to);
  if (!isStandardFloat(from) || !isStandardFloat(to))
    return result(v, to, tile::FpCastOp::create(e.builder, e.loc(), type, v.value, rounding));
  if (to.getBits() > from.getBits())
    return result(v, to, arith::ExtFOp::create(e.builder, e.loc(), type, v.value));
  if (to.getBits() == from.getBits()) // float16 and bfloat16
    return convertFloat(e, convertFloat(e, v, dtype(Scalar::F32), rounding), to, rounding);
  if (rounding != tile::RoundingMode::NearestEven)
    return result(v, to, tile::FpCastOp::create(e.builder, e.loc(), type, v.value, rounding));
  return result(v, to, arith::TruncFOp::create(e.builder, e.loc(), type, v.value));
}

TensorValue convertInt(Emitter &e, const TensorValue &v, DType to) {
  DType from = v.type.dtype;
  if (from.getBits() == to.getBits())
    return result(v, to, v.value);
  mlir::Type type = typeLike(e, v, to);
  if (to.getBits() < from.getBits())
    return result(v, to, arith::TruncIOp::create(e.builder, e.loc(), type, v.value));
  if (from.isSigned())
    return result(v, to, arith::ExtSIOp::create(e.builder, e.loc(), type, v.value));
  return result(v, to, arith::ExtUIOp::create(e.builder, e.loc(), type, v.value));
}

TensorValue isNonZero(Emitter &e, const TensorValue &v) {
  DType boolType = dtype(Scalar::Int1), from = v.type.dtype;
  TensorValue zero = makeConstant(e, v.type, Literal(PyInt(0)));
  if (from.isInt())
    return result(
        v, boolType,
        arith::CmpIOp::create(e.builder, e.loc(), arith::CmpIPredicate::ne, v.value, zero.value));
  return result(
      v, boolType,
      arith::CmpFOp::create(e.builder, e.loc(), arith::CmpFPredicate::UNE, v.value, zero.value));
}

/// Same bits under another type; null if the widths differ.
std::optional<TensorValue> bitcastTo(Emitter &e, const TensorValue &v, DType to) {
  DType from = v.type.dtype;
  if (from.getBits() != to.getBits())
    return std::nullopt;
  mlir::Type type = typeLike(e, v, to);
  if (type == v.value.getType())
    return result(v, to, v.value);
  if (from.isPointer() && to.isPointer())
    return result(v, to, tile::BitcastOp::create(e.builder, e.loc(), type, v.value));
  if (from.isPointer() || to.isPointer()) {
    DType wide = dtype(Scalar::Int64);
    TensorValue bits = from.isPointer() ? convert(e, v, wide) : *bitcastTo(e, v, wide);
    return to.isPointer() ? convert(e, bits, to) : bitcastTo(e, bits, to);
  }
  if (from.scalar == Scalar::F8E4B15 || to.scalar == Scalar::F8E4B15)
    return result(v, to, tile::BitcastOp::create(e.builder, e.loc(), type, v.value));
  return result(v, to, arith::BitcastOp::create(e.builder, e.loc(), type, v.value));
}

/// A compile-time number as a constant of `to`; none where only a run-time conversion will do.
std::optional<TensorValue> castLiteral(Emitter &e, const Literal &literal, DType to) {
  if (to.isPointer() || !getLiteralType(literal))
    return std::nullopt;
  if (auto *value = std::get_if<double>(&literal)) {
    if (to.isInt() && !to.isBool() &&
        !(*value > static_cast<double>(getMinInt(to)) - 1 &&
          *value < static_cast<double>(getMaxInt(to)) + 1))
      return std::nullopt;
    // A literal is a float32 first, as everywhere else in the language.
    if (*getLiteralType(literal) == dtype(Scalar::F32))
      return makeConstant(e, to, Literal(static_cast<double>(static_cast<float>(*value))));
  }
  return makeConstant(e, to, literal);
}
} // namespace

TensorValue convert(Emitter &e, const TensorValue &v, DType to, tile::RoundingMode rounding) {
  DType from = v.type.dtype;
  if (from == to)
    return result(v, to, v.value);
  if (typeLike(e, v, to) == v.value.getType() && from.isPointer())
    return result(v, to, v.value);
  if (from.isPointer() && to.isPointer())
    return result(v, to, tile::BitcastOp::create(e.builder, e.loc(), typeLike(e, v, to), v.value));
  if (from.isPointer()) {
    TensorValue bits =
        result(v, dtype(Scalar::Int64),
               tile::PtrToIntOp::create(e.builder, e.loc(), typeLike(e, v, dtype(Scalar::Int64)),
                                        v.value));
    return convert(e, bits, to);
  }
  if (to.isPointer()) {
    TensorValue bits = convert(e, v, dtype(Scalar::Int64));
    return result(v, to,
                  tile::IntToPtrOp::create(e.builder, e.loc(), typeLike(e, v, to), bits.value));
  }
  // Arithmetic on 8-bit floats goes through float32.
  if (from.isFp8() && !to.isFloat())
    return convert(e, convert(e, v, dtype(Scalar::F32)), to);
  if (to.isBool())
    return isNonZero(e, v);
  if (from.isFloat() && to.isFloat())
    return convertFloat(e, v, to, rounding);
  if (from.isInt() && to.isInt())
    return convertInt(e, v, to);
  mlir::Type type = typeLike(e, v, to);
  if (from.isFloat()) {
    if (to.isSigned())
      return result(v, to, arith::FPToSIOp::create(e.builder, e.loc(), type, v.value));
    return result(v, to, arith::FPToUIOp::create(e.builder, e.loc(), type, v.value));
  }
  if (to.isFp8())
    return convert(e, convert(e, v, dtype(Scalar::F32)), to, rounding);
  if (from.isSigned())
    return result(v, to, arith::SIToFPOp::create(e.builder, e.loc(), type, v.value));
  return result(v, to, arith::UIToFPOp::create(e.builder, e.loc(), type, v.value));
}

TensorOr toTensor(Emitter &e, const Value &v) {
  if (auto *tensor = v.getIf<TensorValue>())
    return *tensor;
  std::optional<Literal> literal = getLiteral(v);
  if (!literal)
    return e.error("expected a number or a tensor, but got " + v.describe());
  TypeOrError type = getLiteralType(*literal);
  if (!type)
    return e.error(type.error);
  return makeConstant(e, *type, *literal);
}

TensorOr cast(Emitter &e, const Value &v, DType to, bool bitcast, StringRef rounding) {
  if (to.scalar == Scalar::Void && !to.isPointer())
    return e.error("cannot cast " + v.describe() + " to void");
  std::optional<tile::RoundingMode> mode = tile::RoundingMode::NearestEven;
  if (!rounding.empty()) {
    mode = tile::symbolizeRoundingMode(rounding);
    if (!mode)
      return e.error("unknown rounding '" + rounding + "'; use 'rtne' or 'rtz'");
  }
  std::optional<Literal> literal = getLiteral(v);
  if (literal && !bitcast && rounding.empty())
    if (std::optional<TensorValue> constant = castLiteral(e, *literal, to))
      return *constant;
  TensorOr tensor = toTensor(e, v);
  if (failed(tensor))
    return failure();
  DType from = tensor->type.dtype;
  // A rounding mode without a conversion is ignored: kernels name one whatever type a pointer has.
  if (!rounding.empty() && from != to &&
      !(from.isFloat() && to.isFloat() && to.getBits() < from.getBits()))
    return e.error("fp_downcast_rounding is for conversions to a narrower float, but this one is "
                   "from " +
                   from.str() + " to " + to.str() + "; leave it out");
  if (bitcast) {
    if (std::optional<TensorValue> cast = bitcastTo(e, *tensor, to))
      return *cast;
    return e.error("cannot bitcast " + from.str() + " (" + Twine(from.getBits()) + " bits) to " +
                   to.str() + " (" + Twine(to.getBits()) + " bits): widths differ");
  }
  if (from.isPointer() && !to.isPointer() && !to.isBool() && !(to.isInt() && to.getBits() == 64))
    return e.error("cannot cast " + from.str() + " to " + to.str() +
                   "; an address needs int64 or uint64");
  if (to.isPointer() && from.isFloat())
    return e.error("cannot cast " + from.str() + " to " + to.str() +
                   "; only integers hold addresses");
  if ((from.isFp8() && to.isInt()) || (from.isInt() && to.isFp8()))
    return e.error("cannot cast " + from.str() + " to " + to.str() +
                   "; convert to float32 in between, or use bitcast=True");
  return convert(e, *tensor, to, *mode);
}

FailureOr<mlir::Value> condition(Emitter &e, const Value &v, StringRef construct) {
  TensorOr tensor = toTensor(e, v);
  if (failed(tensor))
    return failure();
  if (tensor->type.numElements() != 1)
    return e.error("the condition of " + construct + " must be one value, but it is " +
                   v.describe() + "; combine tensors with '&', '|', tl.where, or reduce them");
  TensorValue truth = convert(e, *tensor, dtype(Scalar::Int1));
  return extractSingle(e, truth).value;
}

} // namespace tilerun::lang

// Making tensors: ranges, constants, conversions.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
Result emitArange(Emitter &e, const Arguments &args) {
  FailureOr<int64_t> start = getInt(e, args, 0, INT32_MIN, INT32_MAX);
  if (failed(start))
    return failure();
  FailureOr<int64_t> end = getInt(e, args, 1, INT32_MIN, INT32_MAX);
  if (failed(end))
    return failure();
  int64_t size = *end - *start;
  if (size <= 0)
    return argError(e, args, 1,
                    "must be greater than 'start', but the range is [" + Twine(*start) + ", " +
                        Twine(*end) + ")");
  if (size > kMaxTensorElements)
    return callError(e, args,
                     "the range has " + Twine(size) + " elements, more than " +
                         Twine(kMaxTensorElements) + "; use smaller blocks");
  TensorType type{dtype(Scalar::Int32), {size}};
  return Value(TensorValue{
      tile::MakeRangeOp::create(e.builder, e.loc(), getMlirType(e.builder.getContext(), type),
                                static_cast<uint32_t>(*start), static_cast<uint32_t>(*end)),
      type});
}

Result fill(Emitter &e, llvm::ArrayRef<int64_t> shape, const Value &value, DType type,
            const Arguments &args) {
  std::optional<Literal> literal = getLiteral(value);
  if (literal && !type.isPointer()) {
    TypeOrError own = getLiteralType(*literal);
    if (!own)
      return callError(e, args, own.error);
    bool isFloatToInt = std::holds_alternative<double>(*literal) && type.isInt();
    if (!isFloatToInt)
      return Value(makeConstant(e, TensorType{type, Shape(shape)}, *literal));
  }
  TensorOr scalar = cast(e, value, type);
  if (failed(scalar))
    return failure();
  if (scalar->type.numElements() != 1)
    return callError(e, args,
                     "the fill value must be one number, but it is " + value.describe() +
                         "; use tl.broadcast_to for tensors");
  TensorOr out = broadcastTo(e, extractSingle(e, *scalar), shape);
  if (failed(out))
    return failure();
  return Value(*out);
}

Result checkElementType(Emitter &e, const Arguments &args, size_t i, DType type) {
  if (type.scalar == Scalar::Void)
    return argError(e, args, i, "is void; tensors need a number or pointer type");
  return Value(type);
}

Result emitFull(Emitter &e, const Arguments &args) {
  FailureOr<Shape> shape = getShape(e, args, 0);
  if (failed(shape))
    return failure();
  FailureOr<DType> type = getDType(e, args, 2);
  if (failed(type) || failed(checkElementType(e, args, 2, *type)))
    return failure();
  return fill(e, *shape, args[1], *type, args);
}

Result emitZeros(Emitter &e, const Arguments &args) {
  FailureOr<Shape> shape = getShape(e, args, 0);
  if (failed(shape))
    return failure();
  FailureOr<DType> type = getDType(e, args, 1);
  if (failed(type) || failed(checkElementType(e, args, 1, *type)))
    return failure();
  return fill(e, *shape, Value::integer(0), *type, args);
}

Result emitCast(Emitter &e, const Arguments &args) {
  FailureOr<DType> type = getDType(e, args, 1);
  if (failed(type))
    return failure();
  FailureOr<std::string> rounding = getString(e, args, 2);
  if (failed(rounding))
    return failure();
  FailureOr<bool> bitcast = getBool(e, args, 3);
  if (failed(bitcast))
    return failure();
  if (!getOperand(args[0]))
    return argError(e, args, 0,
                    "must be a tensor or a number, but it is " + describeNonTensor(args[0]));
  TensorOr out = cast(e, args[0], *type, *bitcast, *rounding);
  if (failed(out))
    return failure();
  return Value(*out);
}

Result emitToTensor(Emitter &e, const Arguments &args) {
  TensorOr out = getTensor(e, args, 0);
  if (failed(out))
    return failure();
  return Value(*out);
}

const Builtin kRows[] = {
    {"arange", kTl, "start, end", "The integers [start, end) as an int32 tensor.", emitArange},
    {"full", kTl, "shape, value, dtype",
     "A tensor of the given shape with every element equal to `value`.", emitFull},
    {"zeros", kTl, "shape, dtype", "A tensor of zeros.", emitZeros},
    {"cast", kTl, "input, dtype, fp_downcast_rounding=None, bitcast=False",
     "Converts to a dtype. Floats round to nearest even, or toward zero with "
     "`fp_downcast_rounding=\"rtz\"`; 8-bit floats saturate. `bitcast` keeps the bits.",
     emitCast, true},
    {"to", "triton.language.tensor", "self, dtype, fp_downcast_rounding=None, bitcast=False",
     "As `tl.cast`, as a method.", emitCast, true},
    {"to_tensor", kTl, "x", "A compile-time number as a run-time scalar.", emitToTensor},
};
} // namespace

void addCreationOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang

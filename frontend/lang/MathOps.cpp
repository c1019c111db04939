// Mathematical functions of one operand, in the language's fast form for float32.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
/// A float32 or float64 operand.
TensorOr getFloat(Emitter &e, const Arguments &args, size_t i, bool float32Only = false) {
  TensorOr v = getTensor(e, args, i);
  if (failed(v))
    return failure();
  DType type = v->type.dtype;
  if (type == dtype(Scalar::F32) || (!float32Only && type == dtype(Scalar::F64)))
    return v;
  return argError(e, args, i,
                  "must be float32" + std::string(float32Only ? "" : " or float64") +
                      ", but it is " + args[i].describe() + "; cast with .to(tl.float32)");
}

/// `Fast`: float32 takes the approximate form.
template <typename Op, bool Fast, bool Float32Only = false>
Result emitUnary(Emitter &e, const Arguments &args) {
  TensorOr v = getFloat(e, args, 0, Float32Only);
  if (failed(v))
    return failure();
  auto flags = Fast ? fastFlags(v->type.dtype) : arith::FastMathFlags::none;
  return Value(TensorValue{Op::create(e.builder, e.loc(), v->value, flags), v->type});
}
} // namespace

TensorValue emitAbs(Emitter &e, const TensorValue &v) {
  DType type = v.type.dtype;
  if (type.isUnsigned())
    return v;
  if (type.isFp8())
    return convert(e, emitAbs(e, convert(e, v, dtype(Scalar::F32))), type);
  if (type.isFloat())
    return {math::AbsFOp::create(e.builder, e.loc(), v.value), v.type};
  return {math::AbsIOp::create(e.builder, e.loc(), v.value), v.type};
}

Result emitAbsOf(Emitter &e, const Arguments &args) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  if (v->type.dtype.isPointer())
    return argError(e, args, 0, "must be a number, but it is " + args[0].describe());
  return Value(emitAbs(e, *v));
}

namespace {
const Builtin kRows[] = {
    {"abs", kTl, "x", "Absolute value.", emitAbsOf, true},
    {"exp", kTl, "x", "`e` to the power of x. Fast form for float32.", emitUnary<math::ExpOp, true>,
     true},
    {"exp2", kTl, "x", "2 to the power of x. Fast form for float32.", emitUnary<math::Exp2Op, true>,
     true},
    {"log", kTl, "x", "Natural logarithm.", emitUnary<math::LogOp, false>, true},
    {"log2", kTl, "x", "Logarithm to base 2.", emitUnary<math::Log2Op, false>, true},
    {"sin", kTl, "x", "Sine.", emitUnary<math::SinOp, false>, true},
    {"cos", kTl, "x", "Cosine.", emitUnary<math::CosOp, false>, true},
    {"sqrt", kTl, "x", "Square root. Fast form for float32.", emitUnary<math::SqrtOp, true>, true},
    {"sqrt_rn", kTl, "x", "float32 square root, correctly rounded.",
     emitUnary<math::SqrtOp, false, true>, true},
    {"rsqrt", kTl, "x", "One over the square root. Fast form for float32.",
     emitUnary<math::RsqrtOp, true>, true},
    {"erf", kTl, "x", "Error function.", emitUnary<math::ErfOp, false>, true},
    {"floor", kTl, "x", "The next integer below, as a float.", emitUnary<math::FloorOp, false>,
     true},
    {"ceil", kTl, "x", "The next integer above, as a float.", emitUnary<math::CeilOp, false>, true},
};
} // namespace

void addMathOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang

// Functions of `triton.language.extra.libdevice`: the accurate forms, on any target. Names that
// begin with `fast_` are the approximate forms.
#include "frontend/lang/Libdevice.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

/// Operands of float32 or float64, brought to one type and shape.
FailureOr<SmallVector<TensorValue>> getFloats(Emitter &e, const Arguments &args, size_t count,
                                              bool float32Only) {
  FailureOr<DType> type = promoteAll(e, args, count);
  if (failed(type))
    return failure();
  if (*type != dtype(Scalar::F32) && (float32Only || *type != dtype(Scalar::F64)))
    return callError(e, args,
                     "needs float32" + std::string(float32Only ? "" : " or float64") +
                         ", but got " + type->str() + "; cast with .to(tl.float32)");
  return convertAll(e, args, count, *type);
}

TensorOr getTensorOf(Emitter &e, const Arguments &args, Scalar wanted) {
  TensorOr v = getTensor(e, args, 0);
  if (succeeded(v) && v->type.dtype != dtype(wanted))
    return argError(e, args, 0,
                    "must be " + dtype(wanted).str() + ", but it is " + args[0].describe());
  return v;
}

namespace {
TensorValue constantLike(Emitter &e, const TensorValue &v, double value) {
  return makeConstant(e, v.type, Literal(value));
}

template <typename Op, bool Fast = false> Result emitUnary(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1, Fast);
  if (failed(in))
    return failure();
  TensorValue v = (*in)[0];
  auto flags = Fast ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  return Value(TensorValue{Op::create(e.builder, e.loc(), v.value, flags), v.type});
}

/// The fast form on float32, which is as good as an accurate one has to be.
template <typename Op> Result emitClose(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue v = (*in)[0];
  return Value(
      TensorValue{Op::create(e.builder, e.loc(), v.value, fastFlags(v.type.dtype)), v.type});
}

template <typename Op, bool Fast = false> Result emitBinary(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 2, Fast);
  if (failed(in))
    return failure();
  auto flags = Fast ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  return Value(TensorValue{Op::create(e.builder, e.loc(), (*in)[0].value, (*in)[1].value, flags),
                           (*in)[0].type});
}

Result emitFma(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 3);
  if (failed(in))
    return failure();
  return Value(TensorValue{
      math::FmaOp::create(e.builder, e.loc(), (*in)[0].value, (*in)[1].value, (*in)[2].value),
      (*in)[0].type});
}

/// x ± y that no backend may fuse with a product: 1 · x ± y as an fma, rounded once as the sum is.
template <int Sign> Result emitSum(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 2);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0], y = (*in)[1], sign = constantLike(e, y, Sign);
  return Value(
      TensorValue{math::FmaOp::create(e.builder, e.loc(), y.value, sign.value, x.value), x.type});
}

/// x · y likewise, as x · y + -0.
Result emitProduct(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 2);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0], y = (*in)[1], zero = constantLike(e, x, -0.0);
  return Value(
      TensorValue{math::FmaOp::create(e.builder, e.loc(), x.value, y.value, zero.value), x.type});
}

/// isnan, isinf, isfinite.
template <typename Op> Result emitTest(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  return fromTensor(Op::create(e.builder, e.loc(), (*in)[0].value), dtype(Scalar::Int1),
                    (*in)[0].type.shape);
}

Result emitSignbit(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue v = (*in)[0];
  DType bits = dtype(v.type.dtype.getBits() == 64 ? Scalar::Int64 : Scalar::Int32);
  TensorOr cast = lang::cast(e, Value(v), bits, /*bitcast=*/true);
  TensorValue zero = makeConstant(e, cast->type, Literal(PyInt(0)));
  TensorValue negative{
      arith::CmpIOp::create(e.builder, e.loc(), arith::CmpIPredicate::slt, cast->value, zero.value),
      TensorType{dtype(Scalar::Int1), v.type.shape}};
  return Value(convert(e, negative, dtype(Scalar::Int32)));
}

/// x · scale through 10^x = 2^(x · log2 10) and the like.
template <bool Fast> Result emitExp10(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1, Fast);
  if (failed(in))
    return failure();
  TensorValue v = (*in)[0];
  if (!Fast) {
    TensorValue ten = constantLike(e, v, 10.0);
    return Value(TensorValue{math::PowFOp::create(e.builder, e.loc(), ten.value, v.value), v.type});
  }
  TensorValue scale = constantLike(e, v, 3.321928094887362);
  mlir::Value scaled = arith::MulFOp::create(e.builder, e.loc(), v.value, scale.value);
  return Value(TensorValue{
      math::Exp2Op::create(e.builder, e.loc(), scaled, arith::FastMathFlags::afn), v.type});
}

Result emitReciprocal(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue one = constantLike(e, (*in)[0], 1.0);
  return Value(TensorValue{arith::DivFOp::create(e.builder, e.loc(), one.value, (*in)[0].value),
                           (*in)[0].type});
}

Result emitSaturate(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1, /*float32Only=*/true);
  if (failed(in))
    return failure();
  TensorValue zero = constantLike(e, (*in)[0], 0.0), one = constantLike(e, (*in)[0], 1.0);
  TensorValue raised = emitExtremum(e, true, false, (*in)[0], zero);
  return Value(emitExtremum(e, false, false, raised, one));
}

Result emitFdim(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 2);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0], y = (*in)[1], zero = constantLike(e, x, 0.0);
  // A NaN operand gives NaN: x <= y is then false.
  mlir::Value difference = arith::SubFOp::create(e.builder, e.loc(), x.value, y.value);
  mlir::Value notGreater =
      arith::CmpFOp::create(e.builder, e.loc(), arith::CmpFPredicate::OLE, x.value, y.value);
  return Value(TensorValue{
      arith::SelectOp::create(e.builder, e.loc(), notGreater, zero.value, difference), x.type});
}

//===----------------------------------------------------------------------===//
// Integers and bits
//===----------------------------------------------------------------------===//

TensorOr getWideInt(Emitter &e, const Arguments &args, size_t i) {
  TensorOr v = getTensor(e, args, i);
  if (failed(v))
    return failure();
  if (!v->type.dtype.isInt() || v->type.dtype.getBits() < 32)
    return argError(e, args, i,
                    "must be an integer of 32 or 64 bits, but it is " + args[i].describe());
  return v;
}

/// Counts of bits are int32.
template <typename Op> Result emitCount(Emitter &e, const Arguments &args) {
  TensorOr v = getWideInt(e, args, 0);
  if (failed(v))
    return failure();
  TensorValue count{Op::create(e.builder, e.loc(), v->value), v->type};
  return Value(convert(e, count, dtype(Scalar::Int32)));
}

/// One plus the position of the lowest set bit; 0 if there is none.
Result emitFfs(Emitter &e, const Arguments &args) {
  TensorOr v = getWideInt(e, args, 0);
  if (failed(v))
    return failure();
  TensorValue zero = makeConstant(e, v->type, Literal(PyInt(0)));
  TensorValue one = makeConstant(e, v->type, Literal(PyInt(1)));
  mlir::Value trailing = math::CountTrailingZerosOp::create(e.builder, e.loc(), v->value);
  mlir::Value position = arith::AddIOp::create(e.builder, e.loc(), trailing, one.value);
  mlir::Value none =
      arith::CmpIOp::create(e.builder, e.loc(), arith::CmpIPredicate::eq, v->value, zero.value);
  TensorValue out{arith::SelectOp::create(e.builder, e.loc(), none, zero.value, position), v->type};
  return Value(convert(e, out, dtype(Scalar::Int32)));
}

Result emitMulhi(Emitter &e, const Arguments &args) {
  FailureOr<Operands> in =
      bringTogether(e, Combine::Arithmetic, displayName(*args.builtin), args[0], args[1]);
  if (failed(in))
    return failure();
  DType type = in->lhs.type.dtype;
  if (!type.isInt() || type.getBits() < 32)
    return callError(e, args, "needs integers of 32 or 64 bits, but got " + type.str());
  mlir::Value l = in->lhs.value, r = in->rhs.value, high;
  if (type.isSigned())
    high = arith::MulSIExtendedOp::create(e.builder, e.loc(), l, r).getHigh();
  else
    high = arith::MulUIExtendedOp::create(e.builder, e.loc(), l, r).getHigh();
  return Value(TensorValue{high, in->lhs.type});
}

template <Scalar From, Scalar To> Result emitBits(Emitter &e, const Arguments &args) {
  TensorOr v = getTensorOf(e, args, From);
  if (failed(v))
    return failure();
  TensorOr out = cast(e, Value(*v), dtype(To), /*bitcast=*/true);
  if (failed(out))
    return failure();
  return Value(*out);
}

enum class Rounding { Nearest, Zero, Down, Up };

template <Scalar From, Scalar To, Rounding R>
Result emitRounded(Emitter &e, const Arguments &args) {
  TensorOr v = getTensorOf(e, args, From);
  if (failed(v))
    return failure();
  TensorValue whole = *v;
  if (dtype(From).isFloat() && dtype(To).isInt()) {
    if (R == Rounding::Nearest)
      whole.value = math::RoundEvenOp::create(e.builder, e.loc(), v->value);
    if (R == Rounding::Down)
      whole.value = math::FloorOp::create(e.builder, e.loc(), v->value);
    if (R == Rounding::Up)
      whole.value = math::CeilOp::create(e.builder, e.loc(), v->value);
  }
  auto mode =
      R == Rounding::Zero ? tile::RoundingMode::TowardZero : tile::RoundingMode::NearestEven;
  return Value(convert(e, whole, dtype(To), mode));
}

/// A float rounded to an integer type.
template <typename Op> Result emitToInt64(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue whole{Op::create(e.builder, e.loc(), (*in)[0].value), (*in)[0].type};
  return Value(convert(e, whole, dtype(Scalar::Int64)));
}

constexpr StringLiteral kOne{"arg0"}, kTwo{"arg0, arg1"}, kThree{"arg0, arg1, arg2"};

#define UNARY(Name, Doc, ...) {Name, kLibdevice, kOne, Doc, __VA_ARGS__}
#define BINARY(Name, Doc, ...) {Name, kLibdevice, kTwo, Doc, __VA_ARGS__}
#define TO_INT(Prefix, From, To)                                                                   \
  UNARY(Prefix "_rn", "Conversion, rounded to nearest even.",                                      \
        emitRounded<Scalar::From, Scalar::To, Rounding::Nearest>),                                 \
      UNARY(Prefix "_rz", "Conversion, rounded toward zero.",                                      \
            emitRounded<Scalar::From, Scalar::To, Rounding::Zero>),                                \
      UNARY(Prefix "_rd", "Conversion, rounded down.",                                             \
            emitRounded<Scalar::From, Scalar::To, Rounding::Down>),                                \
      UNARY(Prefix "_ru", "Conversion, rounded up.",                                               \
            emitRounded<Scalar::From, Scalar::To, Rounding::Up>)
#define TO_FLOAT(Prefix, From, To)                                                                 \
  UNARY(Prefix "_rn", "Conversion, rounded to nearest even.",                                      \
        emitRounded<Scalar::From, Scalar::To, Rounding::Nearest>)

const Builtin kRows[] = {
    UNARY("abs", "Absolute value.", emitAbsOf),
    UNARY("acos", "Arc cosine.", emitUnary<math::AcosOp>),
    UNARY("acosh", "Inverse hyperbolic cosine.", emitUnary<math::AcoshOp>),
    UNARY("asin", "Arc sine.", emitUnary<math::AsinOp>),
    UNARY("asinh", "Inverse hyperbolic sine.", emitUnary<math::AsinhOp>),
    UNARY("atan", "Arc tangent.", emitUnary<math::AtanOp>),
    UNARY("atanh", "Inverse hyperbolic tangent.", emitUnary<math::AtanhOp>),
    UNARY("cbrt", "Cube root.", emitUnary<math::CbrtOp>),
    UNARY("ceil", "The next integer above, as a float.", emitUnary<math::CeilOp>),
    UNARY("cos", "Cosine.", emitUnary<math::CosOp>),
    UNARY("cosh", "Hyperbolic cosine.", emitUnary<math::CoshOp>),
    UNARY("erf", "Error function.", emitUnary<math::ErfOp>),
    UNARY("erfc", "Complement of the error function.", emitUnary<math::ErfcOp>),
    UNARY("exp", "`e` to the power of x.", emitUnary<math::ExpOp>),
    UNARY("exp10", "10 to the power of x.", emitExp10<false>),
    UNARY("exp2", "2 to the power of x.", emitClose<math::Exp2Op>),
    UNARY("expm1", "`exp(x) - 1`.", emitUnary<math::ExpM1Op>),
    UNARY("floor", "The next integer below, as a float.", emitUnary<math::FloorOp>),
    UNARY("log", "Natural logarithm.", emitUnary<math::LogOp>),
    UNARY("log10", "Logarithm to base 10.", emitUnary<math::Log10Op>),
    UNARY("log1p", "`log(1 + x)`.", emitUnary<math::Log1pOp>),
    UNARY("log2", "Logarithm to base 2.", emitUnary<math::Log2Op>),
    UNARY("nearbyint", "Rounded to an integer, ties to even, as a float.",
          emitUnary<math::RoundEvenOp>),
    UNARY("rcp_rn", "`1 / x`, correctly rounded.", emitReciprocal),
    UNARY("rint", "Rounded to an integer, ties to even, as a float.", emitUnary<math::RoundEvenOp>),
    UNARY("round", "Rounded to an integer, ties away from zero, as a float.",
          emitUnary<math::RoundOp>),
    UNARY("rsqrt", "One over the square root.", emitClose<math::RsqrtOp>),
    UNARY("rsqrt_rn", "One over the square root.", emitUnary<math::RsqrtOp>),
    UNARY("saturatef", "float32 limited to [0, 1]; NaN gives 0.", emitSaturate),
    UNARY("sin", "Sine.", emitUnary<math::SinOp>),
    UNARY("sinh", "Hyperbolic sine.", emitUnary<math::SinhOp>),
    UNARY("sqrt", "Square root.", emitClose<math::SqrtOp>),
    UNARY("sqrt_rn", "Square root, correctly rounded.", emitUnary<math::SqrtOp>),
    UNARY("tan", "Tangent.", emitUnary<math::TanOp>),
    UNARY("tanh", "Hyperbolic tangent.", emitUnary<math::TanhOp>),
    UNARY("trunc", "Rounded toward zero to an integer, as a float.", emitUnary<math::TruncOp>),

    UNARY("fast_cosf", "Cosine, fast.", emitUnary<math::CosOp, true>),
    UNARY("fast_exp10f", "10 to the power of x, fast.", emitExp10<true>),
    UNARY("fast_expf", "`e` to the power of x, fast.", emitUnary<math::ExpOp, true>),
    UNARY("fast_log10f", "Logarithm to base 10, fast.", emitUnary<math::Log10Op, true>),
    UNARY("fast_log2f", "Logarithm to base 2, fast.", emitUnary<math::Log2Op, true>),
    UNARY("fast_logf", "Natural logarithm, fast.", emitUnary<math::LogOp, true>),
    UNARY("fast_sinf", "Sine, fast.", emitUnary<math::SinOp, true>),
    UNARY("fast_tanf", "Tangent, fast.", emitUnary<math::TanOp, true>),
    UNARY("fast_tanhf", "Hyperbolic tangent, fast.", emitUnary<math::TanhOp, true>),
    BINARY("fast_dividef", "float32 division, fast.", emitBinary<arith::DivFOp, true>),
    BINARY("fast_powf", "x to the power of y, fast.", emitBinary<math::PowFOp, true>),

    UNARY("finitef", "Whether x is finite, as int1.", emitTest<math::IsFiniteOp>),
    UNARY("isfinited", "Whether x is finite, as int1.", emitTest<math::IsFiniteOp>),
    UNARY("isinf", "Whether x is infinite, as int1.", emitTest<math::IsInfOp>),
    UNARY("isnan", "Whether x is NaN, as int1.", emitTest<math::IsNaNOp>),
    UNARY("signbit", "1 if the sign bit is set, else 0, as int32.", emitSignbit),

    BINARY("add_rn", "Sum, rounded to nearest even, never fused.", emitSum<1>),
    BINARY("atan2", "Angle of the point (y, x).", emitBinary<math::Atan2Op>),
    BINARY("copysign", "Magnitude of x with the sign of y.", emitBinary<math::CopySignOp>),
    BINARY("div_rn", "Quotient, correctly rounded.", emitBinary<arith::DivFOp>),
    BINARY("fdim", "`x - y` where positive, else 0.", emitFdim),
    BINARY("fmod", "Remainder with the sign of x.", emitBinary<arith::RemFOp>),
    BINARY("mul_rn", "Product, rounded to nearest even, never fused.", emitProduct),
    BINARY("pow", "x to the power of y.", emitBinary<math::PowFOp>),
    BINARY("sub_rn", "Difference, rounded to nearest even, never fused.", emitSum<-1>),
    {"fma", kLibdevice, kThree, "`x * y + z` with one rounding.", emitFma},
    {"fma_rn", kLibdevice, kThree, "`x * y + z` with one rounding.", emitFma},

    UNARY("clz", "Number of leading zero bits, as int32.", emitCount<math::CountLeadingZerosOp>),
    UNARY("popc", "Number of set bits, as int32.", emitCount<math::CtPopOp>),
    UNARY("ffs", "One plus the position of the lowest set bit, or 0.", emitFfs),
    BINARY("mulhi", "The upper half of the product of two integers.", emitMulhi),
    UNARY("int_as_float", "Bits of an int32 as float32.", emitBits<Scalar::Int32, Scalar::F32>),
    UNARY("uint_as_float", "Bits of a uint32 as float32.", emitBits<Scalar::UInt32, Scalar::F32>),
    UNARY("float_as_int", "Bits of a float32 as int32.", emitBits<Scalar::F32, Scalar::Int32>),
    UNARY("float_as_uint", "Bits of a float32 as uint32.", emitBits<Scalar::F32, Scalar::UInt32>),
    UNARY("longlong_as_double", "Bits of an int64 as float64.",
          emitBits<Scalar::Int64, Scalar::F64>),
    UNARY("double_as_longlong", "Bits of a float64 as int64.",
          emitBits<Scalar::F64, Scalar::Int64>),
    UNARY("llrint", "Rounded to int64, ties to even.", emitToInt64<math::RoundEvenOp>),
    UNARY("llround", "Rounded to int64, ties away from zero.", emitToInt64<math::RoundOp>),

    TO_INT("float2int", F32, Int32),
    TO_INT("float2uint", F32, UInt32),
    TO_INT("float2ll", F32, Int64),
    TO_INT("float2ull", F32, UInt64),
    TO_INT("double2int", F64, Int32),
    TO_INT("double2uint", F64, UInt32),
    TO_INT("double2ll", F64, Int64),
    TO_INT("double2ull", F64, UInt64),
    TO_FLOAT("int2float", Int32, F32),
    TO_FLOAT("uint2float", UInt32, F32),
    TO_FLOAT("ll2float", Int64, F32),
    TO_FLOAT("ull2float", UInt64, F32),
    TO_FLOAT("int2double", Int32, F64),
    TO_FLOAT("uint2double", UInt32, F64),
    TO_FLOAT("ll2double", Int64, F64),
    TO_FLOAT("ull2double", UInt64, F64),
    TO_FLOAT("double2float", F64, F32),
    UNARY("double2float_rz", "Conversion, rounded toward zero.",
          emitRounded<Scalar::F64, Scalar::F32, Rounding::Zero>),
};
#undef UNARY
#undef BINARY
#undef TO_INT
#undef TO_FLOAT

//===----------------------------------------------------------------------===//
// triton.language.extra.cuda
//===----------------------------------------------------------------------===//

Result emitNumWarps(Emitter &e, const Arguments &) {
  return Value::integer(e.services.getOption("num_warps"));
}
Result emitNumThreads(Emitter &e, const Arguments &) {
  return Value::integer(e.services.getOption("num_warps") * 32);
}

const Builtin kCudaRows[] = {
    {"num_warps", "triton.language.extra.cuda", "", "Number of warps of a program.", emitNumWarps},
    {"num_threads", "triton.language.extra.cuda", "", "Number of threads of a program.",
     emitNumThreads},
};
} // namespace

void addLibdevice(Rows &rows) {
  rows.insert(rows.end(), std::begin(kRows), std::end(kRows));
  addComposedLibdevice(rows);
  addBitLibdevice(rows);
  rows.insert(rows.end(), std::begin(kCudaRows), std::end(kCudaRows));
}

} // namespace tilerun::lang

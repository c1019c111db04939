// Functions of libdevice that no op stands for: ir/math/Composed.h says how they are composed.
#include "frontend/lang/Libdevice.h"
#include "ir/math/Composed.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
using mathx::Calculator;
using mathx::Int;
using mathx::Real;
namespace composed = mathx::composed;

template <auto Function> Result emitUnary(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0];
  Calculator c(e.builder, e.loc(), x.value.getType());
  return Value(TensorValue{Function(c.real(x.value)).v, x.type});
}

template <auto Function> Result emitBinary(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 2);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0];
  Calculator c(e.builder, e.loc(), x.value.getType());
  return Value(TensorValue{Function(c.real(x.value), c.real((*in)[1].value)).v, x.type});
}

/// Norms of two to four numbers.
template <auto Function, size_t Count> Result emitNorm(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, Count);
  if (failed(in))
    return failure();
  TensorValue first = (*in)[0];
  Calculator c(e.builder, e.loc(), first.value.getType());
  SmallVector<Real> x;
  for (const TensorValue &value : *in)
    x.push_back(c.real(value.value));
  return Value(TensorValue{Function(x).v, first.type});
}

DType integerOf(DType type) { return dtype(type.getBits() == 64 ? Scalar::Int64 : Scalar::Int32); }

/// x · 2^n.
Result emitLdexp(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0];
  TensorOr n = getTensor(e, args, 1);
  if (failed(n))
    return failure();
  if (!n->type.dtype.isInt() || n->type.dtype.getBits() > 32)
    return argError(e, args, 1,
                    "must be an integer of at most 32 bits, but it is " + args[1].describe());
  FailureOr<Shape> shape = broadcastShapes(e, x.type.shape, n->type.shape);
  if (failed(shape))
    return failure();
  TensorOr number = broadcastTo(e, x, *shape);
  TensorOr power = broadcastTo(e, convert(e, *n, integerOf(x.type.dtype)), *shape);
  if (failed(number) || failed(power))
    return failure();
  Calculator c(e.builder, e.loc(), number->value.getType());
  Real result = composed::ldexp(c.real(number->value), Int{&c, power->value});
  return Value(TensorValue{result.v, number->type});
}

Result emitIlogb(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 1);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0];
  Calculator c(e.builder, e.loc(), x.value.getType());
  TensorValue exponent{composed::ilogb(c.real(x.value)).v,
                       TensorType{integerOf(x.type.dtype), x.type.shape}};
  return Value(convert(e, exponent, dtype(Scalar::Int32)));
}

constexpr StringLiteral kOne{"arg0"}, kTwo{"arg0, arg1"}, kThree{"arg0, arg1, arg2"},
    kFour{"arg0, arg1, arg2, arg3"};

const Builtin kRows[] = {
    {"cospi", kLibdevice, kOne, "Cosine of π·x.", emitUnary<composed::cospi>},
    {"erfinv", kLibdevice, kOne, "Inverse of the error function.", emitUnary<composed::erfinv>},
    {"hypot", kLibdevice, kTwo, "`sqrt(x² + y²)` without overflow.", emitNorm<composed::norm, 2>},
    {"ilogb", kLibdevice, kOne, "The exponent of |x|, as int32.", emitIlogb},
    {"ldexp", kLibdevice, kTwo, "`x · 2ⁿ` with one rounding, for an integer n.", emitLdexp},
    {"logb", kLibdevice, kOne, "The exponent of |x|, as a float.", emitUnary<composed::logb>},
    {"nextafter", kLibdevice, kTwo, "The next number from x toward y.",
     emitBinary<composed::nextafter>},
    {"norm3d", kLibdevice, kThree, "`sqrt(x² + y² + z²)` without overflow.",
     emitNorm<composed::norm, 3>},
    {"norm4d", kLibdevice, kFour, "The root of the sum of four squares, without overflow.",
     emitNorm<composed::norm, 4>},
    {"normcdf", kLibdevice, kOne, "Cumulative distribution function of the normal distribution.",
     emitUnary<composed::normcdf>},
    {"rcbrt", kLibdevice, kOne, "One over the cube root.", emitUnary<composed::rcbrt>},
    {"remainder", kLibdevice, kTwo, "`x - n·y` with n the integer nearest to x / y, exactly.",
     emitBinary<composed::remainder>},
    {"rhypot", kLibdevice, kTwo, "`1 / sqrt(x² + y²)` without overflow.",
     emitNorm<composed::reciprocalNorm, 2>},
    {"rnorm3d", kLibdevice, kThree, "`1 / sqrt(x² + y² + z²)` without overflow.",
     emitNorm<composed::reciprocalNorm, 3>},
    {"rnorm4d", kLibdevice, kFour, "One over the root of the sum of four squares.",
     emitNorm<composed::reciprocalNorm, 4>},
    {"scalbn", kLibdevice, kTwo, "`x · 2ⁿ` with one rounding, for an integer n.", emitLdexp},
    {"sinpi", kLibdevice, kOne, "Sine of π·x.", emitUnary<composed::sinpi>},
};
} // namespace

void addComposedLibdevice(Rows &rows) {
  rows.insert(rows.end(), std::begin(kRows), std::end(kRows));
}

} // namespace tilerun::lang

// Functions of libdevice that no op stands for: ir/math/Composed.h says how they are composed.
#include "frontend/lang/Libdevice.h"
#include "ir/math/Composed.h"
#include "ir/math/Rounded.h"

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
  mathx::KeepRoundings rounded(e.builder);
  return Value(TensorValue{Function(c.real(x.value)).v, x.type});
}

template <auto Function> Result emitBinary(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, 2);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0];
  Calculator c(e.builder, e.loc(), x.value.getType());
  mathx::KeepRoundings rounded(e.builder);
  return Value(TensorValue{Function(c.real(x.value), c.real((*in)[1].value)).v, x.type});
}

/// Norms of two to four numbers.
template <auto Function, size_t Count> Result emitNorm(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, Count);
  if (failed(in))
    return failure();
  TensorValue first = (*in)[0];
  Calculator c(e.builder, e.loc(), first.value.getType());
  mathx::KeepRoundings rounded(e.builder);
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

/// Operations of one to three operands, rounded in a direction.
using composed::Direction;
template <auto Function, Direction D, size_t Count>
Result emitDirected(Emitter &e, const Arguments &args) {
  auto in = getFloats(e, args, Count);
  if (failed(in))
    return failure();
  TensorValue first = (*in)[0];
  Calculator c(e.builder, e.loc(), first.value.getType());
  mathx::KeepRoundings rounded(e.builder);
  auto x = [&](size_t i) { return c.real((*in)[i].value); };
  if constexpr (Count == 1)
    return Value(TensorValue{Function(x(0), D).v, first.type});
  else if constexpr (Count == 2)
    return Value(TensorValue{Function(x(0), x(1), D).v, first.type});
  else
    return Value(TensorValue{Function(x(0), x(1), x(2), D).v, first.type});
}

Real reciprocal(Real x, Direction direction) {
  return composed::divide(x.c->real(1), x, direction);
}

/// jn and yn, which the prelude has as functions of an int32 and a float of one shape.
Result callBessel(Emitter &e, const Arguments &args, StringRef function) {
  TensorOr n = getTensor(e, args, 0), x = getTensor(e, args, 1);
  if (failed(n) || failed(x))
    return failure();
  if (!n->type.dtype.isInt() || n->type.dtype.getBits() > 32)
    return argError(e, args, 0,
                    "must be an integer of at most 32 bits, but it is " + args[0].describe());
  if (x->type.dtype != dtype(Scalar::F32) && x->type.dtype != dtype(Scalar::F64))
    return argError(e, args, 1, "must be float32 or float64, but it is " + args[1].describe());
  FailureOr<Shape> shape = broadcastShapes(e, n->type.shape, x->type.shape);
  if (failed(shape))
    return failure();
  TensorOr order = broadcastTo(e, convert(e, *n, dtype(Scalar::Int32)), *shape);
  TensorOr number = broadcastTo(e, *x, *shape);
  if (failed(order) || failed(number))
    return failure();
  LoadedModule *prelude = e.services.getPrelude();
  const JitFunction *found = prelude ? prelude->findFunction(function) : nullptr;
  if (!found)
    return callError(e, args, "needs the language's prelude, which is not loaded");
  return e.services.call(Value(FunctionValue{found}), {Value(*order), Value(*number)}, e.range);
}
Result emitJn(Emitter &e, const Arguments &args) { return callBessel(e, args, "_bessel_jn"); }
Result emitYn(Emitter &e, const Arguments &args) { return callBessel(e, args, "_bessel_yn"); }

template <Direction D> Result emitNarrow(Emitter &e, const Arguments &args) {
  FailureOr<TensorValue> v = getTensorOf(e, args, Scalar::F64);
  if (failed(v))
    return failure();
  TensorType type{dtype(Scalar::F32), v->type.shape};
  Calculator wide(e.builder, e.loc(), v->value.getType());
  Calculator single(e.builder, e.loc(), getMlirType(e.builder.getContext(), type));
  return Value(TensorValue{composed::narrow(wide.real(v->value), single, D).v, type});
}

/// An integer as a float, rounded in a direction. 64 bits are the sum of two halves that are exact
/// as float64, rounded once; rounding in one direction twice, as to float32, equals rounding once.
template <Scalar From, Scalar To, Direction D>
Result emitFromInteger(Emitter &e, const Arguments &args) {
  TensorOr v = getTensorOf(e, args, From);
  if (failed(v))
    return failure();
  TensorType type{dtype(Scalar::F64), v->type.shape};
  Calculator c(e.builder, e.loc(), getMlirType(e.builder.getContext(), type));
  auto convertExactly = [&](mlir::Value part) {
    return c.real(convert(e, TensorValue{part, v->type}, type.dtype).value);
  };
  Real wide = convertExactly(v->value);
  if (v->type.dtype.getBits() == 64) {
    Int whole{&c, v->value};
    Int high = v->type.dtype.isSigned() ? shiftSigned(whole, 32) : whole >> 32;
    wide =
        composed::add(convertExactly(high.v) * 0x1p32, convertExactly((whole & 0xffffffffu).v), D);
  }
  if (To == Scalar::F64)
    return Value(TensorValue{wide.v, type});
  TensorType narrow{dtype(Scalar::F32), v->type.shape};
  Calculator single(e.builder, e.loc(), getMlirType(e.builder.getContext(), narrow));
  return Value(TensorValue{composed::narrow(wide, single, D).v, narrow});
}

/// The reciprocal of a float64 whose lower 32 bits count as zero, with its own lower 32 bits
/// cleared.
Result emitReciprocalOfHigh(Emitter &e, const Arguments &args) {
  FailureOr<TensorValue> v = getTensorOf(e, args, Scalar::F64);
  if (failed(v))
    return failure();
  Calculator c(e.builder, e.loc(), v->value.getType());
  auto high = [](Real x) { return fromBits(bits(x) & 0xffffffff00000000u); };
  return Value(TensorValue{high(1.0 / high(c.real(v->value))).v, v->type});
}

constexpr StringLiteral kOne{"arg0"}, kTwo{"arg0, arg1"}, kThree{"arg0, arg1, arg2"},
    kFour{"arg0, arg1, arg2, arg3"};

#define DIRECTED(Name, Doc, Function, Signature, Count)                                            \
  {Name "_rd", kLibdevice, Signature, Doc ", rounded down.",                                       \
   emitDirected<Function, Direction::Down, Count>},                                                \
      {Name "_ru", kLibdevice, Signature, Doc ", rounded up.",                                     \
       emitDirected<Function, Direction::Up, Count>},                                              \
  {                                                                                                \
    Name "_rz", kLibdevice, Signature, Doc ", rounded toward zero.",                               \
        emitDirected<Function, Direction::Zero, Count>                                             \
  }

#define FROM_INTEGER(Prefix, From, To)                                                             \
  {Prefix "_rd", kLibdevice, kOne, "Conversion, rounded down.",                                    \
   emitFromInteger<Scalar::From, Scalar::To, Direction::Down>},                                    \
      {Prefix "_ru", kLibdevice, kOne, "Conversion, rounded up.",                                  \
       emitFromInteger<Scalar::From, Scalar::To, Direction::Up>},                                  \
  {                                                                                                \
    Prefix "_rz", kLibdevice, kOne, "Conversion, rounded toward zero.",                            \
        emitFromInteger<Scalar::From, Scalar::To, Direction::Zero>                                 \
  }

const Builtin kRows[] = {
    FROM_INTEGER("int2float", Int32, F32),
    FROM_INTEGER("uint2float", UInt32, F32),
    FROM_INTEGER("ll2float", Int64, F32),
    FROM_INTEGER("ull2float", UInt64, F32),
    FROM_INTEGER("ll2double", Int64, F64),
    FROM_INTEGER("ull2double", UInt64, F64),
    DIRECTED("add", "Sum", composed::add, kTwo, 2),
    DIRECTED("div", "Quotient", composed::divide, kTwo, 2),
    DIRECTED("fma", "`x * y + z`", composed::multiplyAdd, kThree, 3),
    DIRECTED("mul", "Product", composed::multiply, kTwo, 2),
    DIRECTED("rcp", "`1 / x`", reciprocal, kOne, 1),
    DIRECTED("sqrt", "Square root", composed::squareRoot, kOne, 1),
    DIRECTED("sub", "Difference", composed::subtract, kTwo, 2),
    {"double2float_rd", kLibdevice, kOne, "Conversion, rounded down.", emitNarrow<Direction::Down>},
    {"double2float_ru", kLibdevice, kOne, "Conversion, rounded up.", emitNarrow<Direction::Up>},
    {"rcp64h", kLibdevice, kOne,
     "`1 / x` for float64, where the lower 32 bits of x and of the result are taken as 0.",
     emitReciprocalOfHigh},
    {"cyl_bessel_i0", kLibdevice, kOne, "Modified Bessel function of the first kind, order 0.",
     emitUnary<composed::i0>},
    {"cyl_bessel_i1", kLibdevice, kOne, "Modified Bessel function of the first kind, order 1.",
     emitUnary<composed::i1>},
    {"erfcinv", kLibdevice, kOne, "Inverse of the complement of the error function.",
     emitUnary<composed::erfcinv>},
    {"erfcx", kLibdevice, kOne, "`exp(x²) · erfc(x)`.", emitUnary<composed::erfcx>},
    {"j0", kLibdevice, kOne, "Bessel function of the first kind, order 0.",
     emitUnary<composed::j0>},
    {"j1", kLibdevice, kOne, "Bessel function of the first kind, order 1.",
     emitUnary<composed::j1>},
    {"jn", kLibdevice, kTwo,
     "Bessel function of the first kind, of an integer order n (NaN if negative) and x.", emitJn},
    {"lgamma", kLibdevice, kOne, "Logarithm of the gamma function's magnitude.",
     emitUnary<composed::lgamma>},
    {"normcdfinv", kLibdevice, kOne, "Inverse of normcdf.", emitUnary<composed::normcdfinv>},
    {"tgamma", kLibdevice, kOne, "Gamma function.", emitUnary<composed::tgamma>},
    {"y0", kLibdevice, kOne, "Bessel function of the second kind, order 0.",
     emitUnary<composed::y0>},
    {"y1", kLibdevice, kOne, "Bessel function of the second kind, order 1.",
     emitUnary<composed::y1>},
    {"yn", kLibdevice, kTwo,
     "Bessel function of the second kind, of an integer order n (NaN if negative) and x.", emitYn},
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
#undef DIRECTED
#undef FROM_INTEGER

/// Conversions of 8-bit floats that Triton spells out without instructions are casts here.
Result emitConvertFloat8(Emitter &e, const Arguments &args) {
  FailureOr<DType> to = getDType(e, args, 1);
  if (failed(to))
    return failure();
  FailureOr<std::string> rounding = getString(e, args, 2);
  if (failed(rounding))
    return failure();
  TensorOr from = getTensor(e, args, 0);
  if (failed(from))
    return failure();
  if (!from->type.dtype.isFloat() || !to->isFloat() || (!from->type.dtype.isFp8() && !to->isFp8()))
    return callError(e, args,
                     "converts floats from or to an 8-bit float, but got " +
                         from->type.dtype.str() + " to " + to->str() + "; use x.to(dtype)");
  TensorOr out = cast(e, Value(*from), *to, /*bitcast=*/false, *rounding);
  if (failed(out))
    return failure();
  return Value(*out);
}

constexpr StringLiteral kCuda{"triton.language.extra.cuda"};
const Builtin kCudaRows[] = {
    {"convert_custom_float8_sm70", kCuda, "arg, dst_ty, fp_downcast_rounding=None",
     "Conversion from or to an 8-bit float, as `arg.to(dst_ty)`.", emitConvertFloat8},
    {"convert_custom_float8_sm80", kCuda, "arg, dst_ty, fp_downcast_rounding=None",
     "Conversion from or to an 8-bit float, as `arg.to(dst_ty)`.", emitConvertFloat8},
};
} // namespace

void addComposedLibdevice(Rows &rows) {
  rows.insert(rows.end(), std::begin(kRows), std::end(kRows));
  rows.insert(rows.end(), std::begin(kCudaRows), std::end(kCudaRows));
}

} // namespace tilerun::lang

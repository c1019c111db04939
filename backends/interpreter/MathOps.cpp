// Mathematical functions on float32 and float64. float32 functions compute in float64 and round
// once, which makes them correctly rounded except for near-ties; exp, exp2, log and log2
// do so with polynomials that vectorize.
#include "backends/interpreter/ElementFn.h"
#include "backends/interpreter/FastMath.h"
#include "backends/interpreter/IntegerTypes.h"

#include <bit>
#include <cmath>

using namespace tilerun;
using namespace tilerun::interp;

namespace {

/// A function given for double; float32 goes through it.
#define MATH_UNARY(NAME, ...)                                                                      \
  struct NAME {                                                                                    \
    static double run(double x) { return __VA_ARGS__; }                                            \
    static float run(float value) {                                                                \
      const double x = value;                                                                      \
      return float(__VA_ARGS__);                                                                   \
    }                                                                                              \
  };
/// A function whose float32 form is exact by itself.
#define EXACT_UNARY(NAME, RESULT, ...)                                                             \
  struct NAME {                                                                                    \
    template <class F> static RESULT run(F x) { return __VA_ARGS__; }                              \
  };
#define FAST_UNARY(NAME, SINGLE, DOUBLE)                                                           \
  struct NAME {                                                                                    \
    static double run(double x) { return DOUBLE; }                                                 \
    static float run(float x) { return SINGLE; }                                                   \
  };

FAST_UNARY(Exp, exp2Single(double(x) * kLog2E), std::exp(x))
FAST_UNARY(Exp2, exp2Single(x), std::exp2(x))
FAST_UNARY(Log, logSingle<false>(x), std::log(x))
FAST_UNARY(Log2, logSingle<true>(x), std::log2(x))

MATH_UNARY(ExpM1, std::expm1(x))
MATH_UNARY(Log10, std::log10(x))
MATH_UNARY(Log1p, std::log1p(x))
MATH_UNARY(RSqrt, 1 / std::sqrt(x))
MATH_UNARY(Cbrt, std::cbrt(x))
MATH_UNARY(Sin, std::sin(x))
MATH_UNARY(Cos, std::cos(x))
MATH_UNARY(Tan, std::tan(x))
MATH_UNARY(Sinh, std::sinh(x))
MATH_UNARY(Cosh, std::cosh(x))
MATH_UNARY(Tanh, std::tanh(x))
MATH_UNARY(Asin, std::asin(x))
MATH_UNARY(Acos, std::acos(x))
MATH_UNARY(Atan, std::atan(x))
MATH_UNARY(Asinh, std::asinh(x))
MATH_UNARY(Acosh, std::acosh(x))
MATH_UNARY(Atanh, std::atanh(x))
MATH_UNARY(Erf, std::erf(x))
MATH_UNARY(Erfc, std::erfc(x))

EXACT_UNARY(NegF, F, -x)
EXACT_UNARY(AbsF, F, std::fabs(x))
EXACT_UNARY(Sqrt, F, std::sqrt(x))
EXACT_UNARY(Ceil, F, std::ceil(x))
EXACT_UNARY(Floor, F, std::floor(x))
EXACT_UNARY(Round, F, std::round(x))
EXACT_UNARY(RoundEven, F, std::nearbyint(x)) // The rounding mode is never changed.
EXACT_UNARY(Trunc, F, std::trunc(x))
EXACT_UNARY(IsNan, uint8_t, x != x)
EXACT_UNARY(IsInf, uint8_t, std::fabs(x) == std::numeric_limits<F>::infinity())
EXACT_UNARY(IsFinite, uint8_t, std::fabs(x) < std::numeric_limits<F>::infinity())
EXACT_UNARY(IsNormal, uint8_t,
            std::fabs(x) < std::numeric_limits<F>::infinity() &&
                std::fabs(x) >= std::numeric_limits<F>::min())

template <class Op, class F> void unary(const char *const *in, char *const *out, size_t n) {
  using R = decltype(Op::run(F()));
  auto *a = reinterpret_cast<const F *>(in[0]);
  auto *r = reinterpret_cast<R *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = Op::run(a[i]);
}

struct PowF {
  static double run(double a, double b) { return std::pow(a, b); }
};
struct Atan2 {
  static double run(double a, double b) { return std::atan2(a, b); }
};

template <class Op, class F> void binary(const char *const *in, char *const *out, size_t n) {
  auto *a = reinterpret_cast<const F *>(in[0]);
  auto *b = reinterpret_cast<const F *>(in[1]);
  auto *r = reinterpret_cast<F *>(out[0]);
  for (size_t i = 0; i < n; ++i)
    r[i] = F(Op::run(double(a[i]), double(b[i])));
}

template <class F> void fma(const char *const *in, char *const *out, size_t n) {
  auto *a = reinterpret_cast<const F *>(in[0]);
  auto *b = reinterpret_cast<const F *>(in[1]);
  auto *c = reinterpret_cast<const F *>(in[2]);
  auto *r = reinterpret_cast<F *>(out[0]);
  for (size_t i = 0; i < n; ++i)
    r[i] = std::fma(a[i], b[i], c[i]);
}

template <class F> void clamp(const char *const *in, char *const *out, size_t n) {
  auto *value = reinterpret_cast<const F *>(in[0]);
  auto *low = reinterpret_cast<const F *>(in[1]);
  auto *high = reinterpret_cast<const F *>(in[2]);
  auto *r = reinterpret_cast<F *>(out[0]);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    r[i] = value[i] < low[i] ? low[i] : value[i] > high[i] ? high[i] : value[i];
}

template <class F> void sinCos(const char *const *in, char *const *out, size_t n) {
  auto *a = reinterpret_cast<const F *>(in[0]);
  auto *sine = reinterpret_cast<F *>(out[0]);
  auto *cosine = reinterpret_cast<F *>(out[1]);
  for (size_t i = 0; i < n; ++i) {
    const double x = a[i];
    sine[i] = F(std::sin(x));
    cosine[i] = F(std::cos(x));
  }
}

/// The product of two narrow floats is exact in float64; what the sum loses (found as in Knuth's
/// TwoSum) makes the last bit odd.
double addOdd(double product, double c) {
  const double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  const double partOfC = sum - product;
  const double error = (product - (sum - partOfC)) + (c - partOfC);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0)
    bits += (error > 0) == (sum > 0) ? 1 : uint64_t(-1);
  return std::bit_cast<double>(bits);
}

void oddFma(const char *const *in, char *const *out, size_t n) {
  auto *a = reinterpret_cast<const double *>(in[0]);
  auto *b = reinterpret_cast<const double *>(in[1]);
  auto *c = reinterpret_cast<const double *>(in[2]);
  auto *r = reinterpret_cast<double *>(out[0]);
  for (size_t i = 0; i < n; ++i)
    r[i] = addOdd(a[i] * b[i], c[i]);
}

template <class F, class I>
void integerExponent(const char *const *in, char *const *out, size_t n) {
  auto *base = reinterpret_cast<const F *>(in[0]);
  auto *exponent = reinterpret_cast<const typename I::U *>(in[1]);
  auto *r = reinterpret_cast<F *>(out[0]);
  for (size_t i = 0; i < n; ++i) {
    // The sign apart, since a large exponent's parity does not survive the conversion.
    const double power = std::pow(std::fabs(double(base[i])), double(I::toSigned(exponent[i])));
    r[i] = F(std::signbit(base[i]) && (exponent[i] & 1) ? -power : power);
  }
}

struct Entry {
  llvm::StringLiteral name;
  ElementFn single, wide;
};
#define UNARY(NAME, OP) {NAME, unary<OP, float>, unary<OP, double>}
#define BINARY(NAME, OP) {NAME, binary<OP, float>, binary<OP, double>}

const Entry kEntries[] = {
    UNARY("math.exp", Exp),
    UNARY("math.exp2", Exp2),
    UNARY("math.expm1", ExpM1),
    UNARY("math.log", Log),
    UNARY("math.log2", Log2),
    UNARY("math.log10", Log10),
    UNARY("math.log1p", Log1p),
    UNARY("math.sqrt", Sqrt),
    UNARY("math.rsqrt", RSqrt),
    UNARY("math.cbrt", Cbrt),
    UNARY("math.sin", Sin),
    UNARY("math.cos", Cos),
    UNARY("math.tan", Tan),
    UNARY("math.sinh", Sinh),
    UNARY("math.cosh", Cosh),
    UNARY("math.tanh", Tanh),
    UNARY("math.asin", Asin),
    UNARY("math.acos", Acos),
    UNARY("math.atan", Atan),
    UNARY("math.asinh", Asinh),
    UNARY("math.acosh", Acosh),
    UNARY("math.atanh", Atanh),
    UNARY("math.erf", Erf),
    UNARY("math.erfc", Erfc),
    UNARY("arith.negf", NegF),
    UNARY("math.absf", AbsF),
    UNARY("math.ceil", Ceil),
    UNARY("math.floor", Floor),
    UNARY("math.round", Round),
    UNARY("math.roundeven", RoundEven),
    UNARY("math.trunc", Trunc),
    UNARY("math.isnan", IsNan),
    UNARY("math.isinf", IsInf),
    UNARY("math.isfinite", IsFinite),
    UNARY("math.isnormal", IsNormal),
    BINARY("math.powf", PowF),
    BINARY("math.atan2", Atan2),
    {"math.fma", fma<float>, fma<double>},
    {"math.clampf", clamp<float>, clamp<double>},
    {"math.sincos", sinCos<float>, sinCos<double>},
};

} // namespace

ElementFn interp::findMathOp(llvm::StringRef name, Dtype type) {
  for (const Entry &entry : kEntries)
    if (entry.name == name)
      return type == Dtype::F32 ? entry.single : type == Dtype::F64 ? entry.wide : nullptr;
  return nullptr;
}

ElementFn interp::getOddFma() { return oddFma; }

ElementFn interp::findFloatPower(Dtype base, Dtype exponent) {
  const bool single = base == Dtype::F32;
  switch (exponent) {
  case Dtype::I1:
    return single ? integerExponent<float, Int1> : integerExponent<double, Int1>;
  case Dtype::I8:
    return single ? integerExponent<float, Int8> : integerExponent<double, Int8>;
  case Dtype::I16:
    return single ? integerExponent<float, Int16> : integerExponent<double, Int16>;
  case Dtype::I32:
    return single ? integerExponent<float, Int32> : integerExponent<double, Int32>;
  case Dtype::I64:
    return single ? integerExponent<float, Int64> : integerExponent<double, Int64>;
  default:
    return nullptr;
  }
}

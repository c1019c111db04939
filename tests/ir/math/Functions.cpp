// See Functions.h.
#include "tests/ir/math/Functions.h"
#include "ir/math/Composed.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace tilerun;
using namespace tilerun::harness;

#define UNARY(NAME, EXPRESSION, ...)                                                               \
  MathFunction {                                                                                   \
    NAME, "math." NAME, [](double x, double) -> double { return EXPRESSION; },                     \
        [](long double x, long double) -> long double { return EXPRESSION; }, __VA_ARGS__          \
  }
#define BINARY(NAME, OP, EXPRESSION, ...)                                                          \
  MathFunction {                                                                                   \
    NAME, OP, [](double x, double y) -> double { return EXPRESSION; },                             \
        [](long double x, long double y) -> long double { return EXPRESSION; }, __VA_ARGS__        \
  }

#define COMPOSED(NAME, BUILD, EXPRESSION, OPERANDS, LOW, HIGH)                                     \
  MathFunction {                                                                                   \
    NAME, "", [](double x, double y) -> double { return EXPRESSION; },                             \
        [](long double x, long double y) -> long double { return EXPRESSION; }, OPERANDS, LOW,     \
        HIGH, 0,                                                                                   \
        [](mathx::Real x, mathx::Real y) -> mathx::Real { return mathx::composed::BUILD; }         \
  }

namespace {
/// sin(π (x + turns / 2)) with an exact reduction.
template <class T> T sineOfPi(T x, int turns) {
  if (!std::isfinite(x))
    return NAN;
  const T whole = std::nearbyint(std::fmod(x, T(2)) * 2);
  const T angle = (std::fmod(x, T(2)) - whole / 2) * T(std::numbers::pi_v<long double>);
  switch ((int(whole) + turns) & 3) {
  case 0:
    return angle == 0 ? std::copysign(T(0), turns ? T(1) : x) : std::sin(angle);
  case 1:
    return std::cos(angle);
  case 2:
    return angle == 0 ? std::copysign(T(0), turns ? T(1) : x) : -std::sin(angle);
  default:
    return -std::cos(angle);
  }
}

/// erfc(-x / sqrt 2) / 2 with what rounding the argument loses.
template <class T> T normcdf(T x) {
  if (std::fabs(x) > 60)
    return x > 0 ? 1 : 0;
  const T root = 1 / std::numbers::sqrt2_v<T>, z = -x * root;
  // sqrt(1/2) beyond its rounding: (1 - 2 root²) / (4 root).
  const T low = std::fma(-2 * root, root, T(1)) / (4 * root);
  const T lost = std::fma(-x, root, -z) - x * low;
  return std::erfc(z) / 2 - lost * std::exp(-z * z) * T(0.564189583547756286948L);
}

/// By more steps than the expansion, from the same estimate, in the wider type.
template <class T> T erfcinv(T x) {
  if (!(x >= 0 && x <= 2))
    return NAN;
  if (x == 0 || x == 2)
    return x == 0 ? HUGE_VAL : -HUGE_VAL;
  const T tail = x > 1 ? 2 - x : x;
  const T logarithm = std::log(tail * (2 - tail)), first = T(4.33) + logarithm / 2;
  T y = std::sqrt(std::fabs(std::sqrt(first * first - logarithm / T(0.147)) - first));
  for (int i = 0; i < 5; ++i) {
    const T step = (std::erfc(y) - tail) / (std::exp(-y * y) * T(1.12837916709551257390L));
    y += step / (1 - y * step);
  }
  return x > 1 ? -y : x == 1 ? 0 : y;
}
template <class T> T erfinv(T x) {
  if (!(std::fabs(x) <= T(0.5)))
    return std::copysign(erfcinv(1 - std::fabs(x)), x);
  T y = x * T(0.886226925452758L);
  for (int i = 0; i < 6; ++i) {
    const T step = (std::erf(y) - x) / (std::exp(-y * y) * T(1.12837916709551257390L));
    y -= step / (1 + y * step);
  }
  return y;
}
} // namespace

const std::vector<MathFunction> &tilerun::harness::mathFunctions() {
  static const std::vector<MathFunction> functions{
      UNARY("exp", std::exp(x), 1, -110, 100),
      UNARY("exp2", std::exp2(x), 1, -150, 130),
      UNARY("expm1", std::expm1(x), 1, -20, 20),
      UNARY("log", std::log(x), 1, 0, 4),
      UNARY("log2", std::log2(x), 1, 0, 4),
      UNARY("log10", std::log10(x), 1, 0, 4),
      UNARY("log1p", std::log1p(x), 1, -1, 4),
      UNARY("sqrt", std::sqrt(x), 1, 0, 4),
      UNARY("rsqrt", 1 / std::sqrt(x), 1, 0, 4),
      UNARY("cbrt", std::cbrt(x), 1, -9, 9),
      UNARY("sin", std::sin(x), 1, -50, 50),
      UNARY("cos", std::cos(x), 1, -50, 50),
      UNARY("tan", std::tan(x), 1, -50, 50),
      UNARY("asin", std::asin(x), 1, -1, 1),
      UNARY("acos", std::acos(x), 1, -1, 1),
      UNARY("atan", std::atan(x), 1, -5, 5),
      UNARY("sinh", std::sinh(x), 1, -5, 5),
      UNARY("cosh", std::cosh(x), 1, -5, 5),
      UNARY("tanh", std::tanh(x), 1, -5, 5),
      UNARY("asinh", std::asinh(x), 1, -5, 5),
      UNARY("acosh", std::acosh(x), 1, 1, 5),
      UNARY("atanh", std::atanh(x), 1, -1, 1),
      UNARY("erf", std::erf(x), 1, -5, 5),
      UNARY("erfc", std::erfc(x), 1, -6, 11),
      BINARY("div", "arith.divf", x / y, 2, -10, 10),
      BINARY("pow", "math.powf", std::pow(x, y), 2, 0, 30),
      BINARY("atan2", "math.atan2", std::atan2(x, y), 2, -10, 10),
      BINARY("fmod", "arith.remf", std::fmod(x, y), 2, -10, 10),
      COMPOSED("hypot", norm({x, y}), std::hypot(x, y), 2, -10, 10),
      COMPOSED("rhypot", reciprocalNorm({x, y}), 1 / std::hypot(x, y), 2, -10, 10),
      COMPOSED("sinpi", sinpi(x), sineOfPi(x, 0), 1, -8, 8),
      COMPOSED("cospi", cospi(x), sineOfPi(x, 1), 1, -8, 8),
      COMPOSED("normcdf", normcdf(x), normcdf(x), 1, -14, 9),
      COMPOSED("rcbrt", rcbrt(x), 1 / std::cbrt(x), 1, -9, 9),
      COMPOSED("remainder", remainder(x, y), std::remainder(x, y), 2, -10, 10),
      COMPOSED("logb", logb(x), std::logb(x), 1, -10, 10),
      COMPOSED("erfinv", erfinv(x), erfinv(x), 1, -1, 1),
      // The NVIDIA form starts from the instruction's estimate, with its stated error either way.
      MathFunction{"rsqrt", "math.rsqrt", [](double x, double) { return 1 / std::sqrt(x); },
                   [](long double x, long double) { return 1 / std::sqrt(x); }, 1, 0, 4, 0x1p-22},
      MathFunction{"rsqrt", "math.rsqrt", [](double x, double) { return 1 / std::sqrt(x); },
                   [](long double x, long double) { return 1 / std::sqrt(x); }, 1, 0, 4, -0x1p-22},
  };
  return functions;
}

template <class F, class Wide> double tilerun::harness::ulps(F got, Wide expected) {
  using Limits = std::numeric_limits<F>;
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0 : HUGE_VAL;
  const Wide beyond = std::ldexp(Wide(1), Limits::max_exponent);
  auto finite = [&](Wide value) { return std::min(std::max(value, -beyond), beyond); };
  const Wide reference = finite(expected), value = finite(Wide(got));
  const int smallest = Limits::min_exponent - 1;
  int exponent = reference == 0 ? smallest : std::max(smallest, std::ilogb(reference));
  exponent = std::min(exponent, Limits::max_exponent - 1);
  return double(std::fabs(value - reference) / std::ldexp(Wide(1), exponent - Limits::digits + 1));
}
template double tilerun::harness::ulps(float, double);
template double tilerun::harness::ulps(double, long double);

template <class F> std::vector<F> tilerun::harness::specialValues() {
  using Limits = std::numeric_limits<F>;
  std::vector<F> positive{0,
                          Limits::denorm_min(),
                          3 * Limits::denorm_min(),
                          Limits::min() / 2,
                          Limits::min(),
                          Limits::epsilon() / 4,
                          Limits::epsilon(),
                          F(0.5),
                          std::nextafter(F(1), F(0)),
                          1,
                          std::nextafter(F(1), F(2)),
                          F(1.5),
                          2,
                          3,
                          F(88.5),
                          F(88.75),
                          F(103.5),
                          F(104.5),
                          F(127.5),
                          128,
                          F(149.5),
                          F(709.5),
                          F(710.5),
                          F(745.5),
                          1024,
                          1 / Limits::epsilon() - 1,
                          1 / Limits::epsilon(),
                          2 / Limits::epsilon() - 1,
                          2 / Limits::epsilon(),
                          4 / Limits::epsilon(),
                          Limits::max() / 2,
                          Limits::max(),
                          Limits::infinity(),
                          Limits::quiet_NaN()};
  std::vector<F> all = positive;
  for (F value : positive)
    all.push_back(-value);
  return all;
}
template std::vector<float> tilerun::harness::specialValues();
template std::vector<double> tilerun::harness::specialValues();

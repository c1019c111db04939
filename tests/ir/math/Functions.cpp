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

#define COMPOSED(NAME, BUILD, EXPRESSION, OPERANDS, LOW, HIGH, ...)                                \
  MathFunction {                                                                                   \
    NAME, "", [](double x, double y) -> double { return EXPRESSION; },                             \
        [](long double x, long double y) -> long double { return EXPRESSION; }, OPERANDS, LOW,     \
        HIGH, [](mathx::Real x, mathx::Real y) -> mathx::Real { return mathx::composed::BUILD; },  \
        ##__VA_ARGS__                                                                              \
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

/// Infinities are right even beside NaN, which the function of three operands does not promise.
template <class T> T norm3d(T x, T y) { return std::hypot(std::numbers::sqrt2_v<T> * x, y); }
template <class T> T norm4d(T x, T y) { return std::numbers::sqrt2_v<T> * std::hypot(x, y); }

/// erfc(-x / sqrt 2) / 2, corrected for the rounding of the argument.
template <class T> T normcdf(T x) {
  if (std::fabs(x) > 60)
    return x > 0 ? 1 : 0;
  const T root = 1 / std::numbers::sqrt2_v<T>, z = -x * root;
  // sqrt(1/2) beyond its rounding: (1 - 2 root²) / (4 root).
  const T low = std::fma(-2 * root, root, T(1)) / (4 * root);
  const T lost = std::fma(-x, root, -z) - x * low;
  return std::erfc(z) / 2 - lost * std::exp(-z * z) * T(0.564189583547756286948L);
}

/// erfc y = x by Newton's steps on logarithms in the wider type; near x = 1 on erf.
template <class T> T erfinv(T x);
template <class T> T erfcinv(T x) {
  if (!(x >= 0 && x <= 2))
    return NAN;
  if (x == 0 || x == 2)
    return x == 0 ? HUGE_VAL : -HUGE_VAL;
  if (x > T(0.5) && x < T(1.5))
    return erfinv(1 - x);
  const T tail = x > 1 ? 2 - x : x;
  const T logarithm = std::log(tail * (2 - tail)), first = T(4.33) + logarithm / 2;
  T y = std::sqrt(std::fabs(std::sqrt(first * first - logarithm / T(0.147)) - first));
  for (int i = 0; i < 7; ++i) {
    const T complement = std::erfc(y);
    const T density = std::exp(-y * y) * T(1.12837916709551257390L);
    y += (std::log(complement) - std::log(tail)) * complement / density;
  }
  return x > 1 ? -y : y;
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
template <class T> T normcdfinv(T x) { return -std::numbers::sqrt2_v<T> * erfcinv(2 * x); }

/// exp(x²) erfc x: as it says, or by the asymptotic series (DLMF 7.12.1).
template <class T> T erfcx(T x) {
  if (x < (sizeof(T) > 8 ? 25 : 9)) {
    const T square = x * x;
    return square > 11000 ? T(HUGE_VAL)
                          : std::exp(square) * (1 + std::fma(x, x, -square)) * std::erfc(x);
  }
  T sum = 1, term = 1;
  for (int k = 1; k < 16; ++k)
    sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / (x * std::sqrt(std::numbers::pi_v<T>));
}

/// The power series (DLMF 10.25.2), whose terms are all positive.
template <class T> T modifiedBessel(T x, int order) {
  if (std::isnan(x) || std::fabs(x) > 800)
    return std::isnan(x) ? x : order == 1 && x < 0 ? -HUGE_VAL : HUGE_VAL;
  const T quarter = x * x / 4;
  T term = order == 1 ? x / 2 : 1, sum = term;
  for (int k = 1; term != 0 && std::fabs(term) > std::fabs(sum) * T(1e-22L); ++k)
    sum += term *= quarter / (T(k) * (k + order));
  return sum;
}

/// Bessel functions cross zero: below 8 errors are as of 1/64, then as of the amplitude.
double besselFloor(double x) {
  x = std::fabs(x);
  return x < 8 ? 1.0 / 64 : std::max(std::sqrt(2 / std::numbers::pi) / std::sqrt(x), 1e-300);
}
/// So does the logarithm of the gamma function between all integers below -2.
double lgammaFloor(double x) { return x < -2.2 ? std::max(2.0, -x) : 0; }

#define BESSEL(NAME)                                                                               \
  double NAME##Of(double x) { return ::NAME(x); }                                                  \
  long double NAME##Of(long double x) { return ::NAME##l(x); }
BESSEL(j0)
BESSEL(j1)
BESSEL(y0)
BESSEL(y1)
#undef BESSEL
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
      COMPOSED("norm3d", norm({x, y, x}), norm3d(x, y), 2, -10, 10),
      COMPOSED("norm4d", norm({x, y, y, x}), norm4d(x, y), 2, -10, 10),
      COMPOSED("rnorm3d", reciprocalNorm({x, y, x}), 1 / norm3d(x, y), 2, -10, 10),
      COMPOSED("rnorm4d", reciprocalNorm({x, y, y, x}), 1 / norm4d(x, y), 2, -10, 10),
      COMPOSED("sinpi", sinpi(x), sineOfPi(x, 0), 1, -8, 8),
      COMPOSED("cospi", cospi(x), sineOfPi(x, 1), 1, -8, 8),
      COMPOSED("normcdf", normcdf(x), normcdf(x), 1, -14, 9),
      COMPOSED("rcbrt", rcbrt(x), 1 / std::cbrt(x), 1, -9, 9),
      COMPOSED("remainder", remainder(x, y), std::remainder(x, y), 2, -10, 10),
      COMPOSED("logb", logb(x), std::logb(x), 1, -10, 10),
      COMPOSED("erfinv", erfinv(x), erfinv(x), 1, -1, 1),
      COMPOSED("erfcx", erfcx(x), erfcx(x), 1, -10, 20),
      COMPOSED("erfcinv", erfcinv(x), erfcinv(x), 1, 0, 2),
      COMPOSED("normcdfinv", normcdfinv(x), normcdfinv(x), 1, 0, 1),
      COMPOSED("tgamma", tgamma(x), std::tgamma(x), 1, -20, 40),
      COMPOSED("lgamma", lgamma(x), std::lgamma(x), 1, -12, 20, lgammaFloor),
      COMPOSED("i0", i0(x), modifiedBessel(x, 0), 1, -30, 30),
      COMPOSED("i1", i1(x), modifiedBessel(x, 1), 1, -30, 30),
      COMPOSED("j0", j0(x), j0Of(x), 1, -30, 30, besselFloor),
      COMPOSED("j1", j1(x), j1Of(x), 1, -30, 30, besselFloor),
      COMPOSED("y0", y0(x), y0Of(x), 1, 0, 30, besselFloor),
      COMPOSED("y1", y1(x), y1Of(x), 1, 0, 30, besselFloor),
  };
  return functions;
}

std::vector<Case> tilerun::harness::allCases() {
  std::vector<Case> cases;
  for (size_t i = 0; i < mathFunctions().size(); ++i)
    for (Errors errors : {Errors::None, Errors::Above, Errors::Below, Errors::Mixed})
      cases.push_back({i, errors});
  return cases;
}

std::string tilerun::harness::nameOf(const Case &test) {
  static constexpr const char *kSuffixes[] = {"", "FromAbove", "FromBelow", "FromMixed"};
  return mathFunctions()[test.function].name + kSuffixes[size_t(test.estimates)];
}

template <class F, class Wide> double tilerun::harness::ulps(F got, Wide expected, double floor) {
  using Limits = std::numeric_limits<F>;
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0 : HUGE_VAL;
  const Wide beyond = std::ldexp(Wide(1), Limits::max_exponent);
  auto finite = [&](Wide value) { return std::min(std::max(value, -beyond), beyond); };
  const Wide reference = finite(expected), value = finite(Wide(got));
  const int smallest = Limits::min_exponent - 1;
  int exponent = reference == 0 ? smallest : std::max(smallest, std::ilogb(reference));
  if (floor > 0)
    exponent = std::max(exponent, std::ilogb(floor));
  exponent = std::min(exponent, Limits::max_exponent - 1);
  return double(std::fabs(value - reference) / std::ldexp(Wide(1), exponent - Limits::digits + 1));
}
template double tilerun::harness::ulps(float, double, double);
template double tilerun::harness::ulps(double, long double, double);

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

// Mathematical functions: each against long double within half a unit in the last place (and what
// double rounding may add), and the vectorized float32 functions over a dense sample of all bit
// patterns.
#include "backends/interpreter/FastMath.h"
#include "tests/backends/interpreter/Elementwise.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::interp;
using namespace tilerun::harness;
using llvm::APFloat;

namespace {

/// Distance between two values of a type in units in the last place of the reference.
double ulps(llvm::StringRef type, double got, long double expected) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected) ? 0 : HUGE_VAL;
  const APFloat largest = APFloat::getLargest(semanticsOf(type));
  bool lost;
  APFloat limit = largest;
  limit.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  if (std::isinf(got))
    return (expected > 0) == (got > 0) && std::fabs(expected) >= limit.convertToDouble() * 0.999L
               ? 0
               : HUGE_VAL;
  const auto &semantics = semanticsOf(type);
  const int precision = APFloat::semanticsPrecision(semantics);
  const int smallest = APFloat::semanticsMinExponent(semantics);
  const int exponent = expected == 0 ? smallest : std::max(smallest, std::ilogb(expected));
  return std::fabs(double((got - expected) / std::ldexp(1.0L, exponent - precision + 1)));
}

struct Function {
  std::string name;
  long double (*reference)(long double);
  double low, high;
};
const Function kFunctions[] = {
    {"exp", std::exp, -20, 20},
    {"exp2", std::exp2, -20, 20},
    {"expm1", std::expm1, -3, 3},
    {"log", std::log, 0, 100},
    {"log2", std::log2, 0, 100},
    {"log10", std::log10, 0, 100},
    {"log1p", std::log1p, -1, 10},
    {"sqrt", std::sqrt, 0, 100},
    {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 0.001, 100},
    {"cbrt", std::cbrt, -100, 100},
    {"sin", std::sin, -30, 30},
    {"cos", std::cos, -30, 30},
    {"tan", std::tan, -1.5, 1.5},
    {"sinh", std::sinh, -5, 5},
    {"cosh", std::cosh, -5, 5},
    {"tanh", std::tanh, -5, 5},
    {"asin", std::asin, -1, 1},
    {"acos", std::acos, -1, 1},
    {"atan", std::atan, -10, 10},
    {"asinh", std::asinh, -10, 10},
    {"acosh", std::acosh, 1, 10},
    {"atanh", std::atanh, -1, 1},
    {"erf", std::erf, -3, 3},
    {"erfc", std::erfc, -3, 3},
};

constexpr size_t kCount = 1024;

class MathFunction : public ::testing::TestWithParam<Function> {};

TEST_P(MathFunction, IsAccurateInEveryType) {
  Machine machine;
  Random random;
  for (const std::string &type : {"f16", "bf16", "f32", "f64"}) {
    const Bits a = uniformFloats(random, type, kCount, GetParam().low, GetParam().high);
    const Bits r = runElementwise(machine, "%r = math." + GetParam().name + " %a : $T0", {type},
                                  {type}, {a})[0];
    // float64 is the C library's (up to 5 units in some of its functions); the others round a
    // float64 result once or, below float32, twice.
    const double bound = type == "f64" ? 6 : 0.51;
    for (size_t i = 0; i < kCount; ++i) {
      const double x = toDouble(type, a[i]);
      const long double expected = GetParam().reference(x);
      ASSERT_LE(ulps(type, toDouble(type, r[i]), expected), bound)
          << GetParam().name << " on " << type << " of " << x << " gives " << toDouble(type, r[i]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, MathFunction, ::testing::ValuesIn(kFunctions),
                         [](const ::testing::TestParamInfo<Function> &info) {
                           return info.param.name;
                         });

TEST(MathOps, TwoOperands) {
  Machine machine;
  Random random;
  for (const std::string &type : {"f16", "f32", "f64"}) {
    const Bits a = uniformFloats(random, type, kCount, 0.1, 5),
               b = uniformFloats(random, type, kCount, -4, 4);
    const Bits power =
        runElementwise(machine, "%r = math.powf %a, %b : $T0", {type, type}, {type}, {a, b})[0];
    const Bits angle =
        runElementwise(machine, "%r = math.atan2 %b, %a : $T0", {type, type}, {type}, {a, b})[0];
    const double bound = type == "f64" ? 2 : 0.51;
    for (size_t i = 0; i < kCount; ++i) {
      const long double x = toDouble(type, a[i]), y = toDouble(type, b[i]);
      ASSERT_LE(ulps(type, toDouble(type, power[i]), std::pow(x, y)), bound) << type;
      ASSERT_LE(ulps(type, toDouble(type, angle[i]), std::atan2(y, x)), bound) << type;
    }
  }
}

TEST(MathOps, IntegerExponents) {
  Machine machine;
  Random random;
  for (const std::string &exponentType : kIntTypes) {
    const unsigned width = widthOf(exponentType);
    const Bits a = uniformFloats(random, "f32", kCount, -3, 3);
    Bits n(kCount);
    for (uint64_t &value : n)
      value = width == 1 ? random.bits() & 1
                         : (random.bits() % 40 - 20) &
                               (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
    const Bits r = runElementwise(machine, "%r = math.fpowi %a, %b : $T0, $T1",
                                  {"f32", exponentType}, {"f32"}, {a, n})[0];
    for (size_t i = 0; i < kCount; ++i) {
      const int64_t exponent = llvm::APInt(width, n[i]).getSExtValue();
      const long double expected =
          std::pow((long double)toDouble("f32", a[i]), (long double)exponent);
      ASSERT_LE(ulps("f32", toDouble("f32", r[i]), expected), 0.51)
          << toDouble("f32", a[i]) << " ^ " << exponent;
    }
  }
  const Bits r =
      runElementwise(machine, "%r = math.fpowi %a, %b : $T0, $T1", {"f64", "i64"}, {"f64"},
                     {{round("f64", APFloat(-1.0)), round("f64", APFloat(-1.0))},
                      {(uint64_t(1) << 60) + 1, uint64_t(1) << 60}})[0];
  EXPECT_EQ(toDouble("f64", r[0]), -1); // The parity of an exponent beyond float64's integers.
  EXPECT_EQ(toDouble("f64", r[1]), 1);
}

/// Largest error over every `stride`-th float32 bit pattern.
double worst(float (*function)(float), long double (*reference)(long double), uint32_t stride) {
  double worstError = 0;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += stride) {
    const float x = std::bit_cast<float>(uint32_t(bits));
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(function(x)));
      continue;
    }
    const float got = function(x);
    const long double expected = reference(x);
    // Rounding as the hardware does it handles overflow and subnormals; a tie may fall the other
    // way.
    const float rounded = float(expected);
    if (got == rounded || (std::isnan(got) && std::isnan(rounded)))
      continue;
    worstError = std::max(worstError, ulps("f32", got, expected));
  }
  return worstError;
}

TEST(FastMath, ExpIsCorrectlyRoundedButForTies) {
  EXPECT_LE(worst([](float x) { return exp2Single(double(x) * kLog2E); }, std::exp, 2053), 0.5001);
}
TEST(FastMath, Exp2IsCorrectlyRoundedButForTies) {
  EXPECT_LE(worst([](float x) { return exp2Single(x); }, std::exp2, 2053), 0.5001);
}
TEST(FastMath, LogIsCorrectlyRoundedButForTies) {
  EXPECT_LE(worst(logSingle<false>, std::log, 2053), 0.5001);
}
TEST(FastMath, Log2IsCorrectlyRoundedButForTies) {
  EXPECT_LE(worst(logSingle<true>, std::log2, 2053), 0.5001);
}

TEST(FastMath, SpecialValues) {
  const float inf = HUGE_VALF;
  EXPECT_EQ(exp2Single(-inf), 0);
  EXPECT_EQ(exp2Single(inf), inf);
  EXPECT_TRUE(std::isnan(exp2Single(NAN)));
  EXPECT_EQ(exp2Single(0), 1);
  EXPECT_EQ(exp2Single(-149), std::ldexp(1.0f, -149));
  EXPECT_EQ(exp2Single(-151), 0);
  EXPECT_EQ(logSingle<false>(0), -inf);
  EXPECT_EQ(logSingle<false>(-0.0f), -inf);
  EXPECT_EQ(logSingle<false>(inf), inf);
  EXPECT_TRUE(std::isnan(logSingle<false>(-1)));
  EXPECT_TRUE(std::isnan(logSingle<true>(-inf)));
  EXPECT_EQ(logSingle<false>(1), 0);
  for (int e = -149; e < 128; ++e)
    EXPECT_EQ(logSingle<true>(std::ldexp(1.0f, e)), e);
}

// The compiled, vectorized loops give the results of the scalar functions.
TEST(FastMath, LoopsAgreeWithScalars) {
  Machine machine;
  Random random;
  const Bits a = randomFloats(random, "f32", kCount);
  const Bits e = runElementwise(machine, "%r = math.exp %a : $T0", {"f32"}, {"f32"}, {a})[0];
  const Bits l = runElementwise(machine, "%r = math.log %a : $T0", {"f32"}, {"f32"}, {a})[0];
  for (size_t i = 0; i < kCount; ++i) {
    const float x = std::bit_cast<float>(uint32_t(a[i]));
    ASSERT_TRUE(sameFloat("f32", e[i], std::bit_cast<uint32_t>(exp2Single(double(x) * kLog2E))));
    ASSERT_TRUE(sameFloat("f32", l[i], std::bit_cast<uint32_t>(logSingle<false>(x))));
  }
}

} // namespace

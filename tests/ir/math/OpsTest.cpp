// Ops that are rewritten to others first (sincos, clampf, fpowi, 16-bit floats), and composed
// functions that are exact.
#include "ir/math/Composed.h"
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace tilerun::harness;
using tilerun::mathx::Real;

namespace {

template <class F>
std::vector<F> run(CompiledOp::Composed build, const std::vector<F> &a, const std::vector<F> &b) {
  auto op = CompiledOp::compile("", build, sizeof(F) == 4 ? "f32" : "f64", 2, {});
  EXPECT_TRUE(bool(op)) << llvm::toString(op.takeError());
  return op ? (*op)->run(a, b) : std::vector<F>(a.size());
}

std::vector<float> someNumbers() {
  std::vector<float> values = specialValues<float>();
  for (int i = -200; i < 200; ++i)
    values.push_back(i * 0.037f);
  return values;
}

TEST(Ops, SincosIsSinAndCos) {
  const std::vector<float> a = someNumbers();
  auto sine = run<float>(
      [](Real x, Real) -> Real {
        return {x.c, math::SincosOp::create(x.c->b, x.c->loc, x.v).getSin()};
      },
      a, {});
  auto cosine = run<float>(
      [](Real x, Real) -> Real {
        return {x.c, math::SincosOp::create(x.c->b, x.c->loc, x.v).getCos()};
      },
      a, {});
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_LE(ulps(sine[i], std::sin(double(a[i]))), 1.25) << a[i];
    EXPECT_LE(ulps(cosine[i], std::cos(double(a[i]))), 1.25) << a[i];
  }
}

TEST(Ops, ClampKeepsNaN) {
  const std::vector<float> a = someNumbers();
  auto got = run<float>(
      [](Real x, Real) -> Real {
        return {x.c,
                math::ClampFOp::create(x.c->b, x.c->loc, x.v, x.c->real(-1.5).v, x.c->real(2.0).v)};
      },
      a, {});
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]))
      EXPECT_TRUE(std::isnan(got[i]));
    else
      EXPECT_EQ(got[i], std::min(std::max(a[i], -1.5f), 2.0f)) << a[i];
  }
}

TEST(Ops, IntegerPowersKeepTheSignOfLargeOddExponents) {
  const std::vector<float> bases = someNumbers();
  for (int exponent : {0, 1, 2, 3, -1, -2, -7, 16777217, 16777216, -16777217}) {
    const std::vector<float> exponents(bases.size(), llvm::bit_cast<float>(exponent));
    auto got = run<float>(
        [](Real x, Real y) -> Real {
          return {x.c, math::FPowIOp::create(x.c->b, x.c->loc, x.v, bits(y).v)};
        },
        bases, exponents);
    for (size_t i = 0; i < bases.size(); ++i) {
      const double expected = std::pow(double(bases[i]), double(exponent));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got[i])) << bases[i] << " ^ " << exponent;
        continue;
      }
      EXPECT_EQ(std::signbit(got[i]), std::signbit(expected)) << bases[i] << " ^ " << exponent;
      // Beyond float32's integers the exponent itself is rounded.
      if (std::abs(exponent) < 1 << 24)
        EXPECT_LE(ulps(got[i], expected), 1) << bases[i] << " ^ " << exponent;
    }
  }
}

template <class F> void expectExact(F got, F expected, const std::string &what) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got)) << what;
  else
    EXPECT_TRUE(got == expected && std::signbit(got) == std::signbit(expected))
        << what << " gives " << got << ", not " << expected;
}

template <class F> void checkExact() {
  using Pattern = std::conditional_t<sizeof(F) == 4, int32_t, int64_t>;
  std::vector<F> a, b, powers;
  std::vector<int> exponents;
  const int far = 2 * std::numeric_limits<F>::max_exponent + 60;
  for (F x : specialValues<F>())
    for (F y : specialValues<F>()) {
      a.push_back(x);
      b.push_back(y);
      const int n = int(a.size() * 37 % (2 * far)) - far;
      exponents.push_back(a.size() % 97 == 0 ? INT32_MAX : a.size() % 101 == 0 ? INT32_MIN : n);
      powers.push_back(llvm::bit_cast<F>(Pattern(exponents.back())));
    }
  auto next =
      run<F>([](Real x, Real y) { return tilerun::mathx::composed::nextafter(x, y); }, a, b);
  auto scaled =
      run<F>([](Real x, Real y) { return tilerun::mathx::composed::ldexp(x, bits(y)); }, a, powers);
  auto exponent =
      run<F>([](Real x, Real) { return fromBits(tilerun::mathx::composed::ilogb(x)); }, a, {});
  for (size_t i = 0; i < a.size(); ++i) {
    const std::string of = " of " + std::to_string(a[i]) + ", ";
    expectExact(next[i], std::nextafter(a[i], b[i]), "nextafter" + of + std::to_string(b[i]));
    expectExact(scaled[i], std::ldexp(a[i], exponents[i]),
                "ldexp" + of + std::to_string(exponents[i]));
    const Pattern expected = std::isnan(a[i]) || a[i] == 0 ? INT32_MIN
                             : std::isinf(a[i])            ? INT32_MAX
                                                           : std::ilogb(a[i]);
    EXPECT_EQ(llvm::bit_cast<Pattern>(exponent[i]), expected) << "ilogb" << of;
  }
}
TEST(Ops, NextafterLdexpAndIlogbAreExact) {
  checkExact<float>();
  checkExact<double>();
}

/// Rounded to float16, as a float.
float toHalf(double value) {
  llvm::APFloat x(value);
  bool lost;
  x.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return x.convertToFloat();
}

TEST(Ops, HalvesGoThroughFloat32) {
  std::vector<float> a;
  for (float value : someNumbers())
    a.push_back(toHalf(value));
  auto got = run<float>(
      [](Real x, Real) -> Real {
        auto &b = x.c->b;
        Location loc = x.c->loc;
        Value half = arith::TruncFOp::create(b, loc, x.c->like(b.getF16Type()), x.v);
        Value result = math::TanhOp::create(b, loc, half);
        return {x.c, arith::ExtFOp::create(b, loc, x.c->type, result)};
      },
      a, {});
  for (size_t i = 0; i < a.size(); ++i) {
    const float expected = toHalf(std::tanh(double(a[i])));
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(got[i]));
    else // 2^-11 is half a unit; double rounding may pick the other neighbour.
      EXPECT_LE(std::fabs(got[i] - expected), std::fabs(expected) * 0x1p-10 + 0x1p-24) << a[i];
  }
}

} // namespace

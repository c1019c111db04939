// fma, division and square root from operations that round otherwise: each result must be the
// correctly rounded one, on arguments of every size, near ties, and special ones.
#include "ir/math/Functions.h"
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace tilerun::harness;
using namespace tilerun::mathx;

namespace {

template <class F> using PatternOf = std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t>;
template <class F> F fromPattern(uint64_t bits) { return std::bit_cast<F>(PatternOf<F>(bits)); }

/// Pairs: special with special, any bits with any bits, and close exponents.
template <class F> void makePairs(std::vector<F> &a, std::vector<F> &b) {
  for (F x : specialValues<F>())
    for (F y : specialValues<F>()) {
      a.push_back(x);
      b.push_back(y);
    }
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> moderate(-4, 4);
  for (int i = 0; i < 200000; ++i) {
    const bool any = i % 2;
    a.push_back(any ? fromPattern<F>(random()) : F(moderate(random)));
    b.push_back(any ? fromPattern<F>(random()) : F(moderate(random)));
  }
  // Quotients and roots that are subnormal or close to ties of subnormal numbers.
  const F least = std::numeric_limits<F>::denorm_min();
  for (int i = 0; i < 20000; ++i) {
    a.push_back(least * F(1 + random() % 4096));
    b.push_back(F(1 + random() % 64) * (i % 2 ? F(1) : F(0.5)));
  }
}

template <class F> void expectSame(F got, F want, F a, F b, const char *what) {
  const bool same = std::isnan(want)
                        ? std::isnan(got)
                        : std::bit_cast<PatternOf<F>>(got) == std::bit_cast<PatternOf<F>>(want);
  ASSERT_TRUE(same) << what << " of " << a << ", " << b << " gives " << got << ", not " << want;
}

/// Each result of `build` against `expected`.
template <class F> void check(const char *what, CompiledOp::Composed build, F (*expected)(F, F)) {
  auto op = CompiledOp::compile("", build, sizeof(F) == 4 ? "f32" : "f64", 2, {});
  ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
  std::vector<F> a, b;
  makePairs(a, b);
  const std::vector<F> got = (*op)->run(a, b);
  for (size_t i = 0; i < a.size(); ++i)
    expectSame(got[i], expected(a[i], b[i]), a[i], b[i], what);
}

// Third operands: none at all like the product, close to its opposite, and far apart.
template <int Kind> Real third(Real x, Real y) {
  Calculator &c = *x.c;
  if (Kind == 0)
    return fromBits(bits(x) * uint64_t(0x9e3779b97f4a7c15) + bits(y));
  if (Kind == 1)
    return -(x * y);
  if (Kind == 2)
    return fromBits(bits(x * y) + c.integer(3));
  return (x * y) * (c.wide ? 0x1p-54 : 0x1p-25);
}
template <int Kind, class F> F third(F x, F y) {
  if (Kind == 0) {
    const uint64_t pattern = std::bit_cast<PatternOf<F>>(x) * uint64_t(0x9e3779b97f4a7c15) +
                             std::bit_cast<PatternOf<F>>(y);
    return fromPattern<F>(pattern);
  }
  if (Kind == 1)
    return -(x * y);
  if (Kind == 2)
    return fromPattern<F>(std::bit_cast<PatternOf<F>>(F(x * y)) + 3);
  return F(x * y) * F(sizeof(F) == 8 ? 0x1p-54 : 0x1p-25);
}
template <int Kind, class F> F fmaOnHost(F x, F y) { return std::fma(x, y, third<Kind, F>(x, y)); }

template <int Kind> void checkFma() {
  check<float>(
      "fma by parts", [](Real x, Real y) { return fmaByParts(x, y, third<Kind>(x, y)); },
      fmaOnHost<Kind, float>);
  check<double>(
      "fma by parts", [](Real x, Real y) { return fmaByParts(x, y, third<Kind>(x, y)); },
      fmaOnHost<Kind, double>);
  check<float>(
      "fma in float64", [](Real x, Real y) { return fmaThroughWide(x, y, third<Kind>(x, y)); },
      fmaOnHost<Kind, float>);
}
TEST(Exact, FmaOfAnyNumbers) { checkFma<0>(); }
TEST(Exact, FmaOfTheProductsOpposite) { checkFma<1>(); }
TEST(Exact, FmaOfAlmostTheProduct) { checkFma<2>(); }
TEST(Exact, FmaOfWhatTheProductRoundsAway) { checkFma<3>(); }

/// Quotients and roots as a device may give them: wrong by some 2^-21 either way.
template <int Sign> Real looseQuotient(Real x, Real y) { return (x / y) * (1 + Sign * 0x1p-21); }
template <int Sign> Real looseRoot(Real x) { return sqrt(x) * (1 + Sign * 0x1p-21); }

template <class F> F divideOnHost(F x, F y) { return x / y; }
template <class F> F rootOnHost(F x, F) { return std::sqrt(x); }

template <class F, int Sign> void checkCorrected() {
  check<F>(
      "division", [](Real x, Real y) { return divideExactly(x, y, looseQuotient<Sign>); },
      divideOnHost<F>);
  check<F>(
      "square root",
      [](Real x, Real) { return sqrtExactly(x, looseRoot<Sign>, looseQuotient<Sign>); },
      rootOnHost<F>);
}
TEST(Exact, DivisionAndRootFromAbove) {
  checkCorrected<float, 1>();
  checkCorrected<double, 1>();
}
TEST(Exact, DivisionAndRootFromBelow) {
  checkCorrected<float, -1>();
  checkCorrected<double, -1>();
}

} // namespace

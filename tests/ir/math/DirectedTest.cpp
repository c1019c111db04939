// Operations rounded down, up and toward zero, against the host's own rounding modes, bit by bit:
// special values, any bits, sums that cancel, products next to ties, results at both ends of the
// range.
#include "ir/math/Composed.h"
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"

#include "gtest/gtest.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>

#pragma STDC FENV_ACCESS ON

using namespace tilerun::harness;
using namespace tilerun::mathx;
using composed::Direction;

namespace {

template <class F> using PatternOf = std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t>;
template <class F> F fromPattern(uint64_t bits) { return std::bit_cast<F>(PatternOf<F>(bits)); }
template <class F> uint64_t toPattern(F x) { return std::bit_cast<PatternOf<F>>(x); }

/// Special with special, any bits, moderate numbers, neighbours and opposites, numbers whose
/// products and quotients are subnormal or overflow.
template <class F> void makePairs(std::vector<F> &a, std::vector<F> &b) {
  using Limits = std::numeric_limits<F>;
  for (F x : specialValues<F>())
    for (F y : specialValues<F>()) {
      a.push_back(x);
      b.push_back(y);
    }
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> moderate(-4, 4);
  const int middle = Limits::min_exponent / 2;
  for (int i = 0; i < 240000; ++i) {
    F x = F(moderate(random)), y = F(moderate(random));
    switch (i % 6) {
    case 0:
      x = fromPattern<F>(random());
      y = fromPattern<F>(random());
      break;
    case 1:
      y = fromPattern<F>(toPattern(x) + random() % 4 - 2) * F(i % 4 < 2 ? -1 : 1);
      break;
    case 2: // Products around the smallest numbers.
      x = std::ldexp(x, middle - int(random() % 12));
      y = std::ldexp(y, middle - int(random() % (2 * Limits::digits)) + 12);
      break;
    case 3: // Quotients there, and sums of numbers far apart.
      x = std::ldexp(x, Limits::min_exponent + int(random() % 8));
      y = std::ldexp(y, int(random() % (2 * Limits::digits)) - 4);
      break;
    case 4: // Around the largest numbers.
      x = std::ldexp(x, Limits::max_exponent - 3 - int(random() % 3));
      y = std::ldexp(y, i % 12 == 4 ? Limits::max_exponent - 3 : 0);
      break;
    default: // Few bits: exact results and ties.
      x = F(int(random() % 64) - 32);
      y = std::ldexp(F(int(random() % 64) - 32), int(random() % 8) - 4);
    }
    a.push_back(x);
    b.push_back(y);
  }
}

/// The third operand of fma, the same here and in the operations: the product's opposite, that of
/// one of its neighbours, or a combination of both operands' bits.
template <class F> F third(F x, F y) {
  const uint64_t px = toPattern(x), py = toPattern(y);
  const F product = -(x * y);
  const PatternOf<F> shift = PatternOf<F>(px & 3);
  const F near = std::bit_cast<F>(PatternOf<F>(toPattern(product) + shift));
  const F any = std::bit_cast<F>(PatternOf<F>(px * 2654435761u + py));
  return (py & 1) != 0 ? near : (py & 2) != 0 ? any : y;
}
Real third(Real x, Real y) {
  Int px = bits(x), py = bits(y);
  Real near = fromBits(bits(-fma(x, y, x.c->real(-0.0))) + (px & 3));
  Real any = fromBits(px * 2654435761u + py);
  return select(isNotEqual(py & 1, 0), near, select(isNotEqual(py & 2, 0), any, y));
}

enum Operation { Add, Subtract, Multiply, Divide, Root, Fma };

template <class F> __attribute__((noinline)) F onHost(Operation operation, int mode, F x, F y) {
  volatile F a = x, b = y, c = operation == Fma ? third(x, y) : F(0), result = 0;
  std::fesetround(mode);
  switch (operation) {
  case Add:
    result = a + b;
    break;
  case Subtract:
    result = a - b;
    break;
  case Multiply:
    result = a * b;
    break;
  case Divide:
    result = a / b;
    break;
  case Root:
    result = std::sqrt(F(a));
    break;
  case Fma:
    result = std::fma(F(a), F(b), F(c));
    break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

template <Operation O, Direction D> Real build(Real x, Real y) {
  if constexpr (O == Add)
    return composed::add(x, y, D);
  else if constexpr (O == Subtract)
    return composed::subtract(x, y, D);
  else if constexpr (O == Multiply)
    return composed::multiply(x, y, D);
  else if constexpr (O == Divide)
    return composed::divide(x, y, D);
  else if constexpr (O == Root)
    return composed::squareRoot(x, D);
  else
    return composed::multiplyAdd(x, y, third(x, y), D);
}

template <class F, Operation O, Direction D> void check() {
  std::vector<F> a, b;
  makePairs(a, b);
  for (bool contract : {false, true}) {
    auto op = CompiledOp::compile("", build<O, D>, sizeof(F) == 4 ? "f32" : "f64", 2,
                                  {Errors::None, contract, /*rounded=*/false});
    ASSERT_TRUE(bool(op)) << llvm::toString(op.takeError());
    const std::vector<F> got = (*op)->run(a, b);
    const int mode = D == Direction::Down ? FE_DOWNWARD
                     : D == Direction::Up ? FE_UPWARD
                                          : FE_TOWARDZERO;
    for (size_t i = 0; i < a.size(); ++i) {
      const F want = onHost<F>(O, mode, a[i], b[i]);
      const bool same =
          std::isnan(want) ? std::isnan(got[i]) : toPattern(got[i]) == toPattern(want);
      ASSERT_TRUE(same) << std::hexfloat << "of " << a[i] << ", " << b[i] << ", "
                        << third(a[i], b[i]) << ": " << got[i] << ", not " << want;
    }
  }
}

template <Operation O> void checkAll() {
  check<float, O, Direction::Down>();
  check<float, O, Direction::Up>();
  check<float, O, Direction::Zero>();
  check<double, O, Direction::Down>();
  check<double, O, Direction::Up>();
  check<double, O, Direction::Zero>();
}

TEST(Directed, Sums) { checkAll<Add>(); }
TEST(Directed, Differences) { checkAll<Subtract>(); }
TEST(Directed, Products) { checkAll<Multiply>(); }
TEST(Directed, Quotients) { checkAll<Divide>(); }
TEST(Directed, Roots) { checkAll<Root>(); }
TEST(Directed, FusedProductsAndSums) { checkAll<Fma>(); }

} // namespace

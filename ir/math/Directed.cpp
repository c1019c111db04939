// Operations rounded down, up or toward zero: the nearest result, and one step from there where the
// sign of what rounding lost says so. That sign is found without rounding errors, on numbers taken
// apart into exponents and numbers in [1, 2), so that nothing inside over- or underflows. Products
// and sums are written as fma, since a backend may contract what stands outside an expansion.
#include "ir/math/Composed.h"

using namespace mlir;
using namespace tilerun::mathx;
using composed::Direction;

namespace {

Real product(Real x, Real y) { return fma(x, y, x.c->real(-0.0)); }
Real plus(Real x, Real y) { return fma(y, y.c->real(1), x); }
Real minus(Real x, Real y) { return fma(y, y.c->real(-1), x); }
Bool isFinite(Real x) { return abs(x) < x.c->infinity(); }
Int signOf(Real x) { return bits(x) & (uint64_t(1) << (x.c->width - 1)); }
Real negate(Real x) { return fromBits(bits(x) ^ (uint64_t(1) << (x.c->width - 1))); }

/// `nearest` of finite operands moved toward the exact result where `rest`, which has the sign of
/// exact - nearest, and the direction say so.
Real step(Real nearest, Real rest, Direction direction) {
  Calculator &c = *nearest.c;
  Int pattern = bits(nearest), one = c.integer(1);
  // An infinite result of finite operands is one that rounding made.
  rest = select(abs(nearest) == c.infinity(), negate(nearest), rest);
  Bool negative = isNotEqual(signOf(nearest), 0);
  Bool below = rest < 0.0, above = rest > 0.0;
  Bool moves = direction == Direction::Down ? below
               : direction == Direction::Up ? above
                                            : (below & !negative) | (above & negative);
  // Away from zero the pattern grows.
  Real moved = fromBits(pattern - one), smallest = fromBits(one);
  if (direction != Direction::Zero) {
    Bool grows = direction == Direction::Down ? negative : !negative;
    moved = select(grows, fromBits(pattern + one), moved);
    moved =
        select(nearest == 0.0, direction == Direction::Down ? negate(smallest) : smallest, moved);
  }
  return select(moves, moved, nearest);
}

/// Rounding down, a sum of opposites that is exactly zero is -0.
Real zeroOfSum(Real result, Real x, Real y, Bool exact, Direction direction) {
  if (direction != Direction::Down)
    return result;
  Bool opposite = isNotEqual(signOf(x) ^ signOf(y), 0);
  return select((result == 0.0) & exact & opposite, -0.0, result);
}

/// x · 2^n for an n of any size, if the result is a number that the type has.
Real scaleLimited(Real x, Int n) {
  Calculator &c = *x.c;
  Int most = c.integer(uint64_t(2 * c.bias - 2)), least = c.integer(0) - most;
  n = select(isLess(most, n), most, n);
  return scale(x, select(isLess(n, least), least, n));
}

} // namespace

Real composed::add(Real x, Real y, Direction direction) {
  Real sum = plus(x, y);
  Bool swap = abs(x) < abs(y);
  Real large = select(swap, y, x), small = select(swap, x, y);
  Real rest = minus(small, minus(sum, large));
  Real result = step(sum, rest, direction);
  result = zeroOfSum(result, x, y, rest == 0.0, direction);
  return select(isFinite(x) & isFinite(y), result, sum);
}

Real composed::subtract(Real x, Real y, Direction direction) {
  return add(x, negate(y), direction);
}

Real composed::multiply(Real x, Real y, Direction direction) {
  Real nearest = product(x, y);
  FloatParts a = takeApart(x), b = takeApart(y);
  Real scaled = scaleLimited(nearest, x.c->integer(0) - (a.exponent + b.exponent));
  Real result = step(nearest, fma(a.m, b.m, -scaled), direction);
  Bool usual = isFinite(x) & isFinite(y) & (x != 0.0) & (y != 0.0);
  return select(usual, result, nearest);
}

Real composed::divide(Real x, Real y, Direction direction) {
  Real nearest = x / y;
  FloatParts a = takeApart(x), b = takeApart(y);
  Real scaled = scaleLimited(nearest, b.exponent - a.exponent);
  Real rest = fma(-scaled, b.m, a.m);
  rest = fromBits(bits(rest) ^ signOf(y));
  Bool usual = isFinite(x) & isFinite(y) & (x != 0.0) & (y != 0.0);
  return select(usual, step(nearest, select(rest == 0.0, 0.0, rest), direction), nearest);
}

Real composed::squareRoot(Real x, Direction direction) {
  Calculator &c = *x.c;
  Real nearest = sqrt(x);
  FloatParts a = takeApart(x);
  Int half = shiftSigned(a.exponent, 1);
  Real m = select(isNotEqual(a.exponent & 1, 0), a.m + a.m, a.m);
  Real scaled = scaleLimited(nearest, c.integer(0) - half);
  Bool usual = isFinite(x) & (x > 0.0);
  return select(usual, step(nearest, fma(-scaled, scaled, m), direction), nearest);
}

Real composed::multiplyAdd(Real x, Real y, Real z, Direction direction) {
  Calculator &c = *x.c;
  Real nearest = fma(x, y, z);
  const uint64_t distance = 2 * c.mantissa + 6;
  FloatParts a = takeApart(x), b = takeApart(y), d = takeApart(z);
  // Far apart, only the lesser term's sign matters; its exponent may be any that is far enough.
  Int exponent = a.exponent + b.exponent, far = c.integer(distance);
  Int offset = select(z == 0.0, c.integer(0), d.exponent - exponent);
  Bool zRules = isLess(far, offset);
  exponent = select(zRules, d.exponent - distance, exponent);
  Int near = c.integer(0) - distance;
  offset = select(zRules, far, select(isLess(offset, near), near, offset));
  Real addend = select(z == 0.0, 0.0, product(d.m, powerOfTwo(offset)));
  Real high = product(a.m, b.m), low = fma(a.m, b.m, -high);
  Real scaled = scaleLimited(nearest, c.integer(0) - exponent);
  // The product, the addend and the result's opposite as an expansion, whose largest part that is
  // not zero has its sign (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
  // geometric predicates", 1997, theorem 10).
  Pair first = twoSum(addend, low), second = twoSum(first.hi, high);
  Pair e0 = twoSum(-scaled, first.lo), e1 = twoSum(e0.hi, second.lo), e2 = twoSum(e1.hi, second.hi);
  Real rest = e0.lo;
  for (Real part : {e1.lo, e2.lo, e2.hi})
    rest = select(part != 0.0, part, rest);
  Real result = step(nearest, rest, direction);
  Real sign = fromBits(bits(x) ^ signOf(y));
  result = zeroOfSum(result, sign, z, rest == 0.0, direction);
  // A product that is zero: the sum is z, or a sum of zeros.
  Bool zero = (x == 0.0) | (y == 0.0);
  Real withZero = zeroOfSum(nearest, sign, z, z == 0.0, direction);
  Bool finite = isFinite(x) & isFinite(y) & isFinite(z);
  return select(finite, select(zero, withZero, result), nearest);
}

Real composed::narrow(Real x, Calculator &single, Direction direction) {
  Real nearest{&single, arith::TruncFOp::create(single.b, single.loc, single.type, x.v)};
  Real back{x.c, arith::ExtFOp::create(x.c->b, x.c->loc, x.c->type, nearest.v)};
  Bool below{&single, (x < back).v}, above{&single, (x > back).v};
  Real one = single.real(1);
  Real rest = select(below, -one, select(above, one, single.real(0)));
  Bool finite{&single, isFinite(x).v};
  return select(finite, step(nearest, rest, direction), nearest);
}

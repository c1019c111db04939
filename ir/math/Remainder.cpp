// fmod, exactly: significands as numbers from 1 to 2, and a loop that takes `kStep` bits of the
// quotient at a time. Quotients are at most one too large, so that rests are exact.
#include "ir/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace tilerun::mathx;

/// 1 / m to a unit in the last place for 1 <= m < 2; on float64 without what a quotient does for
/// other numbers.
static Real reciprocalOfSignificand(Real m) {
  Calculator &c = *m.c;
  if (!c.wide)
    return reciprocal(m);
  Real y = evaluate(kReciprocal, m);
  for (int i = 0; i < 2; ++i) { // 2^-6.6, 2^-19.8, 2^-59.6
    Real h = fma(-m, y, c.real(1));
    y = fma(y, fma(h, h, h), y);
  }
  return y;
}

Real tilerun::mathx::fmod(Real x, Real y) {
  Calculator &c = *x.c;
  Real infinity = c.infinity();
  Bool valid = (abs(x) < infinity) & (abs(y) < infinity) & (y != 0.0);
  FloatParts dividend = takeApart(abs(x)), divisor = takeApart(select(valid, abs(y), 1.0));
  // A zero is taken apart as a significand of 1.
  Int distance = dividend.exponent - divisor.exponent;
  Real first = select(dividend.m >= divisor.m, dividend.m - divisor.m, dividend.m);

  // The estimate is off by 2^-22 at most; the factor makes quotients of up to kStep bits too large.
  const int step = c.wide ? 49 : 20;
  Real inverse = reciprocalOfSignificand(divisor.m) * (1 + std::ldexp(1.0, -step - 1));
  Type types[] = {c.type, c.integerType()};
  auto loop = scf::WhileOp::create(c.b, c.loc, types, ValueRange{first.v, distance.v});
  OpBuilder::InsertionGuard guard(c.b);
  Block *before = c.b.createBlock(&loop.getBefore(), {}, types, {c.loc, c.loc});
  Value more = isLess(c.integer(0), Int{&c, before->getArgument(1)}).v;
  if (isa<VectorType>(c.type))
    more = vector::ReductionOp::create(c.b, c.loc, vector::CombiningKind::OR, more);
  scf::ConditionOp::create(c.b, c.loc, more, before->getArguments());

  Block *after = c.b.createBlock(&loop.getAfter(), {}, types, {c.loc, c.loc});
  Real rest{&c, after->getArgument(0)};
  Int left{&c, after->getArgument(1)};
  // Elements of a vector that are done take no bits more.
  Int taken = select(isLess(left, c.integer(0)), c.integer(0), left);
  taken = select(isLess(c.integer(uint64_t(step)), taken), c.integer(uint64_t(step)), taken);
  Real shifted = rest * powerOfTwo(taken);
  Real next = fma(-trunc(shifted * inverse), divisor.m, shifted);
  next = select(next < 0.0, next + divisor.m, next);
  scf::YieldOp::create(c.b, c.loc, ValueRange{next.v, (left - taken).v});

  c.b.setInsertionPointAfter(loop);
  Real result = copySign(scale({&c, loop.getResult(0)}, divisor.exponent), x);
  result = select(valid, result, c.nan());
  return select((abs(x) < abs(y)) & (abs(x) < infinity), x, result);
}

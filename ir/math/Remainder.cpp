// fmod, exactly: each step subtracts the largest multiple of y · 2^k whose quotient is an exact
// integer, so that the rest is exact too; a loop for quotients beyond the precision.
#include "ir/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace tilerun::mathx;

static Int exponentOf(Real positive) { return bits(positive) >> positive.c->mantissa; }

Real tilerun::mathx::fmod(Real x, Real y) {
  Calculator &c = *x.c;
  Real infinity = c.infinity();
  Bool valid = (abs(x) < infinity) & (abs(y) < infinity) & (y != 0.0);
  Real rest = select(valid, abs(x), 0.0), divisor = select(valid, abs(y), 1.0);
  const int up = int(c.mantissa) + 1;
  Bool subnormal = divisor < c.real(0x1p-126, 0x1p-1022);
  Int below = exponentOf(divisor * std::ldexp(1.0, up)) - uint64_t(up);
  Int divisorExponent = select(subnormal, below, exponentOf(divisor));

  auto loop = scf::WhileOp::create(c.b, c.loc, TypeRange{c.type}, ValueRange{rest.v});
  OpBuilder::InsertionGuard guard(c.b);
  Block *before = c.b.createBlock(&loop.getBefore(), {}, TypeRange{c.type}, {c.loc});
  Value more = (Real{&c, before->getArgument(0)} >= divisor).v;
  if (isa<VectorType>(c.type))
    more = vector::ReductionOp::create(c.b, c.loc, vector::CombiningKind::OR, more);
  scf::ConditionOp::create(c.b, c.loc, more, before->getArguments());

  Block *after = c.b.createBlock(&loop.getAfter(), {}, TypeRange{c.type}, {c.loc});
  Real r{&c, after->getArgument(0)};
  Int distance = exponentOf(r) - divisorExponent - uint64_t(c.mantissa - 1);
  Int k = select(isLess(distance, 0), c.integer(0), distance);
  Real multiple = scale(divisor, k), quotient = trunc(r / multiple);
  Real next = fma(-quotient, multiple, r);
  // The quotient may have been rounded up.
  next = select(next < 0.0, next + multiple, next);
  scf::YieldOp::create(c.b, c.loc, select(r >= divisor, next, r).v);

  c.b.setInsertionPointAfter(loop);
  Real result = copySign({&c, loop.getResult(0)}, x);
  result = select(valid, result, c.nan());
  return select((abs(x) < infinity) & (abs(y) == infinity), x, result);
}

// sin, cos, tan: reduction to [-π/4, π/4] as a pair (Cody and Waite's with three parts of π/2 for
// ordinary arguments, Payne and Hanek's behind a branch for huge ones), and polynomials.
#include "ir/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun::mathx;

/// Whether any element is true: what a thread branches on.
static Value any(Bool condition) {
  if (!isa<VectorType>(condition.v.getType()))
    return condition.v;
  return vector::ReductionOp::create(condition.c->b, condition.c->loc, vector::CombiningKind::OR,
                                     condition.v);
}

static Reduced reduceOrdinary(Real x) {
  Calculator &c = *x.c;
  Rounded k = roundProduct(x, 0.63661977236758134);
  auto [p1, p2, p3] = c.split(kPiOver2, c.wide ? 50 : 22);
  // Exact, as p1 ends in zeros (Boldo, Daumas and Li, "Formally verified argument reduction with a
  // fused multiply-add", IEEE TC 58 (2009)).
  Real first = fma(k.real, -p1, x);
  Pair second = twoProduct(k.real, -p2);
  Pair head = twoSum(first, second.hi);
  Real low = head.lo + fma(k.real, -p3, second.lo);
  return {fastTwoSum(head.hi, low), k.integer};
}

static Reduced reduce(Real x) {
  Calculator &c = *x.c;
  Reduced ordinary = reduceOrdinary(x);
  Bool isLarge = abs(x) >= c.real(0x1p17, 0x1p46);
  auto branch =
      scf::IfOp::create(c.b, c.loc, TypeRange{c.type, c.type, c.integerType()}, any(isLarge),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(branch.thenBlock());
  Reduced large = reduceLarge(x);
  scf::YieldOp::create(c.b, c.loc,
                       ValueRange{select(isLarge, large.angle.hi, ordinary.angle.hi).v,
                                  select(isLarge, large.angle.lo, ordinary.angle.lo).v,
                                  select(isLarge, large.quadrant, ordinary.quadrant).v});
  c.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(c.b, c.loc,
                       ValueRange{ordinary.angle.hi.v, ordinary.angle.lo.v, ordinary.quadrant.v});
  return {{{&c, branch.getResult(0)}, {&c, branch.getResult(1)}}, {&c, branch.getResult(2)}};
}

/// Both for |r| <= π/4, before the last addition.
static Pair sinReduced(Pair r, Real square) {
  Real cubic = r.hi * square * evaluate(kSin, square);
  return {r.hi, cubic + fma(-0.5 * square, r.lo, r.lo)};
}
static Pair cosReduced(Pair r, Real square) {
  Real half = 0.5 * square;
  Pair head = fastTwoSum(square.c->real(1), -half);
  // The square's own rounding error counts here.
  Real error = fma(r.hi, r.hi, -square);
  Real tail =
      fma(square * square, evaluate(kCos, square), fma(error, square.c->real(-0.5), head.lo));
  return {head.hi, fma(-r.hi, r.lo, tail)};
}

/// sin(x + turns · π/2).
static Real sineOf(Real x, uint64_t turns) {
  Calculator &c = *x.c;
  Reduced reduced = reduce(x);
  Int quadrant = reduced.quadrant + turns;
  Real square = reduced.angle.hi * reduced.angle.hi;
  Real sine = sum(sinReduced(reduced.angle, square)),
       cosine = sum(cosReduced(reduced.angle, square));
  Real result = select(isNotEqual(quadrant & 1, 0), cosine, sine);
  result = select(isNotEqual(quadrant & 2, 0), -result, result);
  result = select(abs(x) < c.infinity(), result, c.nan());
  return turns == 0 ? select(x == 0.0, x, result) : result;
}

Real tilerun::mathx::sin(Real x) { return sineOf(x, 0); }
Real tilerun::mathx::cos(Real x) { return sineOf(x, 1); }

Real tilerun::mathx::tan(Real x) {
  Calculator &c = *x.c;
  Reduced reduced = reduce(x);
  Real square = reduced.angle.hi * reduced.angle.hi;
  auto normalized = [](Pair p) { return fastTwoSum(p.hi, p.lo); };
  Pair sine = normalized(sinReduced(reduced.angle, square));
  Pair cosine = normalized(cosReduced(reduced.angle, square));
  Bool odd = isNotEqual(reduced.quadrant & 1, 0);
  // sin / cos or -cos / sin.
  Pair upper{select(odd, -cosine.hi, sine.hi), select(odd, -cosine.lo, sine.lo)};
  Pair lower{select(odd, sine.hi, cosine.hi), select(odd, sine.lo, cosine.lo)};
  Real inverse = 1.0 / lower.hi, quotient = upper.hi * inverse;
  Real rest = fma(-quotient, lower.hi, upper.hi) + fma(-quotient, lower.lo, upper.lo);
  Real result = fma(rest, inverse, quotient);
  result = select(abs(x) < c.infinity(), result, c.nan());
  return select(x == 0.0, x, result);
}

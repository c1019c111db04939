// sin, cos, tan: reduction to [-π/4, π/4] as a pair (Cody and Waite's with three parts of π/2 for
// ordinary arguments, Payne and Hanek's behind a branch for huge ones), and polynomials. float32
// does without the low half.
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
  if (!c.wide) {
    // The first step is exact. Where the second cancels, its difference is, too.
    auto [p1, p2, p3] = c.split(kPiOver2);
    Real first = fma(k.real, -p1, x);
    Pair second = twoProduct(k.real, p2), head = fastTwoSum(first, -second.hi);
    return {{head.hi, fma(k.real, -p3, head.lo - second.lo)}, k.integer};
  }
  auto [p1, p2, p3] = c.split(kPiOver2, 50);
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
  // Infinities come here, too.
  Real high = select(abs(x) < c.infinity(), large.angle.hi, c.nan());
  scf::YieldOp::create(c.b, c.loc,
                       ValueRange{select(isLarge, high, ordinary.angle.hi).v,
                                  select(isLarge, large.angle.lo, ordinary.angle.lo).v,
                                  select(isLarge, large.quadrant, ordinary.quadrant).v});
  c.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(c.b, c.loc,
                       ValueRange{ordinary.angle.hi.v, ordinary.angle.lo.v, ordinary.quadrant.v});
  return {{{&c, branch.getResult(0)}, {&c, branch.getResult(1)}}, {&c, branch.getResult(2)}};
}

Pair tilerun::mathx::sinReduced(Pair r, Real square) {
  Real cubic = r.hi * square * evaluate(kSin, square);
  return {r.hi, cubic + fma(-0.5 * square, r.lo, r.lo)};
}
Pair tilerun::mathx::cosReduced(Pair r, Real square) {
  Real half = 0.5 * square;
  Pair head = fastTwoSum(square.c->real(1), -half);
  // The square's own rounding error counts here.
  Real error = fma(r.hi, r.hi, -square);
  Real tail =
      fma(square * square, evaluate(kCos, square), fma(error, square.c->real(-0.5), head.lo));
  return {head.hi, fma(-r.hi, r.lo, tail)};
}

Real tilerun::mathx::signedBy(Int quadrant, Real x) {
  Calculator &c = *x.c;
  return fromBits(bits(x) ^ ((quadrant << (c.width - 2)) & (uint64_t(1) << (c.width - 1))));
}

/// sin(x + turns · π/2).
static Real sineOf(Real x, uint64_t turns) {
  Calculator &c = *x.c;
  Reduced reduced = reduce(x);
  Int quadrant = turns == 0 ? reduced.quadrant : reduced.quadrant + turns;
  Real r = reduced.angle.hi, square = r * r, sine, cosine;
  if (c.wide) {
    sine = sum(sinReduced(reduced.angle, square));
    cosine = sum(cosReduced(reduced.angle, square));
  } else {
    sine = r + fma(r * square, evaluate(kSin, square), reduced.angle.lo);
    cosine = fma(square, fma(square, evaluate(kCos, square), c.real(-0.5)), c.real(1));
  }
  Real result = signedBy(quadrant, select(isNotEqual(quadrant & 1, 0), cosine, sine));
  // NaN comes out of the reduction of NaN and infinities.
  return turns == 0 ? select(x == 0.0, x, result) : result;
}

Real tilerun::mathx::sin(Real x) { return sineOf(x, 0); }
Real tilerun::mathx::cos(Real x) { return sineOf(x, 1); }

Real tilerun::mathx::tan(Real x) {
  Calculator &c = *x.c;
  Reduced reduced = reduce(x);
  Real square = reduced.angle.hi * reduced.angle.hi;
  Bool odd = isNotEqual(reduced.quadrant & 1, 0);
  if (!c.wide) {
    Real r = reduced.angle.hi;
    Real near = r + fma(r * square, evaluate(kTan, square), reduced.angle.lo);
    // -1 / near, by a step of Newton's method where it is an estimate.
    Real inverse = reciprocal(near);
    if (c.has(&Estimates::reciprocal))
      inverse = fma(fma(-inverse, near, c.real(1)), inverse, inverse);
    return select(x == 0.0, x, select(odd, -inverse, near));
  }
  auto normalized = [](Pair p) { return fastTwoSum(p.hi, p.lo); };
  Pair sine = normalized(sinReduced(reduced.angle, square));
  Pair cosine = normalized(cosReduced(reduced.angle, square));
  // sin / cos or -cos / sin.
  Pair upper{select(odd, -cosine.hi, sine.hi), select(odd, -cosine.lo, sine.lo)};
  Pair lower{select(odd, sine.hi, cosine.hi), select(odd, sine.lo, cosine.lo)};
  Real inverse = 1.0 / lower.hi, quotient = upper.hi * inverse;
  Real rest = fma(-quotient, lower.hi, upper.hi) + fma(-quotient, lower.lo, upper.lo);
  return select(x == 0.0, x, fma(rest, inverse, quotient));
}

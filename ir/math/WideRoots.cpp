// Roots of float64 without quotients: an estimate from half or a third of the exponent, a series
// that brings it to 18 bits, and another one for what is left, whose argument is exact because the
// estimate is short. Only the last sum is rounded: errors are 0.5001 units in the last place.
#include "ir/math/WideForms.h"

#include <array>

using namespace tilerun::mathx;

namespace {

/// y times a polynomial whose leading coefficient is 1, so that g³ takes no product, cut after 20
/// bits so that squares are exact.
Real improved(Real y, Real g, const Polynomial &polynomial) {
  Calculator &c = *y.c;
  llvm::ArrayRef<double> p = polynomial.wide;
  Real factor = fma(fma(g + p[2], g, c.real(p[1])), g, c.real(p[0]));
  return fromBits(bits(y * factor) & 0xffffffff00000000);
}

/// a^(-1/2) with an error of 2^-19.7, for normal a > 0, from its bits. The estimate is that of
/// a / 0.719, off by 3 %.
Real shortInverseRoot(Real a) {
  Calculator &c = *a.c;
  Real y = fromBits(c.integer(0x5fe2b6e000000000) - (bits(a) >> 1));
  return improved(y, fma(-a, y * y, c.real(0x1.70339p-1)), kInverseRoot);
}

/// a^(-1/3) with an error of 2^-17.6, likewise, and some number for 0. A third of the bits is a
/// product of their upper half.
Real shortInverseCubeRoot(Real a) {
  Calculator &c = *a.c;
  Real y = fromBits(c.integer(0x553ae16000000000) - (bits(a) >> 32) * 0x55555556);
  return improved(y, fma(-(a * (y * y)), y, c.real(0x1.2e8bp-1)), kInverseCubeRoot);
}

/// y (1 - h)^(-1/2) for |h| < 2^-18.
Real correctedInverseRoot(Real y, Real h) {
  return fma(y, h * evaluate({0.5, 0.375, 0.3125}, h), y);
}

/// x, or x · 2^54 if it is subnormal; 0 and negative numbers count as such.
struct Normal {
  explicit Normal(Real x) : isScaled(x < 0x1p-1022), number(select(isScaled, x * 0x1p54, x)) {}
  /// The root of x from the root of `number`, given the power of two for scaled numbers.
  Real unscaled(Real root, double power) const { return select(isScaled, root * power, root); }
  Bool isScaled;
  Real number;
};

/// a^(-1/3) = y (1 - h)^(-1/3), |h| < 2^-16, and a y² as a pair.
struct CubeRoot {
  explicit CubeRoot(Real a)
      : y(shortInverseCubeRoot(a)), product(twoProduct(a, y * y)),
        h(fma(-product.lo, y, fma(-product.hi, y, a.c->real(1)))) {}
  /// A power of 1 - h, less 1, by its series' coefficients from h to h⁴; in place of h⁴ stands the
  /// multiple of h² that is closest to it.
  Real series(std::array<double, 4> p) const {
    return h * evaluate({p[0], p[1] + p[3] * 0x1.7bp-33, p[2]}, h);
  }
  Real y;
  Pair product;
  Real h;
};

} // namespace

Real wide::inverseRoot(Pair a) {
  // The square is exact, and so is all but the last bits of 1 - a y².
  Real y = shortInverseRoot(a.hi), square = y * y;
  Real h = fma(-a.lo, square, fma(-a.hi, square, a.hi.c->real(1)));
  return correctedInverseRoot(y, h);
}

Real wide::rsqrt(Real x) {
  Calculator &c = *x.c;
  Normal a(x);
  Real y = shortInverseRoot(a.number), h = fma(-a.number, y * y, c.real(1));
  Real result = a.unscaled(correctedInverseRoot(y, h), 0x1p27);
  result = select(x < c.infinity(), result, 0.0);
  return select(x > 0.0, result, select(x == 0.0, copySign(c.infinity(), x), c.nan()));
}

Real wide::cbrt(Real x) {
  // a y² (1 - h)^(-2/3); zeros pass through all of it.
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Normal a(magnitude);
  CubeRoot inverse(a.number);
  Real series = inverse.series({2.0 / 3, 5.0 / 9, 0x1.f9adep-2, 110.0 / 243});
  Pair product = inverse.product;
  Real root = a.unscaled(product.hi + fma(product.hi, series, product.lo), 0x1p-18);
  return copySign(select(magnitude < c.infinity(), root, magnitude), x);
}

Real wide::rcbrt(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Normal a(magnitude);
  CubeRoot inverse(a.number);
  Real series = inverse.series({1.0 / 3, 2.0 / 9, 0x1.61f9bp-3, 35.0 / 243});
  Real root = a.unscaled(fma(inverse.y, series, inverse.y), 0x1p18);
  root = select(magnitude == 0.0, c.infinity(), root);
  return copySign(select(magnitude == c.infinity(), 0.0, root), x);
}

// Arithmetic on SSA values written as expressions, so that an expansion reads like its formula. A
// `Real` is a float32 or float64 (or a vector of them), an `Int` an integer of the same width and
// shape, a `Bool` an i1 of the same shape. Every operator creates one IEEE operation; nothing is
// contracted: a * b + c rounds twice, fma(a, b, c) once. Tensors work as vectors do.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

#include "ir/math/Coefficients.h"

#include <functional>

namespace tilerun::mathx {

/// A device's instructions on float32 (scalars or vectors) that come close to a function; those
/// that it lacks are empty. Zeros, infinities, NaN and numbers outside of the domain give what IEEE
/// 754 says of the function. Subnormal operands and results may be zeros unless it says otherwise.
/// The bounds are those of the PTX ISA.
struct Estimates {
  using Function = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
  Function exp2;       ///< Relative error 2^-22; exact for whole numbers.
  Function exp2Whole;  ///< The same with subnormal results, which cost instructions.
  Function log2;       ///< Absolute error 2^-22 within (1/2, 2), relative error 2^-22 elsewhere.
  Function reciprocal; ///< Relative error 2^-23.
  Function sqrt;       ///< Relative error 2^-23.
  Function rsqrt;      ///< Relative error 2^-22.9.
  /// There is one instruction for min and one for max that keep NaN.
  bool hasMinimum = false;
};

class Calculator;

template <int Kind> struct Handle {
  Calculator *c;
  mlir::Value v;
};
using Real = Handle<0>;
using Int = Handle<1>;
using Bool = Handle<2>;

/// An unevaluated sum; `lo` is at most half a unit in the last place of `hi` where that matters.
struct Pair {
  Real hi, lo;
};

/// A real number as a sum of three float64.
struct Constant {
  double a, b, c;
};
inline constexpr Constant kPiOver2{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                   -0x1.f1976b7ed8fbcp-110};
inline constexpr Constant kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109};
inline constexpr Constant kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111};
inline constexpr Constant kLog10Of2{0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59,
                                    0x1.22f04d5a618a8p-114};
inline constexpr Constant kLog2E{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56,
                                 -0x1.60bb8a5442ab9p-110};
inline constexpr Constant kLog2Of10{0x1.a934f0979a371p+1, 0x1.7f2495fb7fa6dp-53,
                                    0x1.fb699b2d8abfcp-107};
inline constexpr Constant kLog10E{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                                  0x1.ee191f71a3012p-112};
inline constexpr Constant kTwoThirds{0x1.5555555555555p-1, 0x1.5555555555555p-55,
                                     0x1.5555555555555p-109};

class Calculator {
public:
  Calculator(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type)
      : b(b), loc(loc), type(type), wide(mlir::getElementTypeOrSelf(type).isF64()),
        width(wide ? 64 : 32), mantissa(wide ? 52 : 23), bias(wide ? 1023 : 127) {}

  Real real(double value);
  Real real(mlir::Value value) { return {this, value}; }
  Int integer(uint64_t value);
  /// Whether the device has such an instruction for this type: has(&Estimates::exp2).
  bool has(Estimates::Function Estimates::*member) const {
    return estimates && !wide && estimates->*member;
  }
  Real estimate(Estimates::Function Estimates::*member, Real x) {
    return {this, (estimates->*member)(b, loc, x.v)};
  }
  /// The value for float32 or the one for float64.
  Real real(double single, double forWide) { return real(wide ? forWide : single); }
  double choose(double single, double forWide) const { return wide ? forWide : single; }
  Real infinity();
  Real nan();
  /// Constants as sums: the first part has `bits` leading bits, others are full.
  struct Parts {
    Real a, b, c;
  };
  Parts split(const Constant &constant, unsigned bits);
  Parts split(const Constant &constant) { return split(constant, mantissa + 1); }
  /// Leading bits that leave room for an exact product with any exponent.
  unsigned shortBits() const { return wide ? 42 : 16; }
  mlir::Type integerType();
  mlir::Type like(mlir::Type element);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  const bool wide;
  const unsigned width, mantissa;
  const int bias;
  /// Set by those who expand for a device.
  const Estimates *estimates = nullptr;
};

#define TILERUN_REAL(NAME, OP)                                                                     \
  inline Real NAME(Real x, Real y) { return {x.c, mlir::OP::create(x.c->b, x.c->loc, x.v, y.v)}; } \
  inline Real NAME(Real x, double y) { return NAME(x, x.c->real(y)); }                             \
  inline Real NAME(double x, Real y) { return NAME(y.c->real(x), y); }
TILERUN_REAL(operator+, arith::AddFOp)
TILERUN_REAL(operator-, arith::SubFOp)
TILERUN_REAL(operator*, arith::MulFOp)
TILERUN_REAL(operator/, arith::DivFOp)
TILERUN_REAL(copySign, math::CopySignOp)
#undef TILERUN_REAL
inline Real operator-(Real x) { return {x.c, mlir::arith::NegFOp::create(x.c->b, x.c->loc, x.v)}; }
inline Real abs(Real x) { return {x.c, mlir::math::AbsFOp::create(x.c->b, x.c->loc, x.v)}; }
inline Real sqrt(Real x) { return {x.c, mlir::math::SqrtOp::create(x.c->b, x.c->loc, x.v)}; }
inline Real trunc(Real x) { return {x.c, mlir::math::TruncOp::create(x.c->b, x.c->loc, x.v)}; }
inline Real fma(Real x, Real y, Real z) {
  return {x.c, mlir::math::FmaOp::create(x.c->b, x.c->loc, x.v, y.v, z.v)};
}

#define TILERUN_COMPARE(NAME, PREDICATE)                                                           \
  inline Bool NAME(Real x, Real y) {                                                               \
    return {x.c, mlir::arith::CmpFOp::create(x.c->b, x.c->loc,                                     \
                                             mlir::arith::CmpFPredicate::PREDICATE, x.v, y.v)};    \
  }                                                                                                \
  inline Bool NAME(Real x, double y) { return NAME(x, x.c->real(y)); }
TILERUN_COMPARE(operator<, OLT)
TILERUN_COMPARE(operator<=, OLE)
TILERUN_COMPARE(operator>, OGT)
TILERUN_COMPARE(operator>=, OGE)
TILERUN_COMPARE(operator==, OEQ)
TILERUN_COMPARE(operator!=, UNE)
TILERUN_COMPARE(unordered, UNO)
#undef TILERUN_COMPARE

#define TILERUN_INTEGER(NAME, OP)                                                                  \
  inline Int NAME(Int x, Int y) {                                                                  \
    return {x.c, mlir::arith::OP::create(x.c->b, x.c->loc, x.v, y.v)};                             \
  }                                                                                                \
  inline Int NAME(Int x, uint64_t y) { return NAME(x, x.c->integer(y)); }
TILERUN_INTEGER(operator+, AddIOp)
TILERUN_INTEGER(operator-, SubIOp)
TILERUN_INTEGER(operator*, MulIOp)
TILERUN_INTEGER(operator&, AndIOp)
TILERUN_INTEGER(operator|, OrIOp)
TILERUN_INTEGER(operator^, XOrIOp)
TILERUN_INTEGER(operator<<, ShLIOp)
TILERUN_INTEGER(operator>>, ShRUIOp)
TILERUN_INTEGER(shiftSigned, ShRSIOp)
#undef TILERUN_INTEGER

#define TILERUN_COMPARE(NAME, PREDICATE)                                                           \
  inline Bool NAME(Int x, Int y) {                                                                 \
    return {x.c, mlir::arith::CmpIOp::create(x.c->b, x.c->loc,                                     \
                                             mlir::arith::CmpIPredicate::PREDICATE, x.v, y.v)};    \
  }                                                                                                \
  inline Bool NAME(Int x, uint64_t y) { return NAME(x, x.c->integer(y)); }
TILERUN_COMPARE(isEqual, eq)
TILERUN_COMPARE(isNotEqual, ne)
TILERUN_COMPARE(isBelow, ult)
TILERUN_COMPARE(isLess, slt)
#undef TILERUN_COMPARE

inline Bool operator&(Bool x, Bool y) {
  return {x.c, mlir::arith::AndIOp::create(x.c->b, x.c->loc, x.v, y.v)};
}
inline Bool operator|(Bool x, Bool y) {
  return {x.c, mlir::arith::OrIOp::create(x.c->b, x.c->loc, x.v, y.v)};
}
inline Bool operator^(Bool x, Bool y) {
  return {x.c, mlir::arith::XOrIOp::create(x.c->b, x.c->loc, x.v, y.v)};
}
Bool operator!(Bool x);

template <int Kind> Handle<Kind> select(Bool condition, Handle<Kind> x, Handle<Kind> y) {
  return {x.c, mlir::arith::SelectOp::create(x.c->b, x.c->loc, condition.v, x.v, y.v)};
}
inline Real select(Bool condition, double x, Real y) { return select(condition, y.c->real(x), y); }
inline Real select(Bool condition, Real x, double y) { return select(condition, x, x.c->real(y)); }

Int bits(Real x);
Real fromBits(Int x);
/// An integer that is a float (exactly or rounded).
Real toReal(Int signedInteger);
/// 2ⁿ for n from -bias (giving 0) to bias.
Real powerOfTwo(Int n);
/// x · 2ⁿ with one rounding, for |n| up to 2 · bias - 2.
Real scale(Real x, Int n);
/// x = m · 2^exponent with 1 <= |m| < 2, for finite x that is not 0.
struct FloatParts {
  Real m;
  Int exponent;
};
FloatParts takeApart(Real x);
/// x limited to [low, high]; NaN stays.
Real clamp(Real x, double low, double high);
Real atMost(Real x, double high);
Real atLeast(Real x, double low);
/// 1 / x, correctly rounded or the device's estimate (relative error 2^-23; 0 for |x| > 2^126).
Real reciprocal(Real x);
/// c[0] + x (c[1] + x (…)), Horner's rule with fma.
Real evaluate(llvm::ArrayRef<double> c, Real x);
Real evaluate(const Polynomial &polynomial, Real x);

/// The integer nearest to x (|x| < 2^(mantissa-1)), as a float and as an integer.
struct Rounded {
  Real real;
  Int integer;
};
/// Rounds x · factor.
Rounded roundProduct(Real x, double factor);

/// Exact sums and products (Muller et al., "Handbook of Floating-Point Arithmetic", 2nd ed.,
/// algorithms 4.3, 4.4 and 5.1). fastTwoSum needs |x| >= |y| or x = 0.
Pair twoSum(Real x, Real y);
Pair fastTwoSum(Real x, Real y);
Pair twoProduct(Real x, Real y);
/// Products and sums of pairs to about twice the precision.
Pair multiply(Pair x, Pair y);
Pair multiply(Real x, Pair y);
/// x · factor rounded once, also where the result is subnormal; for |x| up to 2^-30, float64
/// 2^-900.
Real multiplyTiny(Real x, const Constant &factor);
inline Real sum(Pair x) { return x.hi + x.lo; }

} // namespace tilerun::mathx

// Functions of x87's 64-bit mantissa and the comparison of float64 results with them, for
// bench/math/exhaustive.py, which compiles this file as a shared library.
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if LDBL_MANT_DIG < 64
#error "long double is no wider than double here: float64 cannot be measured"
#endif

typedef long double Wide;

#define PI 3.14159265358979323846264338327950288L
#define ROOT_HALF 0.707106781186547524400844362104849039L
#define TWO_OVER_ROOT_PI 1.12837916709551257389615890312154517L

/// sin(π (x + turns / 2)), reduced exactly.
static Wide sineOfPi(Wide x, int turns) {
  if (!isfinite(x))
    return NAN;
  const Wide inTurn = fmodl(x, 2), whole = nearbyintl(inTurn * 2),
             angle = (inTurn - whole / 2) * PI;
  switch (((int)whole + turns) & 3) {
  case 0:
    return sinl(angle);
  case 1:
    return cosl(angle);
  case 2:
    return -sinl(angle);
  default:
    return -cosl(angle);
  }
}

/// erfc(-x √½) / 2, with what rounding the argument loses.
static Wide normcdf(Wide x) {
  if (fabsl(x) > 60)
    return x > 0;
  const Wide z = -x * ROOT_HALF, low = fmal(-2 * ROOT_HALF, ROOT_HALF, 1) / (4 * ROOT_HALF);
  const Wide lost = fmal(-x, ROOT_HALF, -z) - x * low;
  return erfcl(z) / 2 - lost * expl(-z * z) * (TWO_OVER_ROOT_PI / 2);
}

/// erf y = x for |x| <= 1/2 by Halley's steps.
static Wide inverseNearZero(Wide x) {
  Wide y = x * (1 / TWO_OVER_ROOT_PI);
  for (int i = 0; i < 5; ++i) {
    const Wide step = (erfl(y) - x) / (expl(-y * y) * TWO_OVER_ROOT_PI);
    y -= step / (1 + y * step);
  }
  return y;
}

/// erfc y = tail for 0 < tail <= 1/2 by Newton's steps on logarithms, from Winitzki's estimate.
static Wide inverseOfTail(Wide tail) {
  const Wide logarithm = logl(tail * (2 - tail)), target = logl(tail);
  const Wide first = 4.33L + logarithm / 2;
  Wide y = sqrtl(fabsl(sqrtl(first * first - logarithm / 0.147L) - first));
  for (int i = 0; i < 6; ++i) {
    const Wide complement = erfcl(y);
    y += (logl(complement) - target) * complement / (expl(-y * y) * TWO_OVER_ROOT_PI);
  }
  return y;
}

static Wide erfinv(Wide x) {
  const Wide magnitude = fabsl(x);
  if (!(magnitude <= 1))
    return NAN;
  if (magnitude == 1)
    return x * INFINITY;
  return magnitude <= 0.5L ? inverseNearZero(x) : copysignl(inverseOfTail(1 - magnitude), x);
}

static Wide erfcinv(Wide x) {
  if (!(x >= 0 && x <= 2))
    return NAN;
  if (x == 0 || x == 2)
    return x == 0 ? INFINITY : -INFINITY;
  if (x > 0.5L && x < 1.5L)
    return inverseNearZero(1 - x);
  return x > 1 ? -inverseOfTail(2 - x) : inverseOfTail(x);
}

/// e^x² erfc x: as it says, or the asymptotic series (DLMF 7.12.1).
static Wide erfcx(Wide x) {
  if (x < 25) {
    const Wide square = x * x;
    return square > 11000 ? INFINITY : expl(square) * (1 + fmal(x, x, -square)) * erfcl(x);
  }
  Wide sum = 1, term = 1;
  for (int k = 1; k < 16; ++k)
    sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / x * (TWO_OVER_ROOT_PI / 2);
}

/// The power series (DLMF 10.25.2), or from 50 on the asymptotic one (10.40.1).
static Wide modifiedBessel(Wide x, int order) {
  const Wide magnitude = fabsl(x), sign = order && x < 0 ? -1 : 1;
  if (isnan(x) || magnitude > 800)
    return isnan(x) ? x : sign * INFINITY;
  Wide sum = 1, term = 1;
  if (magnitude < 50) {
    const Wide quarter = x * x / 4;
    for (int k = 1; term > sum * 0x1p-68L; ++k)
      sum += term *= quarter / ((Wide)k * (k + order));
    return order ? sum * x / 2 : sum;
  }
  for (int k = 1; k < 60 && fabsl(term) > 0x1p-68L; ++k) {
    const Wide odd = 2 * k - 1;
    sum += term *= (odd * odd - 4 * order) / (8 * k * magnitude);
  }
  return sign * sum * expl(magnitude) / sqrtl(2 * PI * magnitude);
}

static Wide norm(Wide x, Wide y, Wide z) { return hypotl(hypotl(x, y), z); }

typedef Wide (*Function)(Wide, Wide);
// clang-format off
#define EACH_FUNCTION(X) \
  X(exp, expl(x)) \
  X(exp2, exp2l(x)) \
  X(exp10, exp10l(x)) \
  X(expm1, expm1l(x)) \
  X(log, logl(x)) \
  X(log2, log2l(x)) \
  X(log10, log10l(x)) \
  X(log1p, log1pl(x)) \
  X(sqrt, sqrtl(x)) \
  X(rsqrt, 1 / sqrtl(x)) \
  X(cbrt, cbrtl(x)) \
  X(rcbrt, 1 / cbrtl(x)) \
  X(sin, sinl(x)) \
  X(cos, cosl(x)) \
  X(tan, tanl(x)) \
  X(sinpi, sineOfPi(x, 0)) \
  X(cospi, sineOfPi(x, 1)) \
  X(asin, asinl(x)) \
  X(acos, acosl(x)) \
  X(atan, atanl(x)) \
  X(sinh, sinhl(x)) \
  X(cosh, coshl(x)) \
  X(tanh, tanhl(x)) \
  X(asinh, asinhl(x)) \
  X(acosh, acoshl(x)) \
  X(atanh, atanhl(x)) \
  X(erf, erfl(x)) \
  X(erfc, erfcl(x)) \
  X(erfinv, erfinv(x)) \
  X(erfcinv, erfcinv(x)) \
  X(erfcx, erfcx(x)) \
  X(normcdf, normcdf(x)) \
  X(normcdfinv, -2 * ROOT_HALF * erfcinv(2 * x)) \
  X(tgamma, tgammal(x)) \
  X(lgamma, lgammal(x)) \
  X(j0, j0l(x)) \
  X(j1, j1l(x)) \
  X(y0, y0l(x)) \
  X(y1, y1l(x)) \
  X(cyl_bessel_i0, modifiedBessel(x, 0)) \
  X(cyl_bessel_i1, modifiedBessel(x, 1)) \
  X(logb, logbl(x)) \
  X(fdiv, x / y) \
  X(div_rn, x / y) \
  X(pow, powl(x, y)) \
  X(fmod, fmodl(x, y)) \
  X(hypot, hypotl(x, y)) \
  X(rhypot, 1 / hypotl(x, y)) \
  X(atan2, atan2l(x, y)) \
  X(remainder, remainderl(x, y)) \
  X(norm3d, norm(x, y, x)) \
  X(norm4d, norm(x, y, hypotl(x, y))) \
  X(rnorm3d, 1 / norm(x, y, x)) \
  X(rnorm4d, 1 / norm(x, y, hypotl(x, y)))
// clang-format on

#define DEFINE(NAME, EXPRESSION)                                                                   \
  static Wide wide_##NAME(Wide x, Wide y) {                                                        \
    (void)y;                                                                                       \
    return EXPRESSION;                                                                             \
  }
EACH_FUNCTION(DEFINE)
#undef DEFINE

static const struct {
  const char *name;
  Function function;
} functions[] = {
#define ROW(NAME, EXPRESSION) {#NAME, wide_##NAME},
    EACH_FUNCTION(ROW)
#undef ROW
};

static Function find(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (!strcmp(functions[i].name, name))
      return functions[i].function;
  return 0;
}

/// Whether there is such a function.
int hasReference(const char *name) { return find(name) != 0; }

/// The largest errors among some results, each with its argument's index; -1 where there is none.
typedef struct {
  double ulp;       // units in the last place of normal results
  double subnormal; // units of the smallest number, of results below the normal ones
  double absolute;  // of results up to 1
  int64_t nan;      // NaN in place of numbers and the reverse
  int64_t ulpAt, subnormalAt, absoluteAt, nanAt;
} Errors;

static void keepLargest(double *most, int64_t *at, double value, int64_t i) {
  if (value > *most) {
    *most = fmin(value, 1e300); // JSON has no infinity.
    *at = i;
  }
}

static void add(Errors *errors, Wide exact, double result, int64_t i) {
  if (isnan(exact) || isnan(result)) {
    if (isnan(exact) != isnan(result) && !errors->nan++)
      errors->nanAt = i;
    return;
  }
  const Wide beyond = 0x1p1024L;
  const Wide want = fminl(fmaxl(exact, -beyond), beyond);
  const Wide difference = fabsl(fminl(fmaxl(result, -beyond), beyond) - want);
  if (fabsl(want) < 0x1p-1022L) {
    keepLargest(&errors->subnormal, &errors->subnormalAt, (double)(difference / 0x1p-1074L), i);
  } else {
    const int exponent = ilogbl(want) > 1023 ? 1023 : ilogbl(want);
    keepLargest(&errors->ulp, &errors->ulpAt, (double)ldexpl(difference, 52 - exponent), i);
  }
  if (fabsl(want) <= 1)
    keepLargest(&errors->absolute, &errors->absoluteAt, (double)difference, i);
}

/// Adds the errors of `count` results of several implementations to `errors`, one for each; `base`
/// is the first one's index. Returns 0 if there is no such function.
int measure(const char *name, const double *x, const double *y, const double *const *results,
            Errors *errors, int64_t implementations, int64_t count, int64_t base) {
  const Function function = find(name);
  if (!function)
    return 0;
  for (int64_t i = 0; i < count; ++i) {
    const Wide exact = function(x[i], y[i]);
    for (int64_t k = 0; k < implementations; ++k)
      add(&errors[k], exact, results[k][i], base + i);
  }
  return 1;
}

/// The reference itself, rounded to float64.
int evaluate(const char *name, const double *x, const double *y, double *result, int64_t count) {
  const Function function = find(name);
  for (int64_t i = 0; function && i < count; ++i)
    result[i] = (double)function(x[i], y[i]);
  return function != 0;
}

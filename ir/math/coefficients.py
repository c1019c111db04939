#!/usr/bin/env python3
# Computes the polynomials in Coefficients.h: minimax approximations by Remez' exchange algorithm
# (Muller, "Elementary Functions", 3rd ed., section 3.5), rounded to the type's precision.
# Needs mpmath. Usage: coefficients.py > Coefficients.h
import struct
import sys
from mpmath import (mp, mpf, asin, atan, chebyt, cos, erf, erfc, exp, expm1, inf, ldexp, lu_solve,
                    log, log1p, matrix, pi, sin, sinh, sqrt, tan, tanh, atanh)

mp.dps = 110


def remez(g, weight, low, high, degree, warp=1):
    """Coefficients of p with least max |weight (g - p)| on [low, high], and that maximum. The exchange
    starts from Chebyshev's nodes, or from nodes closer to `low` (warp > 1) where the weight falls fast."""
    low, high, n = mpf(low), mpf(high), degree + 2

    def spread(count):
        return [low + (high - low) * ((1 - cos(pi * i / count)) / 2)**warp for i in range(count + 1)]
    nodes, grid = spread(n - 1), spread(24 * n)
    values = [(z, g(z), weight(z)) for z in grid]
    for _ in range(8):
        a, b = matrix(n, n), matrix(n, 1)
        for i, z in enumerate(nodes):
            w = weight(z)
            for j in range(degree + 1):
                a[i, j] = w * z**j
            a[i, degree + 1] = (-1)**i
            b[i] = w * g(z)
        solution = lu_solve(a, b)
        p = [solution[j] for j in range(degree + 1)]
        errors = [w * (v - mp.polyval(p[::-1], z)) for z, v, w in values]
        worst = max(abs(e) for e in errors)
        if worst < abs(solution[degree + 1]) * mpf("1.02"):
            break
        # The largest error between two changes of sign is the next node.
        nodes, best = [], None
        for (z, _, _), e in zip(values, errors):
            if best is not None and (e > 0) != (best[1] > 0):
                nodes.append(best[0])
                best = None
            if best is None or abs(e) > abs(best[1]):
                best = (z, e)
        nodes.append(best[0])
        while len(nodes) > n:
            nodes.pop(0 if abs(mp.polyval(p[::-1], nodes[0]) - g(nodes[0])) <
                      abs(mp.polyval(p[::-1], nodes[-1]) - g(nodes[-1])) else -1)
        if len(nodes) < n:
            break
    return p, worst


def near(z):
    """Functions here have removable singularities at 0."""
    return z if abs(z) > mpf(10)**-22 else mpf(10)**-22


def rounded(x, bits):
    mantissa, exponent = mp.frexp(x)
    return float(ldexp(mp.nint(ldexp(mantissa, bits)), int(exponent) - bits))


def odd(f):
    """(f(x) - x) / x³ as a function of z = x²."""
    return lambda z: (f(sqrt(near(z))) - sqrt(near(z))) / sqrt(near(z))**3


def odd_weight(f):
    return lambda z: sqrt(near(z))**3 / f(sqrt(near(z)))


def scaled_erfc(t, k):
    x = k * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


ROOT = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
HALF_LN2 = log(mpf(2)) / 2 + mpf("0.001")
QUARTER = (pi / 4)**2 * mpf("1.001")
K = 4
QUARTERS = -mpf(1) / 4, mpf(1) / 2

LOG2E = mpf(rounded(1 / log(mpf(2)), 24))


def log1p_over(f):
    """log(1+f) / f."""
    return log1p(near(f)) / near(f)


def inverse_root(k, center):
    """(center - g)^(-1/k) - g³, and the weight for relative errors of the root. The factor centers what is lost by the cut
    after 20 bits."""
    def root(g):
        return (center - g)**(-mpf(1) / k) * (1 + mpf(2)**-21.4)
    return lambda g: root(g) - g**3, lambda g: 1 / root(g)


# name, comment, function, weight, interval (per type), degrees for f32 and f64 (None: there is none), and remez' warps
TABLES = [
    ("Exp", "(exp(r) - 1 - r) / r², |r| <= ln 2 / 2",
     lambda r: (expm1(near(r)) - near(r)) / near(r)**2, lambda r: near(r)**2 / abs(expm1(near(r))),
     [(-HALF_LN2, HALF_LN2)] * 2, (4, 10)),
    ("Expm1", "the same for |r| <= 1/2",
     lambda r: (expm1(near(r)) - near(r)) / near(r)**2, lambda r: near(r)**2 / abs(expm1(near(r))),
     [(-mpf(1) / 2, mpf(1) / 2)] * 2, (5, None)),
    ("Log", "(log(1+f) - f + f²/2) / f³, sqrt(1/2) <= 1+f <= sqrt(2)",
     lambda f: (log1p(near(f)) - near(f) + near(f)**2 / 2) / near(f)**3,
     lambda f: abs(near(f)**3 / log1p(near(f))), [ROOT] * 2, (8, 20)),
    ("LogQuarters", "(log(1+f) - f + f²/2) / f³, 3/4 <= 1+f <= 3/2",
     lambda f: (log1p(near(f)) - near(f) + near(f)**2 / 2) / near(f)**3,
     lambda f: abs(near(f)**3 / log1p(near(f))), [QUARTERS] * 2, (7, None)),
    ("Log2Root", "log2(1+f) / f - L, sqrt(1/2) <= 1+f <= sqrt(2), where L is log2(e) as a float32",
     lambda f: log1p_over(f) / log(mpf(2)) - LOG2E, lambda f: 1 / log1p_over(f), [ROOT] * 2,
     (10, None)),
    ("Log10Root", "log10(1+f) / f, sqrt(1/2) <= 1+f <= sqrt(2)",
     lambda f: log1p_over(f) / log(mpf(10)), lambda f: 1 / log1p_over(f), [ROOT] * 2, (9, None)),
    ("LogTail", "(2 atanh(s) - 2s - 2/3 s³) / s⁵ in z = s², s = f / (2+f)",
     lambda z: (2 * atanh(sqrt(near(z))) - 2 * sqrt(near(z)) - mpf(2) / 3 * sqrt(near(z))**3)
     / sqrt(near(z))**5, lambda z: mpf(1), [(0, mpf("0.02945"))] * 2, (3, 8)),
    ("Sin", "(sin(r) - r) / r³ in z = r², |r| <= π/4", odd(sin), odd_weight(sin),
     [(0, QUARTER)] * 2, (3, 6)),
    ("Cos", "(cos(r) - 1 + z/2) / z² in z = r², |r| <= π/4",
     lambda z: (cos(sqrt(near(z))) - 1 + near(z) / 2) / near(z)**2,
     lambda z: near(z)**2, [(0, QUARTER)] * 2, (2, 5)),
    ("Tan", "(tan(r) - r) / r³ in z = r², |r| <= π/4", odd(tan), odd_weight(tan), [(0, QUARTER)] * 2,
     (5, None)),
    ("Asin", "(asin(x) - x) / x³ in z = x², |x| <= 1/2", odd(asin), odd_weight(asin),
     [(0, mpf(1) / 4)] * 2, (5, 12)),
    ("Atan", "(atan(t) - t) / t³ in z = t², |t| <= 1 and |t| <= 2/3", odd(atan), odd_weight(atan),
     [(0, 1), (0, mpf("0.4445"))], (8, 14)),
    ("Sinh", "(sinh(x) - x) / x³ in z = x², |x| <= 1", odd(sinh), odd_weight(sinh),
     [(0, 1)] * 2, (3, 7)),
    ("Tanh", "(tanh(x) - x) / x³ in z = x², |x| <= 0.6", odd(tanh), odd_weight(tanh),
     [(0, mpf("0.36"))] * 2, (4, 10)),
    ("Erf", "erf(x) / x - 1 in z = x², |x| <= 1 and |x| <= 3/4",
     lambda z: erf(sqrt(near(z))) / sqrt(near(z)) - 1,
     lambda z: sqrt(near(z)) / erf(sqrt(near(z))), [(0, 1), (0, mpf(9) / 16)], (6, 10)),
    ("LogErfc", "log(erfc(x)) in x - 1, from 1 or 3/4 on until erf(x) rounds to 1",
     lambda y: log(erfc(1 + y)), lambda y: erfc(1 + y),
     [(0, mpf("3.1")), (-mpf(1) / 4, mpf("5.1"))], (6, 19), (1, 2)),
    ("Erfcx", "(1 + 2x) exp(x²) erfc(x) in t = (x-4) / (x+4), 0 <= x <= 28",
     lambda t: scaled_erfc(t, K), lambda t: 1 / scaled_erfc(t, K),
     [(-1, mpf(7) / 15), (-1, mpf(24) / 32)], (11, 23)),
    ("Reciprocal", "1 / m, 1 <= m <= 2", lambda m: 1 / m, lambda m: m, [(1, 2)] * 2, (None, 2)),
    ("InverseRoot", "(c - g)^(-1/2) - g³ around c = 0x1.70339p-1, for WideRoots.cpp",
     *inverse_root(2, mpf(float.fromhex("0x1.70339p-1"))), [(mpf("-0.0374"), mpf("0.0495"))] * 2, (None, 2)),
    ("InverseCubeRoot", "(c - g)^(-1/3) - g³ around c = 0x1.2e8bp-1, likewise",
     *inverse_root(3, mpf(float.fromhex("0x1.2e8bp-1"))), [(mpf("-0.05899"), mpf("0.07087"))] * 2, (None, 2)),
]


HEAD = """// Polynomials for Functions.h, lowest degree first, for float32 and float64.
// Written by coefficients.py, which says how; `error` is the approximation's, before rounding.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace tilerun::mathx {

struct Polynomial {
  llvm::ArrayRef<double> single, wide;
};

// clang-format off"""


# By so many units in the last place coefficients are moved away from zero: found by a search for the least error of
# the function itself, its roundings and an H200's instructions included (TritonTest.cpp), beside Triton's.
MOVED = {
    "ErfcxAllWide": [0, 0, 0, 1],  # 1 / √π from Horner's steps at t = 1, to 0.04 units
    "ErfSingle": [0, 0, 0, 1, -5, -6],
    "J1SmallSingle": [0, 0, 0, 5, 0, 0, 0, 0, 0, 3],
    "LogGammaSingle": [0, 0, -6, 0, 0, -3, 0, 6, 512, 5, 0, 0, 6, -16384],
    "LogQuartersSingle": [1, -15, -12, 149, -299, -426, -2399, -14274],
    "SinSingle": [0, 80, 9679, 184672],
    "ShortAsin": [3, 52, -760, -8858, 23994],
    "ShortErfcxAll": [0, 0, 0, 0, 0, 0, 0, 0, 0, -800],
    "ShortLog": [-10, 0, 256],
}


# Polynomials of float64 whose first coefficient, by far the largest, is given with what rounding leaves of it.
WITH_LOW = ["ErfcxAll", "I0Far", "I1Far"]

# Polynomials of float64 that only start an iteration: so short that instructions hold them.
SHORT = {"Reciprocal": 21, "InverseRoot": 21, "InverseCubeRoot": 21}


def moved(name, values):
    """float32 or float64 numbers, given as Python's."""
    result = list(values)
    integer, floating = ("<q", "<d") if name.endswith("Wide") else ("<i", "<f")
    for i, units in enumerate(MOVED.get(name, [])):
        pattern = struct.unpack(integer, struct.pack(floating, values[i]))[0] + units
        result[i] = struct.unpack(floating, struct.pack(integer, pattern))[0]
    return result


def write(head, tables):
    print(head)
    for name, comment, g, weight, intervals, degrees, *warps in tables:
        print(f"\n/// {comment}.")
        for suffix, bits, (low, high), degree, warp in zip(("Single", "Wide"), (24, 53), intervals, degrees,
                                                           *(warps or [(1, 1)])):
            if degree is None:
                continue
            p, worst = remez(g, weight, low, high, degree, warp)
            print(name, suffix, mp.nstr(mp.log(worst, 2), 5), file=sys.stderr)
            if suffix == "Wide":
                bits = SHORT.get(name, bits)
            values = [c.hex() for c in moved(name + suffix, [rounded(c, bits) for c in p])]
            lines = [", ".join(values[i:i + 4]) for i in range(0, len(values), 4)]
            print(f"inline constexpr double k{name}{suffix}[] = {{ // error 2^"
                  f"{mp.nstr(mp.log(worst, 2), 4)}\n    " + ",\n    ".join(lines) + "};")
            if name in WITH_LOW and suffix == "Wide":
                print(f"inline constexpr double k{name}Low = {rounded(p[0] - rounded(p[0], bits), bits).hex()};")
        single, wide = ("{}" if degree is None else f"k{name}{suffix}"
                        for suffix, degree in zip(("Single", "Wide"), degrees))
        print(f"inline constexpr Polynomial k{name}{{{single}, {wide}}};")
    print("// clang-format on\n\n} // namespace tilerun::mathx")


if __name__ == "__main__":
    write(HEAD, TABLES)

#!/usr/bin/env python3
# Computes the polynomials in SingleCoefficients.h, of float32 alone: best ones among those with float32
# coefficients, by Sollya's fpminimax (Brisebarre and Chevillard, "Efficient polynomial L∞-approximations", ARITH
# 2007). Functions that Sollya lacks are handed to it as interpolations in Chebyshev points.
# Needs sollya and mpmath. Usage: single_coefficients.py > SingleCoefficients.h, or with names of tables for those alone.
import subprocess
import sys

from mpmath import besselj, bessely, besselyzero, cos, erfc, exp, log, lu_solve, matrix, mp, mpf, nstr, pi, qr_solve, sqrt

import coefficients

mp.dps = 40
HEAD = """// Polynomials of float32 alone, lowest degree first, for forms that start from a device's
// estimates. Written by single_coefficients.py, which says how; `error` is the approximation's.
#pragma once

namespace tilerun::mathx {

// clang-format off"""


def interpolate(g, low, high, degree=40):
    """A polynomial through g's values, as text in x."""
    middle, half, n = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2, degree + 1
    angles = [pi * (2 * k + 1) / (2 * n) for k in range(n)]
    values = [g(middle + half * cos(a)) for a in angles]
    series = [2 * sum(v * cos(j * a) for v, a in zip(values, angles)) / n for j in range(n)]
    series[0] /= 2
    assert abs(series[-1]) < max(map(abs, values)) * mpf(10)**-14, "not smooth enough"
    powers, terms = [mpf(0)] * n, [[mpf(1)], [mpf(0), mpf(1)]]
    for j in range(n):
        if j >= 2:
            term = [mpf(0)] + [2 * c for c in terms[-1]]
            terms.append([c - (terms[-2][i] if i < len(terms[-2]) else 0) for i, c in enumerate(term)])
        for i, c in enumerate(terms[j]):
            powers[i] += series[j] * c
    text = nstr(powers[-1], 35)
    for c in reversed(powers[:-1]):
        text = f"({text})*((x-({nstr(middle, 35)}))/({nstr(half, 35)}))+({nstr(c, 35)})"
    return text


def fit(g, weight, low, high, exponents, fixed):
    """Coefficients of the exponents with least max |weight (fixed + sum - g)|, and that maximum's logarithm."""
    if not isinstance(g, str):
        g = interpolate(g, low, high)
    n = len(exponents)
    # The answer is an expression: it is evaluated in as many places as it has coefficients.
    places = [mpf(low) + (mpf(high) - mpf(low)) * (2 * i + 1) / (2 * n) for i in range(n)]
    script = f"""prec=200; f={g}; w={weight or "1/f"}; I=[{nstr(mpf(low), 35)};{nstr(mpf(high), 35)}];
p=fpminimax((f-({fixed}))*w,[|{",".join(f"(x^{e})*w" for e in exponents)}|],[|{",".join(["SG"] * n)}|],I,absolute,floating);
print("E",round(log2(dirtyinfnorm(p-(f-({fixed}))*w,I)),20,RN));
""" + "".join(f'print("V",round((p/w)({nstr(place, 40)}),180,RN));\n' for place in places)
    output = subprocess.run(["sollya", "--warnonstderr"], input=script + "quit;", capture_output=True, text=True).stdout
    rows = [line.split() for line in output.splitlines()]
    values = [mpf(row[1]) for row in rows if row[:1] == ["V"]]
    errors = [float(row[1]) for row in rows if row[:1] == ["E"]]
    assert len(values) == n and errors, output
    solution = lu_solve(matrix([[place**e for e in exponents] for place in places]), matrix(values))
    found = [coefficients.rounded(c, 24) for c in solution]
    assert all(abs(a - b) <= abs(b) * mpf(10)**-12 for a, b in zip(solution, found)), (solution, found)
    return found, errors[0]


def odd(f):
    """f(x) / x in z = x²."""
    return f"{f}(sqrt(x))/sqrt(x)"


def scaled_erfc(t):
    if 1 - t < mpf(10)**-15:
        return 1 / sqrt(pi)
    x = 2 * (1 + t) / (1 - t)
    return (x + 2) * exp(x * x) * erfc(x)


def scaled_erfinv(w):
    """erfinv(x) / x where -log2(1 - x²) = w."""
    if w < mpf(10)**-20:
        return sqrt(pi) / 2
    product = mpf(2)**-w
    x = sqrt(1 - product)
    tail = log(product / (1 + x))
    y = sqrt(-tail) * mpf("0.95") if w > 1 else x
    for _ in range(9):
        complement = erfc(y)
        y += (log(complement) - tail) * complement / (exp(-y * y) * 2 / sqrt(pi))
    return y / x


# The multiple of sqrt(w) that erfinv(x) is close to far out.
ERFINV_SLOPE = coefficients.rounded(sqrt(log(mpf(2))), 24)


def erfinv_beyond_root(u):
    """erfinv(x) without that multiple, where 1 / sqrt(w) = u + 1/4."""
    root = 1 / (u + mpf(1) / 4)
    return scaled_erfinv(root * root) * sqrt(1 - mpf(2)**-(root * root)) - ERFINV_SLOPE * root


def fit_one_by_one(g, weight, low, high, degree):
    """A polynomial whose coefficients are rounded from the lowest on, the others fitted anew each time (Lawson's
    weights make least squares nearly minimax), and its error's logarithm. It needs no Sollya and leaves less than a
    place for coefficients that cancel."""
    with mp.workdps(30):
        low, high, n = mpf(low), mpf(high), 4 * degree + 20
        nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
        weights, left, found = [weight(z) for z in nodes], [g(z) for z in nodes], []
        for first in range(degree + 1):
            powers, share, best = range(first, degree + 1), [mpf(1)] * n, None
            for _ in range(25):
                scale = [w * sqrt(s) for w, s in zip(weights, share)]
                solution = qr_solve(matrix([[s * z**e for e in powers] for s, z in zip(scale, nodes)]),
                                    matrix([s * v for s, v in zip(scale, left)]))[0]
                errors = [abs(w * (v - sum(c * z**e for c, e in zip(solution, powers))))
                          for w, v, z in zip(weights, left, nodes)]
                worst = max(errors)
                if best is None or worst < best[0]:
                    best = worst, solution[0]
                share = [s * (e / worst + mpf(10)**-9) for s, e in zip(share, errors)]
                share = [s * n / sum(share) for s in share]
            found.append(coefficients.rounded(best[1], 24))
            left = [v - mpf(found[-1]) * z**first for v, z in zip(left, nodes)]
        return found, float(log(max(abs(w * v) for w, v in zip(weights, left)), 2))


def second_kind(order):
    """x^order (Y(x) - 2/π log(x/z) J(x)) in x², z the first zero."""
    zero = besselyzero(order, 1)

    def g(t):
        x = sqrt(max(t, mpf(10)**-22))
        return x**order * (bessely(order, x) - 2 / pi * log(x / zero) * besselj(order, x))
    return g


def around_zero(t):
    """Y0(1 + t) over the distance from its first zero."""
    x, zero = 1 + t, besselyzero(0, 1)
    return bessely(0, x) / (x - zero) if abs(x - zero) > mpf(10)**-15 else bessely(0, zero, derivative=1)


NEAR_0 = mpf(2)**-60
# 4 exp(4) erfc(2) times that is 1.
ERFC_SCALE = coefficients.rounded(1 / (4 * exp(4) * erfc(mpf(2))), 24)
# name, comment, function (Sollya's text or Python's), weight where it isn't one over the function, interval, exponents,
# what is fixed (None: fit_one_by_one)
TABLES = [
    ("Asin", "(asin(x) / x - 1) / z in z = x², |x| <= 0.55", odd("asin"), None, NEAR_0, "0.3026", range(1, 6), 1),
    ("Atan", "(atan(x) / x - 1) / z in z = x², |x| <= 1", odd("atan"), None, NEAR_0, 1, range(1, 10), 1),
    ("Log2", "log2(1 + x) / x - kLog2Factor, 0.686 <= 1 + x <= 1.372", "log2(1+x)/x-1.34375", "x/log2(1+x)", "-0.3140",
     "0.3722", range(11), 0),
    ("Log", "(log(1 + x) / x - 1 + x / 2) / x², 2/3 <= 1 + x <= 4/3", "(log(1+x)/x-1+x/2)/(x*x)", "x*x*x/log(1+x)",
     "-0.3335", "0.3341", range(9), 0),
    ("Log1p", "(log(1 + x) / x - 1) / x, -1/4 <= x <= 1/2", "log1p(x)/x", None, "-0.25", "0.5", range(1, 10), 1),
    ("Log2Erfc", "-log2(erfc x) / x - 2, from 0.9 on until erf(x) rounds to 1", "-log2(erfc(x))/x", "x*erfc(x)", "0.9",
     "3.95", range(7), 2),
    ("Cosh", "(cosh(x) - 1) / z in z = x², |x| <= ln 2 / 2", "(cosh(sqrt(x))-1)/x", "x", NEAR_0, "0.1211", range(3), 0),
    ("Erfcx", "(a (x + 2) exp(x²) erfc(x) - 1) / t in t = (x - 2) / (x + 2), a as above, 0 <= x <= 10.1", lambda t:
     ERFC_SCALE * scaled_erfc(t), None, -1, mpf("8.1") / mpf("12.1"), range(1, 10), 1),
    ("ErfcxAll", "likewise for all x >= 0", lambda t: (ERFC_SCALE * scaled_erfc(t or NEAR_0) - 1) / (t or NEAR_0), lambda t:
     abs(t) / (ERFC_SCALE * scaled_erfc(t)), -1, 1, range(10), None),
    ("Erfinv", "erfinv(x) / x - 1 in w - 2, w = -log2(1 - x²), w <= 5.5", lambda t: scaled_erfinv(t + 2) - 1, lambda t:
     1 / scaled_erfinv(t + 2), -2, "3.5", range(10), None),
    ("ErfinvTail", "erfinv(x) - kShortErfinvSlope sqrt(w) in 1 / sqrt(w) - 1/4, 5.5 <= w <= 151", erfinv_beyond_root,
     lambda u: 1 / (erfinv_beyond_root(u) + ERFINV_SLOPE / (u + mpf(1) / 4)), 1 / sqrt(mpf(151)) - mpf(1) / 4,
     1 / sqrt(mpf("5.5")) - mpf(1) / 4, range(11), None),
    ("Y0Small", "Y0(x) - 2/π log(x/z) J0(x), z the first zero, in x², x <= 5/8", second_kind(0), None, NEAR_0, "0.391",
     range(4), 0),
    ("Y0Zero", "Y0(x) / (x - z) - 0x1.a89a6ep-1 in x - 1, 5/8 <= x <= 3/2", around_zero, None, "-0.375", "0.5",
     range(11), "0x1.a89a6ep-1"),
    ("Y1Small", "(Y1(x) - 2/π log(x/z) J1(x)) x likewise, x <= 5/4", second_kind(1), None, NEAR_0, "1.5626", range(6), 0),
    ("SinPi", "sin(πx) / x - 0x1.921fb6p1 in x², |x| <= 1/4", "sin(pi*sqrt(x))/sqrt(x)", None, NEAR_0, "0.0626",
     range(5), "0x1.921fb6p1"),
    ("CosPi", "(cos(πx) - 1) / x² in x², |x| <= 1/4", "cos(pi*sqrt(x))", None, NEAR_0, "0.0626", range(1, 5), 1),
]

if __name__ == "__main__":
    print(HEAD)
    print(f"\n/// 1 / (4 exp(4) erfc(2)).\ninline constexpr double kShortErfcScale = {ERFC_SCALE.hex()};")
    print(f"/// sqrt(ln 2).\ninline constexpr double kShortErfinvSlope = {ERFINV_SLOPE.hex()};")
    for name, comment, g, weight, low, high, exponents, fixed in TABLES:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        if fixed is None:
            found, error = fit_one_by_one(g, weight, low, high, len(exponents) - 1)
        else:
            found, error = fit(g, weight, low, high, list(exponents), fixed)
        print(name, error, file=sys.stderr, flush=True)
        values = [c.hex() for c in coefficients.moved("Short" + name, found)]
        lines = [", ".join(values[i:i + 4]) for i in range(0, len(values), 4)]
        print(f"\n/// {comment}.\ninline constexpr double kShort{name}[] = {{ // error 2^{error:.1f}\n    "
              + ",\n    ".join(lines) + "};")
    print("// clang-format on\n\n} // namespace tilerun::mathx")

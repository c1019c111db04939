#!/usr/bin/env python3
# Computes the polynomials in SpecialCoefficients.h as coefficients.py computes the others; its
# definitions of the functions are mpmath's. Usage: special_coefficients.py > SpecialCoefficients.h
from functools import lru_cache

from mpmath import (mp, mpf, besseli, besselj, bessely, besseljzero, besselyzero, cos, erfc, exp,
                    loggamma, log, pi, rgamma, sin, sqrt)

import coefficients

mp.dps = 80
ONE = [(-1, 1)] * 2
UNIT = [(0, 1)] * 2
TINY = mpf(10)**-20
HALF = mpf(1) / 2
AROUND = mpf(121) / 256


def nudged(x, *places):
    """Quotients here have removable singularities at these places."""
    for place in places:
        if abs(x - place) < TINY:
            return place + TINY
    return x


@lru_cache(maxsize=None)
def scaled_erfc(t):
    if 1 - t < mpf(10)**-20:
        return 1 / sqrt(pi)
    x = 3 * (1 + t) / (1 - t)
    return (x + mpf(3) / 4) * exp(x * x) * erfc(x)


@lru_cache(maxsize=None)
def stirling(u):
    x = 1 / sqrt(max(u, mpf(10)**-24))
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


@lru_cache(maxsize=None)
def log_gamma(t):
    z = nudged(t + mpf(1) / 2, 0, 1)
    return loggamma(1 + z) / (z * (z - 1))


def sine_of_pi(z):
    x = sqrt(nudged(z, 0))
    return (sin(pi * x) / (pi * x) - 1) / (x * x)


def cached(f):
    f = lru_cache(maxsize=None)(f)
    return f, lambda z: 1 / abs(f(z))


def i_small(order):
    return cached(lambda s: besseli(order, sqrt(nudged(s, 0))) / sqrt(nudged(s, 0))**order)


def i_large(order, scale=mpf(1), offset=0):
    """In v with 8 / x = scale · v + offset."""
    def g(v):
        x = 8 / max(scale * v + offset, TINY)
        return exp(-x) * sqrt(x) * besseli(order, x)
    return cached(g)


J_ZEROS = [[besseljzero(order, i) for i in (1, 2, 3)] for order in (0, 1)]
Y_ZEROS = [[besselyzero(order, i) for i in (1, 2, 3)] for order in (0, 1)]


def j_small(order):
    a, b, c = J_ZEROS[order]

    def g(t):
        x = nudged(sqrt(32 * (nudged(t, -1) + 1)), a, b)
        return besselj(order, x) / (x**order * (x * x - a * a) * (x * x - b * b) * (x * x - c * c))
    return cached(g)


def j_near(order):
    """J(x) / x^order without its first two terms, over x⁴."""
    first, second = (mpf(1) / 2, mpf(1) / 16) if order else (mpf(1), mpf(1) / 4)

    def g(s):
        s = nudged(s, 0)
        return (besselj(order, sqrt(s)) / sqrt(s)**order - first + second * s) / (s * s)
    return lru_cache(maxsize=None)(g), lambda s: nudged(s, 0)**2


def amplitude(order, part):
    def g(u):
        x = 8 / sqrt(max(u, mpf(10)**-36))
        angle = x - (2 * order + 1) * pi / 4
        j, y, root = besselj(order, x), bessely(order, x), sqrt(pi * x / 2)
        if part == 0:
            return root * (j * cos(angle) + y * sin(angle))
        return root * (y * cos(angle) - j * sin(angle)) * x / 8
    g = lru_cache(maxsize=None)(g)
    return g, lambda u: mpf(1)


def y_small(order, limit):
    z = Y_ZEROS[order][0]

    def g(t):
        x = nudged(sqrt(limit * limit / 2 * (nudged(t, -1) + 1)), z)
        rest = bessely(order, x) - 2 / pi * log(x / z) * besselj(order, x)
        return rest * x**order / ((x - z) * (x + z))
    return cached(g)


def y_middle(order, low, high, zeros):
    def g(t):
        x = nudged((high + low) / mpf(2) + (high - low) / mpf(2) * t, *zeros)
        value = bessely(order, x)
        for z in zeros:
            value /= x - z
        return value
    return cached(g)


TABLES = [
    ("ErfcxAll", "(x + 3/4) exp(x²) erfc(x) in t = (x-3) / (x+3), 0 <= x",
     scaled_erfc, lambda t: 1 / scaled_erfc(t), ONE, (None, 24)),
    ("ReciprocalGamma", "1 / Γ(1+z), 0 <= z <= 1", *cached(lambda z: rgamma(1 + z)), UNIT, (None, 16)),
    ("ReciprocalGammaAround", "the same in z - 121/256, around which it is nearly flat and nearly a float32",
     *cached(lambda t: rgamma(1 + AROUND + t)), [(-AROUND, 1 - AROUND)] * 2, (8, None)),
    ("Stirling", "(log Γ(x) - (x - 1/2) log x + x - log(2π) / 2) x in 1 / x², 8 <= x",
     stirling, lambda u: mpf(1), [(0, mpf(1) / 64)] * 2, (1, 7)),
    ("SineOfPi", "(sin(πx) / (πx) - 1) / x² in x², |x| <= 1/2", sine_of_pi, lambda z: nudged(z, 0) / (
        1 + nudged(z, 0) * sine_of_pi(z)), [(0, mpf(1) / 4)] * 2, (3, None)),
    ("LogGamma", "log Γ(1+z) / (z (z-1)) in z - 1/2, -1/4 <= z <= 5/4",
     log_gamma, lambda t: 1 / abs(log_gamma(t)), [(mpf(-3) / 4, mpf(3) / 4)] * 2, (13, 28)),
    ("I0Small", "I0(x) in x², |x| <= 8", *i_small(0), [(0, 64)] * 2, (10, 16)),
    ("I1Small", "I1(x) / x in x², |x| <= 8", *i_small(1), [(0, 64)] * 2, (10, 15)),
    ("I0Large", "sqrt(x) exp(-x) I0(x) in 8 / x, 8 <= x", *i_large(0), UNIT, (7, None)),
    ("I1Large", "sqrt(x) exp(-x) I1(x) in 8 / x, 8 <= x", *i_large(1), UNIT, (7, None)),
    ("I0Far", "sqrt(x) exp(-x) I0(x) in 16 / x - 1, 8 <= x", *i_large(0, HALF, HALF), ONE, (None, 22)),
    ("I1Far", "sqrt(x) exp(-x) I1(x) in 16 / x - 1, 8 <= x", *i_large(1, HALF, HALF), ONE, (None, 22)),
    ("J0Small", "J0(x) over its first zeros' (x² - a²) (x² - b²) (x² - c²), in x²/32 - 1, |x| <= 8",
     *j_small(0), ONE, (9, 14)),
    ("J1Small", "J1(x) / x likewise", *j_small(1), ONE, (9, 14)),
    ("J0Near", "(J0(x) - 1 + x²/4) / x⁴ in x², |x| <= 3", *j_near(0), [(0, 9)] * 2, (None, 8)),
    ("J1Near", "(J1(x) / x - 1/2 + x²/16) / x⁴ in x², |x| <= 4", *j_near(1), [(0, 16)] * 2, (None, 9)),
    ("P0", "J0(x) sqrt(πx/2) = P cos(x - π/4) - Q sin(x - π/4): P in (8/x)², 8 <= x",
     *amplitude(0, 0), UNIT, (3, 12)),
    ("Q0", "Q x/8 likewise", *amplitude(0, 1), UNIT, (3, 12)),
    ("P1", "P for J1, with x - 3π/4", *amplitude(1, 0), UNIT, (3, 12)),
    ("Q1", "Q x/8 likewise", *amplitude(1, 1), UNIT, (3, 12)),
    ("Y0Small", "(Y0(x) - 2/π log(x/z) J0(x)) / (x² - z²), z the first zero, in 2 (x/3)² - 1, x <= 3",
     *y_small(0, 3), ONE, (6, 11)),
    ("Y0Middle", "Y0(x) over x minus its second and third zero, in (x - 5.5) / 2.5, 3 <= x <= 8",
     *y_middle(0, 3, 8, Y_ZEROS[0][1:3]), ONE, (12, 26)),
    ("Y1Small", "(Y1(x) - 2/π log(x/z) J1(x)) x / (x² - z²), z the first zero, in x²/8 - 1, x <= 4",
     *y_small(1, 4), ONE, (7, 12)),
    ("Y1Middle", "Y1(x) over x minus its second zero, in (x - 6) / 2, 4 <= x <= 8",
     *y_middle(1, 4, 8, Y_ZEROS[1][1:2]), ONE, (11, 21)),
]
HEAD = """// Polynomials for Special.cpp and Bessel.cpp, lowest degree first, for float32 and float64, and
// zeros of Bessel functions. Written by special_coefficients.py, which says how.
#pragma once

#include "ir/math/Calculator.h"

namespace tilerun::mathx {

// clang-format off"""


def print_constant(begin, value, end):
    parts = []
    for _ in range(3):
        parts.append(float(value))
        value -= mpf(parts[-1])
    print(begin + "{" + ", ".join(part.hex() for part in parts) + "}" + end)


def print_zeros():
    for name, zeros in (("J0", J_ZEROS[0]), ("J1", J_ZEROS[1]), ("Y0", Y_ZEROS[0]),
                        ("Y1", Y_ZEROS[1][:2])):
        print(f"inline constexpr Constant k{name}Zeros[] = {{")
        for zero in zeros:
            print_constant("    ", zero, ",")
        print("};")
    for order in (0, 1):
        print_constant(f"inline constexpr Constant kLogY{order}Zero", log(Y_ZEROS[order][0]), ";")


if __name__ == "__main__":
    print(HEAD)
    print("\n/// Zeros in order, and the logarithms of the least ones of Y.")
    print_zeros()
    coefficients.write("", TABLES)

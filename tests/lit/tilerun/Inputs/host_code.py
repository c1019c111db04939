# Globals that plain functions of the file compute, and conditions on versions and the platform.
import os
import platform
import sys

import triton
import triton.language as tl
from packaging import version


def scaled(a, b=3):
    c = a * b
    if c > 5:
        return c
    return 1


def log2(n):
    r = 0
    while n > 1:
        n //= 2
        r += 1
    return r


def first_square_above(n):
    for i in range(100):
        if i * i > n:
            return i
    return -1


def total(n):
    t = 0
    for i in range(1, n + 1):
        if i == 3:
            continue
        t += i
    return t


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def name_of(kind, *, width=32):
    return f"{kind}{width}".upper()


def forever():
    n = 0
    while True:
        n += 1


def endless(n):
    return endless(n + 1)


def of_the_process():
    return os.getpid()


BASE = 2
SCALED = tl.constexpr(scaled(BASE) + scaled(b=1, a=1))
BASE = 100
LOG: tl.constexpr = log2(100)
SQUARE = tl.constexpr(first_square_above(50))
TOTAL = tl.constexpr(total(5))
FACTORIAL = tl.constexpr(factorial(5))
NAME = tl.constexpr(name_of("fp"))
FOREVER = tl.constexpr(forever())
ENDLESS = tl.constexpr(endless(0))
PROCESS = tl.constexpr(of_the_process())

if sys.version_info >= (3, 8):
    PYTHON = tl.constexpr(1)
else:
    PYTHON = tl.constexpr(2)

if sys.version_info[:2] < (3, 6) or sys.version_info[0] == 2:
    OLD = tl.constexpr(1)
elif sys.version_info > (3, 11):
    OLD = tl.constexpr(2)

if version.parse(triton.__version__) >= version.parse("3.0"):
    NEW = tl.constexpr(1)
else:
    NEW = tl.constexpr(2)

if sys.platform == "win32" or os.name == "nt" or platform.system() == "Windows":
    SYSTEM = tl.constexpr(1)
elif sys.platform.startswith("linux"):
    SYSTEM = tl.constexpr(2)

if sys.version_info >= (3, 99):
    LATER = tl.constexpr(1)
else:
    LATER = tl.constexpr(2)

if "TILERUN_TEST_FAST" in os.environ:
    FAST = tl.constexpr(1)
else:
    FAST = tl.constexpr(2)


@triton.constexpr_function
def greatest_power(n):
    b = 1
    while b * 2 <= n:
        b *= 2
    return b


@triton.jit
def functions(out, N: tl.constexpr = log2(8)):
    tl.static_assert(NAME == "FP32")
    tl.store(out, SCALED)
    tl.store(out + 1, LOG)
    tl.store(out + 2, SQUARE)
    tl.store(out + 3, TOTAL)
    tl.store(out + 4, FACTORIAL)
    tl.store(out + 5, N)
    tl.store(out + tl.arange(0, greatest_power(7)) + 6, 9)


@triton.jit
def conditions(out):
    tl.store(out, PYTHON)
    tl.store(out + 1, OLD)
    tl.store(out + 2, NEW)
    tl.store(out + 3, SYSTEM)
    tl.store(out + 4, FAST)


@triton.jit
def unknown(out, WHICH: tl.constexpr):
    if WHICH == 0:
        tl.store(out, FOREVER)
    elif WHICH == 1:
        tl.store(out, ENDLESS)
    elif WHICH == 2:
        tl.store(out, PROCESS)
    elif WHICH == 3:
        tl.store(out, LATER)


SIZE = int(os.environ.get("TILERUN_TEST_SIZE", "4"))
try:
    import no_such_module

    HAS_MODULE = True
except ImportError:
    HAS_MODULE = False


@triton.jit
def assumed(out):
    tl.store(out, SIZE)
    if HAS_MODULE:
        tl.store(out + 1, 7)

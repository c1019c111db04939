#!/usr/bin/env python3
# Measures a device's mathematical functions: accurate forms must equal, bit for bit, what the same
# expansions give on the host (files of the tool math_values), but for those that start from the
# device's estimates; fast forms are measured against
# float64. Needs no package. Usage: device.py TILERUN DEVICE VALUES WORKFOLDER [f32|f64|flush]; `flush`:
# the device's arithmetic may take subnormal float32 numbers for zeros, in arguments and results.
import array
import fractions
import math
import os
import struct
import subprocess
import sys

UNARY = ("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh "
         "tanh asinh acosh atanh erf erfc").split()
COMPOSED = ("sinpi cospi normcdf rcbrt logb erfinv erfcx erfcinv normcdfinv tgamma lgamma i0 i1 j0 j1 "
            "y0 y1").split()
BINARY = {"div": "div_rn", "pow": "pow", "atan2": "atan2", "fmod": "fmod", "hypot": "hypot",
          "rhypot": "rhypot", "remainder": "remainder", "norm3d": "norm3d", "norm4d": "norm4d",
          "rnorm3d": "rnorm3d", "rnorm4d": "rnorm4d"}
# Functions of more operands get the two several times, as in Functions.cpp.
OPERANDS = {"norm3d": "v, w, v", "rnorm3d": "v, w, v", "norm4d": "v, w, w, v", "rnorm4d": "v, w, w, v"}
# Roots and powers of two are the device's fast form; what erfinv is composed of may be contracted. They may
# differ from the host by two units in the last place.
TOLERANT = ("exp2", "sqrt", "rsqrt", "hypot", "rhypot", "erfinv", "rcbrt")
# On CUDA forms of float32 that start from the device's instructions differ from the host's by both errors; on AMD GPUs
# these are composed functions alone, whose roots and powers of two also take subnormal numbers for zeros.
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/math.md")
FROM_FAST_FORMS = ("rcbrt",)


def estimated():
    """The functions with bounds for estimates in the table, and the sum of both bounds."""
    bounds = {}
    section = open(DOCS, encoding="utf-8").read().split("\n## Accurate forms\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        try:
            if len(cells) == 7:
                bounds[cells[1]] = float(cells[3]) + float(cells[4] or cells[3] * (cells[1] in FROM_FAST_FORMS))
        except ValueError:
            pass
    return bounds



def floor(function, x):
    """Where functions cross zero, errors are relative to this, as docs/math.md says."""
    if function == "lgamma":
        return max(2.0, -x) if x < -2.2 else 0
    if function in ("j0", "j1", "y0", "y1") and math.isfinite(x):
        return 1 / 64 if abs(x) < 8 else math.sqrt(2 / (math.pi * abs(x)))
    return 0


# name, expression, reference, range of x
FAST = [
    ("exp", "tl.exp(v)", lambda x, y: math.exp(x), (-20, 20)),
    ("exp2", "tl.exp2(v)", lambda x, y: 2.0**x, (-20, 20)),
    ("fast_logf", "libdevice.fast_logf(v)", lambda x, y: math.log(x), (0.1, 20)),
    ("fast_log2f", "libdevice.fast_log2f(v)", lambda x, y: math.log2(x), (0.1, 20)),
    ("fast_sinf", "libdevice.fast_sinf(v)", lambda x, y: math.sin(x), (-3.14, 3.14)),
    ("fast_cosf", "libdevice.fast_cosf(v)", lambda x, y: math.cos(x), (-3.14, 3.14)),
    ("sqrt", "tl.sqrt(v)", lambda x, y: math.sqrt(x), (0.01, 20)),
    ("rsqrt", "tl.rsqrt(v)", lambda x, y: 1 / math.sqrt(x), (0.01, 20)),
    ("division", "v / w", lambda x, y: x / y, (-20, 20)),
    ("fast_tanf", "libdevice.fast_tanf(v)", lambda x, y: math.tan(x), (-1.5, 1.5)),
    ("fast_tanhf", "libdevice.fast_tanhf(v)", lambda x, y: math.tanh(x), (-20, 20)),
    ("fast_log10f", "libdevice.fast_log10f(v)", lambda x, y: math.log10(x), (0.1, 20)),
    ("fast_exp10f", "libdevice.fast_exp10f(v)", lambda x, y: 10.0**x, (-20, 20)),
    ("fast_powf", "libdevice.fast_powf(v, w)", lambda x, y: x**y, (0.1, 20)),
]


def rounded(exact, kind):
    """A fraction, correctly rounded."""
    digits, least, most = (24, -149, 128) if kind == "f32" else (53, -1074, 1024)
    if exact == 0:
        return 0.0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < fractions.Fraction(2)**exponent
    quantum = fractions.Fraction(2)**max(exponent - digits + 1, least)
    value = round(exact / quantum) * quantum
    if abs(value) >= 2**most:
        return math.inf if exact > 0 else -math.inf
    return float(value) if value else 0.0 if exact > 0 else -0.0


def fused(x, y, z, kind):
    exact = fractions.Fraction
    return rounded(exact(x) * exact(y) + exact(z), kind)


def directed(exact, kind, way, zero=0.0):
    """A fraction rounded down (-1), up (1) or toward zero (0); `zero` if it is one."""
    digits, least, most = (24, -149, 128) if kind == "f32" else (53, -1074, 1024)
    if exact == 0:
        return zero
    size = abs(exact)
    outward = way != 0 and (way > 0) == (exact > 0)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < fractions.Fraction(2)**exponent
    quantum = fractions.Fraction(2)**max(exponent - digits + 1, least)
    value = (math.ceil if outward else math.floor)(size / quantum) * quantum
    if value >= 2**most:
        value = math.inf if outward else (2 - fractions.Fraction(2)**(1 - digits)) * 2**(most - 1)
    return math.copysign(float(value), 1 if exact > 0 else -1)


def lower_sum(x, y, kind):
    both = math.copysign(1, x) == math.copysign(1, y)
    return directed(fractions.Fraction(x) + fractions.Fraction(y), kind, -1,
                    x + y if both else -0.0)


def upper_product(x, y, kind):
    return directed(fractions.Fraction(x) * fractions.Fraction(y), kind, 1, x * y)


def cut_quotient(x, y, kind):
    if y == 0 or x == 0:
        return math.nan if x == y else x * y if y else math.copysign(math.inf, x) * \
            math.copysign(1, y)
    return directed(fractions.Fraction(x) / fractions.Fraction(y), kind, 0)


def cut_fused(x, y, kind):
    return directed(fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(y), kind, 0,
                    x * y + y)


def opposite(x, y, kind):
    return -rounded(fractions.Fraction(x) * fractions.Fraction(y), kind)


# name, expression, reference; of finite arguments unless the name ends in a star
EXACT = [
    ("fma", "libdevice.fma(v, w, v)", lambda x, y, kind: fused(x, y, x, kind)),
    ("fma of the opposite", "libdevice.fma(v, w, -libdevice.mul_rn(v, w))",
     lambda x, y, kind: fused(x, y, z, kind) if math.isfinite(z := opposite(x, y, kind)) else z),
    ("sum down", "libdevice.add_rd(v, w)", lower_sum),
    ("product up", "libdevice.mul_ru(v, w)", upper_product),
    ("quotient toward zero", "libdevice.div_rz(v, w)", cut_quotient),
    ("fma toward zero", "libdevice.fma_rz(v, w, w)", cut_fused),
    ("times zero*", "v * 0.0", lambda x, y, kind: x * 0.0),
    ("plus zero*", "v + 0.0", lambda x, y, kind: x + 0.0),
    ("minus itself*", "v - v", lambda x, y, kind: x - x),
]


def read(path):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    values = array.array("f" if b"<f4" in data[:start] else "d")
    values.frombytes(data[start:])
    return values


def kernel(name, expressions):
    text = f"@triton.jit\ndef {name}(x, z, y, n, B: tl.constexpr):\n"
    text += "    o = tl.program_id(0) * B + tl.arange(0, B)\n    m = o < n\n"
    text += "    v = tl.load(x + o, mask=m, other=1.0)\n    w = tl.load(z + o, mask=m, other=1.0)\n"
    for i, expression in enumerate(expressions):
        text += f"    tl.store(y + {i} * n + o, {expression}, mask=m)\n"
    return text + "\n\n"


def run(tilerun, device, folder, values, kind, name, count, n):
    out = os.path.join(folder, f"{name}.{kind}.npy")
    command = [tilerun, "run", f"{folder}/kernels.py::{name}", f"x=@{values}/a.{kind}.npy",
               f"z=@{values}/b.{kind}.npy", f"y={kind}[{count * n}]:empty", f"n={n}", "B=256",
               "--grid", "cdiv(n, B)", "--device", device, "--save", f"y={out}"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return read(out)


def same(a, b):
    return struct.pack("<d", a) == struct.pack("<d", b) or (a != a and b != b)


def main():
    tilerun, device, values, folder = sys.argv[1:5]
    kinds = [word for word in sys.argv[5:] if word != "flush"] or ["f32", "f64"]
    flushes = "flush" in sys.argv
    os.makedirs(folder, exist_ok=True)
    groups = {f"accurate{i // 8}": UNARY[i:i + 8] for i in range(0, len(UNARY), 8)}
    groups |= {f"composed{i // 8}": COMPOSED[i:i + 8] for i in range(0, len(COMPOSED), 8)}
    with open(f"{folder}/kernels.py", "w") as file:
        file.write("import triton\nimport triton.language as tl\n"
                   "from triton.language.extra import libdevice\n\n\n")
        for name, functions in groups.items():
            names = ["cyl_bessel_" + f if f in ("i0", "i1") else f for f in functions]
            file.write(kernel(name, [f"libdevice.{f}(v)" for f in names]))
        file.write(kernel("binary", [f"libdevice.{f}({OPERANDS.get(f, 'v, w')})" for f in BINARY.values()]))
        file.write(kernel("exact", [row[1] for row in EXACT]))
        file.write(kernel("fast", [row[1] for row in FAST]))
    groups["binary"] = list(BINARY)
    different, starts, is_amd = 0, estimated(), device.startswith("hip")

    def is_excused(kind, *numbers):
        return kind == "f32" and any(0 < abs(x) < 2.0**-126 for x in numbers)

    def excuse(wrong, kind, numbers, flushes):
        """The differences that subnormal numbers do not explain, and a remark about the others."""
        left = [j for j in wrong if not (flushes and is_excused(kind, *numbers(j)))]
        count = len(wrong) - len(left)
        return left, f", subnormal numbers in {count} others" if count else ""

    for kind in kinds:
        a, b = read(f"{values}/a.{kind}.npy"), read(f"{values}/b.{kind}.npy")
        n = len(a)
        got = run(tilerun, device, folder, values, kind, "exact", len(EXACT), n)
        for i, (name, _, reference) in enumerate(EXACT):
            wrong = [j for j in range(n)
                     if (name.endswith("*") or math.isfinite(a[j]) and math.isfinite(b[j])) and
                     not same(got[i * n + j], reference(a[j], b[j], kind))]
            wrong, remark = excuse(wrong, kind, lambda j: (
                a[j], b[j], reference(a[j], b[j], kind), opposite(a[j], b[j], kind)
                if math.isfinite(a[j]) and math.isfinite(b[j]) else 0), flushes)
            different += bool(wrong)
            print(f"{name.rstrip('*')} {kind}: {n - len(wrong)} of {n} exact{remark}" +
                  (f"; not of {a[wrong[0]]!r}, {b[wrong[0]]!r}" if wrong else ""))
        for group, functions in groups.items():
            got = run(tilerun, device, folder, values, kind, group, len(functions), n)
            for i, function in enumerate(functions):
                want = read(f"{values}/{function}.{kind}.npy")
                close = (2.4e-7 if kind == "f32" else 4.5e-16) if function in TOLERANT else 0
                estimates = device.startswith("cuda") or is_amd and function in COMPOSED
                if kind == "f32" and estimates:
                    close = max(close, 2.0**-23 * starts.get(function, 0))
                wrong = [j for j in range(n) if not same(got[i * n + j], want[j]) and
                         not abs(got[i * n + j] - want[j]) <= close * max(abs(want[j]), floor(function, a[j]))]
                wrong, remark = excuse(wrong, kind, lambda j: (a[j], b[j], want[j]),
                                       flushes or is_amd and (estimates or function in TOLERANT))
                different += bool(wrong)
                line = f"{function} {kind}: {n - len(wrong)} of {n} as on the host{remark}"
                if wrong:
                    j = wrong[0]
                    line += (f"; of {a[j]!r}, {b[j]!r} {got[i * n + j]!r}, "
                             f"the host {want[j]!r}")
                print(line)
    if "f32" not in kinds:
        return different != 0
    a, b = read(f"{values}/a.f32.npy"), read(f"{values}/b.f32.npy")
    n = len(a)
    got = run(tilerun, device, folder, values, "f32", "fast", len(FAST), n)
    for i, (name, _, reference, (low, high)) in enumerate(FAST):
        ulps = relative = absolute = 0
        for j in range(n):
            if not low <= a[j] <= high or not 1e-4 < abs(b[j]) < 8 or abs(a[j]) < 1e-4:
                continue
            want = reference(a[j], b[j])
            error = abs(got[i * n + j] - want)
            if want != 0 and 1e-37 < abs(want) < 3e38:
                ulp = 2.0**(math.frexp(want)[1] - 24)
                ulps, relative = max(ulps, error / ulp), max(relative, error / abs(want))
            absolute = max(absolute, error)
        print(f"fast {name}: {ulps:.2f} ulp, relative {relative:.2g}, absolute {absolute:.2g} "
              f"for x in {low} .. {high}")
    print("different functions:", different)
    return different != 0


sys.exit(main())

#!/usr/bin/env python3
"""Largest errors of mathematical functions on a GPU: Tilerun's and Triton's on the same arguments.

    TILERUN_BUNDLE=DIR bench/math/errors.py [--json FILE] [--record FILE] [--tables FOLDER] [--jobs N] [FUNCTION …]

Each function of `tl` and `libdevice` is swept over ranges (below) on float32 and float64 and compared with NumPy's
float64 or x87's 64-bit mantissa (the C library's where NumPy lacks a function, which takes a C compiler; float64 of
functions that both lack is left out, by name). Units are those in the
last place of the result; results below the normal numbers count apart, as do absolute errors of results up to 1.
Errors of the instructions that float32 starts from are measured for every mantissa. Rows in which Tilerun is more
wrong than Triton come last, and the last line is their number; if it is not 0, the exit code is 1. Needs PyTorch and
Triton 3.6. --record writes tests/ir/math/triton_errors.json, which the host's test compares with.
"""
import argparse
import concurrent.futures
import ctypes
import datetime
import fnmatch
import functools
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gpu")]
import instructions

COUNT = 1 << 16
# name, kind, ends for float32, ends for float64. Kinds: any bits; uniform between the ends; any sign and mantissa, and
# exponents between the ends; subnormal numbers. tests/ir/math/TritonTest.cpp makes the same numbers.
RANGES = [
    ("bits", "bits", (0, 0), (0, 0)),
    ("tiny", "exponents", (-30, -3), (-60, -3)),
    ("one", "uniform", (0.9995, 1.0005), (0.9995, 1.0005)),
    ("unit", "uniform", (-1, 1), (-1, 1)),
    ("pi", "uniform", (-math.pi, math.pi), (-math.pi, math.pi)),
    ("twenty", "uniform", (-20, 20), (-20, 20)),
    ("overflow", "uniform", (-110, 110), (-750, 750)),
    ("thousand", "uniform", (0, 1000), (0, 1000)),
    ("rotary", "uniform", (0, 131072), (0, 131072)),
    ("huge", "exponents", (17, 127), (46, 1023)),
    ("subnormal", "subnormal", (0, 0), (0, 0)),
]


def split_mix(seed, count):
    """Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014)."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def arguments(index, operand, element):
    """The arguments of range `index` as float32 or float64."""
    _, kind, *ends = RANGES[index]
    wide = element == "f64"
    low, high = ends[wide]
    random = split_mix(2 * index + operand + 1, COUNT)
    if kind == "uniform":
        values = low + (high - low) * ((random >> np.uint64(11)).astype(np.float64) * 2.0**-53)
        return values if wide else values.astype(np.float32)
    mantissa, bias = (52, 1023) if wide else (23, 127)
    pattern = random >> np.uint64(0 if wide else 32)
    if kind != "bits":
        sign = np.uint64(1 << (63 if wide else 31))
        kept = pattern & (sign | np.uint64((1 << mantissa) - 1))
        field = np.zeros_like(random)
        if kind == "exponents":
            field = (random & np.uint64(0xffff)) % np.uint64(high - low + 1) + np.uint64(low + bias)
        pattern = kept | field << np.uint64(mantissa)
    return pattern.view(np.float64) if wide else pattern.astype(np.uint32).view(np.float32)


# Functions of x87's long double that C libraries have and NumPy lacks.
C_FUNCTIONS = "erf erfc lgamma tgamma j0 j1 y0 y1".split()


def c_references():
    """Name to function of longdouble arrays; none without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        print("no C compiler: float64 of", *C_FUNCTIONS, "normcdf is left out", file=sys.stderr)
        return {}
    folder = pathlib.Path(tempfile.mkdtemp())
    text = "#define _GNU_SOURCE\n#include <math.h>\n"
    for name in C_FUNCTIONS:
        text += (f"void all_{name}(const long double *x, long double *r, long n)"
                 f" {{ for (long i = 0; i < n; ++i) r[i] = {name}l(x[i]); }}\n")
    (folder / "all.c").write_text(text)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", folder / "all.c", "-o", folder / "all.so", "-lm"], check=True)
    library = ctypes.CDLL(str(folder / "all.so"))

    def of(name):
        def apply(x):
            x = np.ascontiguousarray(x)
            result = np.empty_like(x)
            getattr(library, "all_" + name)(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(result.ctypes.data),
                                            ctypes.c_long(x.size))
            return result
        return apply
    known = {name: of(name) for name in C_FUNCTIONS}
    known["normcdf"] = lambda x: known["erfc"](-x / np.sqrt(np.longdouble(2))) / 2
    return known


def references():
    """Name to function of NumPy arrays (float64, or longdouble where the second item is true)."""
    import torch
    special = torch.special

    def torch_of(function):
        return lambda x: function(torch.from_numpy(np.ascontiguousarray(x))).numpy()

    def gamma(x):
        def one(v):
            if v != v or v < 0 and v == math.floor(v):
                return math.nan
            if v == 0 or v > 171:
                return math.copysign(math.inf, v)
            return math.gamma(v) if v > -171 else 0.0
        return np.array([one(v) for v in x.tolist()])

    def of_pi(function):
        def apply(x):
            rest = np.fmod(x, 2)
            whole = np.rint(rest * 2)
            angle = (rest - whole / 2) * np.arctan(np.ones(1, x.dtype)) * 4
            whole = whole.astype(np.int64, casting="unsafe") + (function == "cos")
            result = np.where(whole % 2 == 0, np.sin(angle), np.cos(angle))
            return np.where(np.isfinite(x), np.where(whole % 4 >= 2, -result, result), np.nan)
        return apply

    one = {"sigmoid": lambda x: 1 / (1 + np.exp(-x)), "exp10": lambda x: np.power(x.dtype.type(10), x),
           "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt_rn": np.sqrt, "rcbrt": lambda x: 1 / np.cbrt(x),
           "sinpi": of_pi("sin"), "cospi": of_pi("cos"), "fdiv": np.divide, "div_rn": np.divide, "pow": np.power,
           "rhypot": lambda x, y: 1 / np.hypot(x, y), "atan2": np.arctan2,
           "logb": lambda x: np.where(x == 0, -np.inf, np.where(np.isfinite(x), np.frexp(x)[1] - 1.0, x * x)),
           "remainder": lambda x, y: np.array([
               math.remainder(a, b) if math.isfinite(a) and b == b and b else math.nan
               for a, b in zip(x.astype(np.float64).tolist(), y.astype(np.float64).tolist())])}
    for name, terms in {"norm3d": "vwv", "norm4d": "vwwv"}.items():
        one[name] = lambda v, w, terms=terms: functools.reduce(np.hypot, [v if t == "v" else w for t in terms])
        one["r" + name] = lambda v, w, name=name: 1 / one[name](v, w)
    for name in "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh fmod hypot".split():
        one[name] = getattr(np, name)
    for name in "sin cos tan sinh cosh tanh".split():
        one["a" + name] = getattr(np, "arc" + name)
    both = {name: (function, True) for name, function in one.items()}
    single = {"erf": special.erf, "erfc": special.erfc, "erfinv": special.erfinv, "erfcx": special.erfcx,
              "normcdf": lambda x: special.erfc(x * -math.sqrt(0.5)) / 2,  # ndtr is 0 below -8.3.
              "normcdfinv": special.ndtri, "lgamma": special.gammaln, "j0": special.bessel_j0,
              "j1": special.bessel_j1, "y0": special.bessel_y0, "y1": special.bessel_y1,
              "cyl_bessel_i0": special.i0, "cyl_bessel_i1": special.i1,
              "erfcinv": lambda x: special.ndtri(x / 2) / -math.sqrt(2)}
    both.update({name: (torch_of(function), False) for name, function in single.items()})
    both["tgamma"] = gamma, False
    return both


def measure(got, exact, element):
    """Largest error in units in the last place, in units of the smallest number below the normal ones, absolute up to
    1; and the number of results that are NaN or not, wrongly."""
    digits, least, most = (53, -1022, 1024) if element == "f64" else (24, -126, 128)
    wide = np.longdouble if element == "f64" else np.float64
    beyond = np.ldexp(wide(1), most)
    got, exact = np.clip(got.astype(wide), -beyond, beyond), np.clip(exact.astype(wide), -beyond, beyond)
    wrong = np.isnan(got) != np.isnan(exact)
    known = ~np.isnan(got) & ~np.isnan(exact)
    difference = np.where(known, np.abs(got - exact), 0)
    _, exponent = np.frexp(np.where(known & (exact != 0), exact, np.ldexp(wide(1), least)))
    normal = np.abs(exact) >= np.ldexp(wide(1), least)
    exponent = np.clip(exponent, least + 1, most)
    units = difference / np.ldexp(wide(1), exponent - digits)
    normal_units = np.where(normal & known, units, 0)
    at = int(np.argmax(normal_units))
    small = np.where(known & (np.abs(exact) <= 1), difference, 0)
    # JSON has no infinity.
    return {"ulp": float(normal_units[at]), "at": at, "nan": int(np.sum(wrong)), "absolute": float(np.max(small)),
            "subnormal": min(float(np.max(np.where(normal | ~known, 0, units))), 1e300)}


def rounded(value):
    return float(f"{value:.5g}") if isinstance(value, float) else value


def sweep(functions, element):
    """Function to range to the errors of both."""
    import torch
    import binding
    folder = pathlib.Path(tempfile.mkdtemp())
    instructions.write_kernels(functions, folder / "kernels.py")
    spec = importlib.util.spec_from_file_location("kernels", folder / "kernels.py")
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    library, known, result = binding.Library(), references(), {}
    wider = c_references() if element == "f64" else {}
    x, y = (np.concatenate([arguments(i, operand, element) for i in range(len(RANGES))]) for operand in range(2))
    device = [torch.from_numpy(v).cuda() for v in (x, y)]
    for function in functions:
        exact, has_wide = known[function.removeprefix("tl.")]
        if element == "f64" and not has_wide:
            exact = wider.get(function.removeprefix("tl."))
            if not exact:
                print(f"{function} f64: no reference is known", file=sys.stderr)
                continue
        wide = np.longdouble if element == "f64" else np.float64
        operands = [v.astype(wide) for v in ((x, y) if function in instructions.BINARY else (x,))]
        with np.errstate(all="ignore"):
            want = exact(*operands)
        errors = {}
        for who in ("tilerun", "triton"):
            out = torch.full_like(device[0], math.nan)
            grid = (len(x) // 128,)
            try:
                if who == "triton":
                    getattr(kernels, instructions.kernel_name(function))[grid](*device, out, 128, num_warps=4)
                else:
                    handle = library.kernel(str(folder / "kernels.py"), instructions.kernel_name(function))
                    library.launch(handle, grid, [*device, out, 128], 4)
                torch.cuda.synchronize()
            except Exception as error:  # One function must not end the others.
                print(f"{function} {element}: {who}: {error}", file=sys.stderr)
                continue
            got = out.cpu().numpy()
            for i, (name, *_) in enumerate(RANGES):
                part = slice(i * COUNT, (i + 1) * COUNT)
                with np.errstate(all="ignore"):
                    row = measure(got[part], want[part], element)
                at = i * COUNT + row.pop("at")
                row["of"] = [float(v[at]).hex() for v in (x, y)[:len(operands)]]
                errors.setdefault(name, {})[who] = {key: rounded(value) if key != "of" else value
                                                    for key, value in row.items()}
        result[function] = errors
    return result


INSTRUCTIONS = [
    # name, text, ends of the arguments, exact, whether the error is absolute
    ("ex2.approx.ftz", (0.0, 1.0), np.exp2, False),
    ("ex2.approx.ftz", (-1.0, 0.0), np.exp2, False),
    ("ex2.approx.ftz", (64.0, 128.0), np.exp2, False),
    ("rcp.approx.ftz", (1.0, 2.0), lambda x: 1 / x, False),
    ("sqrt.approx.ftz", (1.0, 4.0), np.sqrt, False),
    ("rsqrt.approx.ftz", (1.0, 4.0), lambda x: 1 / np.sqrt(x), False),
    ("lg2.approx.ftz", (0.5, 2.0), np.log2, True),
    ("lg2.approx.ftz", (2.0, 4.0), np.log2, False),
]


def instruction_kernels(names):
    """A function for each instruction, of a float32 array."""
    import torch
    folder = pathlib.Path(tempfile.mkdtemp())
    text = "import triton\nimport triton.language as tl\n"
    for name in names:
        text += (f"\n\n@triton.jit\ndef {name.replace('.', '_')}(x, r, n, B: tl.constexpr):\n"
                 "    o = tl.program_id(0) * B + tl.arange(0, B)\n    v = tl.load(x + o, mask=o < n)\n"
                 f"    w = tl.inline_asm_elementwise('{name}.f32 $0, $1;', '=f,f', [v], tl.float32, True, 1)\n"
                 "    tl.store(r + o, w, mask=o < n)\n")
    (folder / "asm.py").write_text(text)
    spec = importlib.util.spec_from_file_location("asm", folder / "asm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def of(name):
        def apply(x):
            argument = torch.from_numpy(x).cuda()
            out = torch.empty_like(argument)
            getattr(module, name.replace(".", "_"))[(-(-len(x) // 1024),)](argument, out, len(x), 1024)
            return out.cpu().numpy()
        return apply
    return {name: of(name) for name in names}


def measure_instructions():
    """The largest error of each instruction over all float32 of its interval; of 2^x from 64 on every 64th."""
    known = instruction_kernels(sorted({row[0] for row in INSTRUCTIONS}))
    rows = []
    for name, (low, high), exact, absolute in INSTRUCTIONS:
        first, last = (np.array([v], np.float32).view(np.int32)[0] for v in (abs(low), abs(high)))
        first, last = min(first, last), max(first, last)
        first = max(first, np.array([2.0**-12], np.float32).view(np.int32)[0])
        x = np.arange(first, last, max(1, (last - first) >> 23), dtype=np.int32).view(np.float32)
        x = -x if low < 0 else x
        want = exact(x.astype(np.float64))
        error = np.abs(known[name](x) - want) / (1 if absolute else np.abs(want))
        rows.append({"instruction": name, "from": low, "to": high, "absolute" if absolute else "relative":
                     float(f"{np.max(error):.4g}")})
    return rows


# Files of tests/ir/math/Tables.h: instruction, sign, exponent.
TABLES = {"ex2.p0": ("ex2.approx.ftz", 1, 0), "ex2.n0": ("ex2.approx.ftz", -1, 0), "lg2.p0": ("lg2.approx.ftz", 1, 0),
          "lg2.p-1": ("lg2.approx.ftz", 1, -1), "rcp.p0": ("rcp.approx.ftz", 1, 0),
          "rsqrt.p0": ("rsqrt.approx.ftz", 1, 0), "rsqrt.p1": ("rsqrt.approx.ftz", 1, 1),
          "sqrt.p0": ("sqrt.approx.ftz", 1, 0), "sqrt.p1": ("sqrt.approx.ftz", 1, 1)}


def write_tables(folder):
    """The instructions' results for every mantissa, as raw float32 numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    known = instruction_kernels(sorted({row[0] for row in TABLES.values()}))
    for name, (instruction, sign, exponent) in TABLES.items():
        patterns = np.arange(1 << 23, dtype=np.int32) + np.int32((exponent + 127) << 23)
        known[instruction](patterns.view(np.float32) * np.float32(sign)).tofile(folder / f"{name}.f32")


def record(document, path):
    """Triton's side alone, a line for each function."""
    lines = ["{", f'"machine": {json.dumps(document["machine"])},', f'"recorded": "{datetime.date.today()}",',
             '"columns": ["ulp", "units of the smallest number below the normal ones", '
             '"absolute where the result is at most 1", "wrong NaN"],',
             f'"instructions": {json.dumps(document["instructions"])},']
    for element in ("f32", "f64"):
        rows = [f'"{function}": ' + json.dumps({
            name: [both["triton"][key] for key in ("ulp", "subnormal", "absolute", "nan")]
            for name, both in ranges.items() if "triton" in both})
            for function, ranges in document["errors"][element].items()]
        lines.append(f'"{element}": {{\n' + ",\n".join(rows) + "\n}" + ("," if element == "f32" else ""))
    path.write_text("\n".join(lines) + "\n}\n")


# They cross zero where no float is: relative errors mean nothing there.
CROSSING = "lgamma j0 j1 y0 y1".split()


def is_worse(function, ours, theirs):
    if theirs["nan"] > ours["nan"]:  # NaN in place of a number is as wrong as can be.
        return False

    def above(key, always=0.0):
        return ours[key] > max(theirs[key] * 1.001, always)
    return above("nan") or above("subnormal", 0.501) or above("ulp", 0.501) and (
        function not in CROSSING or above("absolute"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path, help="writes Triton's errors for the host's test")
    parser.add_argument("--tables", type=pathlib.Path, help="writes what the instructions give for every mantissa, for "
                        "TILERUN_MATH_TABLES of the host's test, and nothing else")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tables:
        write_tables(options.tables)
        return 0
    every = instructions.LANGUAGE + instructions.UNARY + instructions.BINARY
    functions = [f for f in every if not options.functions or any(fnmatch.fnmatch(f, p) for p in options.functions)]
    if not functions:
        parser.error(f"no such function; functions are {', '.join(every)}")
    if options.part:
        if options.part == "instructions":
            print(json.dumps(measure_instructions()))
            return 0
        element, part, parts = options.part.split("/")
        mine = functions[int(part)::int(parts)]
        if element == "f64":
            mine = [f for f in mine if not f.endswith("_rn")]
        print(json.dumps({element: sweep(mine, element)}))
        return 0

    # Compiling takes most of the time: processes of their own.
    def run(part):
        command = [sys.executable, __file__, "--part", part, *options.functions]
        process = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if process.returncode:
            print(f"{part}: exit code {process.returncode}", file=sys.stderr)
            return None
        return json.loads(process.stdout.strip().split("\n")[-1])

    parts = [f"{element}/{i}/{options.jobs}" for element in ("f32", "f64") for i in range(options.jobs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(run, ["instructions", *parts]))
    errors = {"f32": {}, "f64": {}}
    for part in done[1:]:
        for element, rows in (part or {}).items():
            errors[element].update(rows)
    import torch
    document = {"machine": torch.cuda.get_device_name(), "instructions": done[0], "ranges": [row[0] for row in RANGES],
                "errors": errors}
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    if options.record:
        record(document, options.record)
    for row in done[0] or []:
        print(row)
    print("| function | range | Tilerun ulp / below normal / absolute | Triton |\n|---|---|---|---|")
    worse, texts = [], lambda r: f"{r['ulp']:.3g} / {r['subnormal']:.3g} / {r['absolute']:.2g}" + (
        f", {r['nan']} NaN wrong" if r["nan"] else "")
    for element in errors:
        for function, rows in errors[element].items():
            for name, both in rows.items():
                if len(both) < 2:
                    worse.append(f"{function} {element}: not measured on both")
                    break
                line = f"| {function} {element} | {name} | {texts(both['tilerun'])} | {texts(both['triton'])} |"
                print(line)
                if is_worse(function, both["tilerun"], both["triton"]):
                    worse.append(line + f" at {both['tilerun']['of']}")
    print("\n" + "\n".join(worse))
    print(f"more wrong than Triton's: {len(worse)} of {sum(len(r) for e in errors.values() for r in e.values())}")
    return 1 if worse or None in done else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the cells of `tilerun-matrix --export DIR` on Triton's own interpreter and compares.

The reference interpreter of this tree is compared with another implementation of the same language,
which computes with numpy. Triton is not part of this tree: TRITON_PATH (folders, separated by
colons) says where it, torch and numpy are, if they are not installed. Exits with 4 where they are not.

A cell passes, differs, or is refused by Triton's interpreter; DIFFERENCES and REFUSALS list which of
those are known, and why. Anything else fails, and so does, where all cells are there, a line of the lists that is not
needed.
"""

import argparse
import collections
import contextlib
import fnmatch
import importlib.util
import io
import json
import multiprocessing
import os
import pathlib
import signal
import sys
import tempfile
import warnings

sys.path[:0] = [path for path in os.environ.get("TRITON_PATH", "").split(":") if path]
os.environ["TRITON_INTERPRET"] = "1"

# (pattern of ids, why). Cells with other results there; the first match counts.
DIFFERENCES = [
    ("*bf16*", "it computes with the bits of bfloat16 as if they were integers"),
    ("cast*fp8*", "it rounds 8-bit floats away from even, and lacks three of them"),
    ("cast (rtz).*", "it rounds what is too large to infinity"),
    ("*.fp8*", "it has no arithmetic of 8-bit floats, and takes their bits for integers"),
    ("add*.i1", "numpy's sum of booleans is their disjunction"),
    ("tl.add.i1", "numpy's sum of booleans is their disjunction"),
    ("maximum*", "it propagates NaN always"),
    ("minimum*", "it propagates NaN always"),
    ("clamp*", "it propagates NaN always"),
    ("associative_scan (maximum).*", "it propagates NaN always"),
    ("arg* (NaN).*", "it does not ignore NaN"),
    ("fma*", "it rounds twice"),
    ("negate*", "it subtracts from 0, which loses the sign of a zero"),
    ("not.*", "it applies Python's own operator"),
    ("and, or, not (scalar).*", "it applies Python's own operators"),
    ("python *", "it applies Python's own function"),
    ("umulhi*", "it multiplies with signs"),
    ("*histogram*", "its counts have another width than it says"),
    ("softmax*", "it broadcasts what the reduction leaves along the wrong axis"),
    ("atomic_add (no mask lanes).u64", "the old value is open where the mask is off"),
    ("*atomic_min.fp64", "its old values are those of another operation"),
]
# Cells that it does not run.
REFUSALS = [
    ("*bf16*", "it has no constants of the dtype, among others"),
    ("*fp8*", "it has two of the dtypes, without arithmetic and literals"),
    ("libdevice.*", "it has no libdevice"),
    ("x.*", "methods of the library's own functions are for its compiler"),
    ("desc*", "it has no reductions of descriptors, and strides are multiples of 16 bytes"),
    ("tensor descriptor*", "strides are multiples of 16 bytes there"),
    ("host descriptor (atomic*", "it has no reductions of descriptors"),
    ("host descriptor (dot).i8", "its products take no accumulator of this dtype"),
    ("* (block).*", "sizes are powers of two there"),
    ("matmul*", "its products take no accumulator of this dtype"),
    ("for (step).*", "its loop variable is Python's"),
    ("python abs.*", "it applies Python's own function"),
    ("sub*.i1", "numpy subtracts no booleans"),
    ("tl.sub.i1", "numpy subtracts no booleans"),
    ("negate.i1", "numpy subtracts no booleans"),
    ("* (block, *", "sizes are powers of two there"),
    ("dot*", "it wants larger operands, and knows fewer precisions and formats"),
    ("item.*", "newer than its release"),
    ("*squeeze.*", "newer than its release"),
    ("next_power_of_2.*", "newer than its release"),
    ("to_tensor.*", "newer than its release"),
    ("cat*", "its function has no dim"),
    ("load (evict_normal).*", "it refuses the word"),
    ("reshape (-1).*", "it refuses -1"),
    ("*atomic_xchg*", "it has no atomics on this dtype"),
    ("atomic_m*.fp16", "it has no maximum and minimum of 16-bit floats"),
    ("map_elementwise*", "it has no blocks of code"),
    ("bitonic_merge*", "it wants a dim"),
    ("flip (1-D).*", "it wants a dim"),
    ("dtype questions.*", "it cannot ask all of them"),
    ("cast (rtz).*", "it shifts float64 numbers"),
    ("num_warps.*", "it does not run them"),
    ("cumsum*.i1", "numpy subtracts no booleans"),
    ("*histogram*", "it counts no 64-bit integers"),
    ("reduce_or (*", "it reduces no axis but the last by it"),
    ("xor_sum (*", "it reduces no axis but the last by it"),
    ("for (backwards).*", "its loop variable is Python's"),
    ("while (tl.condition).*", "its loop does not end"),
    ("gdc*", "it has no launches that overlap"),
]
# Values that numpy 2 rejects as too large; older versions wrap.
REFUSALS_OF_NUMPY_2 = [
    ("*invert*", "it takes -1 for too large"),
    ("umulhi*", "it takes products for too large"),
    ("sum (all).i32", "it does not wrap"),
]

FLOATS = {  # Mantissa bits, least exponent, largest.
    "float8e5": (2, -14, 57344.0), "float8e4nv": (3, -6, 448.0), "float8e4b8": (3, -7, 240.0),
    "float8e5b16": (2, -15, 57344.0), "float8e4b15": (3, -14, 1.875),
    "float16": (10, -14, 65504.0), "bfloat16": (7, -126, 3.3895313892515355e38),
    "float32": (23, -126, 3.4028234663852886e38), "float64": (52, -1022, sys.float_info.max),
}


def decode_fp8(name):
    """The 256 values of an 8-bit float."""
    mantissa, _, _ = FLOATS[name]
    exponent_bits = 7 - mantissa
    bias = {"float8e5": 15, "float8e4nv": 7, "float8e4b8": 8, "float8e5b16": 16, "float8e4b15": 15}[name]
    values = []
    for byte in range(256):
        sign, exponent = -1.0 if byte & 0x80 else 1.0, (byte & 0x7F) >> mantissa
        fraction = (byte & ((1 << mantissa) - 1)) / (1 << mantissa)
        value = fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias)
        if name in ("float8e4b8", "float8e5b16"):  # One NaN, no infinities, no -0.
            value = float("nan") if byte == 0x80 else value
        elif name in ("float8e4nv", "float8e4b15"):
            value = float("nan") if byte & 0x7F == 0x7F else value
        elif exponent == (1 << exponent_bits) - 1:
            value = float("inf") if fraction == 0 else float("nan")
        values.append(sign * value)
    return values


def decode(data, name):
    import numpy as np
    if name == "bfloat16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if name.startswith("float8"):
        return np.array(decode_fp8(name))[np.frombuffer(data, np.uint8)]
    if name.startswith("float"):
        return np.frombuffer(data, name).astype(np.float64)
    return np.frombuffer(data, "uint8" if name == "int1" else name)


def compare(cell, argument, got, expected):
    """The difference, or empty."""
    import numpy as np
    name, rule = argument["dtype"], "value" if argument["exact"] else cell["rule"]
    a, b = decode(got, name), decode(expected, name)
    same = np.array(a == b)
    if name in FLOATS:
        same |= np.isnan(a) & np.isnan(b)
        if rule in ("bits", "value"):
            same &= (np.signbit(a) == np.signbit(b)) | np.isnan(a)
        mantissa, least, _ = FLOATS[name]
        with np.errstate(all="ignore"):
            difference = np.abs(a - b)
            if rule == "ulp":  # Both sides may be off.
                exponent = np.floor(np.log2(np.maximum(np.abs(b), 2.0 ** least)))
                same |= difference <= np.maximum(2 * cell["bound"] * 2.0 ** (exponent - mantissa),
                                                 2 * cell["absolute"])
            elif rule == "product":
                finite = b[np.isfinite(b)]
                norm = float(np.sqrt(np.mean(finite ** 2))) if finite.size else 0.0
                epsilon = 2.0 ** -52 if name == "float64" else 2.0 ** -23
                limit = cell["bound"] * epsilon + (2.0 ** -mantissa if mantissa < 23 else 0)
                same |= difference <= 12 * limit * np.maximum(norm, np.abs(b))
    if same.all():
        return ""
    at = int(np.argmin(same))
    return (f"'{argument['name']}': element {at} is {b[at]!r} here and {a[at]!r} there "
            f"({int((~same).sum())} of {len(same)} differ)")


def run_cell(cell, contents, folder):
    """Verdict ("pass", "differs", "refused", "error here") and text."""
    import numpy as np
    import torch
    import triton
    import triton.language as tl
    if cell["error"]:
        return "error here", cell["error"]
    path = pathlib.Path(folder, "cell.py")
    path.write_text(cell["source"])
    tensors, values = {}, []
    for argument in cell["arguments"]:
        name = argument["name"]
        if "count" not in argument:
            values.append((name, argument["value"]))
            continue
        data = contents[argument["before"]:argument["before"] + argument["size"]]
        # Room at the end: a read beyond the tensor is an error of the cell, not a crash here.
        tensor = torch.frombuffer(bytearray(data) + bytearray(4096), dtype=torch.uint8)
        tensors[name] = tensor
        if argument["dtype"] == "int1":
            typed = tensor.view(torch.bool)
        else:
            typed = triton.reinterpret(tensor, getattr(tl, argument["dtype"]))
        if "descriptor" in argument:
            from triton.tools.tensor_descriptor import TensorDescriptor
            if dtype := getattr(torch, argument["dtype"], None):  # NaN is padded for torch's own dtypes.
                typed = tensor.view(dtype)
            try:
                typed = TensorDescriptor(typed, **argument["descriptor"])
            except Exception as error:
                return "refused", f"{type(error).__name__}: {error}"[:300]
        values.append((name, typed))
    try:
        spec = importlib.util.spec_from_file_location("cell", path)
        module = importlib.util.module_from_spec(spec)
        import linecache
        linecache.clearcache()
        spec.loader.exec_module(module)
        with contextlib.redirect_stdout(io.StringIO()):
            module.kernel[tuple(cell["grid"])](**dict(values))
    except Exception as error:  # Whatever it says, it is Triton's answer.
        cause = error.__cause__ or error
        return "refused", f"{type(cause).__name__}: {str(cause).strip().splitlines()[-1:] or ''}"[:300]
    for argument in cell["arguments"]:
        if "count" not in argument:
            continue
        got = bytes(tensors[argument["name"]].numpy()[:argument["size"]])
        expected = contents[argument["after"]:argument["after"] + argument["size"]]
        if argument["output"]:
            if text := compare(cell, argument, got, expected):
                return "differs", text
    return "pass", ""


def work(directory, cells, seconds, connection):
    """A child process: answers (index, verdict, text) for each cell."""
    warnings.simplefilter("ignore")
    contents = pathlib.Path(directory, "contents").read_bytes()
    os.environ["TRITON_CACHE_DIR"] = "/nonexistent"

    def late(*_):
        raise TimeoutError(f"more than {seconds} s")

    signal.signal(signal.SIGALRM, late)
    with tempfile.TemporaryDirectory() as folder:
        for index, cell in cells:
            signal.alarm(seconds)
            try:
                connection.send((index, *run_cell(cell, contents, folder)))
            except TimeoutError as error:
                connection.send((index, "refused", str(error)))
            signal.alarm(0)
    connection.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", help="of tilerun-matrix --export")
    parser.add_argument("--only", action="append", help="only cells whose id matches this pattern")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=int, default=60, help="seconds that a cell may take")
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--part", action="store_true", help="the folder has not all cells: differences may be unused")
    options = parser.parse_args()
    for module in ("numpy", "torch", "triton"):
        if importlib.util.find_spec(module) is None:
            print(f"no {module} (TRITON_PATH): nothing was compared with Triton's interpreter")
            return 4
    import numpy
    if tuple(map(int, numpy.__version__.split(".")[:2])) >= (2, 4):
        print(f"numpy {numpy.__version__}: Triton's interpreter needs one before 2.4, which makes scalars of arrays of one "
              "element (TRITON_PATH): nothing was compared with it")
        return 4
    if numpy.__version__.startswith("2."):
        REFUSALS.extend(REFUSALS_OF_NUMPY_2)
    with open(pathlib.Path(options.directory, "cells.jsonl")) as lines:
        cells = [json.loads(line) for line in lines]
    if options.only:
        cells = [c for c in cells if any(fnmatch.fnmatchcase(c["id"], p) for p in options.only)]
    verdicts = {}
    children = []
    for job in range(options.jobs):
        part = [(i, cells[i]) for i in range(job, len(cells), options.jobs)]
        ours, theirs = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.Process(target=work, args=(options.directory, part, options.timeout, theirs))
        child.start()
        theirs.close()
        children.append((child, ours))
    for child, connection in children:
        with contextlib.suppress(EOFError):
            while True:
                index, verdict, text = connection.recv()
                verdicts[index] = (verdict, text)
        child.join()
    counts, groups, used = collections.Counter(), collections.defaultdict(list), set()
    for index, cell in enumerate(cells):
        verdict, text = verdicts.get(index, ("crashed", "the process that ran it ended"))
        entries = {"differs": DIFFERENCES, "refused": REFUSALS}.get(verdict, [])
        known = next((entry for entry in entries if fnmatch.fnmatchcase(cell["id"], entry[0])), None)
        if cell["error"] and "cannot run on the cpu device" in cell["error"]:
            verdict = "refused here"
        elif known is not None:
            used.add(known)
            verdict = "known"
        counts[verdict] += 1
        if verdict not in ("pass", "known", "refused here"):
            operation = cell["id"].split(".", 1)[0] if verdict == "differs" else ""
            groups[verdict, operation, text.split(":")[0] if operation else text].append((cell["id"], text))
    for (verdict, _, _), group in sorted(groups.items())[:options.lines]:
        names = ", ".join(name for name, _ in group[:8])
        print(f"{verdict}: {names}{f' and {len(group) - 8} more' if len(group) > 8 else ''}\n    {group[0][1]}")
    unneeded = [] if options.only or options.part else [entry for entry in DIFFERENCES + REFUSALS if entry not in used]
    for pattern, reason in unneeded:
        print(f"not needed: {pattern} ({reason})")
    print(f"{len(cells)} cells: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    return 1 if unneeded or set(counts) - {"pass", "known", "refused here"} else 0


if __name__ == "__main__":
    sys.exit(main())

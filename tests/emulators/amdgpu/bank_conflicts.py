#!/usr/bin/env python3
"""Bank conflicts of shared memory in compiled kernels, as the emulated device counts them.

    bank_conflicts.py TILERUN ARCHITECTURE [PATTERN...]    # patterns of names; all without

Products of several types whose operands lie along and across k, transposes, reductions, scans and
sorts have none. Exits with 2 if a pattern matches nothing.
"""

import fnmatch
import itertools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/kernels/device"))
import on_device  # noqa: E402  (the table of kernels)

TABLE = """
shapes_transpose_0 shapes_transpose_1 shapes_transpose_2 shapes_permute3_0 shapes_permute3_1
reduce_reduce_all_0 reduce_reduce_axes_0 reduce_reduce_axes_1 reduce_reduce3_0 reduce_ties_0
reduce_cumsum_0 reduce_scan_tuple_0 sort_sort_0
""".split()


def product(element, block, a_along_k, b_along_k, warps=4):
    """Two steps of k, with operands that lie along k in memory or across it."""
    m, n, k = block
    length = 2 * k
    result = "i32" if element == "i8" else "f32"
    fill = "randint(-9,9," if element == "i8" else "randn("
    am, ak = (length, 1) if a_along_k else (1, m)
    bk, bn = (1, length) if b_along_k else (n, 1)
    return ["bench/amd/kernels.py::product_kernel", f"a_ptr={element}[{m * length}]:{fill}1)",
            f"b_ptr={element}[{n * length}]:{fill}2)", f"c_ptr={result}[{m * n}]:empty", f"M={m}", f"N={n}",
            f"K={length}", f"stride_am={am}", f"stride_ak={ak}", f"stride_bk={bk}", f"stride_bn={bn}",
            f"stride_cm={n}", "stride_cn=1", f"BLOCK_M={m}", f"BLOCK_N={n}", f"BLOCK_K={k}", "--grid", "1",
            "--num-warps", str(warps)]


def load_cases(arch):
    elements = ["f16", "f32", "i8"] + {"gfx942": ["f8e4b8"], "gfx950": ["f8e4nv"], "gfx1201": ["f8e4nv"]}.get(arch, [])
    for element, a, b in itertools.product(elements, (True, False), (True, False)):
        sides = f"{'along' if a else 'across'}-{'along' if b else 'across'}"
        yield f"product-{element}-{sides}", product(element, (64, 64, 64), a, b)
    for element in set(elements) - {"f32"}:  # lines of 64 and 128 bytes are permuted differently
        yield f"product-{element}-short", product(element, (64, 128, 32), False, False)
        yield f"product-{element}-long", product(element, (128, 64, 128), False, False, 8)
    known = {name: (kernel, arguments) for name, kernel, arguments in on_device.load_cases()}
    for name in TABLE:
        kernel, arguments = known[name]
        yield name, [kernel, *arguments, *([] if "--grid" in arguments else ["--grid", "1"])]


def count(tilerun, arch, words):
    """Accesses, and conflicts, of one launch."""
    done = subprocess.run([tilerun, "run", *words, "--emulate", "hip:" + arch, "--counters", "--json"],
                          capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    (counters,) = json.loads(done.stdout)["counters"]
    uses = counters["lds"].values()
    return sum(use["accesses"] for use in uses), sum(use["bank_conflicts"] for use in uses)


def main():
    tilerun, arch, *patterns = sys.argv[1:]
    cases = [case for case in load_cases(arch)
             if not patterns or any(fnmatch.fnmatchcase(case[0], pattern) for pattern in patterns)]
    if not cases:
        print("no kernel is called " + " or ".join(patterns))
        return 2
    failures = total = 0
    for name, words in cases:
        accesses, conflicts = count(tilerun, arch, words)
        total += accesses
        failures += conflicts > 0
        print(f"{'FAIL' if conflicts else 'ok':4} {name:34} {accesses:6} accesses, {conflicts} conflicts")
    if not patterns and total < 1000:
        print("so few accesses say nothing")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

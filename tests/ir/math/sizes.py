#!/usr/bin/env python3
"""Code size of mathematical functions on sm_90a: no more instructions than sizes.txt says.

    sizes.py TILERUN [--write] [--ptxas PTXAS] [--nvdisasm NVDISASM] [FUNCTION …]

PTX instructions need no tool. Machine instructions do: where there is no ptxas the second column is not compared, which
is said by name. The third column is Triton 3.6's count; where ours is larger, docs/math.md says why, and `more` stands
at the end of the line. Functions are of float32, or of float64 with `f64:` before the name.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent.parent / "bench/math"))
import instructions  # noqa: E402

RECORD = HERE / "sizes.txt"
HEAD = "# Instructions of a kernel that applies a function of float32 (f64: float64): PTX, sm_90a, Triton's on sm_90a. See sizes.py.\n"


def count_ptx(path):
    """Lines of PTX that are instructions."""
    return len(re.findall(r"^\t(?!\.)(?:@!?%p\d+ )?[a-z][\w.]*\b[^:\n]*;", path.read_text(), re.MULTILINE))


def read_record():
    rows = {}
    for line in RECORD.read_text().splitlines():
        if not line.startswith("#"):
            name, ptx, machine, theirs, *more = line.split()
            rows[name] = int(ptx), int(machine), int(theirs), more
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilerun")
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--ptxas")
    parser.add_argument("--nvdisasm")
    options = parser.parse_args()
    for tool in ("ptxas", "nvdisasm"):
        if not getattr(options, tool):
            setattr(options, tool, shutil.which(tool) or shutil.which(tool, path="/usr/local/cuda/bin"))
    has_tools = bool(options.ptxas and options.nvdisasm)
    if not has_tools:
        print("skipped: machine instructions (ptxas or nvdisasm was not found); PTX is compared")
    record = read_record()
    functions = options.functions or list(record)
    folder = pathlib.Path(tempfile.mkdtemp())
    instructions.write_kernels(sorted({function.split(":")[-1] for function in functions}), folder / "kernels.py")
    environment = dict(os.environ, TILERUN_CACHE="off")
    failures = []
    for function in functions:
        element, name = function.split(":") if ":" in function else ("f32", function)
        ptx = folder / f"{function}.ptx"
        signature = ", ".join(f"{pointer}=*{element}:16" for pointer in "xyr") + ", B=128"
        instructions.run([options.tilerun, "compile", f"{folder}/kernels.py::{instructions.kernel_name(name)}",
                          "--signature", signature, "--num-warps", "4", "--target", "cuda:sm_90a", "--emit", "ptx",
                          "-o", ptx], env=environment)
        most_ptx, most, theirs, more = record[function]
        size, machine = count_ptx(ptx), instructions.count(ptx, options, False) if has_tools else None
        if options.write:
            record[function] = size, machine or most, theirs, ["more"] if (machine or most) > theirs else []
            continue
        if size > most_ptx:
            failures.append(f"{function}: {size} PTX instructions; sizes.txt has {most_ptx}")
        if machine and machine > most:
            failures.append(f"{function}: {machine} machine instructions; sizes.txt has {most}")
    shutil.rmtree(folder)
    if options.write:
        RECORD.write_text(HEAD + "".join(f"{name} {a} {b} {c}{''.join(' ' + word for word in more)}\n"
                                         for name, (a, b, c, more) in record.items()))
    failures += [f"{name}: {machine} machine instructions, Triton's has {theirs}; say so with 'more'"
                 for name, (_, machine, theirs, more) in record.items() if machine > theirs and not more]
    print("\n".join(failures) or f"{len(functions)} functions are no larger")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

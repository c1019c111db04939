#!/usr/bin/env python3
"""Runs cases of the table of kernels on a device and compares every tensor with the interpreter's.

    on_device.py TILERUN DEVICE [PATTERN…]      # patterns of names such as gather_rows_0; all without

Exits with 1 if a case fails, and with 2 if a pattern matches none.
"""

import fnmatch
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parent.parent


def load_cases():
    """(name, file::kernel, arguments), as kernel_tests names them."""
    for path in sorted(TABLE.glob("*.py")):
        lines = []
        for line in path.read_text().splitlines():
            if line.startswith("#:"):
                lines.append(shlex.split(line[2:]))
            elif match := re.match(r"def (\w+)\(", line):
                for number, arguments in enumerate(lines):
                    yield f"{path.stem}_{match[1]}_{number}", f"{path}::{match[1]}", arguments
                lines = []


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, (done.stdout + done.stderr).strip()


def check(tilerun, device, kernel, arguments, folder):
    """Empty, or what is wrong."""
    tensors = [a.split("=")[0] for a in arguments if re.match(r"\w+=\w+\[", a)]
    grid = [] if "--grid" in arguments else ["--grid", "1"]
    files = [f"{name}={folder}/{name}.npy" for name in tensors]
    command = [tilerun, "run", kernel, *arguments, *grid]
    save = [word for file in files for word in ("--save", file)]
    code, text = run([*command, "--device", "cpu", *save])
    if code:
        return f"the interpreter gives {code}: {text}"
    expect = [word for file in files for word in ("--expect", file)]
    code, text = run([*command, "--device", device, *expect])
    return f"{device} gives {code}: {text}" if code or "validation error" in text else ""


def main():
    tilerun, device, *patterns = sys.argv[1:]
    cases = list(load_cases())
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name, pattern) for name, _, _ in cases):
            print(f"no case is called '{pattern}'")
            return 2
    chosen = [c for c in cases if not patterns or any(fnmatch.fnmatchcase(c[0], p) for p in patterns)]
    failed = 0
    for name, kernel, arguments in chosen:
        with tempfile.TemporaryDirectory() as folder:
            if wrong := check(tilerun, device, kernel, arguments, folder):
                failed += 1
                print(f"{name}: {wrong}\n    {kernel} {shlex.join(arguments)}")
    print(f"{len(chosen)} of {len(cases)} cases on {device}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What a user waits for the first time: the first forward and backward pass of a library's function (`library_rows.py`), with
all that is compiled, tuned and loaded for it, in a process and with caches that are its own; and a warm pass.

Usage: TILERUN_BUNDLE=DIR first_call.py [--packages DIR] [ROW...]      such as: first_call.py --packages pk "FLA: chunk_gla"
ROW is a text that names of rows contain. --packages: a folder of unzipped packages, unless they are installed."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

BUNDLE = os.environ.get("TILERUN_BUNDLE")
WARM = 20


def measure(text, packages):
    """In a process of its own."""
    sys.path.insert(0, os.path.join(BUNDLE, "lib", "tilerun", "python"))
    import tilerun
    tilerun.install()
    if packages:
        sys.path.append(packages)
    import torch
    import library_rows
    row = next(row for row in library_rows.ROWS if text in row.name)
    torch.manual_seed(0)
    call, inputs = row.make(False)
    inputs = [tensor.detach().requires_grad_(row.backward and tensor.is_floating_point()) for tensor in inputs]

    def run():
        out = call(*inputs)
        torch.cuda.synchronize()
        middle = time.perf_counter()
        if row.backward:
            out.backward(torch.ones_like(out))
        torch.cuda.synchronize()
        return middle

    torch.cuda.synchronize()
    start = time.perf_counter()
    middle = run()
    end = time.perf_counter()
    warm = []
    for _ in range(WARM):
        begin = time.perf_counter()
        run()
        warm.append(time.perf_counter() - begin)
    print(f"{row.name}: first call {end - start:.1f} s (forward {middle - start:.1f}, backward {end - middle:.1f}), "
          f"warm {1000 * sorted(warm)[WARM // 2]:.3f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", default=["FLA: chunk_gla"])
    parser.add_argument("--packages", metavar="DIR")
    parser.add_argument("--own", action="store_true", help=argparse.SUPPRESS)  # This process measures.
    options = parser.parse_args()
    if not BUNDLE:
        parser.error("TILERUN_BUNDLE is not set to an unpacked bundle")
    if options.own:
        return measure(options.rows[0], options.packages)
    status = 0
    for row in options.rows:
        with tempfile.TemporaryDirectory() as caches:
            environment = os.environ | {"TILERUN_CACHE_DIR": os.path.join(caches, "tilerun"), "CUDA_CACHE_PATH": os.path.join(caches, "cuda")}
            command = [sys.executable, __file__, "--own", row, *(["--packages", options.packages] if options.packages else [])]
            status = max(status, subprocess.run(command, env=environment).returncode)
    return status


if __name__ == "__main__":
    sys.exit(main())

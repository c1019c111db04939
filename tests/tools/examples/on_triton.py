#!/usr/bin/env python3
"""Runs every example as a script on Triton's own interpreter, so that the files stay valid Triton. Usage: on_triton.py EXAMPLES [--jobs N] [NAME...]

Triton is not part of this tree: TRITON_PATH (folders, separated by colons) says where it, torch and numpy are, if they
are not installed. Exits with 77 where they are not. Tensors that a script makes on 'cuda' are made on the CPU.
"""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import runpy
import subprocess
import sys

sys.path[:0] = [path for path in os.environ.get("TRITON_PATH", "").split(":") if path]
FACTORIES = "arange empty full linspace ones rand randint randn tensor zeros".split()
NOT_RUN = 77


def on_cpu(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        if str(kwargs.get("device", "")).startswith("cuda"):
            kwargs["device"] = "cpu"
        return function(*args, **kwargs)

    return call


def run_script(path):
    """In this process, which is made for it."""
    os.environ["TRITON_INTERPRET"] = "1"
    import numpy
    import torch
    import triton.runtime.autotuner as autotuner
    import triton.runtime.interpreter as interpreter
    for name in FACTORIES:
        setattr(torch, name, on_cpu(getattr(torch, name)))
    # It propagates NaN always, which its compiler does only where it is asked to.
    builder = interpreter.InterpreterBuilder
    builder.create_maxnumf = lambda self, x, y: self.binary_op(x, y, numpy.fmax)
    builder.create_minnumf = lambda self, x, y: self.binary_op(x, y, numpy.fmin)
    # Autotuning asks a GPU for the time: here every configuration runs once, and the first one wins.
    autotuner.Autotuner.do_bench = property(lambda self: lambda call, quantiles: (call(), [1.0] * len(quantiles))[1])
    if hasattr(torch.library, "wrap_triton"):  # It takes what the compiler launches, alone.
        torch.library.wrap_triton = lambda kernel: kernel
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="__main__")


def find_missing():
    """Why nothing can be run; None where all is there."""
    try:
        import numpy
        import torch
        import triton
    except ImportError as error:
        return f"no {error.name} (TRITON_PATH)"
    if "tilerun" in (triton.__file__ or ""):
        return "'triton' is Tilerun here (TRITON_PATH)"
    if tuple(int(n) for n in numpy.__version__.split(".")[:2]) >= (2, 4):
        return f"numpy {numpy.__version__} is too new for Triton's interpreter (TRITON_PATH)"
    if not hasattr(torch.Tensor, "untyped_storage"):
        return f"PyTorch {torch.__version__} is too old for Triton's interpreter, which needs 2.0 (TRITON_PATH)"
    return None


def run_one(path):
    done = subprocess.run([sys.executable, __file__, "--one", path], capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    passed = done.returncode == 0 and lines and lines[-1] == f"{path.stem}: ok"
    return passed, lines if passed else [f"{path.stem}: FAILED", done.stdout, done.stderr]


def main():
    if sys.argv[1:2] == ["--one"]:
        return run_script(pathlib.Path(sys.argv[2]))
    parser = argparse.ArgumentParser()
    parser.add_argument("examples", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    missing = find_missing()
    if missing:
        print(f"not run: the examples on Triton's interpreter: {missing}")
        sys.exit(NOT_RUN)
    paths = [path for path in sorted(options.examples.glob("*.py"))
             if "__main__" in path.read_text(encoding="utf-8") and (not options.names or path.stem in options.names)]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for passed, lines in pool.map(run_one, paths):
            print(*lines, sep="\n", flush=True)
            failures += not passed
    print(f"{len(paths) - failures} of {len(paths)} run on Triton's interpreter")
    sys.exit(1 if failures or not paths else 0)


if __name__ == "__main__":
    main()

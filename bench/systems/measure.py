#!/usr/bin/env python3
"""What other systems for kernels do on a machine without a GPU: the facts of docs/comparison.md. Usage: measure.py NAME=PYTHON...

NAME is triton, numba, iree or tilerun, PYTHON an interpreter of an environment that has it. Each probe runs in a process of its own, with an empty cache:
the time of an import (median of five), targets that a vector addition is compiled for, and what becomes of a planted out-of-bounds write,
and a planted race where the system has a mode that runs without a GPU. Prints JSON.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TRITON = """
import {package} as triton, {package}.language as tl
from {package}.compiler import ASTSource
from {package}.backends.compiler import GPUTarget
@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
import time
start = time.perf_counter()
source = ASTSource(add, {{"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "B": "constexpr"}}, {{"B": 256}})
made = triton.compile(source, target=GPUTarget({target}))
print(sorted(made.asm), round(time.perf_counter() - start, 2))
"""
NUMBA = """
import numpy
from numba import cuda
@cuda.jit
def add(x, out):
    i = cuda.grid(1)
    {body}
x, out = numpy.arange(8, dtype=numpy.float32), numpy.zeros(8, dtype=numpy.float32)
add[{grid}](x, out)
print(out.tolist())
"""
# Triton's interpreter takes tensors of PyTorch.
INTERPRETED = """
import torch, triton, triton.language as tl
@triton.jit
def add(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    {body}
x, out = torch.arange(8, dtype=torch.float32), torch.zeros(8)
add[({grid},)](x, out, B=4)
print(out.tolist())
"""
TILERUN = """
import tilerun; tilerun.install()
import numpy, triton, triton.language as tl
@triton.jit
def add(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    {body}
x, out = numpy.arange(8, dtype=numpy.float32), numpy.zeros(8, dtype=numpy.float32)
add[({grid},)](x, out, B=4)
print(out.tolist())
"""
IREE = """
import subprocess, sys, os
tool = os.path.join(os.path.dirname(sys.executable), "iree-compile")
text = "func.func @add(%a: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<1024xf32> {{ %0 = arith.addf %a, %b : tensor<1024xf32> return %0 : tensor<1024xf32> }}"
done = subprocess.run([tool, "-", *{flags}, "-o", os.devnull], input=text, text=True, capture_output=True)
print(done.returncode, done.stderr[:200])
"""
PROBES = {
    "triton": {"import": "import triton", "cuda:90": TRITON.format(package="triton", target='"cuda", 90, 32'),
               "hip:gfx942": TRITON.format(package="triton", target='"hip", "gfx942", 64'),
               "runs": "INTERPRET" + INTERPRETED.format(body="tl.store(out + i, tl.load(x + i))", grid=2),
               "out of bounds": "INTERPRET" + INTERPRETED.format(body="tl.store(out + i + 1, tl.load(x + i))", grid=2),
               "race": "INTERPRET" + INTERPRETED.format(body="tl.store(out + tl.arange(0, B), tl.load(x + i))", grid=2)},
    "tilerun": {"import": "import tilerun.triton", "cuda:90": TRITON.format(package="tilerun.triton", target='"cuda", 90, 32'),
                "hip:gfx942": TRITON.format(package="tilerun.triton", target='"hip", "gfx942", 64'),
                "runs": TILERUN.format(body="tl.store(out + i, tl.load(x + i))", grid=2),
                "out of bounds": TILERUN.format(body="tl.store(out + i + 1, tl.load(x + i))", grid=2),
                "race": "CHECKS" + TILERUN.format(body="tl.store(out + tl.arange(0, B), tl.load(x + i))", grid=2)},
    "numba": {"import": "import numba.cuda", "runs": "SIM" + NUMBA.format(body="out[i] = x[i]", grid="2, 4"),
              "cuda:90": "from numba import cuda, float32\nprint(cuda.compile_ptx(lambda x: x[0], (float32[:],), device=True, cc=(9, 0))[0][:40])",
              "out of bounds": "SIM" + NUMBA.format(body="out[i + 1] = x[i]", grid="2, 4"),
              "race": "SIM" + NUMBA.format(body="out[i % 4] = x[i]", grid="2, 4")},
    "iree": {"import": "import iree.compiler, iree.runtime",
             **{name: IREE.format(flags=repr(flags)) for name, flags in {
                 "cpu": ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"],
                 "cuda:90": ["--iree-hal-target-device=cuda", "--iree-cuda-target=sm_90"],
                 "hip:gfx942": ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"],
                 "vulkan": ["--iree-hal-target-device=vulkan"]}.items()}},
}


def run(python, text):
    """(seconds, exit code, last line of what was printed)"""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TRITON_CACHE_DIR": folder, "TILERUN_CACHE_DIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        for word, name in (("SIM", "NUMBA_ENABLE_CUDASIM"), ("CHECKS", "TILERUN_CHECKS"), ("INTERPRET", "TRITON_INTERPRET")):
            if text.startswith(word):
                environment[name], text = "1", text.removeprefix(word)
        if "TILERUN_CHECKS" in environment:
            environment["TRITON_INTERPRET"] = "1"
        path = os.path.join(folder, "probe.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        start = time.perf_counter()
        done = subprocess.run([python, path], capture_output=True, text=True, env=environment, check=False)
        seconds = time.perf_counter() - start
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return seconds, done.returncode, next((line for line in reversed(lines) if not line.startswith((" ", "^"))), "")[:300]


def main():
    results = {}
    for word in sys.argv[1:]:
        name, _, python = word.partition("=")
        if name not in PROBES or not python:
            sys.exit(f"'{word}' is not NAME=PYTHON with one of {', '.join(PROBES)}")
        results[name] = {}
        for probe, text in PROBES[name].items():
            runs = [run(python, text) for _ in range(5 if probe == "import" else 1)]
            results[name][probe] = {"seconds": round(statistics.median(r[0] for r in runs), 2), "exit_code": runs[0][1], "said": runs[0][2]}
    json.dump(results, sys.stdout, indent=1)
    print()


main()

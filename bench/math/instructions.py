#!/usr/bin/env python3
"""Machine instructions of mathematical functions on sm_90a, beside Triton's; needs no GPU.

    bench/math/instructions.py [--tilerun TILERUN] [--ptxas PTXAS] [--type f64] [--json FILE] [--show] [FUNCTION …]

Each function gets a kernel that loads an element for each thread, applies the function and stores the result. The
PTX of both goes through the same ptxas; what nvdisasm shows is counted, without padding. Run it with a Python that
has Triton 3.6; without --tilerun only Triton's side is counted. --show prints the machine code. FUNCTION is `tl.sin`,
`exp` (libdevice's) or a part of such a name followed by `*`.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LANGUAGE = "tl.exp tl.exp2 tl.log tl.log2 tl.sin tl.cos tl.sqrt tl.rsqrt tl.erf tl.sqrt_rn".split()
UNARY = ("exp exp2 exp10 expm1 log log2 log10 log1p sqrt rsqrt cbrt rcbrt sin cos tan sinpi cospi asin acos atan sinh "
         "cosh tanh asinh acosh atanh erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma j0 j1 y0 y1 "
         "cyl_bessel_i0 cyl_bessel_i1 logb").split()
BINARY = ["tl.fdiv", "tl.div_rn"] + "pow fmod hypot rhypot atan2 remainder norm3d norm4d rnorm3d rnorm4d".split()
# Functions of more operands get the two several times.
OPERANDS = {"norm3d": "v, w, v", "rnorm3d": "v, w, v", "norm4d": "v, w, w, v", "rnorm4d": "v, w, w, v"}

TRITON = """
import importlib.util, pathlib, sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
folder, element = pathlib.Path(sys.argv[1]), sys.argv[2]
spec = importlib.util.spec_from_file_location('kernels', folder / 'kernels.py')
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)
signature = {name: '*fp' + element[1:] for name in ('x', 'y', 'r')}
for name in sys.argv[3:]:
    source = ASTSource(fn=getattr(kernels, name), signature={**signature, 'B': 'constexpr'}, constexprs={'B': 128},
                       attrs={(i,): [['tt.divisibility', 16]] for i in range(3)})
    # The last stage is ptxas, in a process of its own.
    compiled = triton.compile(source, target=GPUTarget('cuda', 90, 32), options={'num_warps': 4})
    (folder / (name + '.theirs.ptx')).write_text(compiled.asm['ptx'])
"""


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def kernel_name(function):
    return "of_" + function.replace(".", "_")


def write_kernels(functions, path):
    text = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
    for function in functions:
        call = function if function.startswith("tl.") else "libdevice." + function
        operands = OPERANDS.get(function, "v, w" if function in BINARY else "v")
        text += (f"\n\n@triton.jit\ndef {kernel_name(function)}(x, y, r, B: tl.constexpr):\n"
                 "    o = tl.program_id(0) * B + tl.arange(0, B)\n    v = tl.load(x + o)\n")
        text += "    w = tl.load(y + o)\n" if function in BINARY else ""
        text += f"    tl.store(r + o, {call}({operands}))\n"
    path.write_text(text)


def count(ptx, tools, show):
    cubin = ptx.with_suffix(".cubin")
    run([tools.ptxas, "-arch=sm_90a", ptx, "-o", cubin])
    text = run([tools.nvdisasm, "-c", cubin])
    if show:
        print(f"==== {ptx.name}\n{text}")
    names = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)$", text, re.MULTILINE)
    # A kernel ends in a branch to itself and padding.
    while names and names[-1][0] == "NOP":
        names.pop()
    if names and names[-1][0].startswith("BRA"):
        names.pop()
    return len(names)


def find(name, given):
    """A tool on the path, the CUDA toolkit's, or the one in Triton's wheel."""
    if given:
        return given
    found = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    if found:
        return found
    import triton
    return str(pathlib.Path(triton.__file__).parent / "backends/nvidia/bin" / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--tilerun")
    parser.add_argument("--ptxas", help="for both; default: the one on the path, the toolkit's or Triton's")
    parser.add_argument("--nvdisasm")
    parser.add_argument("--type", choices=["f32", "f64"], default="f32")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    options.ptxas, options.nvdisasm = find("ptxas", options.ptxas), find("nvdisasm", options.nvdisasm)
    every = LANGUAGE + UNARY + BINARY
    if options.type == "f64":
        every.remove("tl.sqrt_rn")
        every.remove("tl.div_rn")
    functions = [f for f in every if not options.functions or any(fnmatch.fnmatch(f, p) for p in options.functions)]
    if not functions:
        parser.error(f"no such function; functions are {', '.join(every)}")

    folder = pathlib.Path(tempfile.mkdtemp())
    write_kernels(functions, folder / "kernels.py")
    environment = dict(os.environ, TILERUN_CACHE="off", TRITON_CACHE_DIR=str(folder / "cache"))
    run([sys.executable, "-c", TRITON, folder, options.type, *map(kernel_name, functions)], env=environment)
    rows = {}
    print(f"| {options.type} | Tilerun | Triton | ratio |\n|---|---|---|---|")
    for function in functions:
        name = kernel_name(function)
        ours = None
        if options.tilerun:
            ptx = folder / f"{name}.ours.ptx"
            run([options.tilerun, "compile", f"{folder}/kernels.py::{name}", "--signature",
                 f"x=*{options.type}:16, y=*{options.type}:16, r=*{options.type}:16, B=128", "--num-warps", "4",
                 "--target", "cuda:sm_90a", "--emit", "ptx", "-o", ptx], env=environment)
            ours = count(ptx, options, options.show)
        theirs = count(folder / f"{name}.theirs.ptx", options, options.show)
        rows[function] = {"tilerun": ours, "triton": theirs}
        ratio = f"{ours / theirs:.2f}" if ours else "—"
        print(f"| {function} | {ours or '—'} | {theirs} | {ratio} |", flush=True)
    shutil.rmtree(folder)
    if options.json:
        options.json.write_text(json.dumps({options.type: rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

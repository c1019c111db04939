"""Compiles kernels of run-time conditions, and prints how the memory grows where there are twice as many: many_conditions.py TILERUN TARGET FOLDER"""

import os
import pathlib
import resource
import subprocess
import sys


def measure(count):
    """Most memory of a compiler, in KiB: of children that were waited for, so that later ones have to take more."""
    lines = ["import triton", "import triton.language as tl", "", "", "@triton.jit", "def many(x, n):"]
    for i in range(count):
        lines += [f"    if n > {i}:", f"        tl.store(x + {i}, n * {i + 2})"]
    path = folder / f"many_{count}.py"
    path.write_text("\n".join(lines) + "\n")
    subprocess.run([command, "compile", f"{path}::many", "--signature", "x=*i32, n=i32", "--target", target, "--emit", "llvm",
                    "-o", folder / "many.ll"], check=True, env=os.environ | {"TILERUN_CACHE": "off"})
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


command, target, folder = *sys.argv[1:3], pathlib.Path(sys.argv[3])
folder.mkdir(exist_ok=True)
few, many = measure(1200), measure(2400)
print(f"{many / few:.1f} times as much" if many > 1.8 * few else f"in proportion at most ({few} KiB, {many} KiB)")

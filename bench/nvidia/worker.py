"""Compiles kernels by Tilerun's package, in a process that has compiled before; compare.py starts it, because its own `triton` is
Triton. A case is a line of JSON, [backend, architecture, name, file, kernel, signature, warps, stages], and so is the answer: the
processor seconds until there is PTX. Usage: worker.py PACKAGE, the folder with `tilerun`."""

import json
import os
import pathlib
import sys

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).resolve().parent.parent)]
os.environ["TILERUN_CACHE"] = "off"
import tilerun  # noqa: E402

tilerun.install()
import beside_triton  # noqa: E402

modules = {}
for line in sys.stdin:
    backend, arch, name, file, kernel, signature, warps, stages = json.loads(line)
    case = beside_triton.Case(name, pathlib.Path(file), kernel, signature, warps, None, stages)
    # Without more, code for frameworks that launch it themselves has no copies of boxes.
    _, seconds, _ = beside_triton.build(modules, backend, arch, 32, case, {"options": {"tma": "auto"}} if arch == 90 else {})
    print(json.dumps(seconds), flush=True)

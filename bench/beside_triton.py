"""What scripts that compile kernels by Tilerun's command and by Triton have in common, for any target and without a GPU. Both get
the same types, divisibilities and constants, and knows of the same tensors that they are small; of integer arguments neither knows more."""

import ast
import dataclasses
import importlib.util
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Case:
    name: str
    file: pathlib.Path
    kernel: str
    signature: str  # NAME=TYPE[:DIVISIBILITY][:small] or NAME=CONSTANT, separated by commas.
    warps: int
    archs: tuple = None  # None: all.
    stages: int = 2


def spent():
    """Processor seconds of this process and those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Tilerun:
    """The command. `startup` is what it takes to do nothing."""
    name = "Tilerun"

    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.environment = dict(os.environ, TILERUN_CACHE="off")
        self.startup = min(self.run("--version") for _ in range(5))

    def run(self, *arguments):
        """The processor seconds that the command takes."""
        begin = spent()
        subprocess.run([self.command, *arguments], check=True, env=self.environment, stdout=subprocess.DEVNULL)
        return spent() - begin

    def emit(self, target, case, phase, *options):
        """(the phase's bytes, processor seconds without those of a start)"""
        path = self.folder / phase
        seconds = self.run("compile", f"{case.file}::{case.kernel}", "--signature", case.signature, "--target", target,
                           "--num-warps", str(case.warps), "--num-stages", str(case.stages), "--no-line-info", "--emit", phase,
                           "-o", str(path), *options)
        return path.read_bytes(), max(seconds - self.startup, 0.001)


class Triton:
    """Of the interpreter that runs the script; its cache is empty."""
    name = "Triton"

    def __init__(self, folder):
        os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
        os.environ["TRITON_ALWAYS_COMPILE"] = "1"
        self.modules = {}

    def build(self, backend, arch, warp, case):
        """(the compiled kernel, processor seconds of this process, those of others, such as an assembler)"""
        return build(self.modules, backend, arch, warp, case, {})


def load(modules, file):
    if file not in modules:
        spec = importlib.util.spec_from_file_location(file.stem, file)
        modules[file] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[file])
    return modules[file]


def build(modules, backend, arch, warp, case, options):
    """As Triton.build, by whatever `triton` is."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    function = getattr(load(modules, case.file), case.kernel)
    types, constants, attributes = {}, {}, {}
    given = dict(word.strip().split("=") for word in case.signature.split(","))
    for i, name in enumerate(function.arg_names):
        kind, *facts = given[name].split(":")
        if kind[:1] != "*" and not kind[:1].isalpha() or kind in ("True", "False", "None"):
            types[name], constants[name] = "constexpr", ast.literal_eval(kind)
            continue
        types[name] = kind
        if facts:
            attributes[(i, )] = [["tt.pointer_range", 32] if fact == "small" else ["tt.divisibility", int(fact)] for fact in facts]
    source = ASTSource(fn=function, signature=types, constexprs=constants, attrs=attributes)
    begin, own = spent(), time.process_time()
    compiled = triton.compile(source, target=GPUTarget(backend, arch, warp),
                              options={"num_warps": case.warps, "num_stages": case.stages, **options})
    own = time.process_time() - own
    return compiled, own, spent() - begin - own


def run(compilers, archs, cases, rounds, least=("seconds", )):
    """{(arch, case): {compiler: figures}}, with the least of all rounds of the figures named."""
    work = [(arch, case) for arch in archs for case in cases if not case.archs or arch in case.archs]
    order = random.Random(0)
    results = {(arch, case.name): {} for arch, case in work}
    for turn in range(rounds):
        order.shuffle(work)
        for done, (arch, case) in enumerate(work):
            print(f"\r{turn * len(work) + done}/{rounds * len(work)} {arch} {case.name:60}", end="", file=sys.stderr)
            for compiler in order.sample(compilers, len(compilers)):
                figures, known = compiler.compile(arch, case), results[arch, case.name]
                for name in least if compiler.name in known else ():
                    figures[name] = min(figures[name], known[compiler.name][name])
                known[compiler.name] = figures
    print(file=sys.stderr)
    names = [case.name for case in cases]
    return dict(sorted(results.items(), key=lambda item: names.index(item[0][1])))


def pair(both, show):
    return f"{show(both['Tilerun'])} / {show(both['Triton'])}"


def ratio(both, figure):
    return both["Tilerun"][figure] / both["Triton"][figure]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def write_table(header, rows, out):
    show = lambda cells: print(f"| {' | '.join(map(str, cells))} |", file=out)
    show(header)
    print("|---" * len(header) + "|", file=out)
    for cells in rows:
        show(cells)

"""Compiles a kernel ahead of time into C code that holds its machine code and launches it by the driver: no Python, compiler or Tilerun is
needed where the C code runs.

    python -m tilerun -m triton.tools.compile kernels.py --kernel-name add --signature "*fp32:16, *fp32:16, i32, 1024" \\
        --grid "(n + 1023) / 1024, 1, 1" --out-path out/add

writes out/add.ID.h and out/add.ID.c with the functions `load_add_ID`, `unload_add_ID` and `add_ID(stream, …)`, where ID tells signatures,
warps and stages apart. Headers of several variants are joined by triton.tools.link."""

import argparse
import hashlib
import importlib.util
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Optional

from .. import _missing
from . import _aot

_C_WORDS = frozenset("auto bool break case char const continue default do double else enum extern float for goto if inline int long register "
                     "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while algo_id".split())
_HINTS = {"": None, "1": 1, "16": 16}


@dataclass
class CompileArgs:
    """The arguments of the command."""
    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: Optional[str] = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: Optional[str] = None
    out_path: Optional[pathlib.Path] = None


def _import(path):
    """The module of a file, which finds its neighbors as a script does."""
    path = pathlib.Path(path)
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _find_kernel(args):
    from .. import JITFunction
    from ..runtime.autotuner import Autotuner, Heuristics
    kernel = getattr(_import(args.path), args.kernel_name, None)
    while isinstance(kernel, (Autotuner, Heuristics)):
        kernel = kernel.fn
    if not isinstance(kernel, JITFunction):
        raise ValueError(f"{args.path} has no kernel '{args.kernel_name}' (a @triton.jit function at module level)")
    return kernel


def _read_constant(text):
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return True, words[text]
    for kind in (int, float):
        try:
            return True, kind(text)
        except ValueError:
            pass
    return False, None


def _read_signature(kernel, text):
    """(types by parameter, values of constants, demands by parameter)."""
    entries = [entry.strip() for entry in text.split(",")]
    if len(entries) != len(kernel.arg_names):
        raise ValueError(f"kernel '{kernel.__name__}' has {len(kernel.arg_names)} parameters ({', '.join(kernel.arg_names)}), but the "
                         f"signature has {len(entries)}")
    types, constants, demands = {}, {}, {}
    for param, entry in zip(kernel.params, entries):
        is_constant, value = _read_constant(entry)
        kind, _, hint = entry.partition(":")
        kind, hint = kind.strip(), hint.strip()
        if is_constant:
            types[param.name], constants[param.name] = "constexpr", value
        elif param.is_constexpr:
            raise ValueError(f"parameter '{param.name}' is a constexpr: the signature must have its value, not '{entry}'")
        elif hint not in _HINTS or (hint == "1" and kind.startswith("*")):
            raise ValueError(f"'{entry}' in the signature: after the type there may be ':16' (a multiple of 16), and for numbers ':1'")
        else:
            types[param.name] = kind
            if hint:
                demands[param.name] = _HINTS[hint]
    return types, constants, demands


def _read_target(text):
    from ..compiler.target import GPUTarget
    if text is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    else:
        backend, arch, warp_size, *rest = [*text.split(":"), "", ""]
        if any(rest) or not arch or (warp_size and not warp_size.isdigit()):
            raise ValueError(f"the target is '{text}', but targets are written BACKEND:ARCH:WARPSIZE, as cuda:90:32 and hip:gfx942:64")
        target = GPUTarget.parse(GPUTarget(backend, int(arch) if arch.isdigit() else arch).text, int(warp_size or 0) or None)
    if target.backend not in _aot.DRIVERS:
        raise ValueError(f"C code cannot be written for {target.text}: the target must be one of {', '.join(_aot.DRIVERS)}"
                         + (", by --target" if text is None else ""))
    return target


def _read_grid(text):
    sizes = [size.strip() for size in text.split(",")]
    if len(sizes) != 3 or not all(sizes):
        raise ValueError(f"the grid is '{text}', but it must be three C expressions of the parameters with commas between")
    return sizes


def _get_code(compiled, backend):
    """(the code, a line about it). Without an assembler it is PTX, which the driver compiles when it is loaded."""
    from tilerun import _assembler  # Not relative: as a program this is `triton.tools.compile`.
    if backend == "hip":
        return compiled.asm["hsaco"], "machine code"
    if _assembler.find(compiled._arch) is not None:
        return compiled.asm["cubin"], "machine code"
    compiled._check_parameters()
    return compiled.asm["ptx"].encode() + b"\0", "PTX, because no assembler was found"


def compile_kernel(args):
    """Writes the header and the source, and gives the name of the C function and the two paths. ValueError if the arguments do not fit the
    kernel; CompilationError if it does not compile."""
    from .. import compile as compile_source
    from ..compiler import ASTSource
    kernel, target = _find_kernel(args), _read_target(args.target)
    driver = _aot.DRIVERS[target.backend]
    types, constants, demands = _read_signature(kernel, args.signature)
    parameters = []
    for name, kind in types.items():
        if name in _C_WORDS or name.endswith("_"):
            raise ValueError(f"C code cannot have a parameter with the name '{name}'")
        ctype = "" if kind == "constexpr" else _aot.find_type(kind, driver)
        if ctype is None:
            raise ValueError(f"parameter '{name}' has the type '{kind}', which C code cannot pass; it can pass pointers and "
                             f"{', '.join(_aot._TYPES)}")
        if ctype:
            parameters.append((ctype, name))
    ones = {name: 1 for name, demand in demands.items() if demand == 1}
    attrs = {(kernel.arg_names.index(name), ): [["tt.divisibility", 16]] for name, demand in demands.items() if demand == 16}
    source = ASTSource(kernel, {name: "constexpr" if name in ones else kind for name, kind in types.items()}, {**constants, **ones}, attrs)
    compiled = compile_source(source, target=target, options={"num_warps": args.num_warps, "num_stages": args.num_stages})
    code, what = _get_code(compiled, target.backend)

    name = args.out_name or args.kernel_name
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError(f"'{name}' is not a name of C; choose one by --out-name")
    what_differs = sorted(types.items()), sorted(constants.items(), key=lambda item: item[0]), args.num_warps, args.num_stages, target.text
    algorithm = hashlib.sha256(repr(what_differs).encode()).hexdigest()[:8]
    suffix = "".join(f"{at}{ {1: 'c', 16: 'd'}.get(demands.get(name), '') }" for at, name in enumerate(types))
    variant = _aot.Variant(name, f"{name}_{algorithm}", f"{name}_{algorithm}_{suffix}", target.backend, parameters, demands)
    base = pathlib.Path(args.out_path or name)
    paths = [base.with_suffix(f".{algorithm}_{suffix}.{ending}") for ending in ("h", "c")]
    threads = compiled._read()["threads"]
    about = f"Kernel '{args.kernel_name}' for {target.text}, signature '{args.signature}', {args.num_warps} warps: {what}."
    paths[0].write_text(_aot.write_header(variant))
    paths[1].write_text(_aot.write_source(variant, paths[0].name, code, _read_grid(args.grid), threads, compiled.shared, compiled.symbol,
                                          about.replace("\n", " ")))
    return variant.function, paths


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="triton.tools.compile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="the Python file with the kernel, which is executed")
    parser.add_argument("--kernel-name", "-n", required=True)
    parser.add_argument("--signature", "-s", required=True, help="for each parameter its type, with ':16' if it is a multiple of 16 and "
                        "':1' if it is 1, or its value; commas between")
    parser.add_argument("--grid", "-g", required=True, help="three C expressions of the parameters, commas between")
    parser.add_argument("--target", "-t", help="BACKEND:ARCH:WARPSIZE, as cuda:90:32; the device that is here if it is left out")
    parser.add_argument("--num-warps", "-w", type=int, default=1)
    parser.add_argument("--num-stages", "-ns", type=int, default=3)
    parser.add_argument("--out-name", "-on", help="the kernel's name in C")
    parser.add_argument("--out-path", "-o", type=pathlib.Path, help="where to write, without an ending")
    try:
        compile_kernel(CompileArgs(**vars(parser.parse_args(arguments))))
    except (ValueError, OSError) as error:
        parser.error(str(error))


desc = __doc__
__getattr__ = _missing.explain(__name__)

if __name__ == "__main__":
    main()

"""Joins kernels that triton.tools.compile has written into one C interface.

    python -m tilerun -m triton.tools.link out/add.*.h -o out/add

writes out/add.h and out/add.c. For a kernel `add` these have

    CUresult load_add(void); CUresult unload_add(void);
    CUresult add(CUstream stream, …, int algo_id);
    CUresult add_default(CUstream stream, …);       // The first one.
    int add_get_num_algos(void);

An algorithm is what was compiled with other types, constants, warps or stages; within one, a launch takes the variant with the most demands
(multiples of 16, ones) that its arguments meet, and CUDA_ERROR_INVALID_VALUE is the result if none does."""

import argparse
import pathlib

from .. import _missing
from . import _aot


class LinkerError(Exception):
    """Headers that do not fit together."""


def _write_check(variant):
    checks = []
    for kind, name in variant.parameters:
        demand = variant.demands.get(name)
        if demand is not None:
            value = f"(uintptr_t){name}" if kind == _aot.DRIVERS[variant.backend].pointer else name
            checks.append(f"{name} == 1" if demand == 1 else f"{value} % {demand} == 0")
    return " && ".join(checks)


def _write_algorithm(name, variants, driver):
    """A function that chooses the variant, and those that load all."""
    lines = [f"{driver.status} {name}({_aot.declare(variants[0].parameters, driver)}) {{"]
    for variant in sorted(variants, key=lambda v: -len(v.demands)):
        call = f"return {variant.function}({', '.join(['stream_', *(name for _, name in variant.passed)])});"
        check = _write_check(variant)
        lines += [f"  if ({check})", f"    {call}"] if check else [f"  {call}"]
    if all(variant.demands for variant in variants):
        lines.append(f"  return {driver.invalid};")
    return [*lines, "}", "", *_write_for_all(name, [variant.function for variant in variants], driver)]


def _write_for_all(name, functions, driver):
    lines = []
    for verb in ("load", "unload"):
        lines += [f"{driver.status} {verb}_{name}(void) {{", f"  {driver.status} first_ = {driver.ok}, status_;"]
        for function in functions:
            lines += [f"  status_ = {verb}_{function}();", f"  first_ = first_ == {driver.ok} ? status_ : first_;"]
        lines += ["  return first_;", "}", ""]
    return lines


def link(headers, out, prefix=""):
    """Writes OUT.h and OUT.c for the headers at these paths, and gives the two paths. LinkerError if they do not fit together."""
    kernels, includes = {}, []
    for path in map(pathlib.Path, headers):
        try:
            variant = _aot.read(path.read_text(), path)
        except (ValueError, TypeError) as error:
            raise LinkerError(str(error)) from None
        includes.append(path.name)
        kernels.setdefault(variant.kernel, {}).setdefault(variant.algorithm, []).append(variant)
    backends = {variants[0].backend for algorithms in kernels.values() for variants in algorithms.values()}
    if len(backends) != 1:
        raise LinkerError(f"kernels for {' and '.join(sorted(backends)) or 'nothing'}; link those of each driver separately")
    driver = _aot.DRIVERS[backends.pop()]
    out = pathlib.Path(out)
    declarations, definitions = [], []
    for kernel, algorithms in kernels.items():
        every = [variant for variants in algorithms.values() for variant in variants]
        first = every[0]
        for variant in every:
            if [kind for kind, _ in variant.parameters] != [kind for kind, _ in first.parameters]:
                raise LinkerError(f"the variants of kernel '{kernel}' have different parameters: {first.function} has "
                                  f"({_aot.declare(first.parameters, driver)}), {variant.function} has "
                                  f"({_aot.declare(variant.parameters, driver)}); give them names by --out-name")
        functions = [variant.function for variant in every]
        if len(set(functions)) != len(functions):
            raise LinkerError(f"the same variant of kernel '{kernel}' twice")
        name, parameters = prefix + kernel, _aot.declare(first.parameters, driver)
        passed = ", ".join(["stream_", *(parameter for _, parameter in first.parameters)])
        names = {algorithm: prefix + algorithm for algorithm in algorithms}
        declarations += [f"{driver.status} {verb}_{each}(void);" for each in (name, *names.values()) for verb in ("load", "unload")]
        declarations += [f"{driver.status} {each}({parameters});" for each in names.values()]
        declarations += [f"{driver.status} {name}({parameters}, int algo_id);", f"{driver.status} {name}_default({parameters});",
                         f"int {name}_get_num_algos(void);", ""]
        for algorithm, variants in algorithms.items():
            definitions += _write_algorithm(names[algorithm], variants, driver)
        definitions += [f"static {driver.status} (*const {name}_algorithms[])({parameters}) = {{{', '.join(names.values())}}};", "",
                        f"int {name}_get_num_algos(void) {{ return {len(names)}; }}", "",
                        f"{driver.status} {name}({parameters}, int algo_id) {{", f"  if (algo_id < 0 || algo_id >= {len(names)})",
                        f"    return {driver.invalid};", f"  return {name}_algorithms[algo_id]({passed});", "}", "",
                        f"{driver.status} {name}_default({parameters}) {{ return {name}({passed}, 0); }}", "",
                        *_write_for_all(name, list(names.values()), driver)]
    paths = [out.with_suffix(".h"), out.with_suffix(".c")]
    paths[0].write_text(_aot.write_guarded(out.name, driver, declarations))
    paths[1].write_text("\n".join([f"#include \"{paths[0].name}\"", *(f"#include \"{name}\"" for name in includes), "", *definitions]))
    return paths


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="triton.tools.link", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", nargs="+", help="headers that triton.tools.compile has written")
    parser.add_argument("--out", "-o", type=pathlib.Path, required=True, help="where to write, without an ending")
    parser.add_argument("--prefix", default="", help="before the names of the kernels")
    options = parser.parse_args(arguments)
    try:
        link(options.headers, options.out, options.prefix)
    except (LinkerError, OSError) as error:
        parser.error(str(error))


desc = __doc__
__getattr__ = _missing.explain(__name__)

if __name__ == "__main__":
    main()

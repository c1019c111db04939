#!/usr/bin/env python3
"""Compares the code that the compiler generates with what `hashes.txt` records, without any device.

    golden.py TILERUN [PATTERN...]                  # compares; patterns of names such as 'matmul*'
    golden.py TILERUN --write [PATTERN...]          # records again, and prints the changes
    golden.py TILERUN --save FOLDER [PATTERN...]    # keeps all of it, to compare two trees with diff -r

It compiles all launches of examples/manifest.json and the cases of tests/kernels named below, for
four targets, down to per-thread IR and to PTX or SPIR-V. They come from the public command, without
lines of the source and by paths relative to the repository, so that hashes depend on no machine.
Exits with 1 if something differs, and with 2 if a pattern matches no name.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE / "hashes.txt"
COMMAND = "tests/golden/golden.py build/dev/bin/tilerun --write"
sys.path.insert(0, str(ROOT / "tests/kernels/device"))
import on_device  # noqa: E402  (the table of kernels)

TARGETS = {
    "sm_80": "cuda:sm_80",
    "sm_90a": "cuda:sm_90a",
    "poor": "vulkan:1.3",
    "rich": "vulkan:1.3,subgroup=32,shared=49152,f16,f64,i8,i16,storage8,storage16,explicit-layout,explicit-layout8,"
    "explicit-layout16,memory-model,subgroup-control,shuffle,shuffle-relative,atomic-f32-add,fma,"
    "cm=16x16x16:f16:f16:f32,cm=16x16x32:i8:i8:i32",
}
EMIT = {"cuda": "ptx", "vulkan": "spirv"}

# Of tests/kernels: every kind of product, pipelined loop, reduction, scan, sort, exchange and access.
TABLE = """
blocks_attention_0 blocks_layer_norm_0 blocks_maps_0 blocks_parts_0 blocks_scaled_0 blocks_sorts_0 blocks_windows_0
control_branches_0 control_collatz_0 control_debugging_0 control_early_return_0 control_random_0
dots_batched_0 dots_chained_0 dots_imprecise_1 dots_loop_0 dots_loop_5 dots_loop_12 dots_loop_15 dots_one_4 dots_one_5
dots_one_10 dots_one_15 dots_one_20 dots_one_30 dots_one_35 dots_one_42 dots_one_48
float8_decode_0 float8_encode_0 gather_gather_0 gather_gather3_0 gather_histogram_0 gather_histograms_0
memory_atomic_floats_0 memory_atomic_halves_0 memory_atomic_integers_0 memory_barrier_0 memory_block_pointer_0
memory_compare_and_swap_0 memory_exchange_0 memory_masked_0
pipeline_ends_at_largest_0 pipeline_group_stages_2 pipeline_nested_0 pipeline_own_stages_2 pipeline_stages_0
pipeline_stages_2 pipeline_stores_results_0 pipeline_stores_to_operand_0 pipeline_waits_for_flags_0
reduce_cumsum_0 reduce_reduce3_0 reduce_reduce_all_0 reduce_reduce_axes_0 reduce_reduce_tuple_0 reduce_scan_tuple_0
reduce_ties_0 shapes_concatenate_0 shapes_flip_0 shapes_interleave_0 shapes_permute5_0 shapes_transpose_0
sort_sort_0 sort_sort_3 sort_topk_0
wgmma_attention_0 wgmma_chain_0 wgmma_persistent_0 wgmma_product_0 wgmma_product_2 wgmma_product_9 wgmma_product_15
wgmma_product_17 wgmma_scaled_between_0 wgmma_two_products_0
""".split()

Code = collections.namedtuple("Code", "hash bytes")
REFUSED = Code("refused", 0)


def load_configurations():
    """{name: arguments of `tilerun compile`}."""
    known = {}
    for entry in json.loads((ROOT / "examples/manifest.json").read_text())["entries"]:
        words = [f"examples/{entry['file']}::{entry['kernel']}", *entry["arguments"]]
        if "autotune_config" in entry:
            words += ["--autotune-config", str(entry["autotune_config"])]
        known[f"examples/{entry['name']}"] = words
    cases = {name: (kernel, arguments) for name, kernel, arguments in on_device.load_cases()}
    for name in TABLE:
        if name not in cases:
            sys.exit(f"tests/kernels has no case '{name}', which {pathlib.Path(__file__).name} lists")
        kernel, arguments = cases[name]
        if "--grid" in arguments:  # of launches, not of code
            at = arguments.index("--grid")
            arguments = arguments[:at] + arguments[at + 2 :]
        known[f"kernels/{name}"] = [os.path.relpath(kernel, ROOT), *arguments]
    return known


def emit(tilerun, words, targets, level):
    """The bytes of each target; None where it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tilerun, "compile", *words, "--emit", level, "--no-line-info", "--json", "-o", f"{folder}/code"]
        for target in targets:
            command += ["--target", TARGETS[target]]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if done.returncode == 0:
            files = [pathlib.Path(result["file"]) for result in json.loads(done.stdout)["targets"]]
            return {name: file.read_bytes() for name, file in zip(targets, files)}
    if done.returncode < 0 or done.returncode > 100:
        raise RuntimeError(f"exit code {done.returncode} of {' '.join(command)}\n{done.stderr}")
    if len(targets) == 1:
        return {targets[0]: None}
    return {name: code for target in targets for name, code in emit(tilerun, words, [target], level).items()}


def compile_all(tilerun, name, words, folder):
    """{(name, target, level): Code}."""
    codes = {}
    levels = {"simt": list(TARGETS)}
    for prefix, level in EMIT.items():
        levels[level] = [target for target, text in TARGETS.items() if text.startswith(prefix)]
    for level, targets in levels.items():
        for target, code in emit(tilerun, words, targets, level).items():
            codes[name, target, level] = REFUSED
            if code is None:
                continue
            if bytes(ROOT) in code:
                raise RuntimeError(f"{name}: {level} for {target} contains the repository's path")
            if folder:
                (pathlib.Path(folder) / f"{name.replace('/', '-')}.{target}.{level}").write_bytes(code)
            codes[name, target, level] = Code(hashlib.sha256(code).hexdigest()[:16], len(code))
    return codes


def read_record():
    codes = {}
    for line in RECORD.read_text().splitlines() if RECORD.exists() else []:
        if line and not line.startswith("#"):
            name, target, level, code, size = line.split()
            codes[name, target, level] = Code(code, int(size))
    return codes


def write_record(codes):
    lines = ["# Hashes of generated code (first 16 digits of SHA-256) and its bytes, compared by the test golden.",
             "# Made by: " + COMMAND]
    lines += [f"# {name}: {text}" for name, text in TARGETS.items()]
    for (name, target, level), code in sorted(codes.items()):
        lines.append(f"{name:36} {target:7} {level:5} {code.hash:16} {code.bytes:7}")
    RECORD.write_text("\n".join(lines) + "\n")


def report(before, after):
    """Prints what differs, a line for each name; gives how many codes do."""
    rows = collections.defaultdict(list)
    for key in sorted(before.keys() | after.keys()):
        name, target, level = key
        old, new = before.get(key), after.get(key)
        if old != new:
            size = f"{old.bytes if old else 'none'} -> {new.bytes if new else 'none'} bytes"
            rows[name].append(f"{target} {level} ({size})")
    for name, changes in rows.items():
        print(f"{name}: {', '.join(changes)}")
    return sum(map(len, rows.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilerun")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--save")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.tilerun = os.path.abspath(options.tilerun)
    known = load_configurations()
    chosen = {n: w for n, w in known.items() if not options.patterns or
              any(fnmatch.fnmatchcase(n, p) or fnmatch.fnmatchcase(n.split("/")[1], p) for p in options.patterns)}
    if not chosen:
        print("no kernel is called " + " or ".join(options.patterns))
        return 2
    if options.save:
        os.makedirs(options.save, exist_ok=True)
    codes = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for made in pool.map(lambda item: compile_all(options.tilerun, *item, options.save), chosen.items()):
            codes.update(made)
    record = read_record()
    before = {key: code for key, code in record.items() if key[0] in chosen or key[0] not in known}
    changed = report(before, codes)
    print(f"{len(codes) - sum(code == REFUSED for code in codes.values())} codes of {len(chosen)} configurations, "
          f"{changed} differ from tests/golden/hashes.txt")
    if options.write:
        write_record({**{key: code for key, code in record.items() if key not in before}, **codes})
        return 0
    if changed:
        print(f"If that is meant, record it and say why in the commit: {COMMAND}")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

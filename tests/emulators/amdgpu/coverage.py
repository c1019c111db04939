#!/usr/bin/env python3
"""Which instructions the emulator has, which ones the compiler emits, and which ones tests execute.

    coverage.py emitted INSTRUCTIONS TILERUN   # compiles a sample, and fails for what is not implemented
    coverage.py report INSTRUCTIONS FILE...    # of files that TILERUN_AMDSIM_COVERAGE names

INSTRUCTIONS is the program amdsim-instructions of the build. Which rows of its table an architecture
has is asked of LLVM's assembler (llvm-mc, or the program that --llvm-mc names).
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/golden"))
import golden  # noqa: E402  (examples and kernels as arguments of `tilerun compile`)

ARCHITECTURES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
# Of the kernels, those whose code is not like the others': conversions, atomics, exchange, products, debugging.
KERNELS = """
blocks_layer_norm_0 blocks_scaled_0 control_collatz_0 control_debugging_0 control_random_0 dots_batched_0
dots_imprecise_1 dots_one_10 dots_one_30 float8_decode_0 float8_encode_0 gather_gather_0 gather_histogram_0
memory_atomic_floats_0 memory_atomic_halves_0 memory_atomic_integers_0 memory_compare_and_swap_0
pipeline_stages_2 reduce_scan_tuple_0 shapes_permute5_0 sort_topk_0
""".split()


def check_emitted(instructions, tilerun):
    """Every instruction in the code of a sample, whether or not a launch would reach it."""
    unknown, refused, kinds = [], [], collections.defaultdict(set)
    known = golden.load_configurations()
    names = [name for name in known if name.startswith("examples/")] + ["kernels/" + name for name in KERNELS]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            command = [tilerun, "compile", *known[name], "--emit", "hsaco", "--no-line-info", "--json", "-o",
                       f"{folder}/code"]
            for arch in ARCHITECTURES:
                command += ["--target", "hip:" + arch]
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
            if done.returncode:
                refused.append(f"{name}: {done.stderr.strip()}")
                continue
            files = [result["file"] for result in json.loads(done.stdout)["targets"]]
            assert len(files) == len(ARCHITECTURES), files
            listed = subprocess.run([instructions, *files], capture_output=True, text=True)
            if listed.returncode not in (0, 1):
                sys.exit(f"{name}: {listed.stderr.strip()}")
            for line in listed.stdout.splitlines():
                arch, text = line.split(" ", 1)
                if text.startswith("? "):
                    unknown.append(f"{name}: {arch} {text[2:]}")
                else:
                    kinds[arch].add(text)
    for line in refused:
        print("cannot be compiled: " + line)
    for line in unknown:
        print("not implemented: " + line)
    for arch in ARCHITECTURES:
        print(f"{arch}: {len(kinds[arch])} instructions in {len(names)} kernels")
    # Far fewer would mean that the sample is not what it was.
    few = [arch for arch in ARCHITECTURES if len(kinds[arch]) < 150]
    for arch in few:
        print(f"{arch}: the sample has too few instructions to say anything")
    return 1 if unknown or refused or few else 0


def find_rows(assembler, rows, arch):
    """Of `rows`, those that the architecture has by one of their spellings: sets of names."""
    lines = [(row[0], spelling.split(" ")[0]) for row in rows for spelling in row]
    done = subprocess.run([assembler, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + arch, "-o", "/dev/null"],
                          input="".join(spelling + "\n" for _, spelling in lines), capture_output=True, text=True)
    lacking = set()
    for line, message in re.findall(r"<stdin>:(\d+):\d+: error: (.*)", done.stderr):
        if message.startswith(("invalid instruction", "instruction not supported")):
            lacking.add(int(line))
    if not lacking or len(lacking) == len(lines):
        sys.exit(f"{assembler} does not say which instructions {arch} has: {done.stderr[:300]}")
    return {name for number, (name, _) in enumerate(lines, 1) if number not in lacking}


def report(instructions, assembler, files):
    rows = [line.split("|") for line in subprocess.run([instructions], capture_output=True, text=True, check=True)
            .stdout.splitlines()]
    met = collections.defaultdict(set)
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            arch, name = line.split(" ", 1)
            met[arch].add(name)
    everywhere, ever, total = set(), set(), {}
    for arch in ARCHITECTURES:
        have = total[arch] = find_rows(assembler, rows, arch)
        strange = met[arch] - have
        if strange:
            sys.exit(f"{arch} executed what its assembler lacks: {', '.join(sorted(strange))}")
        everywhere |= have
        ever |= met[arch]
    print("| architecture | implemented | met |\n|---|---|---|")
    for arch in ARCHITECTURES:
        print(f"| {arch} | {len(total[arch])} | {len(met[arch])} |")
    print(f"| together | {len(everywhere)} | {len(ever)} |")
    print(f"\nNever met ({len(everywhere - ever)}): {', '.join(sorted(everywhere - ever))}")
    for name in sorted(row[0] for row in rows if row[0] not in everywhere):
        print(f"No architecture has '{name}'.")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("emitted", "report"))
    parser.add_argument("instructions")
    parser.add_argument("rest", nargs="+")
    parser.add_argument("--llvm-mc", default="llvm-mc")
    options = parser.parse_args()
    if options.what == "emitted":
        return check_emitted(options.instructions, *options.rest)
    return report(options.instructions, options.llvm_mc, options.rest)


if __name__ == "__main__":
    sys.exit(main())

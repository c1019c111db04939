#!/usr/bin/env python3
"""The time to compile every launch of examples/manifest.json to PTX, by a build of today beside one from before; needs no GPU.

    bench/compile/builds.py [--rounds N] [--arch sm_80,sm_90a] [--only PATTERN] BEFORE/build/dev/bin/tilerun build/dev/bin/tilerun

Compared are the launches that the tree of the first build has, from its files, with tensors that are not filled; it must be as optimized
as the second. Each time is the least processor time of N processes, which take turns in random order, without that of
`tilerun --version`. Prints a table with the ratio of today to before, and the geometric mean.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from beside_triton import geometric_mean, write_table  # noqa: E402

CONTENTS = re.compile(r"\]:\w+(\([^()]*\))?")  # Of a tensor: "f32[n]:randn(1)".


def find_tree(command):
    """The tree of a build: the nearest folder above with examples."""
    for folder in pathlib.Path(command).resolve().parents:
        if (folder / "examples" / "manifest.json").exists():
            return folder
    sys.exit(f"examples/manifest.json was not found in a folder above '{command}'")


def load_launches(tree):
    """{name: arguments of `tilerun compile`}"""
    launches = {}
    for entry in json.loads((tree / "examples" / "manifest.json").read_text())["entries"]:
        arguments = [CONTENTS.sub("]:empty", argument) for argument in entry["arguments"]]
        words = [f"examples/{entry['file']}::{entry['kernel']}", *arguments]
        if "autotune_config" in entry:
            words += ["--autotune-config", str(entry["autotune_config"])]
        launches[entry["name"]] = words
    return launches


def run(command, tree):
    """The processor seconds that a command takes. Raises what the command said if it fails."""
    with tempfile.TemporaryFile() as said:
        pid = os.posix_spawn(command[0], command, dict(os.environ, TILERUN_CACHE="off", PWD=str(tree)),
                             file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1), (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
        _, status, used = os.wait4(pid, 0)
        if status:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}\n{said.read().decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


def measure(builds, work, rounds, tree):
    """{(name, arch): [least seconds of each build]}; what one of them refuses is left out, and named."""
    startup = [min(run([build, "--version"], tree) for _ in range(rounds)) for build in builds]
    least, order = {}, random.Random(0)
    for turn in range(rounds):
        order.shuffle(work)
        for done, (name, arch, words) in enumerate(list(work)):
            print(f"\r{turn * len(work) + done}/{rounds * len(work)} {arch} {name:40}", end="", file=sys.stderr)
            times = least.setdefault((name, arch), [float("inf")] * len(builds))
            command = ["compile", *words, "--target", f"cuda:{arch}", "--emit", "ptx", "--no-line-info", "-o", os.devnull]
            try:
                for i in order.sample(range(len(builds)), len(builds)):
                    times[i] = min(times[i], max(run([builds[i], *command], tree) - startup[i], 0.001))
            except RuntimeError as error:
                print(f"\r{arch} {name} is left out: {error}", file=sys.stderr)
                del least[name, arch]
                work.remove((name, arch, words))
    print(file=sys.stderr)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("today")
    parser.add_argument("--arch", default="sm_80,sm_90a")
    parser.add_argument("--only", default="*")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tree = find_tree(options.before)
    launches = {name: words for name, words in load_launches(tree).items() if fnmatch.fnmatchcase(name, options.only)}
    if not launches:
        sys.exit(f"no launch matches '{options.only}'")
    archs = options.arch.split(",")
    builds = [str(pathlib.Path(command).resolve()) for command in (options.before, options.today)]
    work = [(name, arch, words) for arch in archs for name, words in launches.items()]
    os.chdir(tree)
    least = measure(builds, work, options.rounds, tree)
    if not least:
        sys.exit("every launch was refused by one of the builds")
    rows, ratios = [], {arch: [] for arch in archs}
    for name in launches:
        cells = [f"`{name}`"]
        for arch in archs:
            if (name, arch) not in least:
                cells += ["", "", ""]
                continue
            before, today = least[name, arch]
            ratios[arch].append(today / before)
            cells += [f"{before * 1000:.0f} ms", f"{today * 1000:.0f} ms", f"{today / before:.2f}"]
        rows.append(cells)
    rows.append(["geometric mean"])
    for arch in archs:
        rows[-1] += ["", "", f"{geometric_mean(ratios[arch]):.3f}" if ratios[arch] else ""]
    header = ["launch"] + [f"{arch} {what}" for arch in archs for what in ("before", "today", "ratio")]
    write_table(header, rows, sys.stdout)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles every example kernel to SPIR-V for devices of several kinds and validates the modules.

usage: examples.py TILERUN EXAMPLES SPIRV_VAL [--jobs N] [TARGET ...]

Needs no device. Each module is compiled twice, which must give the same bytes. Prints one line a
kernel and target with the module's words. Exits with 1 if something does not compile or is not valid,
and with 77 if there is no spirv-val, which CTest shows as a skipped test.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

RICH = "f16,f64,i8,i16,storage8,storage16,memory-model,subgroup-control,shuffle,shuffle-relative,atomic-f32-add,fma"
TARGETS = [
    "vulkan:1.3",
    "vulkan:1.3,subgroup=8,threads=256," + RICH,
    "vulkan:1.3,subgroup=16,i16,storage16,subgroup-control,shuffle",
    "vulkan:1.3,subgroup=32,shared=49152,explicit-layout,explicit-layout8,explicit-layout16," + RICH,
    "vulkan:1.3,subgroup=64,f16,subgroup-control,shuffle",
]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"exit code {done.returncode}: {(done.stderr + done.stdout).strip()}")


def compile_entry(options, entry, target, folder):
    """The module's words; raises ValueError with the reason."""
    command = [options.tilerun, "compile", os.path.join(options.examples, entry["file"]) + "::" + entry["kernel"]]
    command += entry["arguments"] + ["--target", target, "--emit", "spirv"]
    if "autotune_config" in entry:
        command += ["--autotune-config", str(entry["autotune_config"])]
    modules = []
    for attempt in ("first", "second"):
        path = os.path.join(folder, f"{entry['name']}-{TARGETS.index(target) if target in TARGETS else 0}-{attempt}.spv")
        run(command + ["-o", path])
        with open(path, "rb") as file:
            modules.append(file.read())
    if modules[0] != modules[1]:
        raise ValueError("two compilations gave different modules")
    run([options.spirv_val, "--target-env", "vulkan1.3", path])
    return len(modules[0]) // 4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilerun")
    parser.add_argument("examples")
    parser.add_argument("spirv_val")
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not shutil.which(options.spirv_val):
        print("SKIPPED spirv.examples: spirv-val is not installed (package spirv-tools)")
        return 77
    with open(os.path.join(options.examples, "manifest.json"), encoding="utf-8") as file:
        entries = json.load(file)["entries"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {
            (entry["name"], target): pool.submit(compile_entry, options, entry, target, folder)
            for entry in entries
            for target in options.targets
        }
        for (name, target), future in work.items():
            try:
                print(f"ok    {name:28} {future.result():7} words  {target}")
            except ValueError as error:
                failures += 1
                print(f"FAIL  {name:28} {target} {error}")
    print(f"{len(work) - failures} of {len(work)} modules are valid")
    return 1 if failures or not work else 0


if __name__ == "__main__":
    sys.exit(main())

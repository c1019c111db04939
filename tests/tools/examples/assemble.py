#!/usr/bin/env python3
"""Compiles every example kernel for GPUs and assembles it with ptxas, which needs no GPU.

usage: assemble.py TILERUN EXAMPLES [--jobs N] [TARGET ...]

Prints one line a kernel and target, a table of counts last. Exits with 1 if something does not
compile or assemble, and with 77 if there is no ptxas, which CTest shows as a skipped test.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys


def has_ptxas():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ptxas") or any(
        os.access(os.path.join(folder, "bin", "ptxas"), os.X_OK) for folder in (home, "/usr/local/cuda"))


def compile_entry(tilerun, folder, entry, target):
    """One line of ptxas's output; raises ValueError with the reason."""
    command = [tilerun, "compile", os.path.join(folder, entry["file"]) + "::" + entry["kernel"]]
    command += entry["arguments"] + ["--target", target, "--resources", "--json"]
    if "autotune_config" in entry:
        command += ["--autotune-config", str(entry["autotune_config"])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"exit code {done.returncode}: {done.stderr.strip()}")
    resources = json.loads(done.stdout)["targets"][0]["resources"]
    if "missing" in resources:
        raise ValueError(resources["missing"])
    occupancy = resources["occupancy"]
    return (
        f"{resources['registers']} registers, {resources['shared_bytes']} bytes shared, "
        f"{resources['spill_store_bytes']} bytes spilled, {occupancy['warps']} of {occupancy['max_warps']} warps"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilerun")
    parser.add_argument("examples")
    parser.add_argument("targets", nargs="*", default=["cuda:sm_80", "cuda:sm_90a", "cuda:sm_100"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not has_ptxas():
        print("SKIPPED examples.assemble: ptxas is not installed (PATH, CUDA_HOME, /usr/local/cuda)")
        return 77
    with open(os.path.join(options.examples, "manifest.json"), encoding="utf-8") as file:
        entries = json.load(file)["entries"]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {
            (entry["name"], target): pool.submit(compile_entry, options.tilerun, options.examples, entry, target)
            for entry in entries
            for target in options.targets
        }
        for (name, target), future in work.items():
            try:
                print(f"ok    {name:32} {target:12} {future.result()}")
            except ValueError as error:
                failures += 1
                print(f"FAIL  {name:32} {target:12} {error}")
    print(f"{len(work) - failures} of {len(work)} assembled")
    return 1 if failures or not work else 0


if __name__ == "__main__":
    sys.exit(main())

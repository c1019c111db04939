#!/usr/bin/env python3
"""Tilerun beside Triton and the vendor's libraries in one process on one GPU: the same kernel files, the best of the same
configurations, PyTorch's tensors and stream. Results are compared with references of float32 or float64 first.

Times are of single launches between two events, the L2 cache cleared before each. Programs take turns in random order;
a ratio is the median of the ratios of pairs of one turn, with its bootstrap interval of 95%. With --before, another build of
Tilerun takes its turns too. Usage: TILERUN_BUNDLE=DIR compare.py [--before DIR] [--only TEXT] [--json FILE]
The file is written after each row, and page.py makes a page of one or several."""

import argparse
import datetime
import json
import os
import platform
import random
import subprocess
import sys

import torch
import triton

import binding
import measuring
import selection
import works


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def describe_run():
    """What a page says about where its figures come from."""
    return {"gpu": torch.cuda.get_device_name(), "processor": platform.machine(), "cores": os.cpu_count(),
            "driver": output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "command": selection.describe_command("bench/gpu/compare.py"),
            "versions": {"Tilerun": output_of(os.path.join(binding.BUNDLE, "bin", "tilerun"), "--version"),
                         "Triton": triton.__version__, "PyTorch": torch.__version__, "CUDA": torch.version.cuda,
                         "cuDNN": str(torch.backends.cudnn.version())}}


def write(path, document):
    """Whole or not at all, because a limit of time may end the process."""
    if path:
        with open(path + ".new", "w") as file:
            json.dump(document, file, indent=1)
        os.replace(path + ".new", path)


def with_interval(ratio):
    return f"{ratio['median']:.3f} [{ratio['low']:.3f} {ratio['high']:.3f}]" if ratio else "-"


def show(row, before):
    figures, ratios = row["figures"], row["ratios"]
    columns = [f"{row['name']:44}", *(f"{figures.get(who, '-'):>9}" for who in ("tilerun", "triton", row["vendor"])),
               f" {row['unit']:8}", *(f"{with_interval(ratios.get(who)):>20}" for who in ("triton", row["vendor"]))]
    if before:
        columns.append(f"{with_interval(ratios.get('before')):>20}")
    if "copy" in ratios:
        columns.append(f" {100 * ratios['copy']['median']:5.1f} % of copy")
    configurations = (", ".join(row["configurations"].get(who, "-")) for who in ("tilerun", "triton"))
    print("".join(columns), *(f"{who} {figures[who]}" for who in figures if who not in
                              ("tilerun", "triton", "before", "copy", row["vendor"])), "|", " | ".join(configurations), flush=True)


def make_programs(options):
    programs = {"tilerun": measuring.Tilerun(binding.Library())}
    if options.before:
        programs["before"] = measuring.Tilerun(binding.Library(bundle=options.before, cache_folder=""))
    if options.beside:
        name, _, value = options.beside.partition("=")
        programs["before"] = measuring.Tilerun(binding.Library(cache_folder="", options={name: value}))
    return programs | {"triton": measuring.Triton()}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names contain it; several texts: 'matmul f16|softmax'")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts of these rows")
    parser.add_argument("--list", action="store_true", help="print the rows' names, and measure none")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="end before a row, after the first, that may exceed it")
    parser.add_argument("--before", metavar="DIR", help="another bundle, to compare with")
    parser.add_argument("--beside", metavar="NAME=VALUE", help="this build with another option of the target, as `before`")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--repeat", type=int, default=60, help=f"launches of each program, in {measuring.TURNS} turns (default 60)")
    parser.add_argument("--seed", type=int, help="of the order of turns (default: another one each time)")
    options = parser.parse_args()
    try:
        return options, selection.select(works.ROWS, options.only, options.part)
    except ValueError as problem:
        parser.error(str(problem))


def has_lost_the_gpu():
    """After an access that the driver refuses, the process cannot use the GPU any more."""
    try:
        torch.cuda.synchronize()
        return False
    except RuntimeError:
        return True


def measure_all(rows, programs, options, document):
    """Fills the document; true if everything that was begun is right."""
    timer, budget, right = measuring.Timer(), selection.Budget(options.budget), True
    for name, make in rows:
        if not budget.allows_another():
            print(f"the budget of {options.budget:.0f} s ends here; not measured: {', '.join(document['not measured'])}")
            break
        budget.begin_row()
        torch.cuda.empty_cache()
        try:
            row = measuring.measure(name, make(), programs, timer, options.repeat)
        except Exception as problem:  # Such as too little memory; what has been measured stays.
            row, right = None, False
            document["failures"][name] = [measuring.first_line(problem)]
            print(f"{name}: not measured: {measuring.first_line(problem)}", flush=True)
        taken = budget.end_row()
        if row is None:
            write(options.json, document)
            if has_lost_the_gpu():
                print(f"the process has lost the GPU; not measured: {', '.join(document['not measured'])}")
                break
            continue
        document["rows"].append(row | {"seconds": round(taken, 1)})
        document["not measured"].remove(name)
        write(options.json, document)
        show(row, document["run"]["before"])
        print("".join(f"    {note}\n" for note in row["notes"]), end="", flush=True)
        right &= "tilerun" in row["figures"] and not any(note.startswith("tilerun is WRONG") for note in row["notes"])
    return right


def main():
    options, rows = parse()
    if options.list:
        print("\n".join(name for name, _ in rows))
        return 0
    torch.manual_seed(0)
    random.seed(options.seed)
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    document = {"kind": "kernels", "run": describe_run() | {"before": options.before or options.beside}, "rows": [], "failures": {},
                "not measured": [name for name, _ in rows]}
    print(", ".join([document["run"]["gpu"], *(" ".join(pair) for pair in document["run"]["versions"].items())]))
    print(f"{'work':44}{'Tilerun':>9}{'Triton':>9}{'vendor':>9} {'unit':8}{'to Triton':>20}{'to vendor':>20}"
          + (f"{'to ' + (options.beside or 'before')[:16]:>20}" if document["run"]["before"] else "") + " | configurations")
    return 0 if measure_all(rows, make_programs(options), options, document) else 1


if __name__ == "__main__":
    sys.exit(main())

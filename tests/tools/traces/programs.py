#!/usr/bin/env python3
"""Traces of every command that writes one, and of programs in C and C++, follow the rules of the trace event format. Usage: programs.py TILERUN C CPP TREE

C and CPP are the examples of examples/embed. The unit is checked by the clock: a trace of microseconds is about as long as its process, not a thousandth of it.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import trace_events

VALUES = ["n_elements=5000", "x_ptr=f32[n_elements]:randn(1)", "y_ptr=f32[n_elements]:randn(2)", "output_ptr=f32[n_elements]:empty", "BLOCK_SIZE=256"]
LAUNCH = ["examples/vector_add.py::add_kernel", *VALUES, "--grid", "cdiv(n_elements, BLOCK_SIZE)"]
SIGNATURE = ["examples/vector_add.py::add_kernel", "--signature", "x_ptr=*f32:16, y_ptr=*f32:16, output_ptr=*f32:16, n_elements=i32, BLOCK_SIZE=1024"]
# Arguments, and categories that the trace must have.
COMMANDS = {
    "run": ([*LAUNCH, "--no-cache"], {"compile", "pass", "copy", "launch"}),
    "run --expect": ([*LAUNCH, "--expect", "output_ptr=x_ptr + y_ptr"], {"launch", "host"}),
    "check": (LAUNCH, {"compile", "launch"}),
    "debug": ([*LAUNCH, "--commands", "FILE"], {"compile"}),
    "show": (LAUNCH, {"compile"}),
    "compile": ([*SIGNATURE, "--target", "cuda:sm_90a", "--emit", "ptx"], {"compile", "pass"}),
    "explain": ([*SIGNATURE, "--target", "cuda:sm_90a", "-o", "FILE"], {"compile"}),
    "tune": ([*LAUNCH, "--vary", "num_warps=1,2", "--vary", "num_stages=1,2", "--warmup", "1", "--rep", "2", "--no-cache"], {"tune", "compile", "launch"}),
    "bench": (["--vary", "n_elements=1000,2000", LAUNCH[0], *LAUNCH[2:], "--warmup", "1", "--rep", "2"], {"compile"}),
    "demo": (["--all"], {"compile", "launch", "copy", "wait", "host"}),
}


def run(words, tree, **environment):
    begin = time.monotonic()
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return (time.monotonic() - begin) * 1e6


def check(what, path, wall, categories):
    """Problems of one trace."""
    trace = json.loads(path.read_text(encoding="utf-8"))
    problems = trace_events.find_problems(trace)
    if trace.get("droppedEvents") != 0:
        problems.append("events were dropped")
    extent = trace_events.get_extent(trace)
    if not wall / 50 < extent <= wall:
        problems.append(f"it is {extent} us long, the process {wall:.0f} us")
    missing = categories - {event.get("cat") for event in trace["traceEvents"]}
    problems += [f"no event is of the category '{each}'" for each in sorted(missing)]
    print(f"{what}: {len(trace['traceEvents'])} events in {extent / 1e3:.1f} ms")
    return [f"{what}: {text}" for text in problems]


def main():
    command, c, cpp, tree = sys.argv[1:]
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "FILE").write_text("")
        for number, (what, (words, categories)) in enumerate(COMMANDS.items()):
            path = folder / f"{number}.json"
            words = [str(folder / "FILE") if word == "FILE" else word for word in words]
            wall = run([command, what.split()[0], *words, "--trace-out", str(path)], tree)
            problems += check(what, path, wall, categories)
        for what, program in (("C", c), ("C++", cpp)):
            path = folder / f"{what}.json"
            wall = run([program, "examples/vector_add.py", "cpu"], tree, TILERUN_TRACE=str(path), TILERUN_CACHE="off")
            problems += check(what, path, wall, {"compile", "pass", "launch", "copy"})
    sys.exit("\n".join(problems) or 0)


main()

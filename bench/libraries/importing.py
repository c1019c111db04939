"""Imports the modules that lines of the standard input name, one after the other, in a child of this process, which has imported PyTorch; if one
ends the child or takes too long, the rest in another child. Writes a line of JSON for each: [module, "" or why it cannot be imported]. Run by
survey.py under `python -m tilerun --cpu`; arguments: seconds of a module and of all."""

import importlib
import json
import os
import re
import select
import signal
import sys
import time

import torch
import triton

assert triton.__name__.startswith("tilerun"), triton.__file__
assert torch.cuda.is_available()


def shorten(problem):
    """The message without places, which differ between files."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    text = f"{type(problem).__name__}: {lines[0] if lines else ''}"
    return re.sub(r"\(?/[\w./-]+\)?|0x[0-9a-f]+", "…", text)[:200].strip()


def import_all(modules, pipe):
    """Writes a line for each module that it comes to."""
    sys.stdout = sys.stderr = open(os.devnull, "w")
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    for module in modules:
        try:
            importlib.import_module(module)
            why = ""
        except BaseException as problem:  # SystemExit and pytest's skips, too.
            why = shorten(problem) or "it ends the process"
        os.write(pipe, (json.dumps([module, why]) + "\n").encode())
        if why:
            break  # What a failed import leaves in the process must not help the next one.
    os._exit(0)


def import_in_child(modules, seconds):
    """What the child says of the first modules, and why it got no further, if so: ([why, …], why or None)."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        import_all(modules, write)
    os.close(write)
    found, problem = [], None
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while len(found) < len(modules):
            if not select.select([pipe], [], [], seconds)[0]:
                problem = f"not after {seconds:.0f} s"
                os.kill(child, signal.SIGKILL)
                break
            line = pipe.readline()
            if line:
                found.append(json.loads(line)[1])
            elif not (found and found[-1]):
                problem = "it ends the process"
            if not line or found[-1]:
                break
    os.waitpid(child, 0)
    return found, problem


def main():
    seconds, end = float(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    modules = sys.stdin.read().split()
    while modules:
        if time.monotonic() > end:
            problem, found = None, ["not tried: the time for the package is up"] * len(modules)
        else:
            found, problem = import_in_child(modules, seconds)
        if problem:
            found.append(problem)
        for module, why in zip(modules, found):
            print(json.dumps([module, why]), flush=True)
        modules = modules[len(found):]


main()

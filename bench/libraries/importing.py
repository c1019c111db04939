"""Imports each module that a line of the standard input names, in a child of this process, which has imported PyTorch. Writes a line of JSON
for each: [module, "" or why it cannot be imported]. Run by survey.py under `python -m tilerun --cpu`; arguments: seconds of a module and of all."""

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


def try_import(module, pipe):
    sys.stdout = open(os.devnull, "w")
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    try:
        importlib.import_module(module)
        why = ""
    except BaseException as problem:  # SystemExit and pytest's skips, too.
        why = shorten(problem) or "it ends the process"
    os.write(pipe, why.encode())
    os._exit(0)


def import_in_child(module, seconds):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try_import(module, write)
    os.close(write)
    ready, _, _ = select.select([read], [], [], seconds)
    why = os.read(read, 4096).decode(errors="replace") if ready else f"not after {seconds:.0f} s"
    os.close(read)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return why if os.WIFEXITED(status) or why else f"signal {os.WTERMSIG(status)}"


def main():
    seconds, end = float(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    for module in sys.stdin.read().split():
        why = import_in_child(module, seconds) if time.monotonic() < end else "not tried: the time for the package is up"
        print(json.dumps([module, why]), flush=True)


main()

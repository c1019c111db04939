#!/usr/bin/env python3
"""Draws the pictures of docs/gallery.md. Usage: gallery_pictures.py TILERUN TREE [--check | --times] [--device DEVICE] [KERNEL...]

For each kernel of the examples, docs/gallery/NAME.svg shows which program accesses which element (the maps of `tilerun show`, of a small
launch), and NAME-times.svg a benchmark over sizes (`tilerun bench`, with --times). The launches are the kernel's first one of examples/manifest.json
with the values of examples/gallery.json in place of its own. Pictures are the same on every machine: --check compares them. Times are
not, so a chart states its command, machine and date (`<desc>`).
"""
import argparse
import datetime
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

import gallery


def find_needed(arguments, needed):
    """The arguments that `needed` texts mention, and those that these mention in turn: others serve expectations alone."""
    texts, kept = list(needed), {}
    while texts:
        for name in set(re.findall(r"[A-Za-z_]\w*", texts.pop())) & arguments.keys() - kept.keys():
            kept[name] = arguments[name]
            texts.append(arguments[name])
    return {name: arguments[name] for name in arguments if name in kept}


def make_launch(tree, entry, text):
    """(words of the command line, range or None) of an entry with other values."""
    words = dict(word.split("=", 1) for word in text.split())
    arguments = dict(argument.split("=", 1) for argument in entry["arguments"])
    vary = next((f"{name}={value}" for name, value in words.items() if re.search(r":[*+]\d+$", value)), None)
    arguments |= words
    if vary:
        del arguments[vary.split("=")[0]]
    parameters = gallery.read_kernels(tree / "examples" / entry["file"])[entry["kernel"]]
    kept = find_needed(arguments, [entry["grid"], *parameters])
    return [f"examples/{entry['file']}::{entry['kernel']}", *(f"{name}={value}" for name, value in kept.items()), "--grid", entry["grid"]], vary


def find_machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores"


def run(tilerun, tree, words):
    done = subprocess.run([tilerun, *words], cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(['tilerun', *words])}\nexited with {done.returncode}\n{done.stderr}")


def describe(path, text):
    """Puts a <desc> behind the title of an SVG."""
    given = path.read_text(encoding="utf-8")
    path.write_text(given.replace("</title>", f"</title>\n<desc>{escape(text)}</desc>", 1), encoding="utf-8")


def keep_maps(path):
    """Cuts off what follows the maps of the tensors: a picture of the accesses, statement by statement, which names lines of the source."""
    lines = path.read_text(encoding="utf-8").splitlines()
    end = next((i for i, line in enumerate(lines) if ">accesses, counted on warps" in line), None)
    if end is None:
        sys.exit(f"{path}: the text behind which the maps end was not found")
    height = re.search(r'y="(\d+)"', lines[end])[1]
    lines[0] = re.sub(r'(height="|viewBox="0 0 \d+ )\d+', lambda match: match[1] + height, lines[0])
    path.write_text("\n".join([*lines[:end], "</svg>"]) + "\n", encoding="utf-8")


def draw(options, entry, launches, folder):
    """The picture of the accesses."""
    words, _ = make_launch(options.tree, entry, launches["picture"])
    path = folder / f"{gallery.name_of(entry['kernel'])}.svg"
    run(options.tilerun, options.tree, ["show", *words, "-o", str(path)])
    keep_maps(path)
    describe(path, shlex.join(["tilerun", "show", *words]))
    return path


def measure(options, entry, launches, folder):
    """The chart of the times."""
    words, vary = make_launch(options.tree, entry, launches["times"])
    words = ["bench", *words, "--vary", vary, "--device", options.device, "--rep", "20", "--warmup", "5"]
    path = folder / f"{gallery.name_of(entry['kernel'])}-times.svg"
    run(options.tilerun, options.tree, [*words, "-o", str(path)])
    kind = "; times of the interpreter, which say nothing about a GPU" if options.device.startswith("cpu") else ""
    describe(path, f"{shlex.join(['tilerun', *words])}; {find_machine()}; {datetime.date.today()}{kind}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilerun", type=pathlib.Path)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_intermixed_args()
    options.tilerun, options.tree = options.tilerun.resolve(), options.tree.resolve()
    if not os.access(options.tilerun, os.X_OK):
        parser.error(f"{options.tilerun} cannot be run")
    committed = options.tree / "docs/gallery"
    committed.mkdir(exist_ok=True)
    entries, launches = gallery.read_first_entries(options.tree), gallery.read_launches(options.tree)
    if unknown := set(options.kernels) - {entry["kernel"] for entry in entries}:
        parser.error(f"examples/manifest.json has no kernel {', '.join(sorted(unknown))}")
    different = []
    with tempfile.TemporaryDirectory() as scratch:
        for entry in entries:
            if options.kernels and entry["kernel"] not in options.kernels:
                continue
            if options.times:
                measure(options, entry, launches[entry["kernel"]], committed)
                continue
            path = draw(options, entry, launches[entry["kernel"]], pathlib.Path(scratch) if options.check else committed)
            known = committed / path.name
            if options.check and (not known.exists() or path.read_bytes() != known.read_bytes()):
                different.append(path.name)
    if different:
        sys.exit(f"docs/gallery: {', '.join(different)} would be drawn otherwise: tests/docs/gallery_pictures.py build/dev/bin/tilerun .")


if __name__ == "__main__":
    main()

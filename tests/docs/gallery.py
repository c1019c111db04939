#!/usr/bin/env python3
"""docs/gallery.md lists every kernel of examples/manifest.json, with its first entry as a command. Usage: gallery.py TREE [--update]

The texts are the docstrings of the files and kernels. Pictures and charts are drawn by gallery_pictures.py; here each must exist, be
well-formed, need nothing from outside, and suit light and dark.
"""
import ast
import difflib
import json
import pathlib
import re
import shlex
import sys
import xml.etree.ElementTree

HEAD = """# Gallery

Generated from `examples/manifest.json` and the docstrings of `examples/*.py` by `tests/docs/gallery.py . --update`; edit those instead.

Ordinary Triton files: each also runs as a script (`python -m tilerun --cpu FILE.py`, or on a GPU without `--cpu`), where it compares its kernels with PyTorch. Here every
kernel has the command that runs it on random numbers and compares it with a formula in float64; add `--device vulkan:0`, `--device cuda:0` or `--emulate hip:gfx942`
to run it elsewhere. `tilerun demo --all` runs them all, with more shapes and types; so do tests, on the interpreter, on Vulkan and on five emulated AMD GPUs.

Pictures show, for a small launch, which program accesses which elements of each tensor (`tilerun show`); the launch is in the image's description. Charts are benchmarks
over sizes (`tilerun bench`). Those of the interpreter say how it scales, and nothing about a GPU ([results on GPUs](benchmarks.md))."""


def is_kernel(node):
    """Decorated by `@triton.jit`, perhaps among others."""
    return isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(decorator).split("(")[0].split(".")
                                                     for decorator in node.decorator_list)


def read_kernels(path):
    """{kernel: names of its parameters} of a file."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: [argument.arg for argument in node.args.args] for node in module.body if is_kernel(node)}


def read_entries(tree):
    return json.loads((tree / "examples/manifest.json").read_text(encoding="utf-8"))["entries"]


def read_first_entries(tree):
    """The first entry of each kernel, which the page shows."""
    return list({entry["kernel"]: entry for entry in reversed(read_entries(tree))}.values())[::-1]


def read_launches(tree):
    """{kernel: values for its picture and its benchmark}; every kernel has them, and no other name."""
    launches = json.loads((tree / "examples/gallery.json").read_text(encoding="utf-8"))
    odd = launches.keys() ^ {entry["kernel"] for entry in read_entries(tree)}
    if odd:
        sys.exit(f"examples/gallery.json and examples/manifest.json differ in {', '.join(sorted(odd))}")
    return launches


def name_of(kernel):
    """Of its files: sort_kernel has sort.svg."""
    return kernel.removesuffix("_kernel")


def read_description(path):
    """The <desc> of an SVG, which is checked."""
    if not path.exists():
        sys.exit(f"{path} was not found; tests/docs/gallery_pictures.py draws pictures, and charts with --times")
    text = path.read_text(encoding="utf-8")
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        sys.exit(f"{path}: {error}")
    space = "{http://www.w3.org/2000/svg}"
    description = root.find(f"{space}desc")
    if root.tag != f"{space}svg" or description is None or not description.text:
        sys.exit(f"{path}: not an SVG with a <desc>")
    if "prefers-color-scheme:dark" not in text or re.search(r"href|url\(|@import|<script|<image", text):
        sys.exit(f"{path}: lacks colours for dark, or refers to something outside")
    return description.text


def show_images(tree, kernel):
    name = name_of(kernel)
    read_description(tree / f"docs/gallery/{name}.svg")
    measured = read_description(tree / f"docs/gallery/{name}-times.svg")
    command, machine, *rest = measured.split("; ")
    device = re.search(r"--device (\S+)", command)[1]
    return ["", f"![The accesses of {kernel}'s programs](gallery/{name}.svg)", "",
            f"![{kernel} over sizes on {device}](gallery/{name}-times.svg)", "", f"Measured on {device}: " + "; ".join((machine, *rest)) + "."]


def find_stray(tree, entries):
    """Files of docs/gallery that belong to no kernel."""
    names = {f"{name_of(entry['kernel'])}{end}.svg" for entry in entries for end in ("", "-times")}
    return sorted(path.name for path in (tree / "docs/gallery").iterdir() if path.name not in names)


def quote(text):
    """As one would type it: quotation marks only where the shell needs them."""
    return text if re.fullmatch(r"[\w.,=:/+*-]+", text) and "*" not in text else shlex.quote(text)


def write_command(entry):
    """Continued lines of at most 120 characters."""
    words = ["tilerun run", f"examples/{entry['file']}::{entry['kernel']}", *map(quote, entry["arguments"])]
    words += [f"--grid {quote(entry['grid'])}", *(f"--expect {quote(text)}" for text in entry["expect"])]
    known = {"name", "file", "kernel", "shape", "flagship", "arguments", "grid", "expect", "atol", "rtol", "autotune_config"}
    if entry.keys() - known:
        sys.exit(f"examples/manifest.json: entry '{entry['name']}' has {sorted(entry.keys() - known)}, of which gallery.py does not know the option")
    for key in ("atol", "rtol", "autotune_config"):
        if key in entry:
            words.append(f"--{key.replace('_', '-')} {entry[key]}")
    lines = ["$"]
    for word in words:
        if len(lines[-1]) + len(word) > 116 and lines[-1] != "$":
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines


def list_contents(entries):
    """A row for each file: its kernels, as links."""
    lines = ["", "| file | kernels |", "|---|---|"]
    for file in dict.fromkeys(entry["file"] for entry in entries):
        kernels = dict.fromkeys(entry["kernel"] for entry in entries if entry["file"] == file)
        lines.append(f"| {pathlib.Path(file).stem} | " + ", ".join(f"[{name_of(kernel)}](#{kernel})" for kernel in kernels) + " |")
    return lines


def write_page(tree):
    entries = read_entries(tree)
    read_launches(tree)
    stray = find_stray(tree, entries)
    if stray:
        sys.exit(f"docs/gallery: {', '.join(stray)} belong to no kernel of the examples")
    lines = [HEAD, *list_contents(entries)]
    for file in dict.fromkeys(entry["file"] for entry in entries):
        module = ast.parse((tree / "examples" / file).read_text(encoding="utf-8"))
        texts = {node.name: ast.get_docstring(node) for node in module.body if is_kernel(node)}
        shown = [entry for entry in entries if entry["file"] == file]
        lines += ["", f"## {pathlib.Path(file).stem.replace('_', ' ').capitalize()}", "",
                  f"[`examples/{file}`](../examples/{file}): " + ast.get_docstring(module).replace("\n\n", " ").replace("\n", " ")]
        for kernel in dict.fromkeys(entry["kernel"] for entry in shown):
            of_kernel = [entry for entry in shown if entry["kernel"] == kernel]
            if kernel not in texts:
                sys.exit(f"examples/manifest.json: {file} has no kernel {kernel}")
            if not texts[kernel]:
                sys.exit(f"examples/{file}: {kernel} has no docstring for the gallery")
            checked = ", ".join(entry["shape"] for entry in of_kernel)
            text = " ".join(texts[kernel].split())
            lines += ["", f"### `{kernel}`", "", "```text", text, "```", "", f"Checked: {checked}.", "",
                      "```console", *write_command(of_kernel[0]), "```", *show_images(tree, kernel)]
    return "\n".join(lines) + "\n"


def main():
    tree = pathlib.Path(sys.argv[1])
    page = write_page(tree)
    path = tree / "docs/gallery.md"
    if "--update" in sys.argv:
        path.write_text(page, encoding="utf-8")
        return
    given = path.read_text(encoding="utf-8")
    if page != given:
        print(*difflib.unified_diff(given.splitlines(), page.splitlines(), "docs/gallery.md", "examples", lineterm=""), sep="\n")
        sys.exit("docs/gallery.md is out of date: tests/docs/gallery.py . --update")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""docs/gallery.md lists every kernel of examples/manifest.json, with its first entry as a command. Usage: gallery.py TREE [--update]

The texts are the docstrings of the files and kernels.
"""
import ast
import difflib
import json
import pathlib
import re
import shlex
import sys

HEAD = """# Gallery

Generated from `examples/manifest.json` and the docstrings of `examples/*.py` by `tests/docs/gallery.py . --update`; edit those instead.

Ordinary Triton files: each also runs as a script (`python -m tilerun --cpu FILE.py`, or on a GPU without `--cpu`), where it compares its kernels with PyTorch. Here every
kernel has the command that runs it on random numbers and compares it with a formula in float64; add `--device vulkan:0`, `--device cuda:0` or `--emulate hip:gfx942`
to run it elsewhere. `tilerun demo --all` runs them all, with more shapes and types; so do tests, on the interpreter, on Vulkan and on five emulated AMD GPUs."""


def is_kernel(node):
    """Decorated by `@triton.jit`, perhaps among others."""
    return isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(decorator).split("(")[0].split(".")
                                                     for decorator in node.decorator_list)


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


def main():
    tree = pathlib.Path(sys.argv[1])
    entries = json.loads((tree / "examples/manifest.json").read_text(encoding="utf-8"))["entries"]
    lines = [HEAD]
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
                      "```console", *write_command(of_kernel[0]), "```"]
    page = "\n".join(lines) + "\n"
    path = tree / "docs/gallery.md"
    if "--update" in sys.argv:
        path.write_text(page, encoding="utf-8")
        return
    given = path.read_text(encoding="utf-8")
    if page != given:
        print(*difflib.unified_diff(given.splitlines(), page.splitlines(), "docs/gallery.md", "examples", lineterm=""), sep="\n")
        sys.exit("docs/gallery.md is out of date: tests/docs/gallery.py . --update")


main()

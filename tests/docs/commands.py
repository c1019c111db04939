#!/usr/bin/env python3
"""docs/commands.md is what the command's --help prints. Usage: commands.py TILERUN TREE [--update]"""
import difflib
import pathlib
import re
import subprocess
import sys

HEAD = """# Commands

Generated from `tilerun --help` by `tests/docs/commands.py build/dev/bin/tilerun . --update`; edit the texts in `tools/tilerun/command` instead.
"""


def get_help(program, words):
    done = subprocess.run([program, *words, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
                          env={"NO_COLOR": "1", "COLUMNS": "120", "PATH": "/usr/bin:/bin"})
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    # Paths of this machine are not part of the page.
    return [line.replace(program, "tilerun") for line in lines]


def find_subcommands(lines):
    """Below headings behind the line of usage; options begin with a hyphen."""
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
    names = [re.match(r"  ([a-z][\w-]*)(\s|$)", line) for line in lines[usage:]]
    return [name[1] for name in names if name]


def write_section(program, words, out):
    lines = get_help(program, words)
    out += ["", f"## {' '.join(['tilerun', *words])}", "", "```text", *lines, "```"]
    for name in find_subcommands(lines):
        write_section(program, [*words, name], out)


def main():
    program, tree = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    sections = []
    write_section(program, [], sections)
    page = HEAD + "\n".join(sections) + "\n"
    path = tree / "docs/commands.md"
    if "--update" in sys.argv:
        path.write_text(page, encoding="utf-8")
        return
    given = path.read_text(encoding="utf-8")
    if sum(line.startswith("## ") for line in sections) < 10:
        sys.exit("fewer than 10 commands were found")
    if page != given:
        print(*difflib.unified_diff(given.splitlines(), page.splitlines(), "docs/commands.md", "tilerun --help", lineterm=""), sep="\n")
        sys.exit("docs/commands.md is out of date; its first lines say how to write it again")


main()

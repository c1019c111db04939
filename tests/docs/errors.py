#!/usr/bin/env python3
"""The tables of docs/errors.md have every exit code, status, exception and finding, and no other. Usage: errors.py TREE"""
import builtins
import pathlib
import re
import sys


def find(tree, path, begin, end, pattern):
    """What the pattern matches in the part of a file between two texts."""
    text = (tree / path).read_text(encoding="utf-8")
    part = text[text.index(begin):]
    found = re.findall(pattern, part[:part.index(end)] if end else part)
    if not found:
        sys.exit(f"{path}: nothing was found after '{begin}'")
    return found


def main():
    tree = pathlib.Path(sys.argv[1])
    page = (tree / "docs/errors.md").read_text(encoding="utf-8")
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
    codes, statuses, findings = (sections[name] for name in (
        "Exit codes of the command", "Statuses of the C API, and exceptions of Python", "Findings of `tilerun check`"))
    classes = find(tree, "python/tilerun/errors.py", "class TilerunError", None, r"class (\w+)\((?!RuntimeError)")
    rows = [
        ("exit codes", re.findall(r"^\| (\d+) \| `(\w+)`", codes, re.M),
         [(number, name) for name, number in find(tree, "tools/tilerun/command/CommandLine.h", "enum class ExitCode", "};",
                                                  r"(\w+) = (\d+)")]),
        ("statuses", re.findall(r"^\| `(\w+)` \| (\d+) \|", statuses, re.M),
         find(tree, "runtime/include/tilerun/plugin.h", "#define TILERUN_STATUS_LIST", "enum {", r"X\((\w+), (\d+),")),
        ("exceptions", [name for name in re.findall(r"`(\w+Error|\w+Failure|\w+Construct|OutOfResources)`", statuses)
                        if not hasattr(builtins, name)], classes),
        ("findings", [name for row in re.findall(r"^\| (`.*?`) \|", findings, re.M) for name in re.findall(r"`([\w-]+)`", row)],
         find(tree, "ir/tile/CheckKinds.def", "#ifndef TILERUN_CHECK_KIND", None, r'\nTILERUN_CHECK_KIND\(\w+,\s*"([\w-]+)"\)') +
         find(tree, "tools/tilerun/command/ResultNotes.cpp", "void command::noteNans", None, r'note\.kind = "([\w-]+)"')),
    ]
    wrong = []
    for what, listed, known in rows:
        wrong += [f"{what}: the page lacks {name}" for name in known if name not in listed]
        wrong += [f"{what}: the page lists {name}, which is not in the sources" for name in listed if name not in known]
    # The exception of each status is the one that the package raises for it.
    raised = dict(find(tree, "python/tilerun/errors.py", "_BY_STATUS", None, r"(\d+): (\w+)"))
    for number, name in re.findall(r"^\| `\w+` \| (\d+) \| `?(\w*)`? \|", statuses, re.M):
        if raised.get(number, "") != name:
            wrong.append(f"exceptions: the page has '{name}' for status {number}, the package '{raised.get(number, '')}'")
    print("\n".join(wrong) or "docs/errors.md: " + ", ".join(f"{len(known)} {what}" for what, _, known in rows))
    sys.exit(bool(wrong))


main()

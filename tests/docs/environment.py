#!/usr/bin/env python3
"""docs/environment.md lists every environment variable that the programs and libraries read, and no other.
Usage: environment.py TREE

Read are: the names in calls of getenv and its relatives, and every string in the sources that is spelled like a variable
of Tilerun's or Triton's.
"""
import pathlib
import re
import sys

FOLDERS = ("runtime", "plugins", "tools", "frontend", "emulators", "backends", "ir", "python/tilerun")
# Spelled like a variable, but a name of the language.
NOT_VARIABLES = {"TRITON_MAX_TENSOR_NUMEL"}
SPELLED = re.compile(r'"((?:TILERUN|TRITON)_[A-Z0-9_]+)"')
READ = re.compile(r'(?:getenv|environ\.get|environ\.pop|isSwitchedOn)\("([A-Z][A-Z0-9_]+)"')
SETTING = re.compile(r'\b(?:_flag|_text)\("([A-Z][A-Z0-9_]+)"')  # in triton.knobs
TOOL = re.compile(r'_FindTool\("([\w-]+)"\)')  # triton.knobs finds tools by TRITON_NAME_PATH
ROW = re.compile(r"^\| (`[^|]*`) \|", re.M)


def read_names(tree):
    """Names with the file that reads each."""
    names = {}
    for folder in FOLDERS:
        for path in sorted((tree / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".hpp", ".def", ".py") or "fuzz" in path.parts:
                continue
            text = path.read_text(encoding="utf-8")
            text = re.sub(r"^\s*(?://|#).*$", "", text, flags=re.M)
            found = SPELLED.findall(text) + READ.findall(text)
            if path.name == "knobs.py":
                found += SETTING.findall(text)
            found += [f"TRITON_{tool.upper().replace('-', '_')}_PATH" for tool in TOOL.findall(text)]
            for name in found:
                names.setdefault(name, path.relative_to(tree))
    return {name: path for name, path in names.items() if name not in NOT_VARIABLES}


def main():
    tree = pathlib.Path(sys.argv[1])
    page = (tree / "docs/environment.md").read_text(encoding="utf-8")
    listed = [name for row in ROW.findall(page) for name in re.findall(r"`(\w+)[^`]*`", row)]
    read = read_names(tree)
    wrong = [f"docs/environment.md lacks {name}, which {path} reads" for name, path in sorted(read.items()) if name not in listed]
    wrong += [f"docs/environment.md lists {name}, which nothing reads" for name in listed if name not in read]
    wrong += [f"docs/environment.md lists {name} twice" for name in sorted(set(listed)) if listed.count(name) > 1]
    if len(read) < 40:
        wrong.append(f"only {len(read)} variables were found in the sources")
    print("\n".join(wrong) or f"docs/environment.md: {len(read)} variables")
    sys.exit(bool(wrong))


main()

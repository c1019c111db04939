#!/usr/bin/env python3
"""Runs the commands of a guide as they stand. Usage: run.py PAGE.md BIN TREE

Blocks marked `console` hold commands behind `$ `, continued by a backslash; a comment `# exits with N` states an
exit code other than 0. Lines below a command must occur in its output in this order; `…` stands for any text. A block
marked `python FILE`, `mlir FILE`, `cmake FILE` or `c FILE` is written to FILE when its turn comes. Everything runs in
one empty folder, with the programs of BIN on the path and links to the folders examples, docs and tests of TREE and to
the build folder (build/dev) in it. Commands that would install something are named instead of run.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INSTALLS = ("make ", "pip ", "python -m tilerun script.py")


def blocks(text):
    """(information string, lines, number of the first line) of each fenced block."""
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield match[1].split(), match[2].splitlines(), text.count("\n", 0, match.start()) + 2


def commands(lines, first):
    """(number of the line, command, expected exit code, expected lines)"""
    found, i = [], 0
    while i < len(lines):
        number, line = first + i, lines[i]
        i += 1
        if not line.startswith("$ "):
            if not found:
                raise SystemExit(f"line {number}: a console block begins with a command, '$ …'")
            found[-1][3].append((number, line))
            continue
        command = line[2:]
        while command.endswith("\\") and i < len(lines):
            command = command[:-1] + lines[i]
            i += 1
        code = re.search(r"\s+# exits with (\d+)$", command)
        found.append((number, command[:code.start()] if code else command, int(code[1]) if code else 0, []))
    return found


def find_lines(expected, output):
    """The first expected line that the output lacks, or None."""
    position = 0
    for number, line in expected:
        if line.strip() in ("", "…"):
            continue
        pattern = ".*?".join(re.escape(part.strip()) for part in line.split("…"))
        match = re.compile(pattern).search(output, position)
        if not match:
            return number, line
        position = match.end()
    return None


# Of files that an author is told to add.
NEW = ("ir/transforms/YourPass.cpp", "tests/lit/transforms/your-pass.mlir")
PATH = re.compile(r"`((?:backends|bench|cmake|docs|examples|frontend|ir|plugins|python|runtime|scripts|tests|tools)/[\w./-]+)`")


def check_paths(page, text, tree):
    for match in PATH.finditer(text):
        if match[1] not in NEW and not (tree / match[1]).exists():
            raise SystemExit(f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}: there is no {match[1]}")


def main():
    page, programs, tree = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    count = 0
    check_paths(page, page.read_text(encoding="utf-8"), tree)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "docs", "tests"):
            os.symlink(tree / name, pathlib.Path(folder, name))
        os.mkdir(f"{folder}/build")
        os.symlink(programs.parent, f"{folder}/build/dev")
        environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "120",
                                    "TILERUN_CACHE_DIR": f"{folder}/cache"}
        for information, lines, first in blocks(page.read_text(encoding="utf-8")):
            if len(information) == 2 and information[0] in ("python", "mlir", "cmake", "c"):
                pathlib.Path(folder, information[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
            if information != ["console"]:
                continue
            for number, command, code, expected in commands(lines, first):
                if command.startswith(INSTALLS):
                    print(f"{page.name}:{number}: not run, as it installs something: {command}")
                    continue
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, errors="replace",
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                count += 1
                missing = find_lines(expected, done.stdout)
                if done.returncode != code or missing:
                    what = (f"line {missing[0]}: not in the output: {missing[1]}" if missing
                            else f"exit code {done.returncode} instead of {code}")
                    raise SystemExit(f"{page.name}:{number}: $ {command}\n{what}\n--- output\n{done.stdout}")
    if not count:
        raise SystemExit(f"{page.name} has no command")
    print(f"{page.name}: {count} commands")


main()

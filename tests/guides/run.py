#!/usr/bin/env python3
"""Runs the commands of a page as they stand. Usage: run.py [--whole] [--update] PAGE.md BUILD TREE

Blocks marked `console` hold commands behind `$ `, continued by a backslash; a comment `# exits with N` states an
exit code other than 0. Lines below a command must occur in its output in this order; `…` stands for any text. With
--whole they are its whole output (none: it prints nothing), where a line `…` stands for any number of lines.

A block marked `python FILE`, `mlir FILE`, `cmake FILE`, `c FILE` or `cpp FILE` is written to FILE when its turn comes. A page
with a number (2-title.md) begins with the files of those before it. Everything runs in one empty folder, with the
programs of BUILD/bin on the path and links to folders of TREE and to BUILD (build/dev) in it. `python` is an interpreter
that finds the package of BUILD. Commands that would change the machine are named instead of run. With --update the page
gets what its commands print now, where that differs, with `…` for times.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INSTALLS = ("make ", "pip ", "git ", "export PATH=", "python -m tilerun script.py args…")
FILES = ("python", "mlir", "cmake", "c", "cpp")
FOLDERS = ("examples", "docs", "tests", "runtime")
NOT_RUN = 77
TIME = re.compile(r"\b\d+(\.\d+)? (ns|us|ms|s)\b")


def blocks(text):
    """(information string, lines, number of the first line) of each fenced block."""
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield match[1].split(), match[2].splitlines(), text.count("\n", 0, match.start()) + 2


def commands(lines, first):
    """(number of the line, command, expected exit code, expected lines with their numbers, number of the line after)"""
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
        found.append((number, command[:code.start()] if code else command, int(code[1]) if code else 0, [], first + i))
    return found


def find_lines(expected, output):
    """What is wrong with the output, or None: the first expected line that it lacks."""
    position = 0
    for number, line in expected:
        if line.strip() in ("", "…"):
            continue
        pattern = ".*?".join(re.escape(part.strip()) for part in line.split("…"))
        match = re.compile(pattern).search(output, position)
        if not match:
            return f"line {number}: not in the output: {line}"
        position = match.end()
    return None


def squeeze(line):
    """Columns of tables move with the times in them."""
    return re.sub(r"[ \t]+", " ", line.rstrip())


def compare_whole(expected, output):
    """What is wrong with the output, or None: the first line from which on it is not the expected one."""
    lines = [squeeze(line) for line in output.splitlines()]
    # Positions in the output that the lines so far may end at.
    ends = {0}
    for number, line in expected:
        if line.strip() == "…":
            ends = set(range(min(ends), len(lines) + 1))
            continue
        pattern = re.compile(".*".join(map(re.escape, squeeze(line).split("…"))))
        matched = {end + 1 for end in ends if end < len(lines) and pattern.fullmatch(lines[end])}
        if not matched:
            return f"line {number}: the output does not go on like this: {line}"
        ends = matched
    return None if len(lines) in ends else f"the output goes on after line {max(ends)}"


# Of files that an author is told to add.
NEW = ("ir/transforms/YourPass.cpp", "tests/lit/transforms/your-pass.mlir")
PATH = re.compile(r"`((?:backends|bench|cmake|docs|examples|frontend|ir|plugins|python|runtime|scripts|tests|tools)/[\w./-]+)`")


def check_paths(page, text, tree):
    for match in PATH.finditer(text):
        if match[1] not in NEW and not (tree / match[1]).exists():
            raise SystemExit(f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}: {match[1]} does not exist")


def is_file(information):
    return len(information) == 2 and information[0] in FILES


def write_file(folder, information, lines):
    pathlib.Path(folder, information[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_earlier_files(page, folder):
    number = re.match(r"(\d+)-", page.name)
    if not number:
        return
    earlier = {int(other.name.split("-")[0]): other for other in page.parent.glob("[0-9]*-*.md")}
    for other in sorted(earlier):
        if other < int(number[1]):
            for information, lines, _ in blocks(earlier[other].read_text(encoding="utf-8")):
                if is_file(information):
                    write_file(folder, information, lines)


def is_sanitized(library):
    return re.search(b"__[at]san_init", library.read_bytes()) is not None


def find_python(build):
    """An interpreter that has what the scripts of pages import; ends the test where there is none."""
    native = build / "python/tilerun/_native.abi3.so"
    reason = "no Python package is built"
    if native.exists():
        if is_sanitized(native):
            reason = "this build has a sanitizer, whose runtime Python does not have"
        else:
            for python in ("/usr/bin/python3", sys.executable):
                if not subprocess.run([python, "-c", "import sys, numpy, torch; sys.exit(sys.version_info < (3, 11))"],
                                      stderr=subprocess.DEVNULL, check=False).returncode:
                    return python
            reason = "no Python 3.11 or later has numpy and torch (scripts/setup installs them)"
    print(f"not run: {reason}")
    sys.exit(1 if "python" in os.environ.get("TILERUN_REQUIRE", "").split(",") else NOT_RUN)


def prepare(folder, text, build, tree):
    """Fills the folder that commands run in, and returns their environment."""
    for name in FOLDERS:
        os.symlink(tree / name, pathlib.Path(folder, name))
    os.mkdir(f"{folder}/build")
    os.symlink(build, f"{folder}/build/dev")
    path = f"{build / 'bin'}:{os.environ['PATH']}"
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "120", "TILERUN_CACHE_DIR": f"{folder}/cache",
                                "PYTHONPATH": f"{build / 'python'}", "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("TRITON_INTERPRET", "TILERUN_CHECKS", "TILERUN_DEVICE", "TILERUN_AMDSIM", "TILERUN_HIP_DRIVER"):
        environment.pop(name, None)
    if re.search(r"^\$ c\+\+ ", text, re.M) and is_sanitized(build / "lib/libtilerun.so"):
        print("not run: this build has a sanitizer, whose runtime other programs do not have")
        sys.exit(NOT_RUN)
    if re.search(r"^\$ python ", text, re.M):
        os.mkdir(f"{folder}/.python")
        with open(f"{folder}/.python/python", "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {find_python(build)} "$@"\n')
        os.chmod(f"{folder}/.python/python", 0o755)
        path = f"{folder}/.python:{path}"
    return environment | {"PATH": path}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("tree", type=pathlib.Path)
    options = parser.parse_args()
    page, tree = options.page.resolve(), options.tree.resolve()
    text = page.read_text(encoding="utf-8")
    compare = compare_whole if options.whole else find_lines
    count, new = 0, []
    check_paths(page, text, tree)
    with tempfile.TemporaryDirectory() as folder:
        environment = prepare(folder, text, options.build.resolve(), tree)
        write_earlier_files(page, folder)
        for information, lines, first in blocks(text):
            if is_file(information):
                write_file(folder, information, lines)
            if information != ["console"]:
                continue
            for number, command, code, expected, after in commands(lines, first):
                if command.startswith(INSTALLS):
                    print(f"{page.name}:{number}: not run, as it changes the machine: {command}")
                    continue
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, errors="replace",
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                count += 1
                wrong = compare(expected, done.stdout)
                if wrong and options.update and done.returncode == code:
                    shown = [TIME.sub("…", line.rstrip()) for line in done.stdout.splitlines()]
                    new.append((after, len(expected), shown))
                elif done.returncode != code or wrong:
                    what = wrong or f"exit code {done.returncode} instead of {code}"
                    raise SystemExit(f"{page.name}:{number}: $ {command}\n{what}\n--- output\n{done.stdout}")
    if not count:
        raise SystemExit(f"{page.name} has no command")
    if new:
        page_lines = text.splitlines()
        for after, length, output in reversed(new):
            page_lines[after - 1:after - 1 + length] = output
        page.write_text("\n".join(page_lines) + "\n", encoding="utf-8")
    print(f"{page.name}: {count} commands" + (f", {len(new)} updated" if new else ""))


if __name__ == "__main__":
    main()

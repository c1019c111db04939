#!/usr/bin/env python3
"""Compares the pictures of the documentation with what their commands draw. Usage: pictures.py BUILD TREE [--update]

A page that shows `pictures/NAME.svg` has a command with `-o NAME.svg` or `--report NAME.svg`. It runs with the page's files, as tests/guides/run.py runs
all commands. Times differ from run to run, and registers from compiler to compiler: of these pictures, what they consist of is compared. With --update the pictures are written. The pictures of the
gallery are left to gallery_pictures.py, and those of docs/results are of what ran on other machines.
"""
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

build, tree = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
update = "--update" in sys.argv[3:]
spec = importlib.util.spec_from_file_location("run", tree / "tests/guides/run.py")
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)


def draw(page, name, folder):
    """(picture that the page's command draws, whether its numbers vary), or None if the page has no such command."""
    text, command, before = page.read_text(encoding="utf-8"), None, []
    environment = pages.prepare(folder, text, build, tree)
    pages.write_earlier_files(page, folder)
    for information, lines, first in pages.blocks(text):
        if pages.is_file(information):
            pages.write_file(folder, information, lines)
        elif information == ["console"]:
            for _, line, code, *_ in pages.commands(lines, first):
                if re.search(rf"(-o|--report) {re.escape(name)}(\s|$)", line):
                    command = line, code
                elif " > " in line and not command:
                    before.append(line)
    if not command:
        return None
    for line in before:  # What they write may be read.
        subprocess.run(["bash", "-c", line], check=True, cwd=folder, env=environment)
    done = subprocess.run(["bash", "-c", command[0]], check=False, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode != command[1]:
        sys.exit(f"{page}: {command[0]}\nexited with {done.returncode} instead of {command[1]}")
    return pathlib.Path(folder, name).read_bytes(), re.search(r"^tilerun (bench|tune) |--picture occupancy ", command[0]) is not None


def list_parts(picture):
    """What a picture consists of, whatever its numbers are: its elements with their classes, and its words. Steps of a heat map are numbers, too."""
    text = re.sub(rb"\bt[0-6]\b", b"t", picture).decode()
    return {re.sub(r"[\d.e-]+", "", part) for part in re.findall(r'<\w+(?: class="[^"]*")?|>[^<]+<', text)}


shown, wrong = set(), []
for page in sorted(set((tree / "docs").rglob("*.md")) - {tree / "docs/gallery.md"}):
    for target in re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8")):
        path = (page.parent / target).resolve()
        shown.add(path)
        if page.parent == tree / "docs/results":
            if not path.exists():
                wrong.append(f"{page}: shows {target}, which does not exist")
            continue
        with tempfile.TemporaryDirectory() as folder:
            drawn = draw(page, path.name, folder)
        if drawn is None:
            wrong.append(f"{page}: shows {target}, but has no command with '-o {path.name}'")
            continue
        picture, varies = drawn
        if update and not (varies and path.exists() and list_parts(path.read_bytes()) == list_parts(picture)):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(picture)
        elif not path.exists() or (list_parts(path.read_bytes()) != list_parts(picture) if varies else path.read_bytes() != picture):
            wrong.append(f"{path} is out of date; run tests/docs/pictures.py {sys.argv[1]} {sys.argv[2]} --update")
wrong += [f"{path} is shown on no page" for path in sorted((tree / "docs").rglob("*.svg"))
          if path not in shown and path.parent != tree / "docs/gallery"]
if not shown:
    wrong.append("no page shows a picture")
print("\n".join(wrong) or f"{len(shown)} pictures are as their commands draw them")
sys.exit(bool(wrong))

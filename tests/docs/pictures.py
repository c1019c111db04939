#!/usr/bin/env python3
"""Compares the pictures of the documentation with what their commands draw. Usage: pictures.py BUILD TREE [--update]

A page that shows `pictures/NAME.svg` has a command with `-o NAME.svg`. It runs with the page's files, as tests/guides/run.py runs
all commands. With --update the pictures are written. The pictures of the gallery are left to gallery_pictures.py, and those of
docs/results are of what ran on other machines.
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
    """The picture that the page's command draws, or None if the page has no such command."""
    text, command = page.read_text(encoding="utf-8"), None
    environment = pages.prepare(folder, text, build, tree)
    pages.write_earlier_files(page, folder)
    for information, lines, first in pages.blocks(text):
        if pages.is_file(information):
            pages.write_file(folder, information, lines)
        elif information == ["console"]:
            command = next((c for _, c, *_ in pages.commands(lines, first) if f"-o {name}" in c), command)
    if not command:
        return None
    subprocess.run(["bash", "-c", command], check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    return pathlib.Path(folder, name).read_bytes()


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
        elif update:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(drawn)
        elif not path.exists() or path.read_bytes() != drawn:
            wrong.append(f"{path} is out of date; run tests/docs/pictures.py {sys.argv[1]} {sys.argv[2]} --update")
wrong += [f"{path} is shown on no page" for path in sorted((tree / "docs").rglob("*.svg"))
          if path not in shown and path.parent != tree / "docs/gallery"]
if not shown:
    wrong.append("no page shows a picture")
print("\n".join(wrong) or f"{len(shown)} pictures are as their commands draw them")
sys.exit(bool(wrong))

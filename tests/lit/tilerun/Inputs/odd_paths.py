"""Compiles a kernel in a folder with an odd name. Usage: odd_paths.py TILERUN FOLDER [TARGET PHASE | explain TARGET PHASE…]

FOLDER has kernels.py. Without a target it is moved into the odd folder below; with one, the phase's text is printed. `explain` looks at each
target's page: lines of its last level must come from lines of the source.
"""
import pathlib
import re
import subprocess
import sys

tilerun, folder = sys.argv[1], pathlib.Path(sys.argv[2])
words = sys.argv[3:]
odd = folder / 'a"b\\c d'
KERNEL = ["kernels.py::add", "--signature", "x=*f32:16, y=*f32:16, out=*f32:16, n=i32, BLOCK=256", "--target"]


def run(command, target, *options):
    return subprocess.run([tilerun, command, f'{odd.name}/{KERNEL[0]}', *KERNEL[1:], target, *options], cwd=folder, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


if not words:
    odd.mkdir()
    (folder / "kernels.py").rename(odd / "kernels.py")
elif words[0] != "explain":
    print(run("compile", words[0], "--emit", words[1]))
else:
    for target, phase in zip(words[1::2], words[2::2]):
        run("explain", target, "-o", "page.html")
        page = (folder / "page.html").read_text(encoding="utf-8")
        level = re.search(rf'<h2>{phase} .*?</section>', page, re.S)[0]
        linked = re.findall(r'<div data-l="[\d ]+">', level)
        assert len(linked) >= 3, f"{target}: {len(linked)} lines of {phase} come from lines of the source"

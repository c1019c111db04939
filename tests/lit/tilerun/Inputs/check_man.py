"""Checks the manual's pages in a folder: there is one for every command of the help, and each has the options that the help shows. groff
formats them without a warning, where it is installed; requests are those of man(7) in any case. Usage: check_man.py FOLDER tilerun"""
import pathlib
import re
import shutil
import subprocess
import sys

folder, tilerun = pathlib.Path(sys.argv[1]), sys.argv[2]
pages = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def visit(words):
    name = "-".join(["tilerun", *words]) + ".1"
    text = pages.pop(name)
    help = subprocess.run([tilerun, *words, "--help"], check=True, capture_output=True, text=True).stdout
    shown = set(re.findall(r"^\s+(?:-\w,)?(--[a-z-]+)", re.sub(r"^  [a-z]\w+ .*\n(?: {20}.*\n?)*", "", help.split("\nUsage:")[1], flags=re.M), re.M))
    written = {name for line in re.findall(r"^\.B (\\-.*)$", text, re.M) for name in re.findall(r"--[a-z-]+", line.replace("\\-", "-"))}
    assert shown and shown <= written, (name, shown - written)
    requests = set(re.findall(r"^\.(\w+)", text, re.M))
    assert requests <= {"TH", "SH", "SS", "PP", "TP", "B", "BR", "nf", "fi"}, requests
    assert text.count("\n.nf\n") == text.count("\n.fi\n")
    if shutil.which("groff"):
        # -k reads UTF-8; a warning goes to stderr.
        run = subprocess.run(["groff", "-man", "-ww", "-k", "-Tutf8"], input=text, check=True, capture_output=True, text=True)
        assert not run.stderr, (name, run.stderr)
        plain = re.sub("\x1b\\[[0-9;]*m|.\b", "", run.stdout)
        assert "SYNOPSIS" in plain and "tilerun " + " ".join(words) in plain, plain
    for sub in re.findall(r"^  ([a-z]\w+) ", help.split("\nUsage:")[1], re.M):
        visit([*words, sub])


visit([])
assert not pages, pages.keys()

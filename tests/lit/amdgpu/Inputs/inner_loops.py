"""Prints the blocks of AMD assembly that branch to themselves, each between its label and that branch."""
import re
import sys

for label, body in re.findall(r"^(\.LBB\d+_\d+):[^\n]*\n((?:(?!\.LBB)[^\n]*\n)*?)\s+s_cbranch_\w+ \1\s*$", sys.stdin.read(), re.M):
    print(f"loop {label}\n{body}end")

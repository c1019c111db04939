"""Checks that each example of a help text is a command that a shell reads: its lines begin with 'tilerun', a backslash continues them."""
import re
import subprocess
import sys

text = open(sys.argv[1], encoding="utf-8").read()
examples = re.findall(r"^  (tilerun (?:.*\\\n)*.*)$", text, flags=re.M)
assert len(examples) >= 12, examples
for example in examples:
    # An explanation stands behind several blanks.
    command = re.sub(r"(?<=\S) {3,}.*$", "", example) if "\\\n" not in example else example
    done = subprocess.run(["sh", "-n", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"

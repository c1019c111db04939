"""Runs every kernel of a file like bad.py by the command, and compares the messages with the
comments in the file.

Usage: check_bad.py bad.py tilerun. Exit code 1, with the difference, if a message or its line
differs.
"""

import concurrent.futures
import re
import subprocess
import sys

path, command = sys.argv[1:]
cases, messages = {}, []
for number, line in enumerate(open(path).read().splitlines(), 1):
    if match := re.match(r"\s*# error: (.*)", line):
        messages.append((number + 1, match[1]))
    elif match := re.match(r"def (\w+)\(out, n\)", line):
        cases[match[1]] = messages = []
    elif re.match(r"(@|def )", line):
        # A helper's message belongs to the kernel that it stands below.
        continue


def run(kernel):
    done = subprocess.run([command, "run", f"{path}::{kernel}", "out=i32[64]:zeros", "n=5", "--grid", "1"], text=True,
                          capture_output=True)
    said = [(int(line), text) for line, text in re.findall(r"^.*\.py:(\d+):\d+: error: (.*)$", done.stderr, re.M)]
    return done.returncode, said, done.stdout


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = dict(zip(cases, pool.map(run, cases)))
wrong = 0
for kernel, (code, said, output) in results.items():
    if code != 3 or said != cases[kernel] or not said or output:
        wrong += 1
        print(f"{kernel}: exit code {code}\n  said:     {said}\n  expected: {cases[kernel]}\n{output}")
print(f"{len(cases) - wrong} of {len(cases)} kernels are refused as they should be")
sys.exit(1 if wrong or not cases else 0)

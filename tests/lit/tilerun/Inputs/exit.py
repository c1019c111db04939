"""Runs a command and fails unless it ends with the given exit code: exit.py CODE COMMAND..."""

import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
got = subprocess.run(command).returncode
if got != wanted:
    print(f"exit.py: exit code {got}, wanted {wanted}: {' '.join(command)}", file=sys.stderr)
sys.exit(got != wanted)

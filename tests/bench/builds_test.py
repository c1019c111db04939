#!/usr/bin/env python3
"""bench/compile/builds.py over two programs that stand for builds, of which one takes more time. Usage: builds_test.py bench/compile"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve() / "builds.py"
ENTRIES = [{"name": "light", "file": "a.py", "kernel": "k", "arguments": ["n=1"]},
           {"name": "heavy", "file": "a.py", "kernel": "k", "arguments": ["n=2", "x=f32[n, 4]:randn(n)", "s=x.stride(0)"],
            "autotune_config": 3},
           {"name": "refused", "file": "a.py", "kernel": "refused", "arguments": []}]
PROGRAM = """#!/bin/sh
echo "$*" >> "$0.calls"
case "$*" in --version) exit 0;; *::refused*) echo "no such function"; exit 3;; esac
i=0; while [ $i -lt %d ]; do i=$((i + 1)); done
"""


class Builds(unittest.TestCase):

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        tree = pathlib.Path(kept.name).resolve()
        (tree / "examples").mkdir()
        (tree / "examples" / "manifest.json").write_text(json.dumps({"entries": ENTRIES}))
        self.before, self.today = tree / "before", tree / "today"
        for program, steps in (self.before, 20_000), (self.today, 80_000):
            program.write_text(PROGRAM % steps)
            program.chmod(0o755)

    def run_script(self, *options):
        return subprocess.run([sys.executable, SCRIPT, "--rounds", "3", *options, self.before, self.today], capture_output=True, text=True)

    def test_times_take_turns_and_their_ratio_is_todays_by_that_of_before(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in done.stdout.splitlines()}
        for name in "`light`", "`heavy`", "geometric mean":
            for ratio in rows[name][2::3]:
                self.assertTrue(2 < float(ratio) < 8, done.stdout)
        for program in self.before, self.today:
            calls = pathlib.Path(f"{program}.calls").read_text().splitlines()
            self.assertEqual(len([call for call in calls if "n=1 --target cuda:sm_80 --emit ptx" in call]), 3)
            self.assertEqual(len([call for call in calls if "n=2 x=f32[n, 4]:empty s=x.stride(0) --autotune-config 3 --target cuda:sm_90a" in call]), 3)

    def test_a_launch_that_a_build_refuses_is_named_and_left_out(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "sm_80 refused is left out: .*exit code 3\nno such function")
        self.assertIn("| `refused` |  |  |  |  |  |  |", done.stdout)

    def test_a_mistake_is_told(self):
        self.assertIn("no launch matches 'x*'", self.run_script("--only", "x*").stderr)
        done = self.run_script("--only", "refused")
        self.assertEqual((done.returncode, "every launch was refused by one of the builds" in done.stderr), (1, True))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Processes that bench/gpu/servers.py starts and asks, with a script that answers without PyTorch. Usage: servers_test.py bench/gpu"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(FOLDER))
import servers  # noqa: E402

SCRIPT = f'''
import os, sys, time
sys.path.insert(0, {str(FOLDER)!r})
import servers


class Runner:
    def name(self):
        print("text that is not an answer")
        return {{"which": sys.argv[2], "caches": sorted(os.environ[v] for v in ("TILERUN_CACHE_DIR", "TRITON_HOME", "TORCHINDUCTOR_CACHE_DIR"))}}

    def fail(self):
        raise ValueError("first\\n\\nsecond")

    def crash(self):
        os.abort()

    def leave(self):
        print("last words", file=sys.stderr)
        sys.exit(3)

    def measure(self, count):
        return {{"ms": 1.0 if sys.argv[2] == "tilerun" else 2.0, "device ms": 0.5}}


servers.serve(Runner)
'''


class Servers(unittest.TestCase):

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name
        self.script = pathlib.Path(kept.name) / "script.py"
        self.script.write_text(SCRIPT)
        self.both = []

    def tearDown(self):
        for server in self.both:
            server.close()

    def start(self, *names):
        self.both = [servers.Server(which, str(self.script), [], self.folder) for which in names]
        return self.both

    def test_answers_and_caches_of_their_own(self):
        answers = servers.ask_all(self.start("tilerun", "triton"), "name")
        self.assertEqual([answers[who]["which"] for who in ("tilerun", "triton")], ["tilerun", "triton"])
        self.assertFalse(set(answers["tilerun"]["caches"]) & set(answers["triton"]["caches"]))
        self.assertEqual(self.both[0].ask("fail"), {"failed": "ValueError: first second"})
        self.assertFalse(self.both[0].has_ended())

    def test_a_crash_is_told(self):
        server, = self.start("tilerun")
        failed = server.ask("crash")["failed"]
        self.assertTrue(failed.startswith("the process has ended with status -6: Fatal Python error: Aborted"), failed)
        self.assertIn("in crash", failed)
        self.assertTrue(server.has_ended())
        self.assertIn("status -6", server.ask("name")["failed"])

    def test_an_end_is_told(self):
        server, = self.start("tilerun")
        self.assertEqual(server.ask("leave"), {"failed": "the process has ended with status 3: last words"})

    def test_turns(self):
        turns, failed = servers.take_turns(self.start("tilerun", "triton"), rounds=4)
        self.assertEqual((turns, failed), ({"ms": {"tilerun": [1.0] * 4, "triton": [2.0] * 4}, "device ms": {"tilerun": [0.5] * 4, "triton": [0.5] * 4}}, []))
        self.assertEqual(servers.ratio_text(turns["ms"]), "2.000 [2.000 2.000]")


if __name__ == "__main__":
    unittest.main()

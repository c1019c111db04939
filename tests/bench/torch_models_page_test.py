#!/usr/bin/env python3
"""The page of bench/gpu/torch_models_page.py, from figures that are made up and stay in a temporary folder. Usage: models_page_test.py bench/gpu"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(sys.argv.pop(1)).resolve()


def make_row(name, ours=1.0, theirs=1.5, first=(10.0, 40.0), notes=()):
    """Times of the second program are `theirs` in each turn."""
    return {"name": name, "unit": "ms", "turns": {"tilerun": [ours] * 15, "triton": [theirs] * 15},
            "device turns": {"tilerun": [ours / 2] * 15, "triton": [ours] * 15}, "first call": dict(zip(("tilerun", "triton"), first)),
            "errors": {"tilerun": 1e-3, "triton": 2e-3, "eager": 3e-3},
            "phases": {"tilerun": {"PyCodeCache.load_by_key_path": 1.0, "Scheduler.codegen": 5.0},
                       "triton": {"PyCodeCache.load_by_key_path": 3.0, "CachingAutotuner.benchmark_all_configs": 0.5}}, "version": "transformers 1.2", "parameters": 2_000_000, "notes": list(notes)}


def make_document(date, rows, **more):
    run = {"gpu": "Imagined 9000", "driver": "123.45", "date": date, "command": f"torch_models.py of {date}", "versions": {"Tilerun": "1.2", "Triton": "3.4"}}
    return {"kind": "models", "run": run, "rows": rows, "not measured": [], "failures": {}} | more


class ModelsPage(unittest.TestCase):

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def make(self, *documents):
        paths = [self.folder / f"{number}.json" for number in range(len(documents))]
        for path, document in zip(paths, documents):
            path.write_text(json.dumps(document))
        done = subprocess.run([sys.executable, str(FOLDER / "torch_models_page.py"), "--out", str(self.folder / "page.md"), *map(str, paths)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "page.md").read_text()

    def test_rows(self):
        page = self.make(make_document("2031-01-02 03:04 UTC", [make_row("a decoder")]))
        self.assertIn("| a decoder | 2 M | 1.000 | 1.500 | 1.500 (1.500 to 1.500) | 2.000 (2.000 to 2.000) | 10.0 s / 40.0 s | 0.25 | 1.0 s / 3.5 s | "
                      "1.0e-03 / 2.0e-03 / 3.0e-03 |", page)
        self.assertIn("the models are of packages: transformers 1.2.", page)
        self.assertIn("| 1 | Imagined 9000 | 123.45 | 2031-01-02 03:04 UTC | Tilerun 1.2, Triton 3.4 | `torch_models.py of 2031-01-02 03:04 UTC` | 1 |", page)
        self.assertNotIn("## Notes", page)

    def test_goals_count_what_misses_them(self):
        page = self.make(make_document("2031-01-02 03:04 UTC", [make_row("a"), make_row("b", theirs=0.9), make_row("c", first=(30.0, 40.0)),
                                                                make_row("d", notes=["tilerun: tensor 0 of 1: 2.00e+00, not 1.00e-02"])]))
        self.assertIn("| results | as near to those of higher precision as eager's | 3 of 4 rows |", page)
        self.assertIn("| 3 of 4 rows; of the others, 0 within their interval; the geometric mean is 1.320 |", page)
        self.assertIn("| 3 of 4 rows; the median is 0.25 |", page)
        self.assertIn("- d: tilerun: tensor 0 of 1: 2.00e+00, not 1.00e-02", page)

    def test_the_latest_counts_and_failures_are_named(self):
        page = self.make(make_document("2031-01-03 03:04 UTC", [make_row("a", theirs=3.0)], **{"not measured": ["b"], "failures": {"b": ["triton: it fails"]}}),
                         make_document("2031-01-02 03:04 UTC", [make_row("a")]))
        self.assertIn("| 3.000 (3.000 to 3.000) |", page)
        self.assertNotIn("1.500 (", page)
        self.assertIn("Not measured: b.", page)
        self.assertIn("- b: triton: it fails", page)

    def test_one_program_alone(self):
        row = make_row("a") | {"turns": {"tilerun": [1.0] * 15}, "device turns": {}, "first call": {"tilerun": 2.0}, "errors": {"tilerun": 1e-3, "eager": 1e-3}, "phases": {}}
        page = self.make(make_document("2031-01-02 03:04 UTC", [row]))
        self.assertIn("| a | 2 M | 1.000 | – | – | – | 2.0 s / – | – | – / – | 1.0e-03 / – / 1.0e-03 |", page)
        self.assertIn("| first call | at most 0.5 of Triton's time in each row | – |", page)


if __name__ == "__main__":
    unittest.main()

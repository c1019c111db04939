#!/usr/bin/env python3
"""The page of bench/gpu/page.py, from figures that are made up and stay in a temporary folder. Usage: page_test.py bench/gpu"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(sys.argv.pop(1)).resolve()
NAMES = {"softmax rows f16 1k": "GB/s", "softmax rows f16 4k": "GB/s", "softmax rows f16 128k": "GB/s", "matmul f16 1024^3": "TFLOP/s",
         "matmul f16 4096^3": "TFLOP/s", "attention f16 4096x64": "TFLOP/s", "attention f16 4096x128": "TFLOP/s", "vector add f32 2^20": "GB/s"}


def make_document(date, names, kind="kernels"):
    generator = random.Random(date)
    rows = []
    for name in names:
        unit = NAMES.get(name, "ms")
        turns = {who: [generator.uniform(0.9, 1.2) for _ in range(15)] for who in ("tilerun", "triton", "cuBLAS", "copy")}
        if unit == "TFLOP/s":
            del turns["copy"]
        rows.append({"name": name, "unit": unit, "amount": 10**9, "vendor": "cuBLAS", "turns": turns, "notes": ["triton refuses 64|64 w4"],
                     "configurations": {"tilerun": ["128 w4 s3"], "triton": ["64 w8 s2"]}})
    run = {"gpu": "Imagined 9000", "driver": "123.45", "date": date, "command": f"compare.py of {date}", "versions": {"Tilerun": "1.2", "Triton": "3.4"}}
    document = {"kind": kind, "run": run, "rows": rows, "not measured": ["sort f16 1x1"]}
    if kind == "libraries":
        rows[0] |= {"version": "0.8.5", "first call": {"tilerun": 1.5, "triton": 20.25}}
        document |= {"not measured": ["vLLM: f"], "failures": {"vLLM: f": ["triton: ModuleNotFoundError: No module named 'vllm'"]}}
    return document


class Page(unittest.TestCase):

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        names = list(NAMES)
        for number, document in enumerate([make_document("2031-01-02 03:04 UTC", names[:5]), make_document("2031-01-03 03:04 UTC", names[4:]),
                                           make_document("2031-01-04 03:04 UTC", ["FLA: chunk_gla, forward and backward"], "libraries")]):
            (self.folder / f"{number}.json").write_text(json.dumps(document))

    def make(self, out, *numbers):
        done = subprocess.run([sys.executable, str(FOLDER / "page.py"), "--out", str(self.folder / out),
                               *(str(self.folder / f"{n}.json") for n in numbers)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / out).read_text()

    def test_the_same_results_give_the_same_bytes(self):
        contents = []
        for order in ((0, 1, 2), (2, 1, 0)):
            page = self.make("page.md", *order)
            figures = {path.name: path.read_bytes() for path in sorted((self.folder / "page").iterdir())}
            contents.append((page, figures))
        self.assertEqual(contents[0][0], contents[1][0])
        self.assertEqual(contents[0][1], contents[1][1])

    def test_figures_have_neither_dates_nor_absent_files(self):
        page = self.make("page.md", 0, 1, 2)
        linked = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
        self.assertEqual(sorted(linked), sorted(f"page/{path.name}" for path in (self.folder / "page").iterdir()))
        self.assertIn("page/share-of-copy.svg", linked)
        self.assertIn("page/tflops.svg", linked)
        for path in linked:
            text = (self.folder / path).read_text()
            self.assertIn("<svg", text)
            self.assertNotRegex(text, r"dc:date|20[0-9][0-9]-[0-9][0-9]-")

    def test_series_differ_without_colours(self):
        self.make("page.md", 0, 1)
        bars = (self.folder / "page" / "ratios-products.svg").read_text()
        self.assertIn("<pattern", bars)  # The vendor's bars are hatched.
        lines = (self.folder / "page" / "share-of-copy.svg").read_text()
        self.assertGreaterEqual(len(set(re.findall(r"stroke-dasharray: ([^;\"]+)", lines))), 3)

    def test_the_page_says_where_its_figures_are_from(self):
        page = self.make("page.md", 0, 1, 2)
        for text in ("Imagined 9000", "123.45", "2031-01-02 03:04 UTC", "2031-01-03 03:04 UTC", "Tilerun 1.2, Triton 3.4", "`compare.py of 2031-01-02 03:04 UTC`",
                     "Not measured: sort f16 1x1, vLLM: f.", "| FLA: chunk_gla, forward and backward | 0.8.5 |", "| 1.5 s / 20.2 s |",
                     "| ≤ 15 s | 1.5 s | met |", "- vLLM: f: triton: ModuleNotFoundError", "- matmul f16 1024^3: triton refuses 64|64 w4"):
            self.assertIn(text, page)
        self.assertIn("| attention forward, heads of 64, 128 and 256 |", page)
        self.assertIn("| attention backward, heads of 64 and 128 | ≥ 1.00× the vendor’s library | – | not measured |", page)

    def test_another_file_is_refused(self):
        (self.folder / "3.json").write_text("[]")
        done = subprocess.run([sys.executable, str(FOLDER / "page.py"), "--out", str(self.folder / "no.md"), str(self.folder / "3.json")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("3.json: expected a file of compare.py, libraries.py or torch_models.py", done.stderr)
        self.assertFalse((self.folder / "no.md").exists())


if __name__ == "__main__":
    try:
        import matplotlib
    except ImportError:
        print("not run: the page's test: this Python has no matplotlib (scripts/setup installs python3-matplotlib)")
        sys.exit(77)
    unittest.main()

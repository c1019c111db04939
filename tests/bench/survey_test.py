#!/usr/bin/env python3
"""bench/libraries/survey.py over a package that is made here: its kernels compile for a target, and its page tells so.
Usage: survey_test.py TILERUN bench/libraries"""

import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
TILERUN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
del sys.argv[1:3]
sys.path.insert(0, str(FOLDER))
import survey  # noqa: E402

KERNELS = '''import triton
import triton.language as tl
from .makers import pointwise_dynamic


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n), i < n)


@triton.jit
def wrong(x):
    tl.store(x, no_such_name)


@pointwise_dynamic()
@triton.jit
def double(x):
    return x * 2
'''
FILES = {"made/__init__.py": "", "made/makers.py": "def pointwise_dynamic():\n    return lambda function: function\n", "made/kernels.py": KERNELS,
         "made/large.bin": "not a file of Python", "made-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: made\nVersion: 1.2\n"}


class Survey(unittest.TestCase):

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.wheels, self.results = self.folder / "wheels", self.folder / "results"
        self.wheels.mkdir()

    def write_wheel(self):
        with zipfile.ZipFile(self.wheels / "made-1.2-py3-none-any.whl", "w") as archive:
            for name, text in FILES.items():
                archive.writestr(name, text)

    def write_sdist(self):
        with tarfile.open(self.wheels / "made_too-3.4.tar.gz", "w:gz") as archive:
            for name, text in {**FILES, "tests/test_made.py": KERNELS}.items():
                entry = tarfile.TarInfo(f"made_too-3.4/{name}")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))

    def run_survey(self, *arguments, status=0):
        done = subprocess.run([sys.executable, str(FOLDER / "survey.py"), "--results", str(self.results), *map(str, arguments)], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_wheels_and_sdists(self):
        self.write_wheel()
        self.write_sdist()
        self.assertEqual(list(survey.list_packages(self.wheels)), ["made 1.2", "made_too 3.4"])
        for path in survey.list_packages(self.wheels).values():
            folder = self.folder / path.name.partition("-")[0]
            folder.mkdir()
            root = survey.unpack(path, folder)
            self.assertEqual(list(survey.find_kernel_files(root)), ["made.kernels"])
            self.assertFalse((root / "made" / "large.bin").exists())

    def test_kernels_and_the_page(self):
        self.write_wheel()
        page = self.folder / "page.md"
        done = self.run_survey("--wheels", self.wheels, "--target", "cuda:sm_90a", "--page", page, TILERUN)
        self.assertEqual(done.stdout, "made 1.2: cuda:sm_90a: 1 of 1 kernels that type-check, of 2\n")
        data = json.loads((self.results / "made-1.2.json").read_text())
        told = data["targets"]["cuda:sm_90a"]
        self.assertEqual((told["kernels"], told["typed"], told["compile"], told["made"]), (2, 1, 1, {"pointwise_dynamic": 1}))
        text = page.read_text()
        self.assertIn("| made 1.2 | 1 | – | 1 of 2 | 1 of 1 | – | – | 1 @pointwise_dynamic |", text)
        # What is known is not measured again.
        self.assertEqual(self.run_survey("--wheels", self.wheels, "--target", "cuda:sm_90a", TILERUN).stdout.count("\n"), 1)

    def test_the_page_names_what_fails(self):
        target = {"kernels": 5, "typed": 4, "compile": 3, "failing": ["a.py:3 k: refused: too large"], "constructs": {}, "made": {}}
        self.results.mkdir()
        (self.results / "made-1.json").write_text(json.dumps(
            {"name": "made 1", "files": 3, "date": "2031-01-02", "targets": {"cuda:sm_80": target},
             "imports": {"a": "", "b": "ImportError: no c", "d": "ImportError: no c"}}))
        page = self.folder / "page.md"
        self.run_survey("--page", page)
        text = page.read_text()
        self.assertIn("| made 1 | 3 | 1 of 3 | 4 of 5 | – | 3 of 4 | – | – |", text)
        self.assertIn("- made 1: 2 files cannot be imported: ImportError: no c", text)
        self.assertIn("- made 1, cuda:sm_80: a.py:3 k: refused: too large", text)

    def test_bad_arguments(self):
        done = self.run_survey("--wheels", self.wheels, status=2)
        self.assertIn("name wheels and the command, or --page, or all three", done.stderr)


if __name__ == "__main__":
    unittest.main()

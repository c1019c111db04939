"""bench/libraries/suites.py: test suites of packages under `python -m tilerun --cpu -m pytest`: each outcome is told, none is lost, and a second run goes on."""

import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT

SCRIPT = os.path.join(ROOT, "bench", "libraries", "suites.py")
LIBRARY = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(x, n: tl.constexpr):
    tl.store(x + tl.arange(0, n), tl.arange(0, n))

def count(n):
    x = torch.empty(n, dtype=torch.int32, device="cuda")
    kernel[(1, )](x, n)
    return x.tolist()
"""
TESTS = {"test_outcomes.py": """
import time, pytest
from library import count

def test_passes():
    assert count(4) == [0, 1, 2, 3]

def test_fails():
    assert count(2) == [0, 2]

def test_takes_long():
    try:
        time.sleep(60)
    except Exception:
        pass

@pytest.mark.skip(reason="it says so")
def test_is_skipped():
    pass

@pytest.mark.xfail
def test_is_expected_to_fail():
    assert False

@pytest.fixture
def broken():
    raise ValueError("no fixture")

def test_has_no_fixture(broken):
    pass

@pytest.fixture
def leaving_badly():
    yield
    raise ValueError("no end")

def test_ends_badly(leaving_badly):
    pass

@pytest.fixture
def slow():
    time.sleep(60)

def test_begins_slowly(slow):
    pass

@pytest.mark.xfail
def test_passes_unexpectedly():
    pass
""", "test_lacking.py": "import no_such_package\n", "test_dying.py": """
import os

def test_first():
    pass

def test_dies():
    os._exit(3)
"""}


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], text=True, capture_output=True)


def test_outcomes_are_told(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "suite" / "src").mkdir(parents=True)
    (tmp_path / "suite" / "src" / "library.py").write_text(LIBRARY)
    for name, text in TESTS.items():
        (tmp_path / "suite" / name).write_text(text)
    record, page = tmp_path / "record.jsonl", tmp_path / "page.md"
    call = ("--python", sys.executable, "--tilerun", os.path.join(os.environ["TILERUN_BUILD"], "python"), "--cpu", "--seconds", 3, "--record", record,
            "--page", page, f"own={tmp_path}/suite:src:test_*.py")
    done = run(*call)
    assert done.returncode == 0, done.stderr
    told = {file: {test.partition("::")[2] or test: (outcome, why) for test, outcome, _, why in tests}
            for _, file, _, tests in map(json.loads, record.read_text().splitlines())}
    outcomes = told["test_outcomes.py"]
    assert outcomes["test_passes"] == ("passed", "")
    assert outcomes["test_fails"][0] == "failed" and outcomes["test_fails"][1].startswith("assert [0, 1] == [0, 2]")
    assert outcomes["test_takes_long"][0] == "time"
    assert outcomes["test_is_skipped"][0] == "skipped" and outcomes["test_is_expected_to_fail"][0] == "xfailed"
    assert outcomes["test_has_no_fixture"] == ("failed", "ValueError: no fixture")
    assert outcomes["test_ends_badly"] == ("failed", "ValueError: no end") and outcomes["test_begins_slowly"][0] == "time"
    assert outcomes["test_passes_unexpectedly"][0] == "xpassed"
    assert told["test_lacking.py"] == {"test_lacking.py": ("not collected", "ModuleNotFoundError: No module named 'no_such_package'")}
    assert told["test_dying.py"]["test_first"][0] == "passed" and told["test_dying.py"]["test_dies"][0] == "ended"
    row, = (line for line in page.read_text().splitlines() if line.startswith("| own |"))
    assert row == "| own | Tilerun | 3 | 0 | 2 | 3 | 1 | 1 | 1 | 2 | 1 | 1 |"
    # All files are done.
    before = record.read_text()
    assert run(*call).returncode == 0 and record.read_text() == before


def test_what_is_left_out_is_told(tmp_path):
    (tmp_path / "test_a.py").write_text("def test_passes():\n    pass\n")
    record = tmp_path / "record.jsonl"
    call = "--python", sys.executable, "--tilerun", os.path.join(os.environ["TILERUN_BUILD"], "python"), "--record", record, f"own={tmp_path}:test_*.py"
    assert "| own | Tilerun | 0 | 1 | 0 |" in run("--budget", 0, *call).stdout
    # A second run begins with it.
    assert "| own | Tilerun | 1 | 0 | 1 |" in run(*call).stdout


def test_a_peer_is_compared(tmp_path):
    record = tmp_path / "record.jsonl"
    record.write_text("\n".join(json.dumps(["own", "test_a.py", compiler, tests]) for compiler, tests in {
        "Tilerun": [["test_a.py::test_both", "passed", 0.1, ""], ["test_a.py::test_one", "failed", 0.1, "AssertionError: a | b"],
                    ["test_a.py::test_lost", "ended", 0, "signal 11"]],
        "Triton": [["test_a.py::test_both", "passed", 0.1, ""], ["test_a.py::test_one", "passed", 0.1, ""],
                   ["test_a.py::test_never_begun", "passed", 0.1, ""]]}.items()) + "\n")
    done = run("--record", record)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if "test_one" in line]
    assert rows[0] == r"| own | test_a.py::test_one | failed | passed | AssertionError: a \| b |" and "test_both" not in done.stdout
    assert "| own | test_a.py::test_never_begun | not run | passed |" in done.stdout


def test_wrong_calls_are_refused(tmp_path):
    call = "--python", sys.executable, "--tilerun", tmp_path, "--record", tmp_path / "record"
    assert "is not NAME=FOLDER[:SOURCES]:PATTERN" in run(*call, "suite").stderr
    assert "matches 'test_*.py'" in run(*call, f"own={tmp_path}:test_*.py").stderr
    assert "--peer needs a GPU, not --cpu" in run(*call, "--cpu", "--peer", "x=y:z").stderr
    assert "suites need --python and --tilerun" in run("--record", tmp_path / "record", "x=y:z").stderr

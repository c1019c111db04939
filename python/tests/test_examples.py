"""Every example as a script, with its original host code: `python -m tilerun --cpu example.py`."""

import glob
import os

import pytest

from conftest import ROOT

EXAMPLES = [path for path in sorted(glob.glob(os.path.join(ROOT, "examples", "*.py")))
            if "__main__" in open(path).read()]


def test_there_are_examples():
    assert len(EXAMPLES) >= 22


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: os.path.basename(path)[:-3])
def test_example(path, run_python):
    pytest.importorskip("torch")
    done = run_python("-m", "tilerun", "--cpu", path)
    *notes, last = done.stdout.strip().splitlines()
    assert last.endswith("ok")
    # What an older PyTorch lacks; the rest of the file has passed.
    if notes:
        pytest.skip("; ".join(notes))


def test_script_with_reports(tmp_path, run_python):
    """A script in the style of Triton's tutorials: autotune, heuristics, a grid lambda, perf_report."""
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    script = os.path.join(os.path.dirname(__file__), "scripts", "tutorial.py")
    done = run_python("-m", "tilerun", "--cpu", script, tmp_path, "--twice")
    assert "vector-add-performance:" in done.stdout and "args: ['--twice']" in done.stdout
    table = (tmp_path / "vector-add-performance.csv").read_text().splitlines()
    assert table[0] == "size,Tilerun (GB/s),Torch (GB/s)" and len(table) == 4
    assert [line.split(",")[0] for line in table[1:]] == ["64", "128", "256"]
    assert all(float(cell) > 0 for line in table[1:] for cell in line.split(","))
    assert (tmp_path / "vector-add-performance.png").read_bytes().startswith(b"\x89PNG")
    assert "vector-add-performance.png" in (tmp_path / "results.html").read_text()

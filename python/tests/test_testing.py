"""`triton.testing`."""

import sys
import types

import numpy as np
import pytest

import tilerun.triton as triton
from tilerun.triton import testing


def test_do_bench(monkeypatch):
    monkeypatch.setattr(testing._devices, "get_default", lambda: (1, 0))
    calls = []

    def work():
        calls.append(1)
        import time
        time.sleep(0.001)

    mean = testing.do_bench(work, warmup=2, rep=10)
    assert 1 <= mean < 50 and len(calls) >= 3  # Fewer than usual where the machine is busy.
    times = testing.do_bench(work, warmup=1, rep=10, return_mode="all")
    assert testing.do_bench(work, warmup=1, rep=5, return_mode="min") <= max(times) * 10
    low, middle, high = testing.do_bench(work, warmup=1, rep=10, quantiles=[0.2, 0.5, 0.8])
    assert low <= middle <= high
    assert testing.do_bench_cudagraph(work, rep=5, return_mode="median") >= 1
    before = len(calls)
    for bench in (testing.do_bench, testing.do_bench_cudagraph):
        for kind in (ValueError, AssertionError):
            with pytest.raises(kind, match="return_mode is 'best'"):
                bench(work, rep=1, return_mode="best")
    assert len(calls) == before


def test_quantiles():
    assert testing._quantile([4, 1, 3, 2], [0.5, 0, 1]) == [2.5, 1, 4] and testing._quantile([5], [0.2]) == [5]
    with pytest.raises(ValueError, match="Quantiles must be in the range \\[0, 1\\], but one is 1.5"):
        testing._quantile([1, 2], [1.5])


def test_summaries():
    times = [1.0, 2.0, 6.0]
    assert [testing._summarize_statistics(times, None, mode) for mode in ("min", "max", "mean", "median", "all")] == [1, 6, 3, 2, times]
    assert testing._summarize_statistics(times, [0.5], "min") == 2 and testing._summarize_statistics(times, [0, 1], "min") == [1, 6]


def test_assert_close():
    testing.assert_close(np.ones(3), np.ones(3) + 1e-3)
    testing.assert_close(1.0, 1.001)
    testing.assert_close(np.array([np.nan, 1]), np.array([np.nan, 1]))
    with pytest.raises(AssertionError):
        testing.assert_close(np.ones(3), np.ones(3) + 1e-3, rtol=0, atol=1e-6)
    with pytest.raises(AssertionError):
        testing.assert_close(np.array([1, 20]), np.array([1, 21]))
    with pytest.raises(AssertionError):
        testing.assert_close(np.full(3, 1000.0), np.full(3, 1000.1))  # Of large numbers, too, only 1e-2 by default.
    testing.assert_close(np.full(3, 1000.0), np.full(3, 1000.1), rtol=1e-3)
    with pytest.raises(AssertionError, match="my words"):
        testing.assert_close(1.0, 2.0, err_msg="my words")


def test_assert_close_of_torch():
    torch = pytest.importorskip("torch")
    testing.assert_close(torch.ones(3, dtype=torch.bfloat16), torch.ones(3, dtype=torch.bfloat16))
    testing.assert_close(np.ones(3), torch.ones(3))
    with pytest.raises(AssertionError):
        testing.assert_close(torch.ones(3), torch.zeros(3, requires_grad=True))


def make_report(**options):
    settings = dict(x_names=["M", "N"], x_vals=[(1, 2), 4], line_arg="provider", line_vals=["a", "b"],
                    line_names=["A", "B"], plot_name="plot", args={"factor": 10}, ylabel="ms") | options

    @testing.perf_report(testing.Benchmark(**settings))
    def bench(M, N, provider, factor):
        value = M * N * factor + (provider == "b")
        return (value, value - 1, value + 1) if provider == "a" else value

    return bench


def test_reports(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = make_report().run(print_data=True, return_df=True)
    assert table.columns == ["M", "N", "A (ms)", "B (ms)"]
    assert table.rows == [[1, 2, 20.0, 21.0], [4, 4, 160.0, 161.0]] and table["A (ms)"] == [20.0, 160.0]
    printed = capsys.readouterr().out
    assert printed.startswith("plot:\n") and "160.000000" in printed
    assert make_report().run() is None
    with pytest.raises(ValueError, match="2 names of x, but a value has 3 parts"):
        make_report(x_vals=[(1, 2, 3)]).run()


def test_data_frames(monkeypatch):
    """Callers that request the data get pandas' DataFrame, if pandas is installed, under Triton's
    names."""
    frames = types.SimpleNamespace(DataFrame=lambda rows, columns: ("frame", rows, columns))
    monkeypatch.setitem(sys.modules, "pandas", frames)
    bench = testing.Benchmark(["x"], [1, 2], "p", ["a"], ["A"], "one", {})
    made = testing.perf_report(bench)(lambda x, p: x).run(return_df=True)
    assert made == ("frame", [[1, 1.0], [2, 2.0]], ["x", "A ()"])


def test_reports_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.warns(UserWarning, match="'plot' is not plotted: matplotlib was not found"):
        make_report().run(save_path=str(tmp_path))
    assert (tmp_path / "plot.csv").exists() and not (tmp_path / "plot.png").exists()


def test_report_files(tmp_path):
    pytest.importorskip("matplotlib")
    make_report(x_log=True, y_log=True, styles=[("red", "-"), ("blue", ":")]).run(save_path=str(tmp_path / "new"))
    assert (tmp_path / "new" / "plot.csv").read_text() == "M,N,A (ms),B (ms)\n1,2,20.000000,21.000000\n4,4,160.000000,161.000000\n"
    assert (tmp_path / "new" / "plot.png").read_bytes()[1:4] == b"PNG" and (tmp_path / "new" / "results.html").exists()


SHOWN = """
import os
import triton.testing as testing

report = testing.perf_report(testing.Benchmark(["x"], [1, 2], "p", ["a"], ["A"], "a/plot", {}))(lambda x, p: x)
report.run(show_plots=True, print_data=True, save_path=os.environ.get("SAVE_PATH", ""))
"""


@pytest.mark.parametrize("backend", ["Agg", "TkAgg", "pdf", ""])
def test_plots_without_a_display_are_saved(run_python, tmp_path, backend):
    pytest.importorskip("matplotlib")
    named = {"MPLBACKEND": backend, "DISPLAY": "", "WAYLAND_DISPLAY": "", "HOME": str(tmp_path)}
    script = f"import os\nos.chdir({str(tmp_path)!r})\n" + SHOWN
    done = run_python("-m", "tilerun", "-c", script, **named)
    path = tmp_path / "a_plot.png"
    assert path.read_bytes()[1:4] == b"PNG" and done.stdout.startswith("a/plot:\n")
    assert done.stderr.splitlines()[-1] == f"tilerun: no display was found for the plot 'a/plot'; it is in {path}"
    assert "UserWarning" not in done.stderr and "Traceback" not in done.stderr
    (tmp_path / "there" / "a").mkdir(parents=True)
    done = run_python("-m", "tilerun", "-c", script, SAVE_PATH=str(tmp_path / "there"), **named)
    assert done.stderr.splitlines()[-1].endswith(f"it is in {tmp_path}/there/a/plot.png")
    assert (tmp_path / "there" / "a" / "plot.png").exists()


def test_several_reports(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    mark = testing.perf_report([testing.Benchmark(["x"], [1], "p", ["a"], ["A"], "one", {}),
                                testing.Benchmark(["x"], [2], "p", ["a"], ["A"], "two", {})])(lambda x, p: x)
    assert [table.rows for table in mark.run(return_df=True)] == [[[1, 1.0]], [[2, 2.0]]]


def test_clock_and_memcheck():
    with testing.set_gpu_clock() as (tflops, gbps):
        assert tflops > 0 and gbps > 0
    assert testing.cuda_memcheck(a=1)(lambda: 5)() == 5
    assert triton.testing is testing

"""`triton.testing`: timing, comparing, and reports with plots and tables."""

import builtins
import contextlib
import functools
import math
import os
import statistics
import sys
import tempfile
import time
import warnings

from .. import _devices, _native
from .._memory import CPU
from ..errors import UnsupportedError


class _ModeError(ValueError, AssertionError):
    """A name of a summary that does not exist."""


_MODES = {"min": builtins.min, "max": builtins.max, "mean": statistics.fmean, "median": statistics.median, "all": list}


def _check_mode(return_mode):
    if return_mode not in _MODES:
        raise _ModeError(f"return_mode is {return_mode!r}, which is not one of {', '.join(_MODES)}")


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        found = _quantile(times, quantiles)
        return found[0] if len(found) == 1 else found
    _check_mode(return_mode)
    return _MODES[return_mode](times)


def _quantile(times, quantiles):
    """One for each of `quantiles`, with linear interpolation."""
    ordered = sorted(times)
    found = []
    for q in quantiles:
        if not 0 <= q <= 1:
            raise ValueError(f"Quantiles must be in the range [0, 1], but one is {q}")
        at = q * (len(ordered) - 1)
        low = math.floor(at)
        part = at - low
        found.append((1 - part) * ordered[low] + part * ordered[math.ceil(at)])
    return found


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of a call, with cold caches: `warmup` and `rep` are milliseconds to spend."""
    _check_mode(return_mode)
    kind, _ = _devices.get_default()
    fn()
    if not _devices.torch_has(kind):
        return _bench_on_host(fn, warmup, rep, grad_to_none, quantiles, return_mode)
    import torch
    torch.cuda.synchronize()
    from .runtime.driver import driver
    cache = driver.active.get_empty_cache_for_benchmark()
    make = lambda: torch.cuda.Event(enable_timing=True)
    begin, end = make(), make()
    begin.record()
    for _ in range(5):
        cache.zero_()
        fn()
    end.record()
    torch.cuda.synchronize()
    estimate = builtins.max(begin.elapsed_time(end) / 5, 1e-4)
    for _ in range(builtins.max(1, int(warmup / estimate))):
        fn()
    count = builtins.max(1, int(rep / estimate))
    begins, ends = [make() for _ in range(count)], [make() for _ in range(count)]
    for i in range(count):
        for tensor in grad_to_none or ():
            tensor.grad = None
        cache.zero_()
        begins[i].record()
        fn()
        ends[i].record()
    torch.cuda.synchronize()
    return _summarize_statistics([b.elapsed_time(e) for b, e in zip(begins, ends)], quantiles, return_mode)


def _bench_on_host(fn, warmup, rep, grad_to_none, quantiles, return_mode):
    """By the host's clock, for devices that torch does not have, the interpreter among them."""
    place = _devices.get_default()

    def once():
        for tensor in grad_to_none or ():
            tensor.grad = None
        start = time.perf_counter()
        fn()
        _devices.wait(*place)
        return (time.perf_counter() - start) * 1e3

    estimate = once()
    if estimate < rep / 3:  # Another process may have had the processor.
        estimate = builtins.min(estimate, once(), once())
    estimate = builtins.max(estimate, 1e-4)
    for _ in range(int(warmup / estimate)):
        fn()
    times = [once() for _ in range(builtins.max(1, builtins.min(int(rep / estimate), 10000)))]
    return _summarize_statistics(times, quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of a call inside a CUDA graph, so that the host's time does not count."""
    _check_mode(return_mode)
    kind, _ = _devices.get_default()
    if not _devices.torch_has(kind):
        fn()
        return _bench_on_host(fn, 0, rep, grad_to_none, quantiles, return_mode)
    import torch
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
        make = lambda: torch.cuda.Event(enable_timing=True)

        def measure(graph):
            begin, end = make(), make()
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            return begin.elapsed_time(end)

        def capture(count):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(count):
                    for tensor in grad_to_none or ():
                        tensor.grad = None
                    fn()
            torch.cuda.synchronize()
            return graph

        graph = capture(1)
        estimate = builtins.max(statistics.median(measure(graph) for _ in range(5)), 1e-4)
        count = builtins.max(1, builtins.min(int(rep / estimate), 1000))
        graph = capture(count)
        times = [measure(graph) / count for _ in range(10)]
    return _summarize_statistics(times, quantiles, return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless two tensors or arrays agree: |x - y| <= atol + rtol * |y|, by default 1e-2 and 0."""
    import numpy as np
    torch = sys.modules.get("torch")

    def to_numpy(value):
        if torch is not None and isinstance(value, torch.Tensor):
            value = value.detach()
            if value.dtype == torch.bfloat16 or "float8" in str(value.dtype):
                value = value.float()
            value = value.cpu().numpy()
        return np.asarray(value)

    if torch is not None and not isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor):
        x = torch.tensor(x, device=y.device)
    x, y = to_numpy(x), to_numpy(y)
    if atol is None:
        atol = 1e-2
    if rtol is None:
        rtol = 0.0
    atol = atol(x.dtype) if callable(atol) else atol
    rtol = rtol(x.dtype) if callable(rtol) else rtol
    if x.size > 1 or y.size > 1:
        np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not np.allclose(x, y, atol=atol, rtol=rtol, equal_nan=True):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})")


class Benchmark:
    """A benchmark for `perf_report`: a function over values of x, one line for each provider."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False,
                 y_log=False, styles=None):
        self.x_names, self.x_vals = x_names, x_vals
        self.x_log, self.y_log = x_log, y_log
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.styles, self.xlabel, self.ylabel = styles, xlabel, ylabel
        self.plot_name, self.args = plot_name, args


class _Table:
    """Rows under column names; shown and written without pandas. Callers that request the data get
    pandas' DataFrame if pandas is installed."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def __getitem__(self, column):
        at = self.columns.index(column)
        return [row[at] for row in self.rows]

    def __len__(self):
        return len(self.rows)

    def __str__(self):
        show = lambda value: "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)
        cells = [["", *map(str, self.columns)]] + [[str(i), *map(show, row)] for i, row in enumerate(self.rows)]
        widths = [builtins.max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)

    def as_data_frame(self):
        try:
            import pandas
        except ImportError:
            return self
        return pandas.DataFrame(self.rows, columns=self.columns)

    def to_csv(self, path, float_format="%.6f", index=False):
        import csv
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            for row in self.rows:
                writer.writerow([float_format % value if isinstance(value, float) else "" if value is None else value
                                 for value in row])


# Matplotlib's backends that write files alone.
_WITHOUT_WINDOWS = frozenset("agg cairo pdf pgf ps svg template".split())


class Mark:
    """A function with its benchmarks."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        x_names = [bench.x_names] if isinstance(bench.x_names, str) else list(bench.x_names)
        lines = list(bench.line_names)
        rows, bounds = [], []
        for x in bench.x_vals:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(x_names)
            if len(values) != len(x_names):
                raise ValueError(f"{len(x_names)} names of x, but a value has {len(values)} parts: {x!r}")
            named = dict(zip(x_names, values))
            row, low, high = [], [], []
            for line in bench.line_vals:
                found = self.fn(**named, **{bench.line_arg: line}, **bench.args, **kwargs)
                mid, lower, upper = found if isinstance(found, (tuple, list)) else (found, None, None)
                row.append(None if mid is None else float(mid))
                low.append(lower)
                high.append(upper)
            rows.append(list(values) + row)
            bounds.append((low, high))
        columns = x_names + [f"{name} ({bench.ylabel})" for name in lines]
        if diff_col and len(lines) == 2:
            columns = columns + ["Diff"]
            rows = [row + [row[-1] - row[-2]] for row in rows]
        table = _Table(columns, rows)
        if bench.plot_name and (save_path or show_plots):
            self._plot(bench, x_names, lines, rows, bounds, save_path, show_plots)
        if print_data:
            print(bench.plot_name + ":")
            print(table)
        if save_path:
            table.to_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), f"%.{save_precision}f")
        return table

    def _plot(self, bench, x_names, lines, rows, bounds, save_path, show_plots):
        try:
            import matplotlib
        except ImportError:
            warnings.warn(f"'{bench.plot_name}' is not plotted: matplotlib was not found", stacklevel=4)
            return
        if not show_plots:
            matplotlib.use("Agg", force=False)
        import matplotlib.pyplot as plt
        try:
            figure = plt.figure()
        except Exception:  # A backend for windows was asked for, and there is no display: each has errors of its own.
            plt.switch_backend("Agg")
            figure = plt.figure()
        axes = figure.add_subplot(1, 1, 1)
        xs = [row[0] for row in rows]
        for i, name in enumerate(lines):
            style = bench.styles[i] if bench.styles else (None, None)
            points = [(x, row[len(x_names) + i]) for x, row in zip(xs, rows) if row[len(x_names) + i] is not None]
            axes.plot([x for x, _ in points], [y for _, y in points], label=name, color=style[0], ls=style[1])
            if all(low[i] is not None and high[i] is not None for low, high in bounds):
                axes.fill_between(xs, [low[i] for low, _ in bounds], [high[i] for _, high in bounds], alpha=0.15,
                                  color=style[0])
        axes.legend()
        axes.set_xlabel(bench.xlabel or x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        if save_path:
            figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
        if show_plots and matplotlib.get_backend().lower() in _WITHOUT_WINDOWS:
            self._save_shown(bench, figure, save_path)
        elif show_plots:
            plt.show()
        plt.close(figure)

    @staticmethod
    def _save_shown(bench, figure, save_path):
        """Without a display: writes the plot to a file, and prints its path."""
        name = f"{bench.plot_name}.png"
        path = os.path.abspath(os.path.join(save_path, name) if save_path else name.replace(os.sep, "_"))
        try:
            if not save_path:
                figure.savefig(path)
        except OSError:
            path = os.path.join(tempfile.mkdtemp(prefix="tilerun-"), os.path.basename(path))
            figure.savefig(path)
        print(f"tilerun: no display was found for the plot '{bench.plot_name}'; it is in {path}", file=sys.stderr)

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measures; prints tables, shows plots, and writes both below `save_path`."""
        several = isinstance(self.benchmarks, (list, tuple))
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        tables, pages = [], []
        for bench in self.benchmarks if several else [self.benchmarks]:
            tables.append(self._run(bench, save_path, show_plots, print_data, **kwargs))
            pages.append(f'<img src="{bench.plot_name}.png"/>\n')
        if save_path:
            with open(os.path.join(save_path, "results.html"), "w") as file:
                file.write("<html><body>\n" + "".join(pages) + "</body></html>\n")
        if return_df:
            frames = [table.as_data_frame() for table in tables]
            return frames if several else frames[0]
        return None


def perf_report(benchmarks):
    """Makes a function a benchmark: `.run(…)` measures it over what a Benchmark (or several) says."""
    return lambda fn: Mark(fn, benchmarks)


def get_dram_gbps(device=None):
    """The peak bandwidth of a GPU's memory, in GB/s: both edges of its clock, over the width of its
    bus."""
    from .runtime.driver import driver
    properties = driver.active.utils.get_device_properties(device)
    kilohertz, bits = properties["mem_clock_rate"], properties["mem_bus_width"]
    if not kilohertz or not bits:
        kind, index = _devices.get_default()
        raise UnsupportedError(f"the clock of the memory of {_devices.describe(kind, index)} is not known: "
                               + ("it is not a GPU" if kind == CPU else "it comes from torch, which is not imported or too old"))
    return 2 * kilohertz * 1e3 * bits / 8 / 1e9


def _count_operations(dtype, per_cycle, clock_rate, device):
    word = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    found = next((count for words, count in per_cycle.items() if word in words.split()), None)
    if found is None:
        raise RuntimeError(f"nothing is known of {dtype}; known dtypes are {', '.join(per_cycle).replace(' ', ', ')}")
    kind, current = _devices.get_default()
    units = _devices.get_property(kind, current if device is None else device, "units") or 1
    # The clock is in kHz.
    return units * 4 * found * clock_rate * 1e3 / 1e12


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """The peak rate of sm_80's matrix units at a clock in kHz, in 10^12 operations a second."""
    return _count_operations(dtype, {"float32 fp32 int32": 256, "float16 fp16 bfloat16 bf16 int16": 512,
                                     "int8 fp8e4nv fp8e4b15 fp8e5": 1024}, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The same for the scalar units, as Triton counts them: 16 lanes, a multiplication and an
    addition each."""
    return _count_operations(dtype, {"float32 fp32": 32, "float16 fp16 bfloat16 bf16": 64}, clock_rate, device)


def nvsmi(attributes):
    """Numbers that nvidia-smi reports, in the order of the attributes."""
    import subprocess
    text = subprocess.check_output(["nvidia-smi", "-i", "0", f"--query-gpu={','.join(attributes)}",
                                    "--format=csv,noheader,nounits"])
    return [int(word) for word in text.decode().strip().split(",")]


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """The device's clocks are left unchanged here: gives the rates at the reference clocks."""
    yield 2 * 4 * ref_sm_clock * 1e-3, 2 * ref_mem_clock * 1e-3


def cuda_memcheck(**target_kwargs):
    """A decorator of tests that Triton runs again under a memory checker; here they run as they are."""
    return lambda test: functools.wraps(test)(lambda *args, **kwargs: test(*args, **kwargs))


def synchronize():
    _native.synchronize(*_devices.get_default())

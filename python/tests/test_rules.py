"""Rules of docs/language.md that are about launches; the kernels of tests/language quote the others."""

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


@triton.jit
def mark(out, WIDTH: tl.constexpr):
    at = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    tl.store(out + at * WIDTH + tl.arange(0, WIDTH), at + 1)


@triton.jit
def say(n):
    tl.device_print("n is", n + tl.program_id(0))


def marked(programs, width, size):
    """What `mark` leaves in zeros."""
    return np.pad(np.repeat(np.arange(1, programs + 1), width), (0, size - programs * width)).tolist()


def test_launch_options():
    """
    A6: A kernel is launched with
    `kernel[grid](args…, META=…, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None)`.
    """
    for options in ({}, {"num_warps": 8}, {"num_stages": 1}, {"num_ctas": 1}, {"maxnreg": 128}, {"maxnreg": None},
                    {"num_warps": 2, "num_stages": 4, "num_ctas": 1, "maxnreg": None}):
        out = np.zeros(16, np.int32)
        mark[(2, )](out, WIDTH=4, **options)
        assert out.tolist() == marked(2, 4, 16)
    out = np.zeros(16, np.int32)
    compiled = mark[(1, )](out, WIDTH=4)
    assert (compiled.metadata.num_warps, compiled.metadata.num_stages, compiled.metadata.num_ctas) == (4, 3, 1)


@pytest.mark.parametrize("grid,programs", [((3, ), 3), ((3, 2), 6), ((1, 2, 3), 6), ([2, 2], 4),
                                           (lambda meta: (meta["WIDTH"], ), 4),
                                           (lambda meta: (triton.cdiv(13, meta["WIDTH"]), 1, 1), 4)])
def test_grids(grid, programs):
    """A7: A grid has 1 to 3 dimensions, or is a function of the meta-parameters that gives them."""
    out = np.zeros(32, np.int32)
    mark[grid](out, WIDTH=4)
    assert out.tolist() == marked(programs, 4, 32)


@pytest.mark.parametrize("grid", [(), (1, 1, 1, 1), lambda meta: ()])
def test_wrong_grids(grid):
    """A7: A grid has 1 to 3 dimensions"""
    with pytest.raises(ValueError, match="one to three axes"):
        mark[grid](np.zeros(32, np.int32), WIDTH=4)


def test_hooks():
    """A8: Hooks for the enter and the exit of a launch are called around it."""
    out = np.zeros(4, np.int32)
    calls = []
    triton.knobs.runtime.launch_enter_hook = lambda metadata: calls.append(("enter", metadata.get()["name"], out[0]))
    triton.knobs.runtime.launch_exit_hook = lambda metadata: calls.append(("exit", metadata.get()["name"], out[0]))
    try:
        mark[(1, )](out, WIDTH=4)
    finally:
        triton.knobs.runtime.launch_enter_hook = triton.knobs.runtime.launch_exit_hook = None
    assert calls == [("enter", "mark", 0), ("exit", "mark", 1)]


def test_autotune():
    """
    A9: `@triton.autotune` takes `configs`, `key`, `prune_configs_by`, `reset_to_zero`, `restore_value`, `pre_hook`,
    `post_hook`, `warmup`, `rep`, `use_cuda_graph`, `do_bench` and `cache_results`.
    """
    calls = []
    prune = {"early_config_prune": lambda configs, named, **options: [c for c in configs if c.kwargs["WIDTH"] < 8]}
    tuned = triton.autotune(configs=[triton.Config({"WIDTH": width}) for width in (1, 4, 8)], key=[],
                            prune_configs_by=prune, reset_to_zero=["out"], restore_value=None,
                            pre_hook=lambda *_, **__: calls.append("pre"), post_hook=lambda *_, **__: calls.append("post"),
                            warmup=None, rep=None, use_cuda_graph=False, cache_results=False,
                            do_bench=lambda call, quantiles: (call(), [float(calls.count("pre"))] * 3)[1])(mark)
    out = np.full(8, 9, np.int32)
    tuned[(1, )](out)
    assert tuned.best_config.kwargs["WIDTH"] in (1, 4) and calls.count("pre") >= 2 and calls.count("post") >= 2
    width = tuned.best_config.kwargs["WIDTH"]
    assert out.tolist() == marked(1, width, 8)


def test_configurations():
    """A11: `triton.Config` takes meta-parameters, `num_warps`, `num_stages`, `num_ctas`, `maxnreg` and `pre_hook`."""
    calls = []
    config = triton.Config({"WIDTH": 4}, num_warps=2, num_stages=4, num_ctas=1, maxnreg=64,
                           pre_hook=lambda arguments: calls.append(arguments["WIDTH"]))
    out = np.zeros(8, np.int32)
    compiled = triton.autotune([config], key=[])(mark)[(2, )](out)
    assert out.tolist() == marked(2, 4, 8) and calls == [4]
    metadata = compiled.metadata
    assert (metadata.num_warps, metadata.num_stages, metadata.num_ctas, metadata.maxnreg) == (2, 4, 1, 64)


def test_heuristics():
    """A10: `@triton.heuristics` computes meta-parameters from the arguments."""

    @triton.heuristics({"WIDTH": lambda args: triton.next_power_of_2(args["n"])})
    @triton.jit
    def kernel(out, n, WIDTH: tl.constexpr):
        tl.store(out + tl.arange(0, WIDTH), n)

    out = np.zeros(8, np.int32)
    kernel[(1, )](out, 3)
    assert out.tolist() == [3] * 4 + [0] * 4


def test_knobs_of_other_targets():
    """
    A12: The knobs of AMD GPUs in configurations (`waves_per_eu`, `matrix_instr_nonkdim`, `kpack`) are accepted everywhere
    and used on their own target.
    """
    tuned = triton.autotune([triton.Config({"WIDTH": 4, "waves_per_eu": 2, "matrix_instr_nonkdim": 16, "kpack": 2})],
                            key=[])(mark)
    out = np.zeros(8, np.int32)
    tuned[(2, )](out)
    assert out.tolist() == marked(2, 4, 8)


def test_device_print(capfd):
    """H3: `tl.device_print` prints the values of each program after its text and a colon"""
    say[(2, )](5)
    printed = capfd.readouterr()
    lines = sorted(line for line in (printed.out + printed.err).splitlines() if "n is" in line)
    assert lines == ["pid (0, 0, 0) idx () n is: 5", "pid (1, 0, 0) idx () n is: 6"]

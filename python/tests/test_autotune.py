"""Autotuning and heuristics: the library's engine, driven by Triton's decorators."""

import sys
import types

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _devices, _memory, _native, errors


@pytest.fixture(autouse=True)
def measured(knobs, monkeypatch):
    """These tests measure on the interpreter, which happens only on request."""
    knobs.interpreter.autotune = True
    monkeypatch.setenv("TILERUN_INTERPRETER_AUTOTUNE", "1")


CONFIGS = [triton.Config({"BLOCK": 16}, num_warps=1), triton.Config({"BLOCK": 64}, num_warps=2)]


def make(configs=CONFIGS, key=("n", ), **options):

    @triton.autotune(configs=list(configs), key=list(key), warmup=1, rep=2, **options)
    @triton.jit
    def tuned(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(out + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)

    return tuned


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]), )


def arrays(n=100):
    return np.ones(n, np.float32), np.zeros(n, np.float32)


def test_reset_to_zero():
    kernel = make(reset_to_zero=["out"])
    x, out = arrays()
    out += 5
    for launches in (1, 2, 3):  # Results of measuring are reset, those of earlier launches are not, as in Triton.
        kernel[grid](x, out, 100)
        np.testing.assert_array_equal(out, launches)
    kernel[grid](x, out, n=100)
    np.testing.assert_array_equal(out, 4)
    single = make(CONFIGS[:1], reset_to_zero=["out"])
    single[grid](x, out, 100)  # Nothing is measured.
    np.testing.assert_array_equal(out, 5)
    assert kernel.best_config in CONFIGS and set(kernel.configs_timings) <= set(CONFIGS)


def test_restore_value():
    kernel = make(restore_value=["out"])
    x, out = arrays()
    out += 5
    kernel[grid](x, out, 100)
    np.testing.assert_array_equal(out, 6)
    kernel[grid](x, out, 100)
    np.testing.assert_array_equal(out, 7)


def test_restoring_a_view_leaves_the_rest():
    kernel = make(restore_value=["out"])
    base = np.arange(300, dtype=np.float32)
    kernel[grid](np.ones(100, np.float32), base[100:200], 100)
    expected = np.arange(300, dtype=np.float32)
    expected[100:200] += 1
    np.testing.assert_array_equal(base, expected)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    kernel = make(reset_to_zero=["out"])
    x, out = torch.ones(100), torch.full((100, ), 9.0)
    kernel[grid](x, out, 100)
    assert torch.equal(out, x)


def test_key():
    kernel = make(reset_to_zero=["out"])
    for n in (100, 50, 100):
        kernel[grid](*arrays(n), n)
    assert len(kernel.cache) == 2
    kernel[grid](np.ones(100, np.float16), np.zeros(100, np.float16), 100)
    assert len(kernel.cache) == 3  # Types count.


def test_warm_launches_and_an_emptied_cache():
    asked = []

    def prune(configs, named, **kwargs):
        asked.append(named["n"])
        return configs

    kernel = make(prune_configs_by={"early_config_prune": prune})
    x, out = arrays()
    for _ in range(3):
        kernel[grid](x, out, 100)
    assert asked == [100]
    kernel.cache.clear()
    kernel[grid](x, out, 100)
    kernel[grid](x, out, n=100)
    assert asked == [100, 100]
    before = out.copy()
    kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]), )](x, out, 100)
    np.testing.assert_array_equal(out, before + 1)


def test_failing_configurations_are_skipped(capfd):
    configs = [triton.Config({"BLOCK": 1 << 21}), triton.Config({"BLOCK": 32}, num_warps=3), *CONFIGS]
    kernel = make(configs, reset_to_zero=["out"])
    x, out = arrays()
    kernel[grid](x, out, 100)
    np.testing.assert_array_equal(out, 1)
    assert kernel.best_config in CONFIGS
    told = capfd.readouterr().err
    assert "configuration skipped (BLOCK: 2097152" in told and "more than 1048576" in told
    assert "num_warps: 3" in told


def test_none_works():
    kernel = make([triton.Config({"BLOCK": 1 << 21}), triton.Config({"BLOCK": 1 << 22})])
    with pytest.raises(triton.CompilationError, match="(?s)none of 2 configurations works; the first one: .*2097152 elements"):
        kernel[grid](*arrays(), 100)


def test_prune():
    seen = {}

    def early(configs, named, **kwargs):
        seen.update(named=dict(named), by_name=kwargs)
        return [c for c in configs if c.kwargs["BLOCK"] > 16]

    kernel = make(prune_configs_by={"early_config_prune": early})
    kernel[grid](*arrays(), 100)
    assert kernel.best_config is CONFIGS[1] and seen["named"]["n"] == 100 and not kernel.configs_timings

    kernel = make(prune_configs_by={"early_config_prune": early})
    x, out = arrays()
    kernel[grid](x, n=100, out=out)
    assert set(seen["named"]) == {"x"} and seen["by_name"]["n"] == 100 and set(seen["by_name"]) >= {"n", "out"}

    asked = []

    def model(**meta):
        asked.append(meta["BLOCK"])
        return meta["BLOCK"]

    kernel = make(prune_configs_by={"perf_model": model, "top_k": 1})
    kernel[grid](*arrays(), 100)
    assert kernel.best_config is CONFIGS[0] and sorted(asked) == [16, 64]
    kernel = make(prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: []})
    with pytest.raises(tilerun_error(), match="No valid autotuner configs"):
        kernel[grid](*arrays(), 100)


def tilerun_error():
    return errors.TilerunError


def test_hooks():
    calls = []
    configs = [triton.Config({"BLOCK": b}, pre_hook=lambda meta: calls.append(("config", meta["BLOCK"]))) for b in (16, 64)]
    kernel = make(configs, reset_to_zero=["out"], pre_hook=lambda meta, reset_only=False: calls.append("pre"),
                  post_hook=lambda meta, exception: calls.append("post"))
    x, out = arrays()
    kernel[grid](x, out, 100)
    np.testing.assert_array_equal(out, 1)
    assert ("config", 16) in calls and ("config", 64) in calls and "pre" in calls and "post" in calls
    calls.clear()
    kernel[grid](x, out, 100)
    assert [c for c in calls if c[0] == "config"] == [("config", kernel.best_config.kwargs["BLOCK"])]


def test_errors_of_hooks_pass():

    def hook(meta):
        raise KeyError("mine")

    kernel = make([triton.Config({"BLOCK": 16}, pre_hook=hook), triton.Config({"BLOCK": 32}, pre_hook=hook)])
    with pytest.raises(KeyError, match="mine"):
        kernel[grid](*arrays(), 100)


def test_do_bench_of_the_caller():
    asked = []

    def bench(call, quantiles):
        call()
        asked.append(quantiles)
        return [float(len(asked)), 0.0, 0.0]

    kernel = make(do_bench=bench, reset_to_zero=["out"])
    kernel[grid](*arrays(), 100)
    assert len(asked) == 2 and kernel.best_config is CONFIGS[0]


def test_one_configuration_is_not_measured():
    kernel = make(CONFIGS[:1])
    kernel[grid](*arrays(), 100)
    assert kernel.best_config is CONFIGS[0] and not kernel.cache


@pytest.mark.parametrize("configs", [None, [], ()])
def test_no_configurations(configs):
    """The kernel's own defaults are launched, as in Triton."""

    @triton.autotune(configs=configs, key=[])
    @triton.jit
    def plain(out):
        tl.store(out, 3.0)

    out = np.zeros(1, np.float32)
    plain[(1, )](out)
    assert out[0] == 3 and len(plain.configs) == 1


def test_unknown_parameters():
    """A stale name in a key is left out, as Triton does; elsewhere it is a mistake."""
    with pytest.warns(UserWarning, match="the key names 'm', which are not parameters; known are x, out, n, BLOCK"):
        kernel = make(key=["m", "n"])
    x, out = arrays()
    kernel[grid](x, out, 100)
    kernel[grid](x, out, 100)
    assert len(kernel.cache) == 1
    with pytest.raises(ValueError, match="unknown parameter 'm'"):
        make(restore_value=["m"])


def test_meta_parameters_cannot_be_passed_twice():
    kernel = make()
    kernel[grid](*arrays(), 100)
    assert kernel.warmup(*arrays(), 100, grid=(1, ))
    for call in (lambda k: k[grid](*arrays(), 100, BLOCK=16), lambda k: k.run(*arrays(), 100, 16, grid=grid)):
        with pytest.raises(ValueError, match="^Conflicting meta-parameters: BLOCK.*parameter 'BLOCK' is passed, but the configurations .* choose it"):
            call(make())
    with pytest.raises(ValueError, match="'BLOCK' is passed"):
        make(CONFIGS[:1])[grid](*arrays(), 100, BLOCK=16)


def test_empty_grids_choose_nothing():
    kernel = make(key=(), reset_to_zero=["out"])
    x, out = arrays()
    empty = np.zeros(0, np.float32)
    for _ in range(2):
        kernel[grid](empty, empty, 0)
        assert not kernel.cache and kernel.configs_timings == {}
    kernel[grid](x, out, 100)
    assert (out == 1).all() and len(kernel.cache) == 1 and kernel.configs_timings
    kernel[grid](empty, empty, 0)


def test_wrong_decorators():
    plain = make().fn
    for wrong, message in ((lambda: triton.autotune(CONFIGS, key=[])(plain.fn), "@triton.autotune decorates a kernel, not <func"),
                           (lambda: triton.heuristics({})(plain.fn), "@triton.heuristics decorates a kernel"),
                           (lambda: triton.autotune(CONFIGS[0], key=[])(plain), "a list of configurations is expected"),
                           (lambda: triton.autotune([{"BLOCK": 16}], key=[])(plain), "{'BLOCK': 16} is not a triton.Config"),
                           (lambda: triton.Config("BLOCK"), "begins with a dict of meta-parameters, not 'BLOCK'")):
        with pytest.raises(TypeError, match=message):
            wrong()
    assert triton.autotune(CONFIGS, key="n")(plain).keys == ["n"]


def test_a_subclass_that_chooses_by_itself():
    """Subclasses as in libraries of kernels: with the base class's own pruning, measuring and
    resetting."""
    calls = []

    class Tuner(triton.runtime.Autotuner):
        def run(self, *args, **kwargs):
            calls.append("run")
            self.nargs = dict(zip(self.arg_names, args))
            key = self.nargs["n"]
            if key not in self.cache:
                timings = {config: self._bench(*args, config=config, **kwargs) for config in self.prune_configs(kwargs)}
                self.cache[key] = min(timings, key=timings.get)
                self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
                self.configs_timings = timings
            self.best_config = self.cache[key]
            return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())

    plain = make().fn
    configs = [*CONFIGS, triton.Config({"BLOCK": 64}, num_warps=3)]
    tuner = Tuner(plain, plain.arg_names, configs, ["n"], ["out"], None, None, None,
                  {"early_config_prune": lambda configs, named, **kwargs: (calls.append(sorted(named)), configs)[1]}, 1, 1)
    x, out = arrays()
    for launches in (1, 2):
        tuner[grid](x, out, 100)
        np.testing.assert_array_equal(out, launches)
    assert calls == ["run", ["n", "out", "x"], "run"]
    assert tuner.configs_timings[configs[-1]] == [float("inf")] * 3 and tuner.best_config in CONFIGS


def test_heuristics_above_and_below():
    values = {"EVEN": lambda args: args["n"] % args["BLOCK"] == 0, "HALF": lambda args: args["BLOCK"] // 2}

    @triton.autotune(configs=CONFIGS, key=["n"], warmup=1, rep=1)
    @triton.heuristics(values)
    @triton.jit
    def below(out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, HALF: tl.constexpr):
        tl.store(out, EVEN)
        tl.store(out + 1, HALF * 2 == BLOCK)

    out = np.zeros(2, np.int32)
    below[(1, )](out, 64)
    assert out.tolist() == [1, 1]

    @triton.heuristics({"TWICE": lambda args: args["n"] * 2})
    @triton.jit
    def alone(out, n, TWICE: tl.constexpr):
        tl.store(out, TWICE)

    alone[(1, )](out, 21)
    assert out[0] == 42
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        alone(out, 21)


@pytest.mark.parametrize("interpret", [False, True])
def test_on_the_interpreter_the_first_is_taken(knobs, interpret):
    knobs.runtime.interpret, knobs.interpreter.autotune = interpret, False
    pruned = []

    def prune(configs, arguments, **_):
        pruned.append(arguments["n"])
        return configs[::-1]

    for options, first in (({}, CONFIGS[0]), ({"prune_configs_by": {"early_config_prune": prune}}, CONFIGS[1])):
        kernel = make(reset_to_zero=["out"], **options)
        x, out = arrays()
        kernel[grid](x, out, 100)
        kernel[grid](x, out, n=100)
        np.testing.assert_array_equal(out, 2)
        assert kernel.best_config is first and kernel.configs_timings is None
    assert pruned == [100]
    torch = pytest.importorskip("torch")
    x, out = torch.ones(100), torch.zeros(100)
    kernel[grid](x, out, 100)
    assert out.sum() == 100 and kernel.configs_timings is None


def test_on_the_interpreter_the_first_is_taken_whatever_has_the_memory(knobs):
    from tilerun.triton.tools.tensor_descriptor import TensorDescriptor
    knobs.interpreter.autotune = False

    @triton.autotune([triton.Config({"B": 8}), triton.Config({"B": 16})], key=[])
    @triton.jit
    def kernel(x, n, B: tl.constexpr):
        pass

    x = np.zeros((8, 8), np.float32)
    for argument in (x, (1, (x, None)), TensorDescriptor.from_tensor(x, [4, 4]), 5, None, memoryview(x)):
        kernel.cache.clear()
        try:
            kernel[(1, )](argument, 3)
        except TypeError:
            assert isinstance(argument, memoryview)
        assert kernel.best_config.kwargs["B"] == 8 and kernel.configs_timings is None


@pytest.mark.parametrize("module", ["numpy", "torch"])
def test_bounds_are_checked_while_it_is_measured(knobs, module):
    library = pytest.importorskip(module)

    @triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 16})], key=[], warmup=1, rep=1)
    @triton.jit
    def kernel(x, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, 1.0)

    whole = library.zeros(256, dtype=library.float32)
    tensor = library.zeros(112, dtype=library.float32)
    kernel[(7, )](tensor)
    assert kernel.best_config.kwargs["BLOCK"] == 16 and tensor.sum() == 112
    kernel.cache.clear()
    with pytest.raises(errors.TilerunError, match=r"none of 2 configurations works; the first one: .*: write of 4 bytes at "
                       r"'x'\[112\], outside of its shape \[112\]; is a mask missing\?"):
        kernel[(8, )](tensor)
    knobs.interpreter.bounds_checks = False
    kernel.cache.clear()
    kernel[(2, )](whole)
    assert all(time is not None for time in kernel.configs_timings.values())


def test_on_a_gpu_it_is_measured(run_on_fake_cuda):
    lines = run_on_fake_cuda("""
import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _memory, _native
from tilerun._memory import Pointer

@triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=[], warmup=1, rep=1)
@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)

_native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
kernel[(1, )](Pointer(_native.allocate(_memory.CUDA, 0, 4096), "i32", _memory.CUDA, 0))
print(len(kernel.configs_timings))
""")
    assert lines == ["2"]


def test_config():
    config = triton.Config({"BLOCK": 16}, num_warps=8, maxnreg=64)
    assert config.all_kwargs() == {"BLOCK": 16, "num_warps": 8, "num_stages": 3, "num_ctas": 1, "maxnreg": 64}
    assert "BLOCK: 16" in str(config) and config == triton.Config({"BLOCK": 16}, num_warps=8, maxnreg=64)
    assert hash(config) == hash(triton.Config({"BLOCK": 16}, num_warps=8, maxnreg=64)) and config != CONFIGS[0]


def test_in_interpreter_mode_times_are_taken_on_demand(knobs):
    knobs.runtime.interpret, knobs.interpreter.autotune = True, False
    asked = []

    def bench(call, quantiles):
        call()
        asked.append(1)
        return [2.0 - len(asked)] * 3

    kernel = make(reset_to_zero=["out"], do_bench=bench)
    x, out = arrays()
    kernel[grid](x, out, 100)
    assert len(asked) == 2 and kernel.best_config == CONFIGS[1]
    np.testing.assert_array_equal(out, 1)
    knobs.interpreter.autotune = True
    kernel = make(reset_to_zero=["out"])
    kernel[grid](x, out, 100)
    assert set(kernel.configs_timings) == set(CONFIGS)
    np.testing.assert_array_equal(out, 1)


def test_memory_is_restored_around_a_bench_of_the_callers():
    kernel = make(restore_value=["out"], do_bench=lambda call, quantiles: [call(), call(), 1.0][2:] * 3)
    x, out = arrays()
    out += 5
    kernel[grid](x, out, 100)
    np.testing.assert_array_equal(out, 6)
    torch = pytest.importorskip("torch")
    x, out = torch.ones(100), torch.full((100, ), 5.0)
    kernel[grid](x, out, 100)
    assert torch.equal(out, torch.full((100, ), 6.0))


def test_what_is_measured_has_the_options_of_the_launch(monkeypatch):
    """enable_fp_fusion and sanitize_overflow, which change the code, of configurations and of the call."""
    measured, tune = [], _native.tune

    def note(kind, index, ways, *rest):
        measured.extend(options for _, _, _, options in ways)
        return tune(kind, index, ways, *rest)

    monkeypatch.setattr(_native, "tune", note)
    rounded = (("fp-fusion", "false"), )
    kernel = make([triton.Config({"BLOCK": 16, "enable_fp_fusion": fused}) for fused in (True, False)])
    kernel[grid](*arrays(), 100)
    assert [options[6:] for options in measured] == [(), (rounded, )]
    measured.clear()
    make()[grid](*arrays(), 100, enable_fp_fusion=False)
    assert [options[6:] for options in measured] == [(rounded, )] * 2
    measured.clear()
    make()[grid](*arrays(), 100, debug=True, sanitize_overflow=False)
    assert [options[4] for options in measured] == [2, 2]  # With assertions, without checks of overflow.


def test_hooks_of_configurations_set_the_blocks_of_descriptors():
    from tilerun.triton.tools.tensor_descriptor import TensorDescriptor

    def set_block(named):
        named["x"].block_shape = named["out"].block_shape = [named["BLOCK"], named["BLOCK"]]

    @triton.autotune([triton.Config({"BLOCK": n}, pre_hook=set_block) for n in (4, 8, 16)], key=["WIDTH"], warmup=1, rep=2)
    @triton.jit
    def transpose(x, out, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
        tl.static_assert(x.block_shape[0] == BLOCK)
        i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
        out.store([j, i], x.load([i, j]).T)

    x, out = np.random.rand(16, 16).astype(np.float32), np.zeros((16, 16), np.float32)
    descriptors = [TensorDescriptor.from_tensor(a, [1, 1]) for a in (x, out)]
    for _ in range(2):
        out[:] = 0
        transpose[lambda meta: (16 // meta["BLOCK"], 16 // meta["BLOCK"])](*descriptors, WIDTH=16)
        np.testing.assert_array_equal(out, x.T)
    assert transpose.best_config in transpose.configs_timings


def test_configurations_that_are_refused_are_skipped(capfd):
    """Also before the library sees them: options that no launch has, negative grids."""

    def steps(meta):
        return (triton.cdiv(meta["n"], meta["BLOCK"]) if meta["BLOCK"] != 16 else -1, )

    kernel = make([triton.Config({"BLOCK": 64}, num_warps=0), triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})])
    x, out = arrays()
    kernel[steps](x, out, 100)
    assert kernel.best_config.kwargs["BLOCK"] == 32
    told = capfd.readouterr().err
    assert "configuration skipped (BLOCK: 64, num_warps: 0" in told and "num_warps is 0; it must be positive" in told
    assert "configuration skipped (BLOCK: 16" in told and "the grid is (-1,)" in told
    kernel = make([triton.Config({"BLOCK": 64}, num_warps=0), triton.Config({"BLOCK": 32}, num_warps=-2)])
    with pytest.raises(ValueError, match="num_warps is 0"):
        kernel[grid](x, out, 100)
    assert kernel.nargs is None


def test_post_hooks_hear_of_failures():
    heard = []
    kernel = make([triton.Config({"BLOCK": 1 << 30}), triton.Config({"BLOCK": 64})],
                  post_hook=lambda meta, exception: heard.append((meta["BLOCK"], type(exception))))
    kernel[grid](*arrays(), 100)
    assert (1 << 30, errors.CompilationError) in heard and (64, type(None)) in heard and (1 << 30, type(None)) not in heard


@pytest.mark.parametrize("options,message", [
    (dict(do_bench=lambda call, quantiles: None), "do_bench of 'tuned' gave None"),
    (dict(do_bench=lambda call, quantiles: []), r"do_bench of 'tuned' gave \[\]"),
    (dict(prune_configs_by={"early_config_prune": lambda *a, **k: None}), "early_config_prune of 'tuned' gave None"),
    (dict(prune_configs_by={"perf_model": lambda **k: 1, "top_k": 0}), "top_k is 0"),
    (dict(prune_configs_by={"perf_model": lambda **k: 1, "top_k": 1.5}), "top_k is 1.5"),
])
def test_answers_that_are_none(options, message):
    with pytest.raises(TypeError, match=message):
        make(**options)[grid](*arrays(), 100)


def test_nothing_is_measured_while_a_graph_is_captured(monkeypatch):
    kernel = make()
    x, out = arrays()
    monkeypatch.setattr(_devices, "is_captured", lambda kind: True)
    with pytest.raises(triton.runtime.AutotunerError, match="autotune of 'tuned': 2 configurations are to be measured, but the current "
                       "stream is captured into a CUDA graph, .*; launch the kernel once .* before the capture begins"):
        kernel[grid](x, out, 100)
    assert not kernel.cache and kernel.nargs is None and not out.any()
    monkeypatch.undo()
    kernel[grid](x, out, 100)
    monkeypatch.setattr(_devices, "is_captured", lambda kind: True)
    out[:] = 0
    kernel[grid](x, out, n=100)  # Of a key whose choice is known.
    np.testing.assert_array_equal(out, 1)
    with pytest.raises(triton.runtime.AutotunerError):
        kernel[grid](*arrays(50), 50)
    make(CONFIGS[:1])[grid](x, out, 100)  # Nothing to choose.
    np.testing.assert_array_equal(out, 2)


def test_what_is_captured_is_what_torch_says(monkeypatch):
    said = types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda: True, is_current_stream_capturing=lambda: True))
    monkeypatch.setitem(sys.modules, "torch", said)
    monkeypatch.setattr(_memory, "get_torch_kind", lambda: _memory.CUDA)
    assert _devices.is_captured(_memory.CUDA) and not _devices.is_captured(_memory.CPU) and not _devices.is_captured(_memory.VULKAN)


def test_times_of_a_bench_of_the_callers_are_kept_as_it_gave_them():
    given = iter([[3.0, 2.0, 4.0], [1.0, 0.5, 2.0]])
    kernel = make(CONFIGS[:2], do_bench=lambda call, quantiles: (call(), next(given))[1])
    kernel[grid](*arrays(), 100)
    assert list(kernel.configs_timings.values()) == [[3.0, 2.0, 4.0], [1.0, 0.5, 2.0]] and kernel.best_config == CONFIGS[1]

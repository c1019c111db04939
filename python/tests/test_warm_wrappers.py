"""Warm launches of autotuned kernels and through heuristics, which are the native module's: they do what the package's own
code (`_run_slowly`) would do, which takes only the first launch of each kind and those that are not plain."""

import gc
import linecache
import weakref

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors
from tilerun.triton.runtime.autotuner import Autotuner
from tilerun.triton.runtime.jit import JITFunction


@pytest.fixture
def slow(monkeypatch):
    """The launches that the package's code takes: the names of their classes, in order."""
    taken = []
    for kind in (triton.runtime.Autotuner, triton.runtime.Heuristics):
        plain = kind._run_slowly

        def note(self, *args, plain=plain, kind=kind, **kwargs):
            taken.append(kind.__name__)
            return plain(self, *args, **kwargs)

        monkeypatch.setattr(kind, "_run_slowly", note)
    return taken


def make_configs(**options):
    return [triton.Config({"BLOCK": block}, **options) for block in (16, 64)]


def make(configs=None, key=("n", ), **options):
    """Takes the second configuration: on the interpreter nothing is measured."""

    @triton.autotune(make_configs() if configs is None else configs, key=list(key),
                     prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: configs[::-1]}, **options)
    @triton.jit
    def tuned(x, out, n, scale=2, BLOCK: tl.constexpr = 1):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * scale + BLOCK, mask=i < n)

    return tuned


def arrays(n=100, dtype=np.float32):
    return np.ones(n, dtype), np.zeros(n, dtype)


def count_programs(meta):
    assert list(meta) == ["x", "out", "n", "scale", "BLOCK"]
    return (triton.cdiv(meta["n"], meta["BLOCK"]), )


LAUNCHES = {
    "by place": lambda kernel, x, out, n: kernel[count_programs](x, out, n),
    "by name": lambda kernel, x, out, n: kernel[count_programs](x=x, out=out, n=n),
    "mixed": lambda kernel, x, out, n: kernel[count_programs](x, n=n, out=out),
    "names of a dict": lambda kernel, x, out, n: kernel[count_programs](x, **{"out": out, "n": n}),
    "option": lambda kernel, x, out, n: kernel[count_programs](x, out, n, debug=True),
    "run": lambda kernel, x, out, n: kernel.run(x, out, n, grid=count_programs, warmup=False),
    "run by name": lambda kernel, x, out, n: kernel.run(grid=count_programs, n=n, x=x, out=out),
}


@pytest.mark.parametrize("how", LAUNCHES)
@pytest.mark.parametrize("number", [1, 2])
def test_only_the_first_launch_is_slow(slow, how, number):
    kernel = make(make_configs()[:number])
    best = kernel.configs[-1]
    for n in (100, 100, 100, 50, 100, 50):
        x, out = arrays(n)
        compiled = LAUNCHES[how](kernel, x, out, n)
        np.testing.assert_array_equal(out, 2 + best.kwargs["BLOCK"])
        assert compiled.num_warps == best.num_warps and kernel.best_config is best and kernel.nargs is None
    assert slow == ["Autotuner"] * number  # A key for each size, where there is something to choose.


def test_configurations_of_fused_products(slow):
    """enable_fp_fusion=True is what native launches do; False, and a default of False, are left to the package's code."""
    launch = lambda kernel: kernel[(1, )](*arrays(16), 16).metadata.enable_fp_fusion
    fused, rounded = (make([triton.Config({"BLOCK": 16, "enable_fp_fusion": is_fused})]) for is_fused in (True, False))
    assert [launch(fused) for _ in range(4)] == [True] * 4 and slow == ["Autotuner"]
    assert [launch(rounded) for _ in range(2)] == [False] * 2
    with triton.knobs.language.scope():
        triton.knobs.language.default_fp_fusion = False
        assert launch(fused) and not launch(rounded)
    assert launch(fused) and slow == ["Autotuner"] * 5


def test_ways_to_launch_have_the_same_choice(slow):
    kernel = make()
    for launch in LAUNCHES.values():
        for _ in range(2):
            launch(kernel, *arrays(), 100)
    assert slow == ["Autotuner"] and len(kernel.cache) == 1


@pytest.mark.filterwarnings("ignore:.*the key names 'stale'")
@pytest.mark.parametrize("values", [
    (1, 2), (1, True), (1, 1.0), (0.0, -0.0), ("a", "b"), ("a", None), (1 << 40, (1 << 40) + 1), (tl.float32, tl.float16),
    (2**63, 2**63 - 1), (2**64 - 1, -1), ("", 0)])
def test_keys_are_those_of_the_package(slow, values):
    """The cache has as many keys as Python says that the values are different. A stale name is in none."""


    @triton.autotune(make_configs(), key=["mode", "stale", "absent"])
    @triton.jit
    def kernel(out, mode: tl.constexpr, absent=0, BLOCK: tl.constexpr = 1):
        tl.store(out, BLOCK)

    out = np.zeros(1, np.int32)
    for value in values * 3:
        out[:] = 0
        kernel[(1, )](out, value)
        assert out[0] == 16
    assert {key[0] for key in kernel.cache} == {value if isinstance(value, (int, float, str, type(None))) else str(value)
                                                for value in values}
    assert len(slow) == 2
    kernel[(1, )](out, values[0], 0)  # Now the key has the value of `absent`, too.
    assert len(slow) == 3


def test_types_of_tensors_are_in_the_key(slow):
    kernel = make()
    for dtype in (np.float32, np.float16, np.int32, np.float32, np.float16, np.int32):
        x, out = arrays(100, dtype)
        kernel[count_programs](x, out, 100)
        np.testing.assert_array_equal(out, 66)
    assert len(slow) == len(kernel.cache) == 3
    torch = pytest.importorskip("torch")
    for _ in range(2):
        kernel[count_programs](torch.ones(100), torch.zeros(100), 100)
    assert len(slow) == len(kernel.cache) == 4  # torch.float32 is another text than float32.


def test_caches_that_the_caller_changes(slow):
    kernel = make()
    launch = lambda: (kernel[count_programs](*arrays(), 100), kernel.best_config)[1]
    first, second = kernel.configs
    assert [launch(), launch()] == [second, second] and len(slow) == 1
    kernel.cache[next(iter(kernel.cache))] = first
    assert [launch(), launch()] == [first, first] and len(slow) == 2
    kernel.cache.clear()
    assert [launch(), launch()] == [second, second] and len(slow) == 3
    kernel.cache = {}
    assert [launch(), launch()] == [second, second] and len(slow) == 4
    kernel.configs = [first]
    assert [launch(), launch()] == [first, first] and len(slow) == 5
    kernel.keys = []
    kernel.configs = [first, second]
    assert [launch(), launch()] == [second, second] and len(slow) == 6


def test_configurations_that_the_caller_changes(slow):
    kernel = make()
    launch = lambda: (kernel[count_programs](*(held := arrays()), 100), held[1][0])
    config = kernel.configs[1]
    assert [launch()[1], launch()[1]] == [66, 66] and len(slow) == 1
    config.kwargs["BLOCK"] = 32
    assert [launch()[1], launch()[1]] == [34, 34] and len(slow) == 2
    config.num_warps = 8
    assert [launch()[0].num_warps, launch()[0].num_warps] == [8, 8] and len(slow) == 3
    heard = []
    config.pre_hook = lambda meta: heard.append(meta["BLOCK"])
    assert [launch()[1], launch()[1]] == [34, 34] and heard == [32, 32] and len(slow) == 5
    config.pre_hook = None
    assert [launch()[1], launch()[1]] == [34, 34] and heard == [32, 32] and len(slow) == 6


def make_guided(calls, tuned_outside):
    """Two functions of heuristics, which note the calls that they get."""

    def is_even(args):
        calls.append(dict(args))
        args.clear()  # Its own.
        return calls[-1]["n"] % calls[-1]["BLOCK"] == 0

    def find_warps(args):
        calls.append(dict(args))
        return 8 if args["EVEN"] else 4

    @triton.jit
    def kernel(out, n, scale, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        tl.store(out, BLOCK * scale + EVEN)

    guide = triton.heuristics({"EVEN": is_even, "num_warps": find_warps})
    if not tuned_outside:
        return guide(kernel)
    return triton.autotune(make_configs(num_warps=2), key=["n"])(guide(kernel))


@pytest.mark.parametrize("tuned", [False, True])
def test_heuristics(slow, tuned):
    calls = []
    kernel, grid = make_guided(calls, tuned), (1, )
    named = {} if tuned else {"BLOCK": 16}
    seen = []
    for n in (32, 33, 32, 33):
        out = np.zeros(1, np.int32)
        compiled = kernel[grid](out, n, scale=10, **named)
        assert out[0] == 160 + (n == 32) and compiled.num_warps == (8 if n == 32 else 4)
        first, second = calls
        assert first["out"] is out and first["grid"] is grid and first["warmup"] is False
        assert second == {**first, "EVEN": n == 32}
        seen.append({name: value for name, value in first.items() if name != "out"})
        calls.clear()
    assert seen[:2] == seen[2:] and seen[0]["scale"] == 10 and seen[0]["BLOCK"] == 16
    assert seen[0].get("num_warps") == (2 if tuned else None)
    assert slow == (["Autotuner"] * 2 if tuned else [])


def test_heuristics_outside_of_the_tuner(slow):
    """What they give is in the key, and each function is called once, also where the tuner does not know the choice."""
    calls = []

    @triton.heuristics({"half": lambda args: (calls.append(1), args["n"] // 2)[1]})
    @triton.autotune(make_configs(), key=["half"])
    @triton.jit
    def kernel(out, n, half, BLOCK: tl.constexpr):
        tl.store(out, BLOCK + half)

    out = np.zeros(1, np.int32)
    for i, n in enumerate((10, 11, 12, 10, 12)):
        kernel[(1, )](out, n)
        assert out[0] == 16 + n // 2 and len(calls) == i + 1
    assert slow == ["Autotuner"] * 2 and [key[0] for key in kernel.fn.cache] == [5, 6]


def test_functions_are_looked_up_at_each_launch():

    @triton.heuristics({"A": lambda args: 1})
    @triton.jit
    def kernel(out, A: tl.constexpr, B: tl.constexpr = 5):
        tl.store(out, A * 10 + B)

    out = np.zeros(1, np.int32)

    def launch(**named):
        kernel[(1, )](out, **named)
        return int(out[0])

    assert launch() == 15 and launch(B=6) == 16
    kernel.values["A"] = lambda args: 2
    assert launch() == 25
    kernel.values = {"A": lambda args: 3, "B": lambda args: args["A"] + 4}
    assert launch() == 37 and launch(B=1) == 37 and launch(A=9) == 37  # What a launch passes is replaced.


@pytest.mark.parametrize("value,expected", [((1, 2), 2), (tl.constexpr(3), 3), (np.int64(4), 4), (1 << 70, None)])
def test_values_that_are_not_plain(value, expected):
    """A plain launch does not take them, and the functions that gave them are not called again."""
    calls = []

    @triton.heuristics({"A": lambda args: (calls.append(1), value)[1]})
    @triton.jit
    def kernel(out, A: tl.constexpr):
        tl.store(out, A[1] if A == (1, 2) else A)

    out = np.zeros(1, np.int64)
    for count in (1, 2):
        if expected is None:
            with pytest.raises(errors.IntegerRangeError, match="parameter 'A' is 1180591620717411303424"):
                kernel[(1, )](out)
        else:
            kernel[(1, )](out)
            assert out[0] == expected
        assert len(calls) == count


FACTOR = 3


def test_globals_that_functions_change(slow):
    """Also where a function of the decorators changes what the kernel was compiled with."""
    global FACTOR
    factors = iter((3, 4, 4, 5))

    def change(args):
        global FACTOR
        FACTOR = next(factors)
        return 1

    @triton.heuristics({"A": change})
    @triton.jit
    def kernel(out, A: tl.constexpr):
        tl.store(out, A * FACTOR)

    out = np.zeros(1, np.int32)
    for expected in (3, 4, 4, 5):
        kernel[(1, )](out)
        assert out[0] == expected
    assert slow == []


def test_errors(slow):
    kernel = make()
    x, out = arrays()
    for _ in range(2):
        kernel[count_programs](x, out, 100)
    with pytest.raises(ValueError, match="parameter 'BLOCK' is passed, but the configurations .* choose it"):
        kernel[count_programs](x, out, 100, BLOCK=64)
    with pytest.raises(TypeError, match="no value is passed for 'n'"):
        kernel[count_programs](x, out)
    with pytest.raises(TypeError, match="6 arguments were passed; it takes 5"):
        kernel[count_programs](x, out, 100, 1, 2, 3)
    with pytest.raises(KeyError, match="unknown parameter or option 'm'"):
        kernel[count_programs](x, out, 100, m=5)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'grid'"):
        kernel.run(x, out, 100)

    def fail(args):
        raise KeyError("mine")

    kernel = triton.heuristics({"BLOCK": fail})(make().fn)
    with pytest.raises(KeyError, match="mine") as caught:
        kernel[(1, )](x, out, 100)
    assert [entry.name for entry in caught.traceback] == ["test_errors", "fail"]


def test_a_run_of_others_is_called(slow, monkeypatch):
    """Of tracers, for a class or one object, and of the kernel below."""
    seen = []

    def trace(owner, label):
        plain = owner.run
        return lambda *args, **kwargs: (seen.append(label), plain(*args, **kwargs))[1]

    kernel = triton.heuristics({"scale": lambda args: 2})(make())
    launch = lambda: kernel[(2, )](*arrays(), 100)
    launch(), launch()
    with monkeypatch.context() as patched:
        patched.setattr(Autotuner, "run", trace(Autotuner, "class"))
        launch(), launch()
    assert seen == ["class"] * 2
    with monkeypatch.context() as patched:
        patched.setattr(JITFunction, "run", trace(JITFunction, "kernel"))
        launch()
    assert seen == ["class"] * 2 + ["kernel"]
    for place in (kernel, kernel.fn, kernel.fn.fn):
        seen.clear()
        place.run = trace(place, "object")
        launch()
        del place.run
        assert seen == ["object"]
    slow.clear()
    launch()
    assert seen == ["object"] and slow == []


def test_hooks_and_settings(slow, knobs):
    kernel = make()
    launch = lambda: (kernel[count_programs](*(held := arrays()), 100), held[1][0])[1]
    launch(), launch()
    heard = []
    knobs.runtime.launch_enter_hook.add(lambda metadata: heard.append(metadata.get()["name"]))
    assert launch() == 66 and len(heard) == 1
    knobs.runtime.launch_enter_hook.calls.clear()
    knobs.refresh_knobs()
    kernel.fn.add_pre_run_hook(lambda *args, **kwargs: heard.append(kwargs["BLOCK"]))
    assert launch() == 66 and heard[1:] == [64]


def test_a_chosen_device_has_choices_of_its_own(slow, knobs):
    """Which launches without it do not find."""
    kernel = make()
    launch = lambda: (kernel[count_programs](*(held := arrays()), 100), held[1][0])[1]
    knobs.runtime.device = "cpu"
    assert launch() == 66 and launch() == 66 and len(slow) == 2  # Each time, as copies may be needed.
    knobs.runtime.device = None
    assert launch() == 66 and launch() == 66 and len(slow) == 3
    knobs.runtime.device = "cpu"
    assert launch() == 66 and len(slow) == 4


def test_nothing_is_kept_alive():
    """A kernel with its choices is collected, and arguments end with their launch."""

    class Array(np.ndarray):
        pass

    def make_and_launch():
        kernel = triton.heuristics({"scale": lambda args: 2})(make())
        kernel.me = kernel.fn.configs[1].kwargs["me"] = kernel
        del kernel.fn.configs[1].kwargs["me"]
        for _ in range(3):
            x, out = (array.view(Array) for array in arrays())
            kernel[count_programs](x=x, out=out, n=100)
        watched = weakref.ref(x)
        del x
        assert watched() is None
        return weakref.ref(kernel), weakref.ref(kernel.fn)

    held = make_and_launch()
    gc.collect()
    assert [one() for one in held] == [None, None]


def test_many_arguments():
    """Beyond what a launch has room for, the package's code says so."""
    names = [f"a{i}" for i in range(40)]
    calls = []
    scope = {"tl": tl, "triton": triton, "calls": calls}
    text = (f"@triton.heuristics({{'a39': lambda args: (calls.append(len(args)), 7)[1]}})\n@triton.jit\n"
            f"def kernel(out, {', '.join(names)}):\n    tl.store(out, {' + '.join(names)})\n")
    linecache.cache["<many>"] = (len(text), None, text.splitlines(True), "<many>")
    exec(compile(text, "<many>", "exec"), scope)
    out = np.zeros(1, np.int32)
    for base in (0, 1, 1):
        scope["kernel"][(1, )](out, **{name: i + base for i, name in enumerate(names[:-1])})
        assert out[0] == sum(range(39)) + 39 * base + 7
    assert calls == [42] * 3


def test_more_names_than_a_launch_has_room_for():
    """Options of other compilers count."""
    config = triton.Config({"B": 1, **{f"x{i}": i for i in range(520)}})

    @triton.autotune([config], key=[])
    @triton.jit
    def kernel(out, B: tl.constexpr):
        tl.store(out, B)

    with pytest.raises(KeyError, match="unknown parameter or option 'x0'"):
        kernel[(1, )](np.zeros(1, np.int32))
    values = {f"x{i}": lambda args: 1 for i in range(31)}
    guided = triton.heuristics(values)(kernel.fn)
    with pytest.raises(KeyError, match="unknown parameter or option 'x0'"):
        guided[(1, )](np.zeros(1, np.int32), B=1)

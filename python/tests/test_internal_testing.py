"""What packages' test suites import from `triton._internal_testing`, and settings of their own by `triton.knobs`."""

import os

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton import _internal_testing as testing
from tilerun.triton import knobs
from tilerun.triton.backends.compiler import GPUTarget


@pytest.mark.parametrize("target, true", [
    (GPUTarget("cuda", 80, 32), {"is_cuda", "is_ampere_or_newer"}),
    (GPUTarget("cuda", 90, 32), {"is_cuda", "is_ampere_or_newer", "is_hopper", "is_hopper_or_newer", "supports_tma", "supports_ws"}),
    (GPUTarget("cuda", 100, 32), {"is_cuda", "is_ampere_or_newer", "is_hopper_or_newer", "is_blackwell", "supports_tma", "supports_ws"}),
    (GPUTarget("cuda", 120, 32), {"is_cuda", "is_ampere_or_newer", "is_hopper_or_newer", "is_sm12x", "supports_tma", "supports_ws"}),
    (GPUTarget("hip", "gfx90a", 64), {"is_hip", "is_hip_cdna", "is_hip_cdna2"}),
    (GPUTarget("hip", "gfx942", 64), {"is_hip", "is_hip_cdna", "is_hip_cdna3"}),
    (GPUTarget("hip", "gfx950", 64), {"is_hip", "is_hip_cdna", "is_hip_cdna4"}),
    (GPUTarget("hip", "gfx1100", 32), {"is_hip", "is_hip_gfx11"}),
    (GPUTarget("hip", "gfx1250", 32), {"is_hip", "is_hip_gfx12", "is_hip_gfx1250"}),
], ids=lambda value: value.text if isinstance(value, GPUTarget) else "")
def test_devices(monkeypatch, target, true):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    monkeypatch.setattr(testing, "get_current_target", lambda: target)
    asked = [name for name in dir(testing) if name.startswith(("is_", "supports_"))]
    assert len(asked) == 18 and {name for name in asked if getattr(testing, name)()} == true
    assert testing.get_arch() == str(target.arch) and testing.get_hip_lds_size() == (163840 if target.arch == "gfx950" else 65536)
    assert testing.requires_tma.args == (("supports_tma" not in true), )


def test_the_interpreter_is_no_gpu(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert testing.is_interpreter() and testing.get_current_target() is None and testing.supports_tma()
    assert not testing.is_cuda() and not testing.is_hip() and testing.get_arch() == ""


@triton.jit
def doubled(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) + tl.load(x + i))


@pytest.mark.parametrize("name", testing.dtypes_with_bfloat16)
def test_arrays(name):
    torch = pytest.importorskip("torch")
    array = testing.numpy_random(32, name, low=-20, high=20)
    assert array.shape == (32, ) and len(set(array.tolist())) > 8 and (array != 0).all()
    assert (array == testing.numpy_random((32, ), name, low=-20, high=20)).all()
    if name in testing.integral_dtypes:
        assert array.dtype == name and array.min() >= max(-20, np.iinfo(name).min) and array.max() < 20
    x, y = testing.to_triton(array, "cpu", name), testing.to_triton(np.zeros_like(array), "cpu", name)
    assert isinstance(testing.unwrap_tensor(x), torch.Tensor) and testing.torch_dtype_name(x.dtype) == name
    assert testing.str_to_triton_dtype(name) == getattr(tl, name)
    doubled[(1, )](x, y, 32)
    np.testing.assert_array_equal(testing.to_numpy(y), array + array)


def test_errors_of_arrays():
    with pytest.raises(RuntimeError, match="no random arrays of dtype 'complex64'"):
        testing.numpy_random(4, "complex64")
    with pytest.raises(ValueError, match="is not a tensor"):
        testing.to_numpy([1])
    with pytest.raises(TypeError, match="is not a dtype of triton or torch"):
        testing.torch_dtype_name(np.float32)
    assert testing.numpy_random(64, "bool").dtype == bool and testing.str_to_triton_dtype("bool") == tl.int1
    assert testing.numpy_random(4, "float8e5").dtype == np.int8


def fail(text):
    assert os.environ["OF_THE_CHILD"] == "1"
    raise KeyError(text)


class Particular(Exception):
    def __init__(self, name, number):
        super().__init__(f"{name} {number}")


def fail_in_particular():
    raise Particular("number", 4)


def fail_locally():
    class Local(Exception):
        pass

    raise Local("of a function")


def test_processes():
    result = testing.run_in_process(fail, ("asked for", ), env={"OF_THE_CHILD": "1"})
    assert isinstance(result.exc, KeyError) and result.exc.args == ("asked for", )
    assert "OF_THE_CHILD" not in os.environ
    assert testing.run_in_process(os.getpid).exc is None
    for function, words in ((fail_in_particular, "Particular: number 4"), (fail_locally, "Local: of a function")):
        error = testing.run_in_process(function).exc
        assert type(error) is RuntimeError and str(error).endswith(words) and f"in {function.__name__}" in str(error)
    assert "ended without a word" in str(testing.run_in_process(os._exit, (3, )).exc)


def test_fresh_settings(monkeypatch):
    monkeypatch.setenv("TRITON_DEBUG", "1")
    monkeypatch.setattr(knobs.amd, "global_prefetch", 7)
    before = knobs.amd
    fresh, undo = testing._fresh_knobs_impl()
    try:
        settings = fresh()
        assert settings is knobs and knobs.amd is not before and not settings.runtime.debug and settings.amd.global_prefetch == 0
        settings.cache.home_dir = "/elsewhere"
        assert os.environ["TRITON_HOME"] == "/elsewhere"
    finally:
        undo()
    assert knobs.amd is before and knobs.runtime.debug and before.global_prefetch == 7 and "TRITON_HOME" not in os.environ


def test_launches_have_the_hooks_of_the_settings(monkeypatch):
    heard, x = [], np.zeros(32, np.float32)
    launch = lambda: (doubled[(1, )](x, x, 32), len(heard))[1]
    monkeypatch.setattr(knobs.runtime, "launch_enter_hook", heard.append)
    assert launch() == 1
    fresh, undo = testing._fresh_knobs_impl()
    try:
        fresh()
        assert launch() == 1
    finally:
        undo()
    assert launch() == 2


def test_settings_of_a_class(monkeypatch):
    class settings(knobs.base_knobs):
        text: knobs.env_str = knobs.env_str("MINE_TEXT", "mine")
        flag: knobs.env_bool = knobs.env_bool("MINE_FLAG", True)
        count: knobs.env_int = knobs.env_int("MINE_COUNT", 3)
        maybe: knobs.env_opt_bool = knobs.env_opt_bool("MINE_MAYBE")
        name: knobs.env_opt_str = knobs.env_opt_str("MINE_NAME")
        folder: knobs.env_str_callable_default = knobs.env_str_callable_default("MINE_FOLDER", lambda: "made")

    class more(settings):
        kind: knobs.env_class = knobs.env_class("MINE_KIND", "object")

    for name in ("TEXT", "FLAG", "COUNT", "MAYBE", "NAME", "FOLDER", "KIND"):
        monkeypatch.delenv(f"MINE_{name}", raising=False)
    monkeypatch.setattr(knobs, "propagate_env", False)
    one, two = more(), settings()
    defaults = {"text": "mine", "flag": True, "count": 3, "maybe": None, "name": None, "folder": "made"}
    assert two.knobs == defaults and one.knobs == defaults | {"kind": None}
    one.text, one.maybe = "other", True
    other = one.copy()
    other.count = 5
    assert (other.text, other.maybe, other.count, one.count, two.text) == ("other", True, 5, 3, "mine")
    monkeypatch.setenv("MINE_TEXT", "outside")
    monkeypatch.setenv("MINE_KIND", "collections:OrderedDict")
    assert (one.text, two.text, one.kind.__name__) == ("other", "outside", "OrderedDict")
    del one.text
    assert one.text == "outside" and other.reset().knobs["text"] == "outside" and "MINE_MAYBE" not in os.environ
    monkeypatch.setattr(knobs, "propagate_env", True)
    two.flag = False
    assert os.environ.pop("MINE_FLAG") == "0"
    assert settings.text.key == "MINE_TEXT"


def test_attributes_without_a_variable():
    class settings(knobs.base_knobs):
        flag = knobs.env_bool("MINE_FLAG", True)
        hook = None
        count = 7
        kind = int

        def __init__(self):
            super().__init__()

        def twice(self):
            return 2 * self.count

    class more(settings):
        count = 9

    one, two = settings(), more()
    assert (one.hook, one.count, one.kind, two.count, settings.count, more.kind) == (None, 7, int, 9, 7, int)
    hook = lambda: 1
    one.hook, one.count, one.kind = hook, 8, str
    assert (one.hook, one.count, one.kind, one.twice()) == (hook, 8, str, 16) and settings().count == settings.count == 7
    other = one.copy()
    assert type(other) is settings and (other.hook, other.count, other.flag) == (hook, 8, True)
    with other.scope():
        other.count = 100
        assert (other.count, one.count) == (100, 8)
    assert other.count == 8 and other.knobs == {"flag": True, "hook": hook, "count": 8, "kind": str}
    del other.count
    assert other.count == 7 and one.count == 8 and list(one.knob_descriptors) == ["flag"]
    assert one.reset().knobs == {"flag": True, "hook": None, "count": 7, "kind": int}

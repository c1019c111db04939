"""What a user sees when something fails: the user's own frames, no internal names of the package,
and advice."""

import re
import traceback

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors
from tilerun.triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def fill(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), n)


@triton.autotune([triton.Config({"B": 16})], key=["n"])
@triton.jit
def tuned(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), n)


@triton.heuristics({"B": lambda meta: 16})
@triton.jit
def computed(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), n)


@triton.jit
def wrong(x, pair, desc, F: tl.constexpr):
    tl.store(x, pair[7])


@triton.jit
def described(x, pair, desc, F: tl.constexpr):
    tl.store(x, desc.load([0, 0]))


@triton.jit(debug=True)
def asserting(x, pair, F: tl.constexpr):
    tl.device_assert(tl.load(x) > pair[0], "too small")


X = np.zeros((16, 16), np.float32)
compiled = fill[(1, )](X, 0, B=16)


def describe(**named):
    return TensorDescriptor(X, **{"shape": [16, 16], "strides": [16, 1], "block_shape": [16, 16], **named})


def raising(meta):
    raise ArithmeticError("of the grid")


MISTAKES = {
    "unknown name": lambda: fill[(1, )](X, 1, C=3),
    "missing": lambda: fill[(1, )](X, B=16),
    "too many": lambda: fill[(1, )](X, 1, 2, 3),
    "too many, tuned": lambda: tuned[(1, )](X, 1, 2, 3),
    "unknown, tuned": lambda: tuned[(1, )](X, 1, C=5),
    "unknown, computed": lambda: computed[(1, )](X, 1, C=5),
    "object": lambda: fill[(1, )](X, object(), B=16),
    "string": lambda: fill[(1, )](X, "x", B=16),
    "option": lambda: fill[(1, )](X, 1, B=16, num_warps="4"),
    "warps": lambda: fill[(1, )](X, 1, B=16, num_warps=3),
    "grid": lambda: fill["x"](X, 1, B=16),
    "float grid": lambda: tuned[(1.5, )](X, 1),
    "large grid": lambda: fill[(1 << 40, )](X, 1, B=16),
    "grid function": lambda: fill[raising](X, 1, B=16),
    "warm-up": lambda: fill.warmup(X, 1, C=3, grid=(1, )),
    "call": lambda: fill(X, 1, 16),
    "compiled": lambda: compiled[(1, )](X, 1, C=3),
    "kernel": lambda: wrong[(1, )](X, (1, X), describe(), fill),
    "kernel in parts": lambda: wrong[(1, )](X, (1, X), describe(), tl.fma),
    "descriptor": lambda: described[(1, )](X, (1, X), describe(block_shape=[16, 1 << 30]), tl.fma),
    "part": lambda: wrong[(1, )](X, (1, (2, object())), describe(), fill),
    "part of a descriptor": lambda: wrong[(1, )](X, (1, X), describe(shape=[1 << 80, 16]), fill),
    "fault": lambda: asserting[(1, )](X, (1e9, X), fill),
}
INTERNAL = re.compile(r"tilerun[A-Z]\w*|\b__|_stream\b|__\d|<launch of|load_module|_native")


@pytest.mark.parametrize("name", MISTAKES)
def test_the_last_frame_is_the_callers(name):
    for _ in range(2):
        with pytest.raises(Exception) as caught:
            MISTAKES[name]()
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert {frame.filename for frame in frames} == {__file__}, frames
        assert frames[-1].name == ("raising" if name == "grid function" else "<lambda>")
        assert INTERNAL.search(str(caught.value)) is None, str(caught.value)
        shown = "".join(traceback.format_exception(caught.value))
        assert "tilerun/python" not in shown and "During handling" not in shown


def test_parts_have_their_names():
    for name, said in (("part", "parameter 'pair[1][1]' is"), ("part of a descriptor", "parameter 'desc.shape[0]' is"),
                       ("descriptor", "kernel 'described': error: ")):
        with pytest.raises(Exception) as caught:
            MISTAKES[name]()
        assert said in str(caught.value), str(caught.value)
    assert errors.name_parts("'d__stride1' and 'x__shape0' of 'my__x' in '__init__'") == \
        "'d.strides[1]' and 'x.shape[0]' of 'my__x' in '__init__'"


class Settings:
    opaque = object()


settings = Settings()


@pytest.mark.parametrize("body, said", [
    ("tl.store(x, traceback)", "the module 'traceback'"), ("tl.store(x, traceback.nothing)", "has no 'nothing'"),
    ("tl.store(x, settings.nothing)", "has no 'nothing'"), ("tl.store(x, settings.opaque)", "the global 'opaque'"),
    ("tl.store(x, settings)", "settings"), ("traceback.print_exc()", "the host function 'print_exc'"),
    ("settings.opaque(3)", "the global 'opaque'"), ("describe()", "the host function 'describe'"),
])
def test_values_of_the_host_have_their_names(body, said):

    @triton.jit
    def kernel(x):
        tl.store(x, 1)

    kernel._unsafe_update_src(f"def kernel(x):\n    {body}\n")
    with pytest.raises(triton.CompilationError) as caught:
        kernel[(1, )](X)
    text = str(caught.value)
    assert said in text and INTERNAL.search(text) is None and "(): pass" not in text and "*arguments" not in text, text


def test_mistakes_of_the_package_keep_their_frames(monkeypatch):
    monkeypatch.setattr(fill, "params", None)
    with pytest.raises(TypeError) as caught:
        fill[(1, )](X, object(), B=16)
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-2:] == ["_launch", "_bind"]


def test_all_frames_by_name(knobs):
    knobs.compilation.front_end_debugging = True
    try:
        with pytest.raises(TypeError) as caught:
            fill[(1, )](X, object(), B=16)
    finally:
        knobs.compilation.front_end_debugging = False
    assert "_launch" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_a_script_that_fails_shows_its_own_frames(run_text):
    done = run_text("""
        import numpy as np, triton, triton.language as tl

        @triton.jit
        def kernel(x):
            tl.store(x, tl.arange(0, 0))

        def main():
            try:
                kernel[(1, )](np.zeros(1), 5)
            finally:
                triton.compile(triton.compiler.ASTSource(kernel, {"x": "nonsense"}))

        main()
        """, fails=True)
    shown = re.findall(r'File ".*?(\w+\.py)", line (\d+), in (\S+)', done.stderr)
    assert set(shown) == {("script.py", "10", "main"), ("script.py", "12", "main"), ("script.py", "14", "<module>")}
    assert "runpy" not in done.stderr and done.stderr.splitlines()[-1].startswith("ValueError: parameter 'x' of kernel")
    done = run_text("x = 1 +\n", fails=True)
    assert done.stderr.splitlines()[0].endswith('script.py", line 1') and "Traceback" not in done.stderr


WANTS = {
    "device": "import torch\ntorch.zeros(3, device='cuda')",
    "method": "import torch\ntorch.zeros(3).cuda()",
    "own message": "raise RuntimeError('this needs an NVIDIA card')",
    "assertion": "import torch\nassert torch.cuda.is_available()",
    "exit": "import sys\nsys.exit('no GPU found')",
    "exit under a condition": "import sys, torch\nif not torch.cuda.is_available():\n    print('nothing here')\n    sys.exit(1)",
    "exit on a line": "import sys, torch\nif not torch.cuda.is_available(): print('nothing here'); sys.exit(1)",
    "exit by itself": "import torch\nif not torch.cuda.is_available():\n    exit(1)",
    "raised exit": "import torch\nif torch.cuda.device_count() == 0:\n    raise SystemExit(1)",
    "printed": "import sys\ndef check(devices):\n    if not devices:\n        print('no GPU', file=sys.stderr)\n        sys.exit(1)\ncheck([])",
    "cause": "try:\n    raise RuntimeError('no CUDA')\nexcept RuntimeError as error:\n    raise ValueError('setup') from error",
}


@pytest.mark.parametrize("name", WANTS)
def test_where_there_is_no_gpu_the_way_without_one_is_told(name, run_text):
    pytest.importorskip("torch")
    done = run_text(WANTS[name], arguments=("--size", "a b"), fails=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"run: python -m tilerun --cpu {done.args[3]} --size 'a b'"
    assert done.stderr.count("\nrun: ") == 1


@pytest.mark.parametrize("text, options", [("raise ValueError('other')", ()), ("import sys\nsys.exit(3)", ()),
                                           ("import sys\nsys.exit('bye')", ()),
                                           ("device = 'cuda'\nif device:\n    pass\nif __name__ == '__main__':\n    exit(1)", ()),
                                           ("raise ValueError('cuda')", ("--cpu", ))])
def test_where_that_would_not_help_it_is_not_told(text, options, run_text):
    assert "\nrun: " not in run_text(text, *options, fails=True).stderr


def test_who_leaves_in_peace_is_told_nothing(run_text):
    assert run_text("import sys\nif not 'cuda'[4:]:\n    print('no GPU')\n    sys.exit(0)").stderr == ""


def test_the_number_of_an_exit_stays(run_text):
    done = run_text("import sys\nprint('no GPU')\nsys.exit(3)", fails=True)
    assert done.returncode == 3 and done.stderr.splitlines()[-1].startswith("run: python -m tilerun --cpu ")


def test_of_text_on_the_command_line(run_python):
    done = run_python("-m", "tilerun", "-c", "raise ValueError('cuda')", "x", fails=True)
    assert done.stderr.splitlines()[-1] == """run: python -m tilerun --cpu -c 'raise ValueError('"'"'cuda'"'"')' x"""


def test_no_advice_where_there_is_a_gpu(run_on_fake_cuda):
    lines = run_on_fake_cuda("""
from tilerun import _report, devices
assert devices()[0][0].startswith("cuda") or any(d[0].startswith("cuda") for d in devices())
print(repr(_report.find_advice(RuntimeError("CUDA error"), ["script.py"])))
""")
    assert lines == ["''"]



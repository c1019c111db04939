"""Tile IR as a source of triton.compile, and in the place of a kernel's own (TRITON_KERNEL_OVERRIDE)."""

import os
import pickle
import re
import shutil

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.errors import CompilationError, UnsupportedError
from tilerun.triton.backends.compiler import GPUTarget
from tilerun.triton.compiler import ASTSource, IRSource
from tilerun.triton.runtime.cache import _base32

CPU, HOPPER = GPUTarget("cpu", "", 1), GPUTarget("cuda", 90, 32)


@triton.jit
def scale_kernel(x, y, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def pair_kernel(y, PAIR: tl.constexpr):
    tl.store(y, PAIR[0] - PAIR[1])


@triton.jit
def parts_kernel(x, pair):
    tl.store(x, pair[0] * pair[1])


@triton.jit
def types_kernel(a, b, c, d, e, f):
    tl.store(a, tl.load(b).to(tl.float16) + tl.load(c).to(tl.float16))
    tl.store(d, tl.load(f).to(tl.pointer_type(tl.float32)))
    tl.store(e, tl.load(e) + 1)


@pytest.fixture
def text():
    """The tile IR of scale_kernel."""
    return scale_kernel.warmup(np.ones(4, np.float32), np.ones(4, np.float32), 100, 2.0, BLOCK=128, grid=(1, )).asm["ttir"]


@pytest.fixture
def write(tmp_path):

    def write(text, name="kernel.ttir"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def launch(kernel, factor=2.0, **options):
    x, y = np.arange(1, 101, dtype=np.float32), np.zeros(100, np.float32)
    kernel[(1, )](x, y, 100, factor, **options)
    return y - x


def test_from_a_file(text, write):
    path = write(text.replace("mulf", "addf"))
    compiled = triton.compile(str(path), target=CPU)
    assert (launch(compiled) == 2).all() and (launch(compiled, 3.5) == 3.5).all()
    assert compiled.name == "scale_kernel" and "addf" in compiled.asm["ttir"] and compiled.asm["source"] == path.read_text()
    assert compiled.signature == "x=*fp32:16, y=*fp32:16, n=i32, factor=fp32"
    assert compiled.hash != triton.compile(write(text), target=CPU).hash
    assert (launch(pickle.loads(pickle.dumps(compiled))) == 2).all()
    with pytest.raises(Exception, match="multiple"):
        x = np.zeros(101, np.float32)
        compiled[(1, )](x[1:], x[1:], 100, 2.0)


def test_for_a_gpu(text, write):
    compiled = triton.compile(write(text), target=HOPPER, options={"num_warps": 8})
    assert ".entry scale_kernel(" in compiled.asm["ptx"] and compiled.num_warps == 8 and compiled.metadata.num_stages == 3
    assert list(compiled.asm)[:2] == ["source", "ttir"]


def test_source(text, write):
    source = IRSource(write(text))
    assert (source.name, source.ext, source.language) == ("scale_kernel", "ttir", "ttir")
    assert source.signature == {0: "*fp32", 1: "*fp32", 2: "i32", 3: "fp32"} and source.hash() == IRSource(source.path).hash()
    assert triton.compile(source, target=CPU).src is source


def test_types_of_parameters(write):
    signature = dict(zip("abcdef", ("*fp16", "*fp8e5", "*fp8e4b15", "*i64", "*i1", "*i64")))
    text = triton.compile(ASTSource(types_kernel, signature, {}), target=CPU).asm["ttir"]
    kinds = IRSource(write(text)).signature
    assert kinds == dict(enumerate(signature.values()))


@pytest.mark.parametrize("change, name, kind, message", (
    (lambda text: text, "kernel.ptx", UnsupportedError, "kernel.ptx: a kernel is compiled from tile IR.* a stage 'ptx' is only written"),
    (lambda text: "tt.func public @k() { tt.return }", "k.ttir", UnsupportedError, "k.ttir is in Triton's own dialect; tile IR is expected"),
    (lambda text: "module {}", "k.ttir", CompilationError, "k.ttir: tile IR with one kernel is expected .* this has none"),
    (lambda text: text.replace("tile.load", "tile.lode"), "k.ttir", CompilationError, "(?s)k.ttir: the tile IR cannot be read: .*tile.lode"),
))
def test_what_is_refused(text, write, change, name, kind, message):
    with pytest.raises(kind, match=message):
        triton.compile(write(change(text), name), target=CPU)


def test_what_is_no_source(tmp_path):
    with pytest.raises(FileNotFoundError):
        triton.compile(tmp_path / "absent.ttir", target=CPU)
    with pytest.raises(TypeError, match="an ASTSource is expected, or the path of a file with tile IR, not 3"):
        triton.compile(3, target=CPU)


# -- In the place of others


@pytest.fixture
def replace(monkeypatch, tmp_path):
    """Puts text into the folder of a compiled kernel, from which it is taken from then on."""
    from tilerun.triton import knobs
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "override"))

    def replace(compiled, text, name="any.ttir"):
        folder = tmp_path / "override" / _base32(compiled.hash)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        return folder

    with knobs.compilation.scope():
        knobs.compilation.override = True
        yield replace


def test_launches_take_the_file(text, replace):
    x = np.ones(4, np.float32)
    compiled = scale_kernel.warmup(x, x, 100, 2.0, BLOCK=128, grid=(1, ))
    folder = replace(compiled, text.replace("mulf", "addf"))
    assert (launch(scale_kernel, BLOCK=128) == 2).all() and (launch(scale_kernel, BLOCK=128) == 2).all()
    assert (launch(scale_kernel, 1.0, BLOCK=256) == 0).all(), "another signature"
    replace(compiled, text.replace("mulf", "subf"))
    assert (launch(scale_kernel, BLOCK=128) == -2).all(), "the file has changed"
    again = scale_kernel.warmup(x, x, 100, 2.0, BLOCK=128, grid=(1, ))
    assert "subf" in again.asm["ttir"] and again.function is scale_kernel and again.hash != compiled.hash
    shutil.rmtree(folder)
    assert (launch(scale_kernel, 1.0, BLOCK=128) == 0).all()


def test_compilations_take_the_file(text, replace):
    source = ASTSource(scale_kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "factor": "fp32"}, {"BLOCK": 128})
    compiled = triton.compile(source, target=CPU)
    replace(compiled, compiled.asm["ttir"].replace("mulf", "addf"))
    for found in (triton.compile(source, target=CPU), pickle.loads(pickle.dumps(triton.compile(source, target=CPU)))):
        assert (launch(found) == 2).all() and "addf" in found.asm["ttir"]
    assert "mulf" in triton.compile(source, target=HOPPER).asm["ttir"], "another target"


def test_arguments_in_parts(replace):
    x = np.zeros(1, np.int32)
    compiled = parts_kernel[(1, )](x, (6, 7))
    assert x[0] == 42
    replace(compiled, compiled.asm["ttir"].replace("muli", "addi"))
    parts_kernel[(1, )](x, (6, 7))
    assert x[0] == 13


def test_files_that_cannot_be_taken(text, replace):
    compiled = scale_kernel.warmup(np.ones(4, np.float32), np.ones(4, np.float32), 100, 2.0, BLOCK=128, grid=(1, ))
    folder = replace(compiled, text.replace('tile.name = "n"', 'tile.name = "m"'))
    with pytest.raises(CompilationError, match="any.ttir: kernel 'scale_kernel' has no parameter 'm'"):
        launch(scale_kernel, BLOCK=128)
    replace(compiled, text)
    replace(compiled, "", "scale_kernel.ptx")
    with pytest.raises(UnsupportedError, match=f"no later stage: remove scale_kernel.ptx from {re.escape(str(folder))}"):
        launch(scale_kernel, BLOCK=128)


def test_dumped_edited_and_taken(run_text, tmp_path):
    """By the variables alone, in three processes."""
    script = """
        import numpy as np, triton, triton.language as tl
        @triton.jit
        def kernel(y):
            tl.store(y, 40 + tl.load(y))
        y = np.full(1, 2, np.int32)
        for _ in range(2):
            kernel[(1, )](y)
        print(y[0])
        """
    folders = {"TRITON_DUMP_DIR": str(tmp_path / "dump"), "TRITON_OVERRIDE_DIR": str(tmp_path / "override")}
    assert run_text(script, TRITON_KERNEL_DUMP="1", **folders).stdout == "82\n"
    [path] = [os.path.join(folder, name) for folder, _, names in os.walk(tmp_path / "dump") for name in names]
    target = os.path.join(tmp_path, "override", os.path.basename(os.path.dirname(path)), "kernel.ttir")
    os.makedirs(os.path.dirname(target))
    with open(path) as before, open(target, "w") as after:
        after.write(before.read().replace("constant 40", "constant 50"))
    assert run_text(script, TRITON_KERNEL_OVERRIDE="1", **folders).stdout == "102\n"
    assert run_text(script, **folders).stdout == "82\n"


def test_hashes_tell_constants_apart():
    """Also those that no signature has, as tuples: files of compiled kernels are named by the hash."""
    compiled = [triton.compile(ASTSource(pair_kernel, {"y": "*i32", "PAIR": "constexpr"}, {"PAIR": pair}), target=CPU)
                for pair in ((3, 2), (2, 3))]
    assert compiled[0].signature == compiled[1].signature and compiled[0].hash != compiled[1].hash


def test_a_file_that_a_launch_names(text, write):
    added = write(text.replace("mulf", "addf"))
    for _ in range(2):
        assert (launch(scale_kernel, BLOCK=128, ir_override=str(added)) == 2).all()
        assert (launch(scale_kernel, 1.0, BLOCK=128, ir_override=None) == 0).all() and (launch(scale_kernel, 1.0, BLOCK=128) == 0).all()
    write(text.replace("mulf", "subf"))
    assert (launch(scale_kernel, BLOCK=128, ir_override=added) == -2).all(), "the file has changed"
    with pytest.raises(UnsupportedError, match="kernel 'scale_kernel': ir_override is '/k.ptx'; a file NAME.ttir with tile IR takes the place"):
        launch(scale_kernel, BLOCK=128, ir_override="/k.ptx")
    with pytest.raises(OSError, match="/missing.ttir"):
        launch(scale_kernel, BLOCK=128, ir_override="/missing.ttir")
    source = ASTSource(scale_kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "factor": "fp32"}, {"BLOCK": 128})
    assert "subf" in triton.compile(source, target=HOPPER, options={"ir_override": str(added)}).asm["ttir"]
    assert "mulf" in triton.compile(source, target=HOPPER).asm["ttir"]


def test_files_that_configurations_name(text, write):
    files = [str(write(text.replace("mulf", word), f"{word}.ttir")) for word in ("addf", "subf")]
    configs = [triton.Config({"BLOCK": 128}, ir_override=path) for path in files]
    assert configs[0].all_kwargs()["ir_override"] == files[0] and "ir_override" not in triton.Config({}).all_kwargs()
    times = iter([2.0, 1.0])
    kernel = triton.autotune(configs, key=["n"], do_bench=lambda call, quantiles: (call(), next(times))[1])(scale_kernel)
    for _ in range(3):
        assert (launch(kernel) == -2).all()
    assert kernel.best_config is configs[1] and len(kernel.cache) == 1


def test_files_of_configurations_that_the_engine_measures(text, write, knobs):
    knobs.interpreter.autotune = True
    path = str(write(text.replace("mulf", "addf")))
    kernel = triton.autotune([triton.Config({"BLOCK": 128}, num_warps=n, ir_override=path) for n in (1, 2)], key=["n"], warmup=1, rep=1)(scale_kernel)
    assert (launch(kernel) == 2).all() and (launch(kernel) == 2).all() and len(kernel.configs_timings) == 2

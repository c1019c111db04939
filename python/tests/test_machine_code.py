"""Machine code of compiled kernels: who assembles it, what it says if nobody can, and where frameworks find it."""

import json
import os
import re
import stat
import struct
import textwrap

import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _assembler
from tilerun.errors import UnavailableError, UnsupportedError
from tilerun.triton.backends.compiler import GPUTarget
from tilerun.triton.compiler import ASTSource
from tilerun.triton.runtime.cache import _base32
from tilerun.triton.runtime.errors import PTXASError

HOPPER = GPUTarget("cuda", 90, 32)


@triton.jit
def sum_kernel(x, y, n, factor, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y, tl.sum(tl.load(x + i, mask=i < n, other=0.0)) * factor)


@triton.jit
def pair_kernel(x, pair):
    tl.store(x, pair[0] + pair[1])


def compile(kernel=sum_kernel, target=HOPPER, **options):
    if kernel is pair_kernel:
        return triton.compile(ASTSource(kernel, {"x": "*fp32", "pair": ("i32", "i32")}), target=target, options=options)
    return triton.compile(ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"},
                                    {"BLOCK": 1024}), target=target, options=options)


def is_machine_code(code):
    """Whether it is an ELF file for NVIDIA's GPUs (machine 190) that has the kernel."""
    return code[:4] == b"\x7fELF" and struct.unpack_from("<H", code, 18) == (190, ) and b".text.sum_kernel" in code


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """No assembler is found."""
    for name in ("TRITON_PTXAS_PATH", "TRITON_CACHE_DIR", "PTXAS_OPTIONS", "DISABLE_PTXAS_OPT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_assembler, "_find_linker", lambda: None)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")


@pytest.fixture
def ptxas(alone, monkeypatch, tmp_path):
    """A program in the place of ptxas, which gives the name of the entry as its code; it writes its arguments into a file."""
    program, calls = tmp_path / "ptxas", tmp_path / "calls"
    program.write_text(textwrap.dedent(f"""\
        #!/bin/sh
        echo "$@" >> {calls}
        while [ "$2" != -o ]; do shift; done
        /bin/grep -o 'entry [a-z_]*' "$1" > "$3" || {{ echo "there is no entry in line 7"; exit 2; }}
        """))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(program))
    return lambda: calls.read_text().splitlines()


def test_by_ptxas(ptxas, monkeypatch):
    compiled = compile()
    assert list(compiled.asm) == ["source", "ttir", "ttgir", "llir", "ptx", "cubin"] and "cubin" in compiled.asm
    assert compiled.asm["cubin"] == compiled.asm["cubin"] == b"entry sum_kernel\n"
    [call] = ptxas()
    assert call.startswith("-arch=sm_90a -lineinfo /")
    monkeypatch.setenv("PTXAS_OPTIONS", "--warn-on-spills -v")
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    assert compile(target=GPUTarget("cuda", 80, 32)).asm["cubin"]
    assert ptxas()[1].startswith("-arch=sm_80 -lineinfo --warn-on-spills -v --opt-level 0 /")


def test_messages_of_ptxas(ptxas):
    with pytest.raises(PTXASError, match="(?s)ptxas does not assemble the kernel for sm_90a:\nthere is no entry in line 7$"):
        _assembler.assemble("// nothing\n", "sm_90a")


def test_by_nvjitlink(monkeypatch):
    monkeypatch.delenv("TRITON_PTXAS_PATH", raising=False)
    if _assembler._find_linker() is None:
        pytest.skip("nvJitLink is not installed")
    monkeypatch.setattr(_assembler, "_find_ptxas", lambda: None)
    assert is_machine_code(compile().asm["cubin"])
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    monkeypatch.setenv("PTXAS_OPTIONS", "-warn-spills")
    assert is_machine_code(compile().asm["cubin"])
    with pytest.raises(PTXASError, match="(?s)nvJitLink does not assemble the kernel for sm_90a:\n.*syntax error"):
        _assembler.assemble(".version 8.0\n.target sm_90a\nnonsense", "sm_90a")
    assert _assembler.find("sm_3") is None, "an architecture that it does not know would end the process"


def test_by_an_installed_ptxas(monkeypatch):
    monkeypatch.delenv("TRITON_PTXAS_PATH", raising=False)
    if _assembler._find_ptxas() is None:
        pytest.skip("ptxas is not installed")
    monkeypatch.setattr(_assembler, "_find_linker", lambda: None)
    assert is_machine_code(compile().asm["cubin"])


def test_by_the_driver(run_on_fake_cuda):
    script = """\
        from tilerun import _assembler
        _assembler.find = lambda arch: None
        from tilerun.triton.runtime.errors import PTXASError
        import sys; sys.path.insert(0, {folder!r})
        from test_machine_code import compile, HOPPER
        from tilerun.triton.runtime.driver import driver
        target = driver.active.get_current_target()
        code = compile(target=target).asm["cubin"]
        print(b".entry sum_kernel" in code, code[:20])
        try:
            _assembler.assemble("nonsense", f"sm_{{target.arch}}a" if target.arch >= 90 else f"sm_{{target.arch}}")
        except PTXASError as error:
            print(str(error).splitlines()[1])
        """
    lines = run_on_fake_cuda(textwrap.dedent(script).format(folder=os.path.dirname(__file__)))
    assert lines[0].startswith("True b'") and lines[1].startswith("cuLinkAddData_v2 gives the error ")


def test_no_assembler(alone):
    compiled = compile()
    with pytest.raises(UnavailableError, match="machine code for sm_90a needs an assembler, and none was found: neither ptxas .*TRITON_PTXAS_PATH.* nor "
                       "nvJitLink .* nor a device of this architecture.*kernels are launched without it"):
        compiled.asm["cubin"]
    assert ".entry sum_kernel" in compiled.asm["ptx"]


def test_arguments_in_parts(ptxas):
    """Other launchers would pass the wrong ones."""
    with pytest.raises(UnsupportedError, match=r"pair_kernel.*asm\['cubin'\] is for launchers other than Tilerun's.*in parts"):
        compile(pair_kernel).asm["cubin"]


def test_as_text(ptxas, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_NVDISASM_PATH", str(tmp_path / "nvdisasm"))
    (tmp_path / "nvdisasm").write_text('#!/bin/sh\necho "$1: $(/bin/cat $2)"\n')
    (tmp_path / "nvdisasm").chmod(0o755)
    assert compile().asm["sass"] == "-c: entry sum_kernel\n"
    assert "-c: " in compile(pair_kernel).asm["sass"]
    (tmp_path / "nvdisasm").write_text('#!/bin/sh\necho "not for me"; exit 1\n')
    with pytest.raises(RuntimeError, match="nvdisasm does not read the machine code:\nnot for me"):
        compile().asm["sass"]
    with pytest.raises(KeyError, match="no stage 'sass' of a kernel for hip:gfx942"):
        compile(target=GPUTarget("hip", "gfx942", 64)).asm["sass"]


def test_files_of_frameworks(ptxas, monkeypatch, tmp_path):
    """Where PyTorch's static launcher looks: by the hash and the function's name."""
    compile()
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder))
    compiled = compile()
    path = folder / _base32(compiled.hash) / "sum_kernel.cubin"
    assert path.read_bytes() == b"entry sum_kernel\n" and os.listdir(path.parent) == ["sum_kernel.cubin"]
    assert len(ptxas()) == 1, "without the variable nothing is assembled"
    path.write_bytes(b"as it was")
    assert compile().asm["cubin"] == b"as it was" and len(ptxas()) == 1
    assert compile(num_warps=8).hash != compiled.hash and len(os.listdir(folder)) == 2
    compile(pair_kernel), compile(target=GPUTarget("hip", "gfx942", 64))
    assert len(os.listdir(folder)) == 2, "what other launchers cannot launch"


def test_an_assembler_that_refuses(alone, monkeypatch, tmp_path):
    """As one that is older than the PTX: no launch needs the file."""
    program = tmp_path / "ptxas"
    program.write_text("#!/bin/sh\necho 'Unsupported .version 8.4'; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(program))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.warns(RuntimeWarning, match="(?s)Unsupported .version 8.4.*'sum_kernel' is launched by Tilerun, without this file: .*cubin"):
        compiled = compile()
    assert ".entry sum_kernel" in compiled.asm["ptx"] and not (tmp_path / "cache").exists()
    with pytest.raises(PTXASError, match="Unsupported"):
        compiled.asm["cubin"]


def test_no_files_without_an_assembler(alone, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    compile()
    assert not (tmp_path / "cache").exists()


def test_parameters_and_warps():
    """What launchers pass: the arguments that are not constants, in order, and as many threads as the code wants."""
    compiled = compile(num_warps=8)
    entry = compiled.asm["ptx"].split(".entry sum_kernel(")[1]
    assert [line.split()[1] for line in entry.split(")")[0].strip().splitlines()] == [".u64", ".u64", ".u32", ".f32"]
    assert ".reqntid 256" in entry and compiled.num_warps == compiled.metadata.num_warps == 8


@triton.jit
def product_kernel(x, y, z, k, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, k, 64):
        j = start + tl.arange(0, 64)
        left = tl.load(x + i[:, None] * stride + j[None, :], mask=j[None, :] < k, other=0.0)
        right = tl.load(y + j[:, None] * stride + i[None, :], mask=j[:, None] < k, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(z + i[:, None] * BLOCK + i[None, :], total)


def test_machine_code_has_no_tensor_maps(ptxas):
    """Other launchers would not pass them."""
    def product(**options):
        types = {"x": "*fp16", "y": "*fp16", "z": "*fp32", "k": "i32", "stride": "i32", "BLOCK": "constexpr"}
        facts = {(index, ): [["tt.divisibility", 16]] for index in range(5)}
        return triton.compile(ASTSource(product_kernel, types, {"BLOCK": 128}, facts), target=HOPPER, options=options)

    assert "cp.async.bulk.tensor" not in product().asm["ptx"]
    assert "cp.async.bulk.tensor" not in product(options={"tma": "off"}).asm["ptx"]
    assert product().asm["cubin"]
    compiled = product(options={"tma": "on"})
    assert "cp.async.bulk.tensor" in compiled.asm["ptx"]
    with pytest.raises(UnsupportedError, match="compile it with options={'tma': 'off'}, or see asm\\['sass'\\]"):
        compiled.asm["cubin"]


def test_named_by_repr():
    """Who loads the code finds the kernel by the name in the metadata."""

    @triton.jit(repr=lambda what: f"filled_{what.constants['BLOCK']}")
    def fill(x, fill_param_1, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), fill_param_1)

    source = ASTSource(fill, {"x": "*fp32", "fill_param_1": "fp32", "BLOCK": "constexpr"}, {"BLOCK": 64})
    compiled = triton.compile(source, target=HOPPER)
    assert compiled.metadata.name == compiled.symbol == "filled_64"
    ptx = compiled.asm["ptx"]
    assert ".entry filled_64(" in ptx and "[filled_64_param_0]" in ptx and not re.search(r"(?<![\w.])fill\b", ptx)
    if _assembler.find("sm_90a") is not None:
        assert b".text.filled_64" in compiled.asm["cubin"]
    amd = triton.compile(source, target=GPUTarget("hip", "gfx942", 64))
    assert amd.metadata.name == "fill" and re.search(r"\bfill:", amd.asm["amdgcn"]) and amd.name == "filled_64"


def test_a_kernel_is_compiled_once(run_text, tmp_path):
    """Whatever a framework asks of it: numbers, PTX, the stored code."""
    run_text("""
        import triton
        import triton.language as tl

        @triton.jit
        def add(x, y, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(y + i, tl.load(x + i, i < n) + 1, i < n)

        source = triton.compiler.ASTSource(add, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 128})
        compiled = triton.compile(source, target=triton.compiler.GPUTarget("cuda", 90, 32))
        assert compiled.num_warps == 4 and compiled.metadata.shared == compiled.shared
        assert compiled.asm["ptx"] is not None and compiled.asm["ptx"].encode() == compiled.kernel
        """, TILERUN_TRACE=str(tmp_path / "trace.json"))
    events = [event["name"] for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event.get("ph") == "X"]
    assert events.count("compile by cuda") == 1

"""Inspecting compiled kernels, and compiling without a device: `triton.compile(ASTSource(…))`."""

import enum
import typing

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors
from tilerun.triton.tools.tensor_descriptor import TensorDescriptor

SM90 = triton.GPUTarget("cuda", 90, 32)


@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr, ACT: tl.constexpr = None):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    if ACT == "double":
        v *= 2
    tl.store(y + i, v, mask=i < n)


def has_plugin(name):
    import tilerun
    return any(plugin[1] == name for plugin in tilerun.plugins())


needs_cuda_plugin = pytest.mark.skipif("not has_plugin('cuda')", reason="no plugin 'cuda' beside the library")


@needs_cuda_plugin
def test_compile_for_a_gpu_that_is_not_here():
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 1024, "ACT": "double"})
    compiled = triton.compile(source, target=SM90, options={"num_warps": 8})
    ptx = compiled.asm["ptx"]
    assert ".target sm_90a" in ptx and ".visible .entry kernel(" in ptx and ".reqntid 256" in ptx
    assert "tile.load" in compiled.asm["ttir"] and "define" in compiled.asm["llir"] and "simt" in compiled.asm["ttgir"]
    assert compiled.metadata.num_warps == 8 and compiled.metadata.target == SM90 and compiled.metadata.shared == 0
    assert compiled.asm["source"].startswith("def kernel(") and "ptx" in compiled.asm and compiled.asm.get("none", 3) == 3
    assert compiled.kernel.decode() == ptx and len(compiled.hash) == 64
    with pytest.raises(KeyError, match="no stage 'hsaco'.*llir, ptx, source, ttgir, ttir"):
        compiled.asm["hsaco"]


@needs_cuda_plugin
def test_clusters_are_what_was_compiled():
    """`num_ctas` is what was asked for, `cluster_dims` what a launch has: one block where the target or the kernel has no more."""
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 1024})
    divided = triton.compile(source, target=SM90, options={"num_ctas": 4})
    assert (divided.metadata.num_ctas, divided.metadata.cluster_dims) == (4, (4, 1, 1))
    assert ".reqnctapercluster 4, 1, 1" in divided.asm["ptx"]
    ampere = triton.compile(source, target=triton.GPUTarget("cuda", 80, 32), options={"num_ctas": 4})
    assert (ampere.metadata.num_ctas, ampere.metadata.cluster_dims) == (4, (1, 1, 1))
    whole = triton.compile(triton.compiler.ASTSource(summing, {"x": "*fp32", "y": "*fp32"}, {"BLOCK": 1024}), target=SM90,
                           options={"num_ctas": 2})
    assert (whole.metadata.num_ctas, whole.metadata.cluster_dims) == (2, (1, 1, 1))
    with pytest.raises(Exception, match="'num-ctas' is '16', not 1, 2, 4 or 8"):
        triton.compile(source, target=SM90, options={"num_ctas": 16}).asm["ptx"]


@triton.jit
def summing(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) / tl.sum(tl.load(x + i)))


@triton.jit
def copy_block(desc, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i[:, None] * 2 * BLOCK + tl.arange(0, 2 * BLOCK)[None, :], desc.load([0, 0]))


def test_tensor_descriptors_in_signatures(knobs):
    knobs.runtime.interpret = True
    source = triton.compiler.ASTSource(copy_block, {"desc": "tensordesc<fp16[8, 16]>", "out": "*fp16"}, {"BLOCK": 8})
    assert source.get_text() == "desc=tensordesc<fp16[8,16]>, out=*fp16, BLOCK=8"
    assert "desc.stride.0" in triton.compile(source).asm["ttir"]
    for kind in ("tensordesc<fp16>", "tensordesc<half[8,16]>", "tensordesc", "tensordesc<fp16[8,x]>"):
        with pytest.raises(ValueError, match="a tensor descriptor is written tensordesc<fp16\\[64,32\\]>"):
            triton.compiler.ASTSource(copy_block, {"desc": kind, "out": "*fp16"}, {"BLOCK": 8})


@needs_cuda_plugin
def test_facts():
    types = {"x": "*fp32", "y": "*fp32", "n": "i32"}
    plain = triton.compiler.ASTSource(kernel, types, {"BLOCK": 1024})
    aligned = triton.compiler.ASTSource(kernel, types, {(3, ): 1024}, {(0, ): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]],
                                                                      (2, ): [["tt.divisibility", 16]]})
    assert plain.get_text() == "x=*fp32, y=*fp32, n=i32, BLOCK=1024"
    assert aligned.get_text() == "x=*fp32:16, y=*fp32:16, n=i32:16, BLOCK=1024"
    assert ".v4." in triton.compile(aligned, target=SM90).asm["ptx"] and ".v4." not in triton.compile(plain, target=SM90).asm["ptx"]
    assert plain.hash() != aligned.hash()


class Ends(typing.NamedTuple):
    first: tl.tensor
    second: tl.tensor
    STEP: tl.constexpr = 1


@triton.jit
def add_ends(ends, out, more, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(ends[0] + i * ends[2]) + tl.load(ends[1] + i)
    if more[0] is not None:
        v = more[0](v)
    tl.store(out + i, v * more[1][0] + more[1][1])


@triton.jit
def add_named(ends, out):
    tl.store(out, tl.load(ends.first + ends.STEP) + tl.load(ends.second))


@triton.jit
def double(v):
    return v + v


@needs_cuda_plugin
def test_tuples_in_signatures():
    make = triton.compiler.ASTSource
    types = {"ends": ("*fp32", "*fp32", "constexpr"), "out": "*fp32", "more": ("constexpr", ("i32", "constexpr"))}
    constants = {"BLOCK": 128, (0, 2): 2, ("more", 0): None, ("more", 1, 1): 7}
    source = make(add_ends, types, constants, {(0, 1): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]]})
    assert source.constants == {(3, ): 128, (0, 2): 2, (2, 0): None, (2, 1, 1): 7} and source.signature == types
    text = "ends__0=*fp32, ends__1=*fp32:16, out=*fp32:16, more__1__0=i32, BLOCK=128"
    assert source.get_text() == text
    compiled = triton.compile(source, target=SM90)
    ptx = compiled.asm["ptx"]
    assert ptx.count(".param .u64") == 3 and ptx.count(".param .u32") == 1, ptx
    assert compiled.src is source and compiled.asm["source"].startswith("def add_ends(")
    # Each constant is part of the code, and of the key.
    for path, value in (((0, 2), 3), ((2, 1, 1), 8), (("more", 0), double)):
        other = make(add_ends, types, {**constants, path: value})
        assert other.hash() != source.hash()
        assert triton.compile(other, target=SM90).asm["ttir"] != compiled.asm["ttir"]


@needs_cuda_plugin
def test_named_tuples_in_signatures():
    make = triton.compiler.ASTSource
    source = make(add_named, {"ends": Ends("*fp32", "*fp32", "constexpr"), "out": "*fp32"}, {(0, 2): 5})
    assert isinstance(source.signature["ends"], Ends) and source.get_text() == "ends__0=*fp32, ends__1=*fp32, out=*fp32"
    assert "arith.constant 5 :" in triton.compile(source, target=SM90).asm["ttir"]


def test_the_code_of_a_tuple_is_that_of_a_launch(knobs):
    knobs.runtime.interpret = True
    ends = Ends(np.ones(4, np.float32), np.ones(4, np.float32), 1)
    launched = add_named[(1, )](ends, np.zeros(4, np.float32))
    types = {"ends": Ends("*fp32", "*fp32", "constexpr"), "out": "*fp32"}
    aligned = {path: [["tt.divisibility", 16]] for path in ((0, 0), (0, 1), (1, ))}
    compiled = triton.compile(triton.compiler.ASTSource(add_named, types, {(0, 2): 1}, aligned))
    assert compiled.signature == launched.signature and compiled.asm["ttir"] == launched.asm["ttir"]


def test_a_launch_knows_the_tuples_of_its_source(knobs):
    """All parts, wherever they are: each as a type, a constant or a fact by its path; and the source makes the same code."""
    knobs.runtime.interpret = True
    compile = lambda compiled: triton.compile(compiled.src)
    array = lambda at=0: np.zeros(8, np.float32)[at:]

    launched = add_ends[(1, )]((array(), array(1), tl.constexpr(2)), array(), (None, (3, 1)), BLOCK=4)
    assert launched.src.signature == {"ends": ("*fp32", "*fp32", "constexpr"), "out": "*fp32",
                                      "more": ("constexpr", ("i32", "constexpr")), "BLOCK": "constexpr"}
    assert launched.src.constants == {(0, 2): 2, (2, 0): None, (2, 1, 1): 1, (3, ): 4}
    assert launched.src.attrs == {(0, 0): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]]}
    assert compile(launched).asm["ttir"] == launched.asm["ttir"]

    launched = add_ends[(1, )]((array(), array(), tl.constexpr(2)), array(), (double, (3, 2)), BLOCK=4)
    assert launched.src.constants[2, 0] is double and launched.src.get_text() == launched.signature
    assert compile(launched).asm["ttir"] == launched.asm["ttir"]

    launched = add_named[(1, )](Ends(array(), array(), 1), array())
    assert launched.src.signature == {"ends": Ends("*fp32", "*fp32", "constexpr"), "out": "*fp32"}
    assert isinstance(launched.src.signature["ends"], Ends) and launched.src.constants == {(0, 2): 1}
    assert launched.src.get_text() == launched.signature and compile(launched).asm["ttir"] == launched.asm["ttir"]


class Modes(enum.Enum):
    SUM = 1
    PRODUCT = 2


@triton.jit
def constants_of_all_kinds(block, out, steps: tl.constexpr, mode: tl.constexpr):
    v = block[0].load([0, 0])
    for step in tl.static_range(len(steps)):
        v = steps[step][0](v) + steps[step][1]
    if mode == Modes.SUM:
        v += block[1]
    i = tl.arange(0, 4)
    tl.store(out + i[:, None] * 4 + i[None, :], v)


def test_a_launch_knows_its_descriptors_and_constants(knobs):
    knobs.runtime.interpret = True
    values, out = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    steps = ((double, tl.constexpr(2)), [double, 0.5])
    launched = constants_of_all_kinds[(1, )]((TensorDescriptor.from_tensor(values, [4, 4]), 3.5), out, steps, Modes.SUM)
    assert (out == (1 * 2 + 2) * 2 + 0.5 + 3.5).all()
    assert launched.src.signature == {"block": ("tensordesc<fp32[4,4]>", "fp32"), "out": "*fp32", "steps": "constexpr",
                                      "mode": "constexpr"}
    assert launched.src.constants == {(2, ): ((double, 2), [double, 0.5]), (3, ): Modes.SUM}
    assert "tile.store" in triton.compile(launched.src).asm["ttir"]


@triton.jit
def unused_functions(out, functions, alone: tl.constexpr):
    tl.store(out, 1.0)


def test_a_launch_knows_plain_functions(knobs):
    knobs.runtime.interpret = True
    launched = unused_functions[(1, )](np.zeros(1, np.float32), (triton.cdiv, tl.cdiv), triton.next_power_of_2)
    assert launched.src.constants == {(1, 0): triton.cdiv, (1, 1): tl.cdiv, (2, ): triton.next_power_of_2}
    assert launched.src.signature == {"out": "*fp32", "functions": ("constexpr", "constexpr"), "alone": "constexpr"}


def test_functions_and_lists_as_constants(knobs):
    knobs.runtime.interpret = True
    source = triton.compiler.ASTSource(add_ends, {"ends": ("*fp32", "*fp32", "constexpr"), "out": "*fp32", "more": "constexpr"},
                                       {"BLOCK": 4, "more": (double, (2, 1)), (0, 2): 1})
    assert "tile.store" in triton.compile(source).asm["ttir"]


@pytest.mark.parametrize("types, constants, error, message", [
    ({"ends": ("*fp32", "half")}, {}, ValueError, "parameter 'ends\\[1\\]' of kernel 'add_named' has the type 'half'"),
    ({"ends": ["*fp32"]}, {}, ValueError, "parameter 'ends' of kernel 'add_named' has the type"),
    ({"ends": ("*fp32", "*fp32")}, {(0, 2): 1}, ValueError, "no parameter \\(0, 2\\): the type of 'ends' is \\('\\*fp32', '\\*fp32'\\)"),
    ({"ends": "*fp32"}, {("ends", 0): 1}, ValueError, "no parameter \\('ends', 0\\): the type of 'ends' is \\*fp32"),
    ({"ends": ("constexpr", )}, {}, ValueError, "'ends\\[0\\]' is a constexpr, but constexprs has no value for it"),
    ({"ends": Ends("*fp32", "*fp32", "i32")}, {}, ValueError, "'ends\\[2\\]' is declared as tl.constexpr, but the signature has the type 'i32'")])
def test_tuples_are_checked(types, constants, error, message):
    with pytest.raises(error, match=message):
        triton.compiler.ASTSource(add_named, {**types, "out": "*fp32"}, constants).get_text()


def test_without_a_target_it_is_the_device_here(knobs):
    knobs.runtime.interpret = True
    compiled = triton.compile(triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 16}))
    assert compiled.target.startswith("cpu:") and set(compiled.asm) == {"ttir", "source"}
    assert triton.compiler.make_backend(compiled.metadata.target).hash().endswith("-cpu:interpreter")


def test_compile_refuses():
    with pytest.raises(TypeError, match="an ASTSource is expected"):
        triton.compile(kernel)
    with pytest.raises(ValueError, match="'BLOCK' is a constexpr, but constexprs has no value for it"):
        triton.compile(triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}),
                       target=SM90)
    with pytest.raises(errors.UnavailableError, match="no plugin compiles for 'abacus:1'; plugins compile for"):
        triton.compile(triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 16}),
                       target=triton.GPUTarget("abacus", "1"))
    with pytest.raises(triton.CompilationError, match="no argument is given for parameter 'BLOCK'"):
        triton.compile(triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}), target="cpu:interpreter")


def test_sources_are_checked():
    types = {"x": "*fp32", "y": "*fp32", "n": "i32"}
    source = triton.compiler.ASTSource(triton.autotune([triton.Config({"BLOCK": 16})], key=[])(kernel), {0: "*kfp32", 1: "*fp32", 2: "i32"},
                                       {"BLOCK": 16})
    assert source.fn is kernel and source.get_text() == "x=*kfp32, y=*fp32, n=i32, BLOCK=16" and source.constants == {(3, ): 16}
    for arguments, kind, message in (
        ((kernel.fn, types), TypeError, "takes a @triton.jit function, not <function"),
        ((kernel, "*fp32"), TypeError, "signature of 'kernel' is a dict of types by parameter, not '\\*fp32'"),
        ((kernel, {**types, "n": "int"}), ValueError, "parameter 'n' of kernel 'kernel' has the type 'int', which does not exist; types are"),
        ((kernel, {**types, "z": "i32"}), ValueError, "has no parameter 'z'; it has x, y, n, BLOCK, ACT"),
        ((kernel, types, {("BLOCK", 0): 1}), ValueError, "has no parameter \\('BLOCK', 0\\)"),
        ((kernel, types, {}, {(9, ): []}), ValueError, "has no parameter 9")):
        with pytest.raises(kind, match=message):
            triton.compiler.ASTSource(*arguments)


@needs_cuda_plugin
def test_what_is_not_known_without_a_device():
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 1024})
    compiled = triton.compile(source, target=SM90)
    assert compiled.src is source and list(compiled.asm) == ["source", "ttir", "ttgir", "llir", "ptx", "cubin"]
    assert compiled.n_regs is None and compiled.n_spills is None and compiled.shared == 0


def test_after_a_launch():
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    compiled = kernel[(1, )](x, y, 16, BLOCK=16, num_warps=2)
    assert compiled.name == "kernel" and compiled.n_spills == 0 and compiled.n_regs == 1 and compiled.shared > 0
    assert compiled.metadata.num_warps == 2 and compiled.metadata.num_stages == 3
    assert "n=i32:16, BLOCK=16, ACT=none" in compiled.signature and "'kernel' for cpu" in repr(compiled)
    assert compiled in kernel.device_caches[0][0].values()
    y[:] = 0
    compiled[(1, )](x, y, 16, BLOCK=16)
    assert (y == 1).all()


@needs_cuda_plugin
def test_the_targets_own_options_of_a_compilation():
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 1024})
    for given, has_lines in (({"line-info": True}, True), ({"line-info": "false"}, False)):
        compiled = triton.compile(source, target=SM90, options={"num_warps": 8, "options": given})
        assert (".loc" in compiled.asm["ptx"]) == has_lines and ".reqntid 256" in compiled.asm["ptx"]
    with pytest.raises(Exception, match="unknown option 'colour'"):
        triton.compile(source, target=SM90, options={"options": {"colour": "red"}}).asm["ptx"]


@needs_cuda_plugin
def test_line_information_is_left_out_on_demand(knobs):
    source = triton.compiler.ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 1024})
    knobs.compilation.disable_line_info = True
    assert ".loc" not in triton.compile(source, target=SM90).asm["ptx"]
    assert ".loc" in triton.compile(source, target=SM90, options={"options": {"line-info": True}}).asm["ptx"]
    y = np.zeros(16, np.float32)
    assert kernel[(1, )](y, y, 16, BLOCK=16)._options[-1] == (("line-info", "false"), )
    knobs.compilation.disable_line_info = False
    assert ".loc" in triton.compile(source, target=SM90).asm["ptx"]


@triton.jit
def written(x, y, flag):
    tl.store(x, tl.load(y) + flag.to(tl.float32))


def test_constant_pointers_and_booleans_of_signatures():
    compile = lambda **types: triton.compile(triton.compiler.ASTSource(written, types), target=triton.compiler.GPUTarget("cpu", "interpreter", 1))
    compiled = compile(x="*fp32", y="*kfp32", flag="u1")
    assert compiled.src.signature == {"x": "*fp32", "y": "*kfp32", "flag": "u1"}
    x, y = np.zeros(1, np.float32), np.ones(1, np.float32)
    compiled[(1, )](x, y, True)
    assert x.tolist() == [2]
    with pytest.raises(triton.CompilationError) as caught:
        compile(x="*kfp32", y="*fp32", flag="i1")
    assert str(caught.value.__cause__) == "Cannot store to a constant pointer"


def test_metadata_has_the_options_of_triton():
    x = np.zeros(1, np.float32)
    plain = of_kinds.warmup(x, x, True, tl.float16, grid=(1, )).metadata
    assert plain.sanitize_overflow and plain.ir_override is None and plain.default_dot_input_precision == "ieee"
    assert "fp8e4nv" in plain.supported_fp8_dtypes and plain.default_dot_input_precision in plain.allowed_dot_input_precisions
    assert not of_kinds.warmup(x, x, True, tl.float16, grid=(1, ), debug=True, sanitize_overflow=False).metadata.sanitize_overflow
    source = triton.compiler.ASTSource(of_kinds, {"x": "*fp32", "y": "*fp32", "flag": "i1"}, {"DTYPE": tl.float16})
    assert triton.compile(source, target=SM90).metadata.default_dot_input_precision == "tf32"


def test_backends_tell_options():
    backend = triton.compiler.make_backend(triton.compiler.GPUTarget("cuda", 90, 32))
    options = backend.parse_options({"num_warps": 8})
    assert (options.num_warps, options.num_stages, options.arch, options.warp_size, backend.binary_ext) == (8, 3, "90", 32, "cubin")
    assert options.hash() == backend.parse_options({"num_warps": 8}).hash() != backend.parse_options({}).hash()
    assert triton.compiler.make_backend(triton.compiler.GPUTarget("hip", "gfx942", 64)).binary_ext == "hsaco"
    assert backend.pack_metadata(of_kinds.warmup(*[np.zeros(1, np.float32)] * 2, True, tl.float16, grid=(1, )).metadata)[:2] == (4, 1)


def test_source_lines_of_a_kernel():
    assert of_kinds.raw_src[:2] == ["@triton.jit\n", "def of_kinds(x: tl.const, y, flag, DTYPE: tl.constexpr):\n"] and of_kinds.src.startswith("def of_kinds")


@triton.jit
def of_kinds(x: tl.const, y, flag, DTYPE: tl.constexpr):
    tl.store(y, tl.load(x).to(DTYPE) + flag.to(tl.float32))


def test_sources_of_launches_have_the_types_of_triton():
    """Constant pointers, booleans, and dtypes among the constants; the source compiles again."""
    x = np.zeros(1, np.float32)
    source = of_kinds.warmup(x, x, True, tl.float16, grid=(1, )).src
    assert source.signature == {"x": "*kfp32", "y": "*fp32", "flag": "u1", "DTYPE": "constexpr"} and source.constants == {(3, ): tl.float16}
    assert type(source.constants[3, ]) is tl.dtype
    triton.compile(source, target=triton.compiler.GPUTarget("cpu", "interpreter", 1))[(1, )](x, x, True)
    assert x.tolist() == [1]


@triton.jit
def multiplying(a, b, c, BLOCK: tl.constexpr):
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(c + i * BLOCK + j, tl.dot(tl.load(a + i * BLOCK + j), tl.load(b + i * BLOCK + j)))


@pytest.mark.skipif("not has_plugin('hip')", reason="no plugin 'hip' beside the library")
def test_triton_options_of_amd_gpus():
    source = triton.compiler.ASTSource(multiplying, {"a": "*fp16", "b": "*fp16", "c": "*fp32"}, {"BLOCK": 64})
    target = triton.GPUTarget("hip", "gfx942", 64)
    for given, text in (({"waves_per_eu": 3}, '"amdgpu-waves-per-eu"="3"'), ({"matrix_instr_nonkdim": 16}, ".16x16x16f16("),
                        ({"matrix_instr_nonkdim": 0, "kpack": 1}, ".32x32x8f16(")):
        assert text in triton.compile(source, target=target, options={"num_warps": 4, **given}).asm["llir"]
    with pytest.raises(Exception, match="'matrix-instr-nonkdim' is '8', not 0, 16 or 32"):
        triton.compile(source, target=target, options={"matrix_instr_nonkdim": 8}).asm["llir"]
    # Other targets have no use for them.
    assert triton.compile(source, target=triton.GPUTarget("cpu", "interpreter", 1), options={"kpack": 2}).asm["ttir"]


@triton.jit
def racing(x):
    tl.store(x, tl.program_id(0))


def test_the_targets_own_options_of_a_launch():
    x = np.zeros(1, np.int32)
    assert racing[(2, )](x).metadata.num_warps == 4
    compiled = racing[(1, )](x, num_warps=2, options={"checks": "races", "threads": 3, "line-info": True})
    assert compiled.metadata.num_warps == 2
    again = racing.preload(compiled.specialization_data)
    assert again._options == compiled._options == (2, 0, 0, 0, 0, 0, (("checks", "races"), ("threads", "3"), ("line-info", "true")))
    with pytest.raises(Exception, match="races with a write by program"):
        racing[(2, )](x, options={"checks": "races"})
    racing[(2, )](x, options={})
    racing[(2, )](x, options=None)
    for wrong, text in (({"colour": "red"}, "unknown option 'colour'"),
                        ({"num-warps": 4}, r"options\[0\] is 'num-warps', which cannot be given as an option"),
                        ({"checks": "all"}, "'all' is not a check"), (7, "options is 7, which is not a dict"),
                        ({"threads": 1.5}, "options has 'threads': 1.5; a name with a text, an integer or a bool is "),
                        ({3: "x"}, "options has 3: 'x'; a name with a text")):
        with pytest.raises(Exception, match=text):
            racing[(1, )](x, options=wrong)


@triton.jit
def with_a_parameter(x, options: tl.constexpr):
    tl.store(x, options)


def test_a_parameter_may_be_called_options():
    x = np.zeros(1, np.int32)
    with_a_parameter[(1, )](x, options=5)
    assert x[0] == 5

"""Kernels of `triton.compile` that are launched: the code of their signature, whatever the types of the arguments."""

import pickle

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.errors import FaultError
from tilerun.triton.backends.compiler import GPUTarget
from tilerun.triton.compiler import ASTSource

CPU = GPUTarget("cpu", "", 32)


@triton.jit
def scale_kernel(x, y, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def distant_kernel(x, y, n):
    tl.store(x + (y.to(tl.int64) - x.to(tl.int64)) // 4 + n, 1.0)


@triton.jit
def choosing_kernel(x, y):
    if tl.target_info.is_cuda():
        tl.store(x, 1.0)
    else:
        tl.store(y, 1.0)


@triton.jit
def product_kernel(y, n, m):
    tl.store(y, n * m)


def compile(kernel, signature, constants=None, attrs=None, **options):
    return triton.compile(ASTSource(kernel, signature, constants or {}, attrs), target=CPU, options=options)


def run(compiled, grid, *args):
    sizes = (*grid, 1, 1)[:3]
    compiled._init_handles()
    compiled.run(*sizes, 0, compiled.function, compiled.packed_metadata, None, None, None, *args)


def scale(factor="fp32", **options):
    return compile(scale_kernel, {"x": "*fp64", "y": "*fp64", "n": "i32", "factor": factor, "BLOCK": "constexpr"}, {"BLOCK": 16},
                   **options)


def test_with_and_without_the_constants():
    x, y = np.arange(20.0), np.zeros(20)
    for arguments in ((x, y, 20, 2.0), (x, y, 20, 2.0, 16)):
        y[:] = 0
        run(scale(), (2, ), *arguments)
        assert (y == x * 2).all()
    with pytest.raises(TypeError, match="takes 5 arguments, or 4 without the constants; 3 were passed"):
        run(scale(), (2, ), x, y, 20)


def test_numbers_have_the_types_of_the_signature():
    """A launch that chose by the values would compute with 32 bits."""
    x, y = np.ones(16), np.zeros(16)
    run(scale("fp64"), (1, ), x, y, 16, 0.1)
    assert (y == 0.1).all()
    run(scale("fp32"), (1, ), x, y, 16, 0.1)
    assert (y == np.float32(0.1)).all()
    run(scale("fp64"), (1, ), x, y, 16, 3)  # An integer is a number, too.
    assert (y == 3).all()
    y = np.zeros(1, np.int64)
    run(compile(product_kernel, {"y": "*i64", "n": "i64", "m": "i64"}), (1, ), y, 1 << 20, 1 << 20)
    assert y[0] == 1 << 40
    y = np.zeros(1, np.int64)
    run(compile(product_kernel, {"y": "*i64", "n": "i32", "m": "i32"}), (1, ), y, 1 << 20, 1 << 20)
    assert y[0] == 0


def test_called_as_a_kernel():
    x, y = np.ones(16), np.zeros(16)
    compiled = scale("fp64")
    assert compiled[(1, )](x, y, 16, 0.1) is compiled and (y == 0.1).all()


def test_wrong_arguments():
    x, y = np.ones(16), np.zeros(16)
    with pytest.raises(Exception, match="factor"):
        run(scale(), (1, ), x, y, 16, "two")
    with pytest.raises(TypeError, match="cannot be passed to a compiled kernel"):
        run(scale(), (1, ), x, y, 16, object())
    with pytest.raises(Exception, match="n"):
        run(scale(), (1, ), x, y, 1 << 40, 2.0)
    with pytest.raises(ValueError, match="more than any device takes"):
        run(scale(), (1 << 33, ), x, y, 16, 2.0)
    run(scale(), (0, ), x, y, 16, 2.0)
    assert (y == 0).all()


def test_promises_are_checked():
    compiled = compile(scale_kernel, {"x": "*fp64", "y": "*fp64", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}, {"BLOCK": 16},
                       {(2, ): [["tt.divisibility", 16]]})
    x, y = np.ones(32), np.zeros(32)
    run(compiled, (2, ), x, y, 32, 2.0)
    assert (y == 2).all()
    with pytest.raises(Exception, match="compiled for multiples of 16"):
        run(compiled, (2, ), x, y, 17, 2.0)


def test_bounds_are_checked():
    with pytest.raises(FaultError, match="scale_kernel|parameter 'y'"):
        run(scale(), (2, ), np.ones(32), np.zeros(20), 32, 2.0)


def test_hooks(knobs):
    told = []
    knobs.runtime.launch_enter_hook.add(lambda metadata: told.append(metadata.get()["name"]))
    knobs.runtime.launch_exit_hook.add(lambda metadata: told.append(metadata.get()["grid"]))
    x, y = np.ones(16), np.zeros(16)
    run(scale("fp64"), (1, ), x, y, 16, 0.1)
    assert told == ["scale_kernel", (1, 1, 1)] and (y == 0.1).all()


def test_checks(knobs):
    """On copies, with the same code."""
    knobs.interpreter.checks = True
    x, y = np.ones(16), np.zeros(16)
    run(scale("fp64"), (1, ), x, y, 16, 0.1)
    assert (y == 0.1).all()


def test_integers_wrap_where_the_host_says_so():
    y = np.zeros(1, np.int32)
    signature = {"y": "*i32", "n": "i32", "m": "i32"}
    run(compile(product_kernel, signature, debug=True, sanitize_overflow=False), (1, ), y, 1 << 20, 1 << 13)
    assert y[0] == 0
    with pytest.raises(FaultError, match="overflows int32"):
        run(compile(product_kernel, signature, debug=True), (1, ), y, 1 << 20, 1 << 13)
    product_kernel[(1, )](y, 1 << 20, 1 << 13, debug=True, sanitize_overflow=False)
    with pytest.raises(FaultError, match="overflows int32"):
        product_kernel[(1, )](y, 1 << 20, 1 << 13, debug=True)


@triton.jit
def asserting_kernel(y, n):
    tl.device_assert(n < 10, "n is large")
    tl.store(y, n)


def test_assertions_stay_without_checks_of_overflow():
    y = np.zeros(1, np.int32)
    compiled = compile(asserting_kernel, {"y": "*i32", "n": "i32"}, debug=True, sanitize_overflow=False)
    run(compiled, (1, ), y, 3)
    assert y[0] == 3
    with pytest.raises(FaultError, match="n is large"):
        run(compiled, (1, ), y, 12)


def test_pickled_by_name():
    compiled = pickle.loads(pickle.dumps(scale("fp64")))
    x, y = np.ones(16), np.zeros(16)
    assert compiled.function is scale_kernel and compiled.shared > 0
    run(compiled, (1, ), x, y, 16, 0.1)
    assert (y == 0.1).all()


def test_pickled_without_the_function(run_python, tmp_path):
    """As code does that compiles in another process: it drops the function, and pickles the rest."""
    script = tmp_path / "worker.py"
    script.write_text("""
import pickle, sys
import tilerun; tilerun.install()
import triton, triton.language as tl
from triton.compiler import ASTSource

@triton.jit
def helper(v, factor):
    return v * factor

@triton.jit
def kernel(x, y, n, factor, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, helper(tl.load(x + i, mask=i < n), factor), mask=i < n)

signature = {"x": "*fp64", "y": "*fp64", "n": "i32", "factor": "fp64", "BLOCK": "constexpr"}
compiled = triton.compile(ASTSource(kernel, signature, {"BLOCK": 16}), target=triton.compiler.GPUTarget("cpu", "", 32))
kernel.fn = kernel.__globals__ = kernel.used_global_vals = None
kernel.repr = kernel.launch_metadata = None
with open(sys.argv[1], "wb") as file:
    pickle.dump((kernel, compiled), file)
""")
    run_python(script, tmp_path / "pickled")
    function, compiled = pickle.loads((tmp_path / "pickled").read_bytes())
    assert compiled.function is function and compiled.src.fn is function and function.arg_names[3] == "factor"
    assert [p.num for p in function.params if p.is_constexpr] == [4]
    x, y = np.ones(16), np.zeros(16)
    run(compiled, (1, ), x, y, 16, 0.1)
    assert (y == 0.1).all()


def test_what_a_kernel_writes():
    source = lambda n: ASTSource(scale_kernel, {"x": "*fp32", "y": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"},
                                 {"BLOCK": n})
    assert source(16).find_writes() == {"y"} and source(32).find_writes() == {"y"}


def test_writes_through_a_difference_of_addresses():
    source = ASTSource(distant_kernel, {"x": "*fp32", "y": "*fp32", "n": "i64"}, {})
    assert source.find_writes() == {"x", "y"}


def test_what_a_kernel_writes_depends_on_its_target():
    source = ASTSource(choosing_kernel, {"x": "*fp32", "y": "*fp32"}, {})
    assert source.find_writes() == {"y"} and source.find_writes("cuda:sm_90a") == {"x"}


def test_grids_of_other_integers():
    x, y = np.arange(16.0), np.zeros(16)
    run(scale(), (np.int64(1), ), x, y, 16, 2.0)
    assert (y == x * 2).all()


def test_memory_of_a_gpu_on_the_interpreter():
    class Elsewhere:
        __cuda_array_interface__ = {"shape": (16, ), "typestr": "<f8", "data": (4096, False), "version": 3}

    with pytest.raises(ValueError, match="on another device than the one that the kernel was compiled for"):
        run(scale(), (1, ), np.arange(16.0), Elsewhere(), 16, 2.0)


@triton.jit
def ends_kernel(x, out, n):
    tl.store(out, tl.load(x) + tl.load(x + n - 1))


def test_bounds_are_those_of_the_tensor_whatever_the_type_in_the_signature():
    """A view behind other elements, of a tensor whose elements are smaller than the signature's: its storage begins where the
    tensor's own elements say."""
    torch = pytest.importorskip("torch")
    compiled = compile(ends_kernel, {"x": "*fp32", "out": "*fp32", "n": "i32"})
    values = torch.tensor([1.0, 2.0, 3.0, 4.0])
    storage = torch.cat([torch.zeros(16, dtype=torch.int16), values.view(torch.int16)])
    out = torch.zeros(1)
    run(compiled, (1, ), storage[16:], out, 4)
    assert out.item() == 5
    for wrong in (5, -8):
        with pytest.raises(FaultError, match="outside of"):
            run(compiled, (1, ), storage[16:], out, wrong)
    # Where the sizes of elements are the same, the fault still tells the shape.
    with pytest.raises(FaultError, match=r"\[4\]"):
        run(compiled, (1, ), values.view(torch.int32), out, 5)


def test_cooperative_launches_are_refused():
    """A kernel that waits for its other programs would wait for ever."""
    with pytest.raises(NotImplementedError, match="'scale_kernel': cooperative launches.*not supported"):
        scale(launch_cooperative_grid=True)
    scale(launch_cooperative_grid=False)


def test_listener(run_text):
    """`knobs.compilation.listener` hears of each compilation once, by `triton.compile` and by launches."""
    done = run_text("""
        import numpy
        import triton
        import triton.language as tl
        from triton.backends.compiler import GPUTarget

        @triton.jit
        def heard(x, n, B: tl.constexpr):
            i = tl.arange(0, B)
            tl.store(x + i, i, mask=i < n)

        def listen(*, src, metadata, metadata_group, times, cache_hit):
            (stage, lowering), = times.lowering_stages
            print(src.name, sorted(src.signature), metadata["num_warps"], metadata["target"].backend, stage, cache_hit,
                  times.total == times.total_lowering + times.store_results + times.ir_initialization, lowering > 0)

        x = numpy.zeros(64, numpy.int32)
        heard[(1, )](x, 64, B=64)
        triton.knobs.compilation.listener = listen
        source = triton.compiler.ASTSource(heard, {"x": "*i32", "n": "i32", "B": "constexpr"}, {"B": 64})
        triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})
        for n in (60, 61, 60):
            heard[(1, )](x, n, B=64)
        heard.warmup(x, 60, B=32, grid=(1, ))
        del triton.knobs.compilation.listener
        triton.compile(source, target=GPUTarget("cuda", 80, 32))
        print(x[60:].tolist())
        """)
    assert done.stdout.splitlines() == ["heard ['B', 'n', 'x'] 8 cuda ptx None True True", *["heard ['B', 'n', 'x'] 4 cpu ttir None True True"] * 2,
                                        "[60, 61, 62, 63]"]


@triton.jit
def multiply_add_kernel(x):
    tl.store(x, tl.load(x) * 1.5 + 1.0)


def is_fused(compiled):
    assert compiled.metadata.enable_fp_fusion == ("fma.rn" in compiled.asm["ptx"])
    return compiled.metadata.enable_fp_fusion


def test_products_that_are_rounded(monkeypatch):
    """enable_fp_fusion and TRITON_DEFAULT_FP_FUSION, of code for a GPU and of launches, which count as other kernels."""
    def compiled(**options):
        return triton.compile(ASTSource(multiply_add_kernel, {"x": "*fp32"}, {}), target=GPUTarget("cuda", 90, 32), options=options)

    assert is_fused(compiled()) and is_fused(compiled(enable_fp_fusion=True))
    assert not is_fused(compiled(enable_fp_fusion=False)) and not is_fused(compiled(enable_fp_fusion=tl.constexpr(False)))
    assert compiled().hash != compiled(enable_fp_fusion=False).hash
    for fused in (True, False):
        source, options = ASTSource(multiply_add_kernel, {"x": "*fp32"}, {}), {"enable_fp_fusion": fused}
        amd = triton.compile(source, target=GPUTarget("hip", "gfx942", 64), options=options).asm["amdgcn"]
        assert ("v_fma" in amd) == fused and ("v_mul_f32" in amd) != fused
        text = triton.compile(source, target=GPUTarget("vulkan", "1.3,fma", 32), options=options).asm["spirv-asm"]
        assert ("Fma" in text) == fused and ("OpFMul" in text) != fused
    told, x = [], np.ones(1, np.float32)
    monkeypatch.setattr(triton.knobs.runtime, "jit_post_compile_hook", lambda **call: told.append(call["compile"]["enable_fp_fusion"]))
    for options in ({}, {"enable_fp_fusion": False}, {"enable_fp_fusion": False}, {"enable_fp_fusion": True}):
        x[0] = 2
        multiply_add_kernel[(1, )](x, **options)
        assert x[0] == 4
    assert told == [True, False]
    fused, rounded = (multiply_add_kernel.warmup(x, grid=(1, ), enable_fp_fusion=value) for value in (True, False))
    launches = [(fused[(1, )], True), (rounded[(1, )], False)]
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    for launch, is_on in launches + [(fused[(1, )], True), (rounded[(1, )], False)]:
        assert launch(x).metadata.enable_fp_fusion is is_on
    assert not is_fused(compiled()) and is_fused(compiled(enable_fp_fusion=True))
    assert multiply_add_kernel.warmup(x, grid=(1, )).metadata.enable_fp_fusion is False
    with triton.knobs.language.scope():  # Undoing a monkeypatch would leave an assignment.
        triton.knobs.language.default_fp_fusion = True
        assert is_fused(compiled())
        assert [launch(x).metadata.enable_fp_fusion for launch, _ in launches] == [True, False]

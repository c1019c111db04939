"""Uses of the package by frameworks and libraries of kernels besides launching: look-ups,
subclasses, tracers' patches, hooks, and pickled kernels."""

import copy
import pickle

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton.tools.tensor_descriptor import TensorDescriptor

seen = []


def tell(grid, kernel, arguments):
    seen.append((grid, kernel, arguments))
    return {"name": f"{kernel.name}_{kernel.num_warps}", "flops": 7}


@triton.jit(launch_metadata=tell)
def add_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit(launch_metadata=tell)
def parts_kernel(d, pair, y, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.reshape(d.load([0, 0]), BLOCK) * pair[0] + pair[1] + scale)


def arrays(n=16):
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32)


# -- Modules and types


def test_modules_without_an_import_of_their_own(run_python):
    run_python("-c", """
import tilerun; tilerun.install()
import inspect, triton
for name in ("runtime.jit", "runtime.autotuner", "runtime.cache", "compiler.compiler", "compiler.errors", "backends",
             "backends.compiler", "language.core", "language.extra.cuda.gdc", "language.extra.cuda.utils", "testing"):
    found = triton
    for part in name.split("."):
        found = getattr(found, part)
    assert inspect.ismodule(found), name
assert issubclass(triton.runtime.jit.JITFunction, triton.KernelInterface)
from triton.language.extra.cuda.gdc import gdc_wait
from triton.language.extra.cuda.utils import smid
assert smid is triton.language.extra.cuda.smid
import triton.runtime.driver  # The module has what the object has.
assert triton.runtime.driver.active.is_active() and triton.runtime.driver.set_active
""")


def test_kernels_are_interfaces():
    assert isinstance(add_kernel, triton.KernelInterface) and isinstance(add_kernel, triton.runtime.jit.JITFunction)
    assert triton.KernelInterface[int].__origin__ is triton.KernelInterface and triton.JITFunction[int]


def test_active_drivers():
    from tilerun.triton.backends import backends
    active = [backend.driver for backend in backends.values() if backend.driver and backend.driver.is_active()]
    hashed = backends["tilerun"].compiler(triton.GPUTarget("cuda", 90)).hash()
    assert len(active) == 1 and hashed.startswith("tilerun-") and hashed.endswith("-cuda:sm_90a")


# -- Pickled and copied kernels


def test_copies_are_the_kernel():
    assert copy.deepcopy({"kernel": add_kernel})["kernel"] is add_kernel and copy.copy(add_kernel) is add_kernel
    assert pickle.loads(pickle.dumps(add_kernel)) is add_kernel

    @triton.jit
    def local(x):
        pass

    with pytest.raises((AttributeError, pickle.PicklingError), match="local"):
        pickle.dumps(local)


def test_attributes_of_kernels():
    assert add_kernel.hash == add_kernel.cache_key and not add_kernel.is_gluon()
    assert add_kernel.parse().body[0].name == "add_kernel" and add_kernel.__globals__ is globals()
    assert add_kernel.get_capture_scope()["tl"] is tl and add_kernel._fn_name == f"{__name__}.add_kernel"

    factor = 3

    @triton.jit
    def kernel(x, n: tl.int64, m: "i32", k: "tl.float16"):
        tl.store(x, n * factor + LIMIT)

    assert kernel.get_capture_scope()["factor"] == 3
    assert {name: value for (name, _), (value, _) in kernel.used_global_vals.items()}["LIMIT"] == LIMIT
    assert [p.annotation_type for p in kernel.params] == ["", "i64", "i32", "fp16"]
    x, y = arrays()
    compiled = add_kernel[(1, )](x, y, 16, 16)
    assert compiled in add_kernel.cache[0].values()


LIMIT = 5

# -- Tracers


def test_a_run_in_place_of_the_classes_own():
    calls = []
    plain = triton.JITFunction.run

    def run(self, *args, **kwargs):
        calls.append((self.fn.__name__, kwargs["grid"], kwargs["warmup"]))
        return plain(self, *args, **kwargs)

    x, y = arrays()
    triton.JITFunction.run = run
    try:
        assert add_kernel[(1, )](x, y, 16, BLOCK=16).name == "add_kernel" and (y == x + 1).all()
    finally:
        triton.JITFunction.run = plain
    add_kernel[(1, )](x, y, 16, BLOCK=16)
    assert calls == [("add_kernel", (1, ), False)]


def test_subclasses_with_a_run_of_their_own():
    calls = []

    class Traced(triton.JITFunction):
        def run(self, *args, grid, warmup, **kwargs):
            calls.append(grid)
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)

    x, y = arrays()
    kernel = Traced(add_kernel.fn)
    kernel[(1, )](x, y, 16, 16)
    kernel.warmup(x, y, 16, 16, grid=(2, ))
    assert (y == x + 1).all() and calls == [(1, ), (2, )]


# -- Hooks


def test_launch_metadata_sees_the_callers_arguments(knobs):
    told = []
    knobs.runtime.launch_enter_hook.add(lambda metadata: told.append(metadata.get()))
    seen.clear()
    x, y = arrays()
    add_kernel[(1, )](x, y, 16, BLOCK=16, num_warps=2)
    grid, kernel, arguments = seen.pop()
    assert grid == (1, ) and arguments["x"] is x and arguments["y"] is y and arguments["n"] == 16 and arguments["BLOCK"] == 16
    assert told[0]["name"] == "add_kernel_2" and told[0]["flops"] == 7 and kernel.shared > 0
    descriptor = TensorDescriptor.from_tensor(x.reshape(4, 4), [4, 4])
    parts_kernel[(1, )](descriptor, (2, 3.5), y, 1.0, BLOCK=16)
    assert (y == x * 2 + 4.5).all()
    _, _, arguments = seen.pop()
    assert arguments == {"d": descriptor, "pair": (2, 3.5), "y": y, "scale": 1.0, "BLOCK": 16}


def test_cache_hooks_tell_how_to_preload(knobs):
    calls = []
    knobs.runtime.jit_cache_hook = lambda **call: calls.append(call) and False
    x, y = arrays()

    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr):
        tl.store(y + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)) + n)

    kernel[(1, )](x, y, 3, BLOCK=16, num_warps=2)
    told = calls[0]["compile"]
    assert told["signature"] == {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    about = calls[0]["fn"]
    assert type(about) is triton.runtime.jit.JitFunctionInfo and (about.module, about.name, about.jit_function) == (__name__, "kernel", kernel)
    assert told["constants"] == {(3, ): 16} and told["num_warps"] == 2 and (0, ) in told["configs"][0]
    assert kernel.preload(told["specialization_data"]).metadata.num_warps == 2


def test_order_of_hooks(knobs):
    """As Triton's: a warmup compiles, and the first launch loads."""
    told = []
    knobs.runtime.jit_cache_hook = lambda **call: told.append("compile")
    knobs.runtime.jit_post_compile_hook = lambda **call: told.append("compiled")
    knobs.runtime.kernel_load_start_hook.add(lambda *arguments: told.append("load"))
    knobs.runtime.kernel_load_end_hook.add(lambda *arguments: told.append("loaded"))
    x, y = arrays()

    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr):
        tl.store(y + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)) + n)

    kernel.warmup(x, y, 3, BLOCK=16, grid=(1, ))
    assert told == ["compile", "compiled"]
    for _ in range(2):
        kernel[(1, )](x, y, 3, BLOCK=16)
    assert told == ["compile", "compiled", "load", "loaded"]
    kernel[(1, )](x, y, 3, BLOCK=16, num_warps=2)
    assert told == ["compile", "compiled", "load", "loaded"] * 2


# -- Compiled kernels


def test_compiled_kernels_know_their_source():
    x, y = arrays()
    compiled = add_kernel[(1, )](x, y, 5, BLOCK=16, num_warps=2)
    assert compiled.src.fn is add_kernel and compiled.src.name == "add_kernel" and compiled.src.constants == {(3, ): 16}
    assert compiled.src.signature == {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    assert set(compiled.src.attrs) == {(0, ), (1, )}
    metadata = compiled.metadata
    assert metadata._asdict()["num_warps"] == compiled.num_warps == 2 and metadata._replace(num_warps=8).num_warps == 8
    assert list(compiled.asm) == ["source", "ttir"] and "tile." in dict(compiled.asm)["ttir"]

    @triton.jit
    def kernel(x, a: tl.constexpr, b: tl.constexpr, c: tl.constexpr, d: tl.constexpr, n):
        tl.store(x, n)

    source = kernel[(1, )](y, "a, b=(", (1, (2, 3), "x"), None, 0.5, 1).src
    assert source.constants == {(1, ): "a, b=(", (2, ): (1, (2, 3), "x"), (3, ): None, (4, ): 0.5, (5, ): 1}


def test_compiled_kernels_are_launched():
    x, y = arrays()
    compiled = add_kernel[(1, )](x, y, 16, BLOCK=16)
    for launch in (lambda: compiled[(1, 1, 1)](x, y, 16, 16), lambda: compiled[(1, )](x, y, 16),
                   lambda: compiled.run(1, 1, 1, 0, compiled.function, compiled.packed_metadata,
                                        compiled.launch_metadata((1, ), 0, x, y, 16), None, None, x, y, 16)):
        y[:] = 0
        launch()
        assert (y == x + 1).all()
    assert compiled.launch_metadata((1, ), 0, x, y, 16).get()["name"] == "add_kernel_4"


def test_occupancy_as_host_code_computes_it():
    """Host code divides by the interpreter's numbers."""
    properties = triton.runtime.driver.active.utils.get_device_properties(0)
    x, y = arrays()
    kernel = add_kernel.warmup(x, y, 16, BLOCK=16, num_warps=8, grid=(1, ))
    kernel._init_handles()
    occupancy = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 8)
    occupancy = min(occupancy, properties["max_shared_mem"] // kernel.metadata.shared)
    programs = min(properties["multiprocessor_count"] * occupancy, 2)
    assert programs >= 1 and kernel.n_spills == 0
    kernel[(programs, 1, 1)](x, y, 16, 16)
    assert (y == x + 1).all()


# -- Names of Triton's library


def test_private_names_that_kernels_are_written_with():
    from tilerun.triton.language.standard import _elementwise_max, _log2, _argmax_combine_tie_break_left
    assert _log2(16) == 4 and tl.core._unwrap_if_constexpr(tl.constexpr(3)) == 3 and not hasattr(tl.standard, "_flip")

    @triton.jit
    def kernel(x, y, N: tl.constexpr):
        i = tl.arange(0, N)
        value = tl.load(x + i)
        top = tl.reduce(value, 0, _elementwise_max)
        best, at = tl.reduce((value, i), 0, _argmax_combine_tie_break_left)
        tl.store(y + i, tl.where(i == 0, top, tl.where(i == 1, at.to(tl.float32), _log2(N))))

    x, y = arrays()
    x[5] = x[9] = 99
    kernel[(1, )](x, y, 16)
    assert list(y[:3]) == [99, 5, 4]


def test_functions_of_the_language_as_arguments():
    from tilerun.triton.language.extra import libdevice

    @triton.jit
    def kernel(x, y, f: tl.constexpr, arguments):
        i = tl.arange(0, 16)
        tl.store(y + i, f(tl.load(x + i), *arguments))

    x, y = arrays()
    for function, arguments, expected in ((tl.fma, (2.0, 3.0), x * 2 + 3), (libdevice.trunc, (), x), (tl.maximum, (4.0, ),
                                                                                                       np.maximum(x, 4))):
        kernel[(1, )](x, y, function, arguments)
        assert (y == expected).all()


def test_objects_of_fields_as_constants():
    import dataclasses
    import types

    @dataclasses.dataclass(frozen=True)
    class Inner:
        k: int = 3

    @dataclasses.dataclass
    class Settings:
        a: float
        mode: str = "add"
        inner: Inner = Inner()

    @triton.jit
    def kernel(x, y, s: tl.constexpr):
        i = tl.arange(0, 16)
        if s.mode == "add":
            tl.store(y + i, tl.load(x + i) * s.a + s.inner.k)
        else:
            tl.store(y + i, tl.load(x + i))

    x, y = arrays()
    settings = Settings(2.0)
    kernel[(1, )](x, y, settings)
    assert (y == x * 2 + 3).all()
    settings.a = 4.0
    kernel[(1, )](x, y, s=settings)
    assert (y == x * 4 + 3).all()
    kernel[(1, )](x, y, types.SimpleNamespace(mode="copy"))
    assert (y == x).all()


class _Launcher(triton.KernelInterface):
    """As frameworks have them: an object of its own, and not the name of a function."""

    def __init__(self, kernels):
        self.kernels = kernels


def test_launchers_of_frameworks_are_copied_and_pickled_by_their_state():
    launcher = _Launcher([add_kernel])
    for other in (copy.copy(launcher), copy.deepcopy(launcher), pickle.loads(pickle.dumps(launcher))):
        assert other is not launcher and other.kernels[0] is add_kernel


@triton.jit
def annotated_kernel(x: tl.int8, y: "i8", z: "fp32", n: tl.constexpr):
    pass


def test_texts_of_types():
    assert [(p.annotation, p.annotation_type) for p in annotated_kernel.params] == [("i8", "i8"), ("i8", "i8"), ("fp32", "fp32"), ("constexpr", "")]
    assert str(tl.pointer_type(tl.float32, 1, True)) == "const_pointer<fp32>" and str(tl.pointer_type(tl.float32)) == "pointer<fp32>"
    assert triton._utils.__name__.endswith("triton._utils")

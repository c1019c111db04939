"""Launches over numpy arrays and torch's CPU tensors, on the interpreter: values, grids, types, and what frameworks do
with kernels."""

import copy
import pickle
import threading

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


@triton.jit
def copy_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def axpy(x, y, n, a=2.0, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * a, mask=i < n)


@triton.jit
def ids(out):
    at = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    tl.store(out + at, tl.program_id(0) + 10 * tl.program_id(1) + 100 * tl.program_id(2))


def test_numpy_in_place():
    x, y = np.arange(100, dtype=np.float32), np.full(104, -1, np.float32)
    copy_kernel[(2, )](x, y, 100, BLOCK=64)
    np.testing.assert_array_equal(y[:100], x)
    np.testing.assert_array_equal(y[100:], -1)


def test_views_share_memory():
    base = np.zeros((4, 10), np.int32)
    copy_kernel[(1, )](np.arange(10, dtype=np.int32), base[2], 10, BLOCK=16)
    assert base[2].tolist() == list(range(10)) and base[[0, 1, 3]].sum() == 0
    reversed_view = base[2][::-1]  # The pointer is that of its first element, the last one in memory.
    out = np.zeros(1, np.int32)
    copy_kernel[(1, )](reversed_view, out, 1, BLOCK=1)
    assert out[0] == 9


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
                                   np.float16, np.float32, np.float64, np.bool_])
def test_numpy_types(dtype):
    x = (np.arange(33) % 2).astype(dtype)
    y = np.zeros_like(x)
    copy_kernel[(1, )](x, y, 33, BLOCK=64)
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64",
                                  "bool", "float8_e5m2", "float8_e4m3fn"])
def test_torch_types(name):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, name):
        pytest.skip(f"torch {torch.__version__} has no {name}")
    x = (torch.arange(33) % 2).to(getattr(torch, name))
    y = torch.zeros(33).to(x.dtype)
    for _ in range(2):  # The first launch and a warm one read tensors in two ways.
        y = torch.zeros(33).to(x.dtype)
        copy_kernel[(1, )](x, y, 33, BLOCK=64)
        assert torch.equal(x.float(), y.float())


def test_torch_in_place_and_parameters():
    torch = pytest.importorskip("torch")
    x = torch.randn(50)
    y = torch.nn.Parameter(torch.zeros(60))
    for _ in range(3):
        copy_kernel[(1, )](x, y[5:], 50, BLOCK=64)
    assert torch.equal(y.detach()[5:55], x) and y.detach()[:5].sum() == 0
    storage = torch.zeros(10)
    copy_kernel[(1, )](x, storage[3:], 4, BLOCK=4)  # Not aligned to 16 bytes.
    assert torch.equal(storage[3:7], x[:4])


def test_mixed_frameworks():
    torch = pytest.importorskip("torch")
    y = torch.zeros(8)
    copy_kernel[(1, )](np.arange(8, dtype=np.float32), y, 8, BLOCK=8)
    assert y.tolist() == list(range(8))


class OnlyDlpack:

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack():
    y = np.zeros(8, np.float32)
    copy_kernel[(1, )](OnlyDlpack(np.arange(8, dtype=np.float32)), OnlyDlpack(y), 8, BLOCK=8)
    assert y.tolist() == list(range(8))


def test_what_tells_of_memory():
    from tilerun import _memory

    class Interface:
        __cuda_array_interface__ = {"data": (4096, False), "typestr": "<f4", "shape": (4, ), "version": 3}

    class Bytes(Interface):
        dtype = "bfloat16"

    class Nothing:
        pass

    assert _memory.resolve(Interface()) == (4096, _memory.DTYPES["fp32"], _memory.CUDA, 0)
    assert _memory.resolve(Bytes()) == (4096, _memory.DTYPES["bf16"], _memory.CUDA, 0)
    assert _memory.resolve(Nothing()) is None and _memory.resolve(np.float32(3)) is None
    whole = np.zeros((6, 8), np.int16)
    assert _memory.get_extent(whole[2:, ::2]) == (whole.ctypes.data, 96)
    assert [_memory.find_dtype(d) for d in ("torch.float16", np.dtype("int8"), tl.float32, "none")] == [
        _memory.DTYPES["fp16"], _memory.DTYPES["i8"], _memory.DTYPES["fp32"], 0]


def test_empty_tensor():
    x = np.zeros(0, np.float32)
    copy_kernel[(1, )](x, x, 0, BLOCK=8)
    copy_kernel[(0, )](x, x, 0, BLOCK=8)
    assert copy_kernel[(0, 5)](x, x, 0, BLOCK=8) is None


@pytest.mark.parametrize("grid,shape", [((3, ), (1, 1, 3)), ((3, 2), (1, 2, 3)), ((3, 2, 2), (2, 2, 3)), ([3, 2], (1, 2, 3)),
                                        (5, (1, 1, 5)), ((np.int64(3), ), (1, 1, 3)),
                                        (lambda meta: (3, ), (1, 1, 3)), (lambda meta: [2, 2], (1, 2, 2))])
def test_grids(grid, shape):
    out = np.zeros(shape, np.int32)
    for _ in range(2):
        out[:] = 0
        ids[grid](out)
        z, y, x = np.indices(shape)
        np.testing.assert_array_equal(out, x + 10 * y + 100 * z)


def test_grid_function_sees_all_arguments():
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (triton.cdiv(meta["n"], meta["BLOCK"]), )

    x, y = np.ones(40, np.float32), np.zeros(40, np.float32)
    for _ in range(2):
        seen.clear()
        axpy[grid](x, y, 40, BLOCK=32)
        assert set(seen) == {"x", "y", "n", "a", "BLOCK"} and seen["BLOCK"] == 32 and seen["a"] == 2.0
    assert (y == 2).all()


def test_defaults_and_names():
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    axpy[(1, )](x, y, 16)
    assert (y == 2).all()
    axpy[(1, )](n=16, y=y, x=x, a=5.0)
    assert (y == 5).all()
    axpy[(1, )](x, y, 16, 3)  # An integer where the default is a float.
    assert (y == 3).all()
    for scale in (4, 6):  # The second one is warm.
        axpy[(1, )](x, y, np.int32(16), np.float32(scale), tl.constexpr(16), num_warps=2, num_stages=1)
        assert (y == scale).all()


def test_options_after_names_of_all_parameters():
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    assert axpy[(1, )](x=x, y=y, n=16, a=2.0, BLOCK=16).metadata.num_warps == 4
    for _ in range(2):  # The second one is warm.
        made = axpy[(1, )](x=x, y=y, n=16, a=2.0, BLOCK=16, num_warps=8, num_stages=2)
        assert (made.metadata.num_warps, made.metadata.num_stages) == (8, 2)


def test_computed_attributes_that_only_compare_equal():

    class Settings:
        zero, pair = 0.0, (1, )
        divisor = property(lambda self: self.zero)
        values = property(lambda self: self.pair)

    settings = Settings()

    @triton.jit
    def read(out):
        tl.static_assert(settings.values[0] == 1)
        tl.store(out, 1.0 / tl.full([], settings.divisor, tl.float32))

    out = np.zeros(1, np.float32)
    first = read[(1, )](out)
    assert out[0] == np.inf and read[(1, )](out) is first
    settings.zero = -0.0
    second = read[(1, )](out)
    assert out[0] == -np.inf and second is not first
    settings.pair = (True, )
    assert read[(1, )](out) is not second


def test_integers_of_all_sizes():

    @triton.jit
    def store(out, value):
        tl.store(out, value.to(tl.int64))

    out = np.zeros(1, np.int64)
    for value in (0, 16, 2, -1, 2**31 - 1, 2**31, -2**31 - 1, 2**62):
        store[(1, )](out, value)
        assert out[0] == value


def test_one_is_a_constant_unless_told():

    @triton.jit
    def plain(out, n):
        tl.static_assert(n == 1)
        tl.store(out, n)

    @triton.jit(do_not_specialize=["n"])
    def general(out, n):
        tl.store(out, n + 0)

    out = np.zeros(1, np.int32)
    plain[(1, )](out, 1)
    with pytest.raises(triton.CompilationError):
        plain[(1, )](out, 2)
    first, second = general[(1, )](out, 1), general[(1, )](out, 48)
    assert first is second or first.signature == second.signature
    assert out[0] == 48


def test_constants_of_all_kinds():

    @triton.jit
    def kernel(out, FLAG: tl.constexpr, NAME: tl.constexpr, SCALE: tl.constexpr, NOTHING: tl.constexpr,
               TYPE: tl.constexpr, SHAPE: tl.constexpr):
        v = tl.full((SHAPE[0], ), SCALE, TYPE)
        if FLAG:
            v += 1
        if NAME == "double":
            v *= 2
        if NOTHING is None:
            v += SHAPE[1][0]
        tl.store(out + tl.arange(0, SHAPE[0]), v)

    out = np.zeros(4, np.float32)
    kernel[(1, )](out, True, "double", 0.5, None, tl.float32, (4, (10, )))
    assert (out == 13).all()
    kernel[(1, )](out, np.bool_(False), "single", np.float64(1.5), 3, tl.float16, [4, [10]])
    assert (out == 1.5).all()


def test_tensor_descriptors():
    from tilerun.triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def kernel(a, b, SCALE: tl.constexpr, F: tl.constexpr = None):
        at = [tl.program_id(0) * 4, tl.program_id(1) * 8]
        b.store(at, a.load(at) * SCALE)

    a = np.arange(10 * 20, dtype=np.float32).reshape(10, 20)
    for height, width in ((10, 20), (7, 13), (1, 20)):
        out = np.full((10, 20), -1, np.float32)
        whole = a[:height, :width]
        kernel[(3, 3)](TensorDescriptor.from_tensor(whole, [4, 8]), TensorDescriptor.from_tensor(out[:height, :width], [4, 8]),
                       SCALE=2)
        np.testing.assert_array_equal(out[:height, :width], whole * 2)
        assert (out[height:] == -1).all() and (out[:, width:] == -1).all()


def test_descriptors_pad():
    from tilerun.triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def kernel(a, out):
        tl.store(out + tl.arange(0, 8), a.load([4]))

    out = np.zeros(8, np.float32)
    kernel[(1, )](TensorDescriptor(np.ones(6, np.float32), [6], [1], [8], padding="nan"), out)
    assert out[:2].tolist() == [1, 1] and np.isnan(out[2:]).all()
    kernel[(1, )](TensorDescriptor(np.ones(6, np.float32), [6], [1], [8]), out)
    assert out.tolist() == [1, 1] + [0] * 6


def test_tuples_of_run_time_values():

    @triton.jit
    def kernel(tensors, sizes, out, n, NAMES: tl.constexpr):
        i = tl.arange(0, 8)
        v = tl.load(tensors[0] + i, mask=i < sizes[0]) + tl.load(tensors[1][0] + i, mask=i < sizes[1], other=0.0)
        if tensors[1][1] is None:
            v += n
        tl.store(out + i, v, mask=i < 8)

    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    kernel[(1, )]((x, (x * 10, None)), (8, 3), out, 100, NAMES=("a", "b"))
    np.testing.assert_array_equal(out, x + np.where(x < 3, x * 10, 0) + 100)
    kernel[(1, )]([x, (x * 10, None)], [8, 1], out, 100, NAMES=("a", "b"))
    np.testing.assert_array_equal(out, x + np.where(x < 1, x * 10, 0) + 100)


def test_functions_as_arguments():

    @triton.jit
    def apply(out, x, F: tl.constexpr, G: tl.constexpr):
        tl.store(out, G(F(tl.load(x))))

    @triton.jit
    def negate(v):
        return -v

    @triton.jit
    def square(v):
        return v * v

    x, out = np.array([3], np.float32), np.zeros(1, np.float32)
    for _ in range(2):
        apply[(1, )](out, x, negate, square)
        assert out[0] == 9
        apply[(1, )](out, x, square, negate)
        assert out[0] == -9


def test_warm_launches_give_the_same_kernel():
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    first = axpy[(1, )](x, y, 16)
    assert axpy[(1, )](x, y, 16) is first
    assert axpy[(1, )](x, y, 16, BLOCK=32) is not first
    assert axpy[(1, )](x, y, 15).signature != first.signature


def test_run_and_warmup():
    torch = pytest.importorskip("torch")
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    axpy.run(x, y, 16, grid=(1, ), warmup=False)
    assert (y == 2).all()
    y[:] = 0
    compiled = axpy.warmup(torch.float32, torch.float32, 16, grid=(1, ), BLOCK=16)
    assert "x=*fp32" in compiled.signature and (y == 0).all()


def test_preload():
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    data = axpy[(1, )](x, y, 16).specialization_data
    assert axpy.preload(data).signature == axpy[(1, )](x, y, 16).signature
    with pytest.raises(RuntimeError, match="Specialization data is for axpy"):
        copy_kernel.preload(data)


@pytest.mark.parametrize("data", [None, 5, "", "{", "[]", "{}", '{"name": "axpy", "signature": "", "options": [1]}',
                                  '{"name": "axpy", "signature": "", "options": [-1, 0, 0, 0, 0, 0]}',
                                  '{"name": "axpy", "signature": "", "options": "abcdef"}'])
def test_preload_of_something_else(data):
    with pytest.raises(ValueError, match="kernel 'axpy': .* is not the specialization_data of a compiled kernel"):
        axpy.preload(data)


def test_attributes():
    assert axpy.arg_names == ["x", "y", "n", "a", "BLOCK"] and axpy.fn.__name__ == axpy.__name__ == "axpy"
    assert axpy.src.startswith("def axpy(") and axpy.constexprs == [4]
    assert [p.is_constexpr for p in axpy.params] == [False] * 4 + [True] and axpy.params[3].default == 2.0
    assert len(axpy.cache_key) == 64 and axpy.cache_key != copy_kernel.cache_key
    with pytest.raises(AttributeError, match="_unsafe_update_src"):
        axpy.src = "def axpy(): pass"
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        axpy(1)


def test_hooks(knobs):
    calls = []
    enter = lambda metadata: calls.append(("enter", metadata.get()["name"], metadata.get()["grid"]))
    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook = lambda metadata: calls.append(("exit", metadata.get()["name"]))
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    axpy[(1, )](x, y, 16)
    assert calls == [("enter", "axpy", (1, )), ("exit", "axpy")]
    knobs.runtime.launch_enter_hook.remove(enter)
    knobs.runtime.launch_exit_hook = None
    axpy[(1, )](x, y, 16)
    assert len(calls) == 2


def test_cache_hook():
    seen = []

    def hook(**call):
        seen.append(call["fn"].name)
        return True

    @triton.jit
    def kernel(x):
        tl.store(x, 1)

    x = np.zeros(1, np.int32)
    triton.JITFunction.cache_hook = hook
    try:
        assert kernel[(1, )](x) is None and x[0] == 0 and seen == ["kernel"]
    finally:
        triton.JITFunction.cache_hook = None
    kernel[(1, )](x)
    assert x[0] == 1 and seen == ["kernel"]


def test_pre_run_hook():
    calls = []

    @triton.jit
    def kernel(x, n):
        tl.store(x, n)

    x = np.zeros(1, np.int32)
    kernel[(1, )](x, 5)
    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append(args[1]))
    kernel[(1, )](x, 6)
    kernel[(1, )](x, 7)
    assert calls == [6, 7] and x[0] == 7


def test_threads():
    """Many threads launch one kernel for the first time at once, then go on."""

    @triton.jit
    def kernel(x, y, n, ADD: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n) + ADD, mask=i < n)

    start, wrong = threading.Barrier(8), []

    def work(number):
        x, y = np.arange(200, dtype=np.int32), np.zeros(200, np.int32)
        start.wait()
        for round in range(30):
            y[:] = 0
            kernel[lambda meta: (triton.cdiv(200, meta["BLOCK"]), )](x, y, 200, ADD=number % 3 + 2, BLOCK=64)
            if (y != x + number % 3 + 2).any():
                wrong.append((number, round))

    threads = [threading.Thread(target=work, args=(i, )) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_reinterpret():
    torch = pytest.importorskip("torch")
    bits = torch.tensor([0x3F800000], dtype=torch.int32)
    out = torch.zeros(1)
    copy_kernel[(1, )](triton.reinterpret(bits, torch.float32), out, 1, BLOCK=1)
    assert out[0] == 1.0
    copy_kernel[(1, )](triton.reinterpret(bits, tl.float32), out, 1, BLOCK=1)


def test_printing(capfd):

    @triton.jit
    def kernel(x, N: tl.constexpr):
        tl.static_print("compiled for", N)
        tl.device_print("value", tl.load(x))

    kernel[(1, )](np.array([42], np.int32), 5)
    printed = capfd.readouterr().out
    assert "compiled for 5" in printed and "42" in printed


def test_no_tensor():

    @triton.jit
    def kernel(n):
        tl.device_assert(n > 0)

    kernel[(1, )](5)


def test_two_hundred_parameters():
    names = ", ".join(f"p{i}" for i in range(200))
    text = (f"import tilerun.triton as triton\nimport tilerun.triton.language as tl\n@triton.jit\n"
            f"def many(out, {names}):\n    tl.store(out, p0 + p199)\n")
    import linecache
    linecache.cache["<many>"] = len(text), None, text.splitlines(True), "<many>"
    scope = {}
    exec(compile(text, "<many>", "exec"), scope)
    out = np.zeros(1, np.int32)
    scope["many"][(1, )](out, *range(5, 205))
    assert out[0] == 5 + 204


def test_helpers_of_the_host():
    assert triton.cdiv(10, 4) == 3 and triton.cdiv(tl.constexpr(8), 4) == 2
    assert [triton.next_power_of_2(n) for n in (0, 1, 2, 3, 1000, 1024)] == [0, 1, 2, 4, 1024, 1024]
    triton.set_allocator(lambda size, alignment, stream: None)
    active = triton.runtime.driver.active
    target = active.get_current_target()
    assert target.backend and active.get_current_device() == 0 and isinstance(active.get_current_stream(), int)
    assert active.utils.get_device_properties(0)["max_shared_mem"] > 0


def test_hooks_of_loading(knobs):

    @triton.jit
    def kernel(x, n):
        tl.store(x, n)

    x, told = np.zeros(1, np.int32), []
    knobs.runtime.kernel_load_start_hook.add(lambda module, function, name, group, hash: told.append(("start", name, hash)))
    knobs.runtime.kernel_load_end_hook.add(lambda module, function, name, group, hash: told.append(("end", name, hash)))
    for n in (5, 7, 1 << 40):
        kernel[(1, )](x, n)
    # Once for each kind of arguments.
    assert [word for word, _, _ in told] == ["start", "end"] * 2 and {name for _, name, _ in told} == {"kernel"}
    assert told[0][2] == told[1][2] != told[2][2]


tuned_kernel = triton.autotune([triton.Config({"BLOCK": b}) for b in (8, 16)], key=["n"])(axpy)


@triton.constexpr_function
def doubled(x):
    return 2 * x


def test_kernels_are_copied_and_pickled_by_name():
    """As functions are: modules of a network hold kernels, and some are sent to other processes."""
    for value in (axpy, doubled):
        assert copy.copy(value) is copy.deepcopy({"a": [value]})["a"][0] is pickle.loads(pickle.dumps(value)) is value
    assert copy.deepcopy(tuned_kernel) is tuned_kernel
    with pytest.raises(Exception, match="not the same object"):
        pickle.dumps(tuned_kernel)  # Its name is the kernel's.

    @triton.jit
    def local(x):
        pass

    with pytest.raises(Exception, match="local"):
        pickle.dumps(local)


def test_declarations():
    for places in ([2], [-1]):
        with pytest.raises(IndexError, match="@triton.jit of 'declared': unknown parameter .*; it has 2"):

            @triton.jit(do_not_specialize=places)
            def declared(x, y):
                pass


@triton.jit
def of_how_it_is_launched(x, num_warps: tl.constexpr, num_stages: tl.constexpr = 7):
    tl.store(x, num_warps)
    tl.store(x + 1, num_stages)


def test_a_parameter_with_the_name_of_an_option_is_both():
    x = np.zeros(2, np.int32)
    compiled = of_how_it_is_launched[(1, )](x, num_warps=8)
    assert x.tolist() == [8, 7] and compiled.metadata.num_warps == 8 and compiled.metadata.num_stages != 7
    compiled = of_how_it_is_launched[(1, )](x, num_warps=2, num_stages=1)
    assert x.tolist() == [2, 1] and (compiled.metadata.num_warps, compiled.metadata.num_stages) == (2, 1)
    assert of_how_it_is_launched[(1, )](x, 8).metadata.num_warps == 4 and x.tolist() == [8, 7]  # By position it is a value alone.
    tuned = triton.autotune([triton.Config({}, num_warps=2, num_stages=5)], key=[])(of_how_it_is_launched)
    assert tuned[(1, )](x).metadata.num_warps == 2 and x.tolist() == [2, 5]

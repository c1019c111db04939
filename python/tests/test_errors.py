"""Mistakes of the caller, and the messages: always the parameter, what was seen, and what to do."""

import pickle

import threading

import numpy as np
import pytest

import tilerun
import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors


@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


X, Y = np.ones(8, np.float32), np.zeros(8, np.float32)
READ_ONLY = np.zeros(8, np.float32)
READ_ONLY.flags.writeable = False


class Wrong:

    def __repr__(self):
        return "<wrong>"


CASES = [
    ("missing", lambda: kernel[(1, )](X, Y, 8), TypeError, "no value is passed for 'BLOCK' \\(tl.constexpr\\)"),
    ("two missing", lambda: kernel[(1, )](X, Y), TypeError, "no value is passed for 'n', 'BLOCK'"),
    ("too many", lambda: kernel[(1, )](X, Y, 8, 8, 8), TypeError, "5 arguments were passed; it takes 4: x, y, n, BLOCK"),
    ("twice", lambda: kernel[(1, )](X, Y, 8, n=8, BLOCK=8), TypeError, "parameter 'n' is passed twice"),
    ("unknown", lambda: kernel[(1, )](X, Y, 8, BLOK=8), KeyError, "unknown parameter or option 'BLOK'; did you mean 'BLOCK'\\?"),
    ("object", lambda: kernel[(1, )](X, Wrong(), 8, BLOCK=8), TypeError, "parameter 'y' is <wrong> of type Wrong"),
    ("complex", lambda: kernel[(1, )](X, Y.astype(complex), 8, BLOCK=8), TypeError,
     "parameter 'y': an array of complex128 cannot"),
    ("text", lambda: kernel[(1, )](X, Y, "eight", BLOCK=8), ValueError, "parameter 'n'.*a string was passed"),
    ("huge", lambda: kernel[(1, )](X, Y, 2**64, BLOCK=8), TypeError, "parameter 'n'"),
    ("constexpr array", lambda: kernel[(1, )](X, Y, 8, BLOCK=X), ValueError, "parameter 'BLOCK'.*takes a number"),
    ("tuple of an object", lambda: kernel[(1, )](X, (Y, Wrong()), 8, BLOCK=8), TypeError,
     "parameter 'y\\[1\\]' is <wrong> of type Wrong"),
    ("tuple constant", lambda: kernel[(1, )](X, Y, 8, BLOCK=(8, X)), TypeError, "parameter 'BLOCK' is a tuple with"),
    ("grid axes", lambda: kernel[(1, 1, 1, 1)](X, Y, 8, BLOCK=8), ValueError, "one to three axes, not 4"),
    ("no grid", lambda: kernel[()](X, Y, 8, BLOCK=8), ValueError, "one to three axes, not 0"),
    ("negative grid", lambda: kernel[(-1, )](X, Y, 8, BLOCK=8), ValueError, "the grid has -1 programs"),
    ("float grid", lambda: kernel[(1.5, )](X, Y, 8, BLOCK=8), TypeError, "the grid has 1.5, which is not an integer"),
    ("text grid", lambda: kernel["1"](X, Y, 8, BLOCK=8), TypeError, "a grid is a tuple of one to three integers"),
    ("grid function", lambda: kernel[lambda meta: meta["NONE"]](X, Y, 8, BLOCK=8), KeyError, "NONE"),
    ("warps", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, num_warps=3), ValueError, "num_warps is 3, which is not a power of two"),
    ("no warps", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, num_warps=0), ValueError, "num_warps is 0; it must be positive"),
    ("text warps", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, num_warps="4"), TypeError, "num_warps is '4', which is not an integer"),
    ("many warps", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, num_warps=1 << 40), ValueError,
     "num_warps is 1099511627776, which is out of range"),
    ("many stages", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, num_stages=1 << 33), ValueError, "num_stages is 8589934592, which"),
    ("block", lambda: kernel[(1, )](X, Y, 8, BLOCK=0), triton.CompilationError, "must be greater than 'start'"),
    ("read-only", lambda: kernel[(1, )](X, READ_ONLY, 8, BLOCK=8), ValueError, "parameter 'y' is a read-only array"),
    ("large grid", lambda: kernel[(1, 1 << 20)](X, Y, 8, BLOCK=8), ValueError, "1048576 programs on axis 1"),
    ("cooperative", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, launch_cooperative_grid=True), NotImplementedError,
     "cooperative launches .* are not supported"),
    ("stream", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, stream=0), KeyError, "unknown parameter or option 'stream'"),
    ("device", lambda: kernel[(1, )](X, Y, 8, BLOCK=8, device=0), AssertionError, "device option is deprecated"),
    ("outside", lambda: tl.load(X), RuntimeError, "triton.language.load can only be called in a kernel"),
]


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("call,kind,message", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_mistakes(call, kind, message, warm):
    if warm:  # The native path finds the mistake; the message is the same.
        kernel[(1, )](X, Y, 8, BLOCK=8)
    with pytest.raises(kind, match=message):
        call()
    kernel[(1, )](READ_ONLY, Y, 8, BLOCK=8)  # Later launches work.


def test_a_list_is_called_one():
    for value, kind in (([1.0] * 8, "a list of 8"), ((1.0, ) * 8, "a tuple of 8"), ([X], "a list of 1"), ([], "a list of 0")):
        with pytest.raises(triton.CompilationError, match=rf"operator '\+' does not apply to {kind} and int32\[8\]"):
            kernel[(1, )](value, Y, 8, BLOCK=8)


LIST, NESTED = [1, 2], ([1, 2], 3)


@triton.jit
def constants(y, C: tl.constexpr):
    tl.store(y, C + 1)


@triton.jit
def globals_of_kinds(y, WHICH: tl.constexpr):
    tl.store(y, (LIST if WHICH else NESTED[0]) + 1)


@triton.jit
def kinds(y, C: tl.constexpr):
    tl.store(y, isinstance(C, list) + 10 * isinstance(C, tuple) + 100 * isinstance(LIST, list) +
             1000 * isinstance(NESTED, tuple) + 10000 * isinstance(C[0], list))


def test_constant_lists_are_called_lists():
    for value, kind in (([1, 2], "a list of 2"), ((1, 2), "a tuple of 2"), ([], "a list of 0"), ([1.5, [2]], "a list of 2")):
        with pytest.raises(triton.CompilationError, match=rf"operator '\+' does not apply to {kind} and the integer 1"):
            constants[(1, )](Y, value)
    for which in (True, False):
        with pytest.raises(triton.CompilationError, match=r"operator '\+' does not apply to a list of 2 and the integer 1"):
            globals_of_kinds[(1, )](Y, which)
    y = np.zeros(1, np.int32)
    for value, expected in (([1, 2], 1101), ((1, 2), 1110), ([[1], 2], 11101), (([1], 2), 11110)):
        kinds[(1, )](y, value)
        assert y[0] == expected


def _make_endless():
    a, b, c = [1], ([], 2), {"x": 1}
    a.append(a)
    b[0].append(b)
    c["self"] = c
    deep = [1]
    for _ in range(5000):
        deep = [deep]
    return (("list", "contains itself", a), ("tuple", "contains itself", b), ("dict", "contains itself", c),
            ("list", "nests deeper than 32 levels", deep))


@pytest.mark.parametrize("kind,what,value", _make_endless(), ids=["list", "tuple", "dict", "deep"])
def test_values_that_contain_themselves(kind, what, value):
    tuned = triton.autotune([triton.Config({}), triton.Config({}, num_warps=8)], key=["C"])(constants)
    for call in (lambda: kernel[(1, )](value, Y, 8, BLOCK=8), lambda: kernel[(1, )](X, Y, 8, BLOCK=value),
                 lambda: kernel.warmup(X, Y, 8, BLOCK=value, grid=(1, )), lambda: tuned[(1, )](Y, value)):
        with pytest.raises(TypeError, match=f"kernel '.*': parameter '.*' is a {kind} that {what}"):
            call()
    # One value in two places is not a cycle.
    shared = [1, 2]
    with pytest.raises(triton.CompilationError, match="a tuple of 2"):
        constants[(1, )](Y, (shared, shared))


def test_globals_that_contain_themselves():
    for kind, what, value in _make_endless():

        @triton.jit
        def of_global(y):
            tl.store(y, value[0])

        with pytest.raises(triton.CompilationError) as caught:
            of_global[(1, )](Y)
        assert f"note: 'value' is a {kind} of the host that {what}\n" in str(caught.value)


def test_wrong_devices_are_named():

    class OnGpu:
        dtype, device = "float32", "cuda:3"

        def data_ptr(self):
            return 0x7F0000000000

    with pytest.raises(errors.InvalidArgumentError,
                       match="kernel 'kernel': parameter 'y' is on cuda:3, but 'x' is on cpu; .*move 'y' to cpu"):
        kernel[(1, )](X, OnGpu(), 8, BLOCK=8)


def test_a_missing_device_is_told():

    class OnGpu:
        dtype, device = "float32", "cuda:77"

        def data_ptr(self):
            return 0x7F0000000000

    with pytest.raises(errors.UnavailableError, match="no device 'cuda:77'; available: .*cpu:0"):
        kernel[(1, )](OnGpu(), OnGpu(), 8, BLOCK=8)


def test_hierarchy():
    assert issubclass(triton.CompilationError, tilerun.TilerunError) and issubclass(tilerun.TilerunError, RuntimeError)
    assert issubclass(errors.OutOfMemoryError, MemoryError) and triton.OutOfResources is tilerun.OutOfResources
    error = errors.make_error(6, "a.py:1:2: error: no")
    assert isinstance(error, triton.CompilationError) and error.error_message == "a.py:1:2: error: no"
    assert isinstance(errors.make_error(2, "kernel 'k' needs 300000 bytes of shared memory in a program; …"),
                      triton.OutOfResources)
    assert type(errors.make_error(99, "what")) is tilerun.TilerunError
    for message, required, limit, name in (
        ("kernel 'k' needs 300000 bytes of shared memory in a program; cuda:0 has 232448: use smaller tiles", 300000, 232448,
         "shared memory"), ("kernel 'k' has 2048 threads in a program; cuda:0 takes 1024 at most: …", 2048, 1024, "threads")):
        error = pickle.loads(pickle.dumps(errors.make_error(2, message)))
        assert (error.required, error.limit, error.name) == (required, limit, name)
        assert str(error) == (f"{message}\nout of resource: {name}, Required: {required}, Hardware limit: {limit}. "
                              "Reducing block sizes or `num_stages` may help.")
    error = pickle.loads(pickle.dumps(triton.OutOfResources(70000, 65536, "shared memory")))
    assert error.required == 70000 and error.name == "shared memory" and str(error).startswith("out of resource: shared memory, Required: 70000, Hardware limit: 65536.")


def test_prefixes_of_triton():
    assert str(triton.runtime.errors.AutotunerError("none works")) == "Autotuner error: none works"
    assert str(pickle.loads(pickle.dumps(triton.runtime.errors.PTXASError("no entry")))) == "PTXAS error: no entry"


@pytest.mark.parametrize("name, prefix", [("InterpreterError", ""), ("AutotunerError", "Autotuner error: "), ("PTXASError", "PTXAS error: ")])
def test_messages_by_their_name_in_triton(name, prefix):
    kind = getattr(triton.runtime.errors, name)
    for error in (kind("no entry"), kind(error_message="no entry"), pickle.loads(pickle.dumps(kind(error_message="no entry")))):
        assert error.error_message == "no entry" and str(error) == f"{prefix}no entry" and isinstance(error, tilerun.TilerunError)
    assert kind().error_message is None and str(kind()) == prefix


def test_host_descriptors():
    from tilerun.triton.tools.tensor_descriptor import TensorDescriptor
    descriptor = TensorDescriptor.from_tensor(np.zeros((4, 8), np.float32), [2, 4])
    assert descriptor.strides == [8, 1] and descriptor.padding == "zero"
    with pytest.raises(NotImplementedError, match="parameter 'x' is a tensor descriptor with round_f32_to_tf32"):
        kernel[(1, )](TensorDescriptor(X, [8], [1], [8], round_f32_to_tf32=True), Y, 8, BLOCK=8)
    with pytest.raises(ValueError, match="block_shape has 0, but sizes of tensors are 1 or more"):
        TensorDescriptor(X, [8], [1], [0])
    for words, make in (("Last dimension must be contiguous; the last dimension's stride is 8",
                         lambda: TensorDescriptor.from_tensor(np.zeros((4, 8), np.float32).T, [2, 4])),
                        ("rank mismatch: .* must agree", lambda: TensorDescriptor(X, [8], [1, 1], [4])),
                        ("rank mismatch: .* must agree", lambda: TensorDescriptor(X, [8], [1], [4, 4])),
                        ("rank must not be zero", lambda: TensorDescriptor(X, [], [], [])),
                        ("rank cannot be more than 5", lambda: TensorDescriptor(X, [1] * 6, [1] * 6, [1] * 6)),
                        ("Illegal value for padding: 'one'", lambda: TensorDescriptor(X, [8], [1], [8], padding="one")),
                        ("Padding option `nan` is only supported for floating point tensors, but the elements are int32",
                         lambda: TensorDescriptor(np.zeros(8, np.int32), [8], [1], [8], padding="nan"))):
        for kind in (ValueError, AssertionError):
            with pytest.raises(kind, match=words):
                make()
    assert TensorDescriptor(X, [8], [1], [8], padding="nan").padding == "nan"


def test_host_descriptors_in_strict_mode(monkeypatch):
    """What Triton's hardware demands."""
    from tilerun.triton.tools.tensor_descriptor import TensorDescriptor
    rows = np.zeros((8, 9), np.float32)
    aligned = rows.reshape(-1)[-rows.ctypes.data // 4 % 4:][:64]
    beyond = (("base must be 16-byte aligned", lambda: TensorDescriptor(aligned[1:], [8], [1], [8])),
              ("strides must be 16-byte aligned", lambda: TensorDescriptor(aligned, [7, 8], [9, 1], [4, 8])),
              ("shape must be positive", lambda: TensorDescriptor(aligned, [0, 8], [8, 1], [4, 8])),
              ("Shape element 1 must be a power of 2", lambda: TensorDescriptor(aligned, [8, 8], [8, 1], [4, 12])))
    for _, make in beyond:
        make()
    monkeypatch.setenv("TILERUN_STRICT", "1")
    TensorDescriptor(aligned, [8, 8], [8, 1], [4, 8])
    for words, make in beyond:
        with pytest.raises(ValueError, match=words):
            make()


def test_exceptions_of_grids_and_keys_pass():

    def grid(meta):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        kernel[grid](X, Y, 8, BLOCK=8)


def test_two_kernels_at_once_keep_their_errors():
    import threading
    messages = []

    @triton.jit
    def bad(x, W: tl.constexpr):
        tl.store(x + tl.arange(0, 16), tl.arange(0, 16) + tl.arange(0, W))

    def work(width):
        for _ in range(5):
            try:
                bad[(1, )](X, W=width)
            except triton.CompilationError as error:
                messages.append(f"[{width}]" in str(error))

    threads = [threading.Thread(target=work, args=(w, )) for w in (3, 5, 6, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert messages == [True] * 20


def test_torch_tensors_without_memory():
    torch = pytest.importorskip("torch")
    cases = {
        "meta": (torch.ones(8, device="meta"), "a tensor on 'meta' cannot be passed to a kernel: no plugin serves such devices"),
        "sparse": (torch.ones(8).to_sparse(), "a tensor without memory of its own \\(layout torch.sparse_coo\\) cannot be"),
        "complex": (torch.ones(8, dtype=torch.complex64), "a tensor of torch.complex64 cannot be passed to a kernel")}
    try:
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            cases["fake"] = torch.ones(8), "a FakeTensor has no memory; wrap the launch in torch.library.triton_op"
    except ImportError:
        pass  # Older than these.
    for tensor, what in cases.values():
        with pytest.raises(TypeError, match=f"kernel 'kernel': parameter 'y': {what}"):
            kernel[(1, )](torch.ones(8), tensor, 8, BLOCK=8)
    # One without elements has no memory either, and may be passed.
    kernel[(1, )](torch.empty(0), torch.empty(0), 0, BLOCK=8)


def test_functions_must_be_decorated():

    def helper(x):
        return x

    with pytest.raises(TypeError, match="parameter 'BLOCK' is the host function 'helper'.*decorate it with @triton.jit"):
        kernel[(1, )](X, Y, 8, BLOCK=helper)

    with pytest.raises(errors.InvalidArgumentError, match="parameter 'BLOCK' is a tl.constexpr, which takes a number, string, dtype or "
                       "None, such as x.shape\\[0\\], not a tensor; a pointer to"):
        kernel[(1, )](X, Y, 8, BLOCK=X)

    @triton.jit
    def calls(y):
        tl.store(y, helper(1.0))

    with pytest.raises(triton.CompilationError) as caught:
        calls[(1, )](Y)
    line = helper.__code__.co_firstlineno
    assert "the host function 'helper' cannot be called in a kernel; decorate it with @triton.jit" in str(caught.value)
    assert f"{__file__}:{line}:5: note: defined here" in str(caught.value)


def test_functions_of_numpy_and_torch_have_a_counterpart():
    torch = pytest.importorskip("torch")

    @triton.jit
    def of_numpy(y):
        tl.store(y, np.exp(tl.load(y)))

    @triton.jit
    def of_torch(y):
        tl.store(y, torch.sigmoid(tl.load(y)).to(torch.float32))

    @triton.jit
    def other(y):
        tl.store(y, torch.matmul(y, y))

    from numpy import amax as largest

    @triton.jit
    def by_import(y):
        tl.store(y, largest(tl.load(y)))

    from torch import exp

    @triton.jit
    def by_name(y):
        tl.store(y, exp(tl.load(y)))

    for calls, said in ((by_import, "'largest' from the host module 'numpy' cannot be called in a kernel: it belongs to host code; use tl.max"),
                        (by_name, "'exp' from the host module 'torch' cannot be called in a kernel: it belongs to host code; use tl.exp"),
                        (of_numpy, "numpy.exp belongs to host code and cannot be used in a kernel; use tl.exp"),
                        (of_torch, "torch.sigmoid belongs to host code and cannot be used in a kernel; use tl.sigmoid"),
                        (other, "torch.matmul belongs to host code and cannot be used in a kernel; use tl.dot")):
        with pytest.raises(triton.CompilationError) as caught:
            calls[(1, )](Y)
        assert str(caught.value).splitlines()[0].partition(": error: ")[2] == said


def test_null_pointers_are_faults():
    """A tensor without elements has no memory: an access ends the launch, not the process."""

    class Null:
        dtype, device = np.dtype("f4"), "cpu"

        @staticmethod
        def data_ptr():
            return 0

    @triton.jit
    def gather(x, out, offset, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + (offset + i * 3) % 64))

    @triton.jit
    def count(x):
        tl.atomic_add(x, 1)

    for launch, message in (
        (lambda: kernel[(1, )](Null(), Y, 8, BLOCK=8), r"test_errors.py:\d+:\d+: read of 4 bytes at a null pointer, which has no"),
        (lambda: kernel[(1, )](X, Null(), 8, BLOCK=8), r"test_errors.py:\d+:\d+: write of 4 bytes at a null pointer, which has"),
        (lambda: gather[(1, )](Null(), Y, 5, 8), r"read of 4 bytes at a null pointer \+ 20 bytes"),
        (lambda: count[(1, )](Null()), "atomic access of 4 bytes at a null pointer"),
    ):
        with pytest.raises(errors.FaultError, match=message):
            launch()
    kernel[(1, )](Null(), Y, 0, BLOCK=8)  # Nothing is accessed.
    kernel[(1, )](X, Y, 8, BLOCK=8)


@pytest.mark.parametrize("checks", [False, True], ids=["plain", "checked"])
def test_threads_hear_of_their_own_faults(knobs, checks):
    """Not of threads that launch at the same time."""

    class Null:
        dtype, device = np.dtype("f4"), "cpu"

        @staticmethod
        def data_ptr():
            return 0

    short = np.ones(4, np.float32)
    wrong = []

    def work(x, fails):
        y = np.zeros(8, np.float32)
        for _ in range(100):
            try:
                kernel[(1, )](x, y, 8, BLOCK=8)
                told = False
            except errors.FaultError:
                told = True
            if told != fails or not fails and y.sum() != 8:
                wrong.append((fails, told))

    knobs.interpreter.checks = checks
    bad = short if checks else Null()
    threads = [threading.Thread(target=work, args=given) for given in ((X, False), (bad, True)) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

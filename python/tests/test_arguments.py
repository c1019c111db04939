"""Memory in unusual forms: byte orders, read-only arrays, foreign protocols, objects that are
nearly tensors. Nothing is mistaken for something else, and each refusal names the parameter."""

import ctypes
import gc
import mmap

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _memory


@triton.jit
def copy_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def constant_kernel(out, value, CONSTANT: tl.constexpr):
    tl.store(out, value)


X = np.arange(4, dtype=np.float32)


def copy(x, y=None, n=4):
    y = np.zeros(4, np.float32) if y is None else y
    copy_kernel[(1, )](x, y, n, BLOCK=4)
    return y.tolist()


def has(**attributes):
    """An object with attributes; functions are methods."""
    return type("Object", (), attributes)()


def interface(**changed):
    return has(__cuda_array_interface__={"shape": (4, ), "typestr": "<f4", "data": (X.ctypes.data, False), "version": 3,
                                         **changed})


def like_torch(pointer, dtype=np.dtype("f4"), device="cpu"):
    return has(data_ptr=pointer, dtype=dtype, device=device)


@pytest.mark.parametrize("array", [X, np.frombuffer(b"x" + X.tobytes(), np.float32, offset=1), X.view(np.recarray),
                                   np.ma.masked_array(X, [0, 1, 0, 0]), X.reshape(2, 2).T.copy().T],
                         ids=["plain", "unaligned", "recarray", "masked", "transposed"])
def test_arrays_of_all_sorts(array):
    assert copy(array) == np.asarray(array).ravel(order="K").tolist()


def test_objects_like_torch_tensors():
    for pointer in (X.ctypes.data, lambda self: X.ctypes.data, lambda self: np.int64(X.ctypes.data)):
        assert copy(like_torch(pointer)) == X.tolist()
    for dtype in ("float32", tl.float32):
        assert copy(like_torch(X.ctypes.data, dtype)) == X.tolist()


@pytest.mark.parametrize("value,message", [
    (X.astype(">f4"), r"an array of >f4 .*swapped; x.astype"),
    (X.astype(np.complex64), "an array of complex64"),
    (np.zeros(4, [("a", "f4"), ("b", "i4")]), r"an array of \[\('a', '<f4'\)"),
    (np.zeros(4, "M8[s]"), "an array of datetime64"),
    (np.array([None] * 4), "an array of object"),
    (interface(typestr=">f4"), "an array of an unknown type"),
    (interface(typestr="<c8"), "an array of an unknown type"),
    (interface(typestr=""), "an array of an unknown type"),
    (interface(typestr=4), "an array of an unknown type"),
    (interface(data=None), "its __cuda_array_interface__ is .* without an address"),
    (interface(data=(-1, False)), "without an address"),
    (interface(data=(1 << 70, False)), "without an address"),
    (interface(data=("here", False)), "without an address"),
    (has(__cuda_array_interface__="no"), "its __cuda_array_interface__ is 'no'"),
    (like_torch(None), "its address is None; an integer of 64 bits is expected"),
    (like_torch(1.5), "its address is 1.5"),
    (like_torch(-5), "its address is -5"),
    (like_torch(1 << 64), "its address is 18446744073709551616"),
    (like_torch(X.ctypes.data, np.dtype(">f4")), "an array of >f4"),
    (like_torch(X.ctypes.data, 5), "an array of 5"),
    (like_torch(X.ctypes.data, device="xpu:0"), "memory on 'xpu:0' cannot be passed"),
    (like_torch(X.ctypes.data, device="cuda:x"), "memory on 'cuda:x' cannot be passed"),
    (like_torch(X.ctypes.data, device="cuda:-1"), "memory on 'cuda:-1' cannot be passed"),
    (like_torch(X.ctypes.data, device="cuda:99999999999"), "memory on 'cuda:99999999999' cannot be passed"),
    (has(__dlpack__=lambda self: 5), "its __dlpack__ gave 5"),
    (memoryview(X), "of type memoryview, which kernels do not accept"),
    (1j, "is 1j of type complex, which kernels do not accept"),
    (1 << 64, "is 18446744073709551616, which does not fit 64 bits"),
    (-(1 << 63) - 1, "is -9223372036854775809, which does not fit 64 bits"),
    (10**5000, "is an integer of 16610 bits, which does not fit 64 bits"),
    ("a\0b", "is a string with a NUL"),
    ("a\ud800", "is a string with half of a surrogate pair"),
    (tl.pointer_type(tl.float32), "is the type pointer<fp32>; only element types"),
], ids=lambda value: value if isinstance(value, str) and len(value) > 3 else "")
def test_what_is_refused(value, message):
    for _ in range(2):  # The second time by the native path.
        with pytest.raises(TypeError, match=f"(?s)kernel 'copy_kernel': parameter 'x'.*{message}"):
            copy(value)
        assert copy(X) == X.tolist()


def test_messages_survive_any_repr():

    def fail(self):
        raise ValueError("repr")

    with pytest.raises(TypeError, match="parameter 'x' is <.*Object object at"):
        copy(has(__repr__=fail))
    with pytest.raises(TypeError, match="parameter 'x' is y{160} … y{20} of type Object") as info:
        copy(has(__repr__=lambda self: "y" * 1_000_000))
    assert len(str(info.value)) < 500


@pytest.mark.parametrize("name", ["__cuda_array_interface__", "__array_interface__", "data_ptr", "__dlpack__"])
def test_exceptions_of_properties_pass(name):

    def fail(self):
        raise RuntimeError("mine")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="^mine$"):
            copy(has(**{name: property(fail)}))
    assert copy(X) == X.tolist()


def test_a_copy_that_dlpack_exports_lives_as_long_as_the_launch():
    """The capsule may hold the only reference to the memory."""
    alive = []

    class Tracked(np.ndarray):

        def __del__(self):
            alive.append(False)

    class Exporter:

        def __dlpack__(self, **_):
            made = np.arange(4, dtype=np.float32).view(Tracked)
            return made.__dlpack__()

        def __dlpack_device__(self):
            return 1, 0

    seen = []

    def grid(meta):
        seen.append(list(alive))
        return (1, )

    y = np.zeros(4, np.float32)
    copy_kernel[grid](Exporter(), y, 4, BLOCK=4)
    assert y.tolist() == X.tolist()
    gc.collect()
    assert seen == [[]] and alive == [False]


def test_memory_that_cannot_be_written(tmp_path):
    """Not by a launch, not by one that is tuned: the write would end the process."""
    path = tmp_path / "data"
    path.write_bytes(bytes(16))
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 16, access=mmap.ACCESS_READ)
    y = np.frombuffer(mapped, np.float32)
    assert copy(y) == [0, 0, 0, 0]
    tuned = triton.autotune([triton.Config({"BLOCK": 4}), triton.Config({"BLOCK": 8})], key=["n"], warmup=1,
                            rep=1)(copy_kernel)
    for launch in (lambda: copy(X, y), lambda: tuned[(1, )](X, y, 4), lambda: tuned[(1, )](X, y, 3)):
        with pytest.raises(ValueError, match="parameter 'y' is a read-only array, which the kernel writes to"):
            launch()
    out = np.zeros(4, np.float32)
    tuned[(1, )](y, out, 2)
    assert out.tolist() == [0, 0, 0, 0]
    resetting = triton.autotune([triton.Config({"BLOCK": 4}), triton.Config({"BLOCK": 8})], key=["n"], warmup=1, rep=1,
                                reset_to_zero=["y"])(copy_kernel)
    with pytest.raises(ValueError, match="parameter 'y' is a read-only array, which cannot be reset"):
        resetting[(1, )](X, y, 4)


def test_read_only_views_beside_what_they_are_views_of():
    base = np.arange(8, dtype=np.float32)
    view = base[:4]
    view.flags.writeable = False
    copy_kernel[(1, )](view, base[4:], 4, BLOCK=4)
    assert base.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_numbers_at_the_edges():
    for value, dtype in ((2**64 - 1, np.uint64), (2**63, np.uint64), (-2**63, np.int64), (np.int8(-3), np.int64),
                         (np.uint64(2**64 - 1), np.uint64), (np.float16(1.5), np.float32), (np.bool_(True), np.int32)):
        out = np.zeros(1, dtype)
        constant_kernel[(1, )](out, value, 0)
        assert out[0] == value


def test_strings_of_all_letters_in_tuples():
    texts = ("a\nb", 'q"x', "\\", "\r", "\0", "é", "\u2028", "\ud800")

    @triton.jit
    def which(out, values, N: tl.constexpr):
        if values[0] == "a\nb":
            tl.store(out, N)

    out = np.zeros(1, np.int32)
    which[(1, )](out, texts, 3)
    assert out[0] == 3


def test_addresses_are_integers():
    with pytest.raises(TypeError, match="its address is c_void_p"):
        _memory.as_address(ctypes.c_void_p(16))
    assert _memory.as_address(16) == 16


def test_mocks():
    """An object with every attribute is still not any of the queried kinds."""
    from unittest import mock
    for value in (mock.Mock(), mock.MagicMock()):
        with pytest.raises(TypeError, match="parameter 'x'"):
            copy(value)


def test_memory_of_a_gpu_on_the_interpreter(knobs):
    """Torch copies it, where it can."""
    knobs.runtime.interpret = True
    with pytest.raises(ValueError, match="parameter 'x' has memory of a GPU, .*; pass a torch tensor"):
        copy(interface())
    with pytest.raises(ValueError, match="parameter 'x' has memory of a GPU, .*; pass a torch tensor"):
        copy(like_torch(X.ctypes.data, device="cuda:0"))

"""tilerun.Buffer: memory of each kind of device, launches on it, and DLPack."""

import gc
import os

import numpy
import pytest
import tilerun
import tilerun.triton as triton
import tilerun.triton.language as tl

DEVICES = ["cpu", "vulkan:0", "hip:0"]


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)


@pytest.fixture(scope="module", autouse=True)
def emulated_device():
    """An emulated MI300 is hip:0 on machines without an AMD GPU."""
    assert os.environ.setdefault("TILERUN_AMDSIM", "gfx942")


@pytest.mark.parametrize("device", DEVICES)
def test_launches_compute_on_it(device):
    x = numpy.arange(20, dtype=numpy.float32).reshape(4, 5)
    buffer, out = tilerun.Buffer(x, device=device), tilerun.Buffer((4, 5), "fp32", device=device)
    assert buffer.shape == (4, 5) and buffer.nbytes == 80 and buffer.device == device and repr(out) == f"Buffer((4, 5), 'fp32', device={device!r})"
    double[(3, )](buffer, out, 20, BLOCK=8)
    numpy.testing.assert_array_equal(out.numpy(), 2 * x)
    # Its contents stay on the device for the next launch.
    double[(3, )](out, buffer, 20, BLOCK=8)
    numpy.testing.assert_array_equal(buffer.numpy(), 4 * x)
    buffer.copy_from(x)
    numpy.testing.assert_array_equal(buffer.numpy(), x)


def test_bounds_are_its_own():
    out = tilerun.Buffer((2, 7), "fp32", device="cpu")
    with pytest.raises(tilerun.errors.FaultError, match=r"'out_ptr'\[2, 0\], outside of its shape \[2, 7\]|outside of its shape"):
        double[(2, )](tilerun.Buffer(numpy.zeros(16, numpy.float32), device="cpu"), out, 16, BLOCK=8)


@pytest.mark.parametrize("dtype", ["i1", "i8", "u16", "i64", "fp16", "bf16", "fp64"])
def test_element_types(dtype):
    buffer = tilerun.Buffer(6, dtype, device="cpu")
    kind = {"i1": "b1", "bf16": "V2", "fp16": "f2", "fp64": "f8", "i8": "i1", "u16": "u2", "i64": "i8"}[dtype]
    assert buffer.numpy().dtype.str[1:] == kind and buffer.nbytes == 6 * buffer.numpy().itemsize
    torch = pytest.importorskip("torch")
    given = torch.arange(6).to(torch.bfloat16)
    assert tilerun.Buffer(given, device="cpu").numpy().view(numpy.int16).tolist() == given.view(torch.int16).tolist()


def test_dlpack_shares_the_memory_and_keeps_it():
    buffer = tilerun.Buffer(numpy.arange(6, dtype=numpy.int32).reshape(2, 3), device="cpu")
    from tilerun import _buffer
    shared = numpy.from_dlpack(buffer)
    buffer.copy_from(numpy.full((2, 3), 7, numpy.int32))
    assert shared.tolist() == [[7, 7, 7]] * 2 and len(_buffer._exported) == 1
    del buffer
    gc.collect()
    assert shared.tolist() == [[7, 7, 7]] * 2
    del shared
    gc.collect()
    assert not _buffer._exported
    # A capsule that nobody takes releases it, too.
    buffer = tilerun.Buffer(4, "fp32", device="cpu")
    capsule = buffer.__dlpack__()
    assert len(_buffer._exported) == 1
    del capsule
    assert not _buffer._exported and buffer.__dlpack_device__() == (1, 0)
    assert tilerun.Buffer(4, "fp32", device="vulkan:0").__dlpack_device__() == (7, 0)
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(tilerun.Buffer(numpy.arange(3.0), device="cpu"))
    assert tensor.tolist() == [0, 1, 2] and tensor.dtype is torch.float64


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="an element type such as 'fp32' is expected, not None"):
        tilerun.Buffer((4, ))
    with pytest.raises(ValueError, match="a shape of .* has a negative size"):
        tilerun.Buffer((4, -1), "fp32")
    with pytest.raises(ValueError, match="is not the name of a device"):
        tilerun.Buffer(4, "fp32", device="gpu")
    with pytest.raises(ValueError, match=r"Buffer\(\(4,\), 'fp32', device='cpu'\) cannot take an array of \(3,\) elements of fp64"):
        tilerun.Buffer(4, "fp32", device="cpu").copy_from(numpy.zeros(3))
    with pytest.raises(TypeError, match="elements of complex128"):
        tilerun.Buffer(numpy.zeros(3, complex), device="cpu")

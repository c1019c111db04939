"""`triton.tools`, and what `triton.testing` knows of devices."""

import pytest

import tilerun.triton as triton

torch = pytest.importorskip("torch")


def test_numbers_of_four_bits():
    from tilerun.triton.tools.mxfp import MXFP4Tensor
    codes = MXFP4Tensor(torch.zeros(16))
    codes.data = torch.arange(16, dtype=torch.uint8)
    values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert codes.to(torch.float32).tolist() == values + [-v for v in values]
    assert MXFP4Tensor(codes.to(torch.float32)).data.tolist() == list(range(16))
    # Between two of them the nearer, on a tie the even code; too large: the largest.
    given = torch.tensor([0.2, 0.25, 0.3, 0.75, 1.25, 1.75, 2.5, 2.6, 3.5, 5.0, 5.1, 7.0, float("inf"), -2.5, -100.0])
    expected = [0, 0, 0.5, 1, 1, 2, 2, 3, 4, 4, 6, 6, 6, -2, -6]
    assert MXFP4Tensor(given).to(torch.float32).tolist() == expected
    with pytest.raises(TypeError, match="converts to float32, not to torch.int32"):
        codes.to(torch.int32)
    with pytest.raises(ValueError, match="takes data or a size"):
        MXFP4Tensor()


@pytest.mark.parametrize("shape, dim", [((4, 6), 0), ((4, 6), 1), ((5, 3), 1), ((3, 2, 7), -1), ((3, 5, 2), 1)])
def test_two_codes_in_a_byte(shape, dim):
    from tilerun.triton.tools.mxfp import MXFP4Tensor
    codes = MXFP4Tensor(size=shape).random()
    packed = codes.to_packed_tensor(dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2
    low = codes.data.select(dim, 0)
    assert torch.equal(packed.select(dim, 0) & 15, low)
    assert torch.equal(codes.unpack_packed_tensor(packed, dim, shape), codes.data)


def test_scales():
    from tilerun.triton.tools.mxfp import MXScaleTensor
    scales = MXScaleTensor(torch.tensor([1.0, 2.0, 0.25, 3.0, 0.0, -1.0, float("inf"), 2.0**-127, 3.9999998, 1e-45]))
    assert scales.data.tolist() == [127, 128, 125, 128, 255, 255, 255, 0, 128, 0]
    values = scales.to(torch.float32)
    assert values[:4].tolist() == [1, 2, 0.25, 2] and values[4:7].isnan().all() and values[7] == 2.0**-127
    between = MXScaleTensor(size=(1000, )).random(0.5, 8).to(torch.float32)
    assert between.min() == 0.5 and between.max() == 8
    assert MXScaleTensor(size=(1000, )).random(1, 7).to(torch.float32).max() == 4
    for kind in (TypeError, AssertionError):
        with pytest.raises(kind, match="converts to float32, not to torch.float64"):
            scales.to(torch.float64)
    with pytest.raises(ValueError, match="no scale lies between 8 and 4"):
        MXScaleTensor(size=4).random(8, 4)


def test_bounds_of_devices():
    units = triton.runtime.driver.active.utils.get_device_properties()["multiprocessor_count"]
    assert triton.testing.get_max_tensorcore_tflops(torch.float16, 1e6) == pytest.approx(units * 4 * 512 * 1e9 / 1e12)
    assert triton.testing.get_max_simd_tflops(torch.float32, 1e6) == pytest.approx(units * 4 * 32 * 1e9 / 1e12)
    with pytest.raises(RuntimeError, match="nothing is known of torch.bool; known dtypes are float32, "):
        triton.testing.get_max_simd_tflops(torch.bool, 1e6)
    if triton.runtime.driver.active.get_current_target().backend == "cpu":
        with pytest.raises(NotImplementedError, match="the clock of the memory of cpu is not known: it is not a GPU"):
            triton.testing.get_dram_gbps()


def test_where_a_kernel_is_written():
    from tilerun.triton.runtime.jit import JITCallable, get_jit_fn_file_line

    @triton.jit
    def kernel(x):
        pass

    path, line = get_jit_fn_file_line(triton.autotune([triton.Config({})], key=[])(kernel))
    assert path == __file__ and open(path).read().splitlines()[line - 1].strip() == "def kernel(x):"
    assert isinstance(kernel, JITCallable)

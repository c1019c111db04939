"""Kernels and host code that were written for earlier releases of Triton: their meaning, and the notes that name today's
forms; notes do not count as warnings."""

import warnings

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton.tools import experimental_descriptor


@triton.jit
def gram_kernel(a, out, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.load(a + at)
    tl.store(out + at, tl.libdevice.floor(tl.dot(x, x, trans_b=True)))


@triton.jit
def scaled(x, **meta):
    return x * meta["FACTOR"]


@triton.jit
def meta_kernel(x, y, n, **meta):
    BLOCK = meta["BLOCK"]
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    if "FACTOR" in meta:
        v = scaled(v, **meta)
    tl.store(y + i, v + meta.get("MORE", 0), mask=i < n)


@triton.jit
def move_kernel(source, target, N: tl.constexpr):
    block = tl._experimental_descriptor_load(source, [0, 0], [N, N], tl.float32)
    tl._experimental_descriptor_store(target, block + 1, [0, 0])


@triton.jit
def line_kernel(source, y, N: tl.constexpr):
    tl.store(y + tl.arange(0, N), tl._experimental_descriptor_load(source, [4], [N], tl.float16))


def test_notes_are_no_warnings(capfd):
    a = np.arange(256, dtype=np.float32).reshape(16, 16) / 64
    out = np.zeros_like(a)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gram_kernel[(1, )](a, out, N=16)
    np.testing.assert_array_equal(out, np.floor(a @ a.T))
    captured = capfd.readouterr()
    assert captured.out == ""
    line = gram_kernel.fn.__code__.co_firstlineno + 5
    assert f"test_older_forms.py:{line}:" in captured.err
    assert "note: 'trans_b' of 'tl.dot' is of an earlier Triton; today it is tl.trans(b)" in captured.err
    assert captured.err.count("note: 'tl.libdevice' is of an earlier Triton") == 1
    # Once for a compilation.
    gram_kernel[(1, )](a, out, N=16)
    assert capfd.readouterr().err == ""


def test_meta(capfd):
    x, y = np.arange(40, dtype=np.int32), np.zeros(40, np.int32)
    seen = []

    def grid(meta):
        seen.append(dict(meta))
        return (triton.cdiv(meta["n"], meta["BLOCK"]), )

    meta_kernel[grid](x, y, 40, BLOCK=16, num_warps=2)
    np.testing.assert_array_equal(y, x)
    assert seen[0]["BLOCK"] == 16
    assert "note: '**meta' of the kernel 'meta_kernel' is of an earlier Triton" in capfd.readouterr().err
    meta_kernel[grid](x, y, 40, BLOCK=64, FACTOR=3, MORE=2)
    np.testing.assert_array_equal(y, 3 * x + 2)
    meta_kernel[grid](x, y, 40, BLOCK=16, FACTOR=5, MORE=0)
    np.testing.assert_array_equal(y, 5 * x)
    with pytest.raises(triton.CompilationError, match="no entry 'BLOCK'"):
        meta_kernel[(1, )](x, y, 40)
    # Its own keywords stay options.
    with pytest.raises(Exception, match="num_warps is -1"):
        meta_kernel[grid](x, y, 40, BLOCK=16, num_warps=-1)


def test_cache_has_the_compiled_kernels():
    x, y = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    meta_kernel[(1, )](x, y, 16, BLOCK=16)
    compiled = list(meta_kernel.cache[0].values())
    assert compiled and all("tile.kernel" in kernel.asm["ttir"] for kernel in compiled)
    gram_kernel[(1, )](np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32), N=32)
    assert any("tensor<32x32xf32>" in kernel.asm["ttir"] for kernel in gram_kernel.cache[0].values())


def expected(x, n):
    out = np.ones((n, n), np.float32)
    out[:x.shape[0], :x.shape[1]] += x
    return out


def test_descriptors_as_arguments():
    x, y = np.random.default_rng(0).random((20, 24), np.float32), np.zeros((32, 32), np.float32)
    make = experimental_descriptor.create_2d_tma_descriptor
    source = make(x.ctypes.data, 20, 24, 32, 32, 4)
    move_kernel[(1, )](source, make(y.ctypes.data, 32, 32, 32, 32, 4), N=32)
    np.testing.assert_array_equal(y, expected(x, 32))
    line, out = np.arange(20, dtype=np.float16), np.zeros(16, np.float16)
    line_kernel[(1, )](experimental_descriptor.create_1d_tma_descriptor(line.ctypes.data, 12, 16, 2), out, N=16)
    np.testing.assert_array_equal(out, [*range(4, 12)] + [0] * 8)


def test_descriptors_in_host_memory():
    x, y = np.random.default_rng(1).random((20, 24), np.float32), np.zeros((32, 32), np.float32)
    records = np.zeros((2, 128), np.int8)
    utils = triton.runtime.driver.active.utils
    utils.fill_2d_tma_descriptor(x.ctypes.data, 20, 24, 32, 32, 4, records[0].ctypes.data)
    utils.fill_2d_tma_descriptor(y.ctypes.data, 32, 32, 32, 32, 4, records[1].ctypes.data)
    move_kernel[(1, )](records[0], records[1], N=32)
    np.testing.assert_array_equal(y, expected(x, 32))
    for wrong in ((0, 24, 32, 32, 4), (20, 24, 32, 2, 4), (20, 24, 0, 32, 4)):
        with pytest.raises(ValueError):
            utils.fill_2d_tma_descriptor(x.ctypes.data, *wrong, records[0].ctypes.data)


def test_strict_mode_refuses_them(run_text):
    run = run_text("""
        import numpy as np
        import triton
        import triton.language as tl

        @triton.jit
        def kernel(x):
            tl.store(x, tl.math.tanh(tl.load(x)))

        kernel[(1, )](np.zeros(1, np.float32))
        """, fails=True, TILERUN_STRICT="1")
    assert "'tl.math.tanh' is of an earlier Triton, which today's refuses; use libdevice.tanh" in run.stderr

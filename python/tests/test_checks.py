"""TRITON_INTERPRET and the interpreter's checks: bounds, which all launches have, uninitialized reads, races, overflow."""

import re

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors


@triton.jit
def shifted(x, y, n, BY: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i + BY, tl.load(x + i, mask=i < n), mask=i < n)


@pytest.fixture
def checks(knobs):
    knobs.interpreter.checks = True
    return knobs


def test_clean_kernels_pass(checks):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    for _ in range(2):
        shifted[(2, )](x, y, 100, BY=0, BLOCK=64)
    np.testing.assert_array_equal(x, y)


def test_out_of_bounds(checks):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    with pytest.raises(errors.FaultError, match=r"test_checks.py:\d+:.*(?s:.*)out of bounds|beyond|outside"):
        shifted[(1, )](x, y, 64, BY=1, BLOCK=64)
    np.testing.assert_array_equal(y[1:], x[:-1])  # Elements in bounds were written.


def test_bounds_are_those_of_the_whole_memory(checks):
    base = np.zeros(80, np.float32)
    shifted[(1, )](np.ones(64, np.float32), base[8:72], 64, BY=8, BLOCK=64)
    assert base[:16].sum() == 0 and (base[16:] == 1).all()


def test_aliases_go_on_sharing(checks):
    base = np.arange(64, dtype=np.int32)
    shifted[(1, )](base[:32], base[32:], 32, BY=0, BLOCK=32)
    assert base[32:].tolist() == list(range(32))


def test_races(checks):

    @triton.jit
    def race(out):
        tl.store(out, tl.program_id(0))

    with pytest.raises(errors.FaultError, match="race"):
        race[(4, )](np.zeros(1, np.int32))


def test_overflow(checks):

    @triton.jit
    def overflow(out, n):
        tl.store(out, n * n)

    with pytest.raises(errors.FaultError, match="overflow"):
        overflow[(1, )](np.zeros(1, np.int32), 1 << 20)


def test_checks_of_torch_tensors(checks):
    torch = pytest.importorskip("torch")
    x, y = torch.ones(64), torch.zeros(100)
    shifted[(1, )](x, y[10:74], 64, BY=0, BLOCK=64)
    assert y.sum() == 64 and y[:10].sum() == 0
    with pytest.raises(errors.FaultError):
        shifted[(1, )](x[1:], y, 64, BY=0, BLOCK=64)


def test_the_device_goes_on_after_a_fault(checks):
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    for _ in range(3):
        with pytest.raises(errors.FaultError):
            shifted[(1, )](x, y, 64, BY=5, BLOCK=64)
    shifted[(1, )](x, y, 64, BY=0, BLOCK=64)
    assert (y == 1).all()


def test_checks_can_be_switched(checks):
    x, base = np.ones(64, np.float32), np.zeros(128, np.float32)
    checks.interpreter.checks = False
    shifted[(1, )](x, base, 64, BY=64, BLOCK=64)
    assert base[64:].sum() == 64


@triton.jit
def forgotten_mask(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


def test_bounds_without_being_asked():
    """For a forgotten mask: the line, the kernel, the parameter with its shape, and no frames of
    the library."""
    x, y = np.ones(100, np.float32), np.zeros(100, np.float32)
    with pytest.raises(errors.FaultError) as caught:
        forgotten_mask[(2, )](x, y, BLOCK=64)
    lines = str(caught.value).splitlines()
    assert re.fullmatch(
        r".*test_checks.py:\d+:21: read of 4 bytes at 'x'\[100\], outside of its shape \[100\]; is a mask missing\? "
        r"\(element \(36\)\) \(kernel 'forgotten_mask', program \(1, 0, 0\)\)", lines[0])
    assert lines[1:] == ["        tl.store(y + i, tl.load(x + i))", " " * 24 + "^"]
    assert (y[:64] == 1).all()
    forgotten_mask[(1, )](x, y, BLOCK=64)  # The device stays usable.


def test_one_tensor_does_not_change_another():
    x, y, z = np.zeros(64, np.float32), np.zeros(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(errors.FaultError, match=r"write of 4 bytes at 'y'\[-?\d+\], outside of its shape \[64\]"):
        shifted[(1, )](x + 1, y, 64, BY=(z.ctypes.data - y.ctypes.data) // 4, BLOCK=64)
    assert not z.any()


def test_bounds_are_those_of_views_memory():
    """An access may leave a view, not the memory that it is a part of; the index is the view's."""
    base = np.zeros((10, 16), np.float32)
    shifted[(1, )](np.ones(16, np.float32), base[4], 16, BY=16, BLOCK=16)
    assert base[5].sum() == base.sum() == 16
    with pytest.raises(errors.FaultError, match=r"'y'\[96\], outside of its shape \[16\]"):
        shifted[(1, )](np.ones(16, np.float32), base[4], 16, BY=96, BLOCK=16)
    with pytest.raises(errors.FaultError, match=r"'y'\[12, 0\], outside of its shape \[10, 16\]"):
        shifted[(1, )](np.ones(16, np.float32), base, 16, BY=192, BLOCK=16)
    with pytest.raises(errors.FaultError, match=r"'y'\[-1, 0\], outside of its shape \[10, 16\]"):
        shifted[(1, )](np.ones(16, np.float32), base, 16, BY=-16, BLOCK=16)
    spread = base[::2, ::4]  # Indices do not show the distance; the number of elements does.
    with pytest.raises(errors.FaultError, match=r"'y'\[160\], outside of its shape \[5, 4\]"):
        shifted[(1, )](np.ones(16, np.float32), spread, 16, BY=160, BLOCK=16)


def test_bounds_of_torch_tensors():
    torch = pytest.importorskip("torch")
    base = torch.zeros(10, 16)
    shifted[(1, )](torch.ones(16), base[4], 16, BY=16, BLOCK=16)
    assert base[5].sum() == base.sum() == 16
    with pytest.raises(errors.FaultError, match=r"'y'\[96\], outside of its shape \[16\]"):
        shifted[(1, )](torch.ones(16), base[4], 16, BY=96, BLOCK=16)


def test_bounds_of_copies():
    """A read-only array is copied, and has its own bounds there."""
    x = np.ones(64, np.float32)
    x.flags.writeable = False
    y = np.zeros(128, np.float32)
    forgotten_mask[(1, )](x, y, BLOCK=64)
    with pytest.raises(errors.FaultError, match=r"'x'\[64\], outside of its shape \[64\]"):
        forgotten_mask[(2, )](x, y, BLOCK=64)


def test_bounds_of_arrays_without_elements():
    with pytest.raises(errors.FaultError, match=r"read of 4 bytes at 'x'\[0\], outside of its shape \[0\]"):
        forgotten_mask[(1, )](np.empty(0, np.float32), np.zeros(64, np.float32), BLOCK=64)


def test_addresses_in_arrays_are_the_kernels_own_affair():
    """The bounds of a numeric address are unknown."""

    @triton.jit
    def through(addresses, out):
        tl.store(out, tl.load(tl.load(addresses).to(tl.pointer_type(tl.float32))))

    x, out = np.full(4, 7, np.float32), np.zeros(1, np.float32)
    through[(1, )](np.array([x.ctypes.data]), out)
    assert out[0] == 7


def test_bounds_checks_can_be_switched(knobs):
    base = np.zeros(128, np.float32)
    y = np.frombuffer(base.data, np.float32, 64)
    with pytest.raises(errors.FaultError):
        forgotten_mask[(2, )](np.ones(128, np.float32), y, BLOCK=64)
    knobs.interpreter.bounds_checks = False
    forgotten_mask[(2, )](np.ones(128, np.float32), y, BLOCK=64)
    assert (base == 1).all()


def test_source_that_is_in_no_file(run_text):
    """The line comes from Python's own line cache."""
    text = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def kernel(x):
    tl.store(x + 5, 1)

kernel[(1, )](np.zeros(4, np.int32))
"""
    said = run_text("import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-m', 'tilerun', '-c', " +
                    repr(text) + "]))", fails=True).stderr
    assert "FaultError: <string>:8:5: write of 4 bytes at 'x'[5], outside of its shape [4]" in said
    assert "        tl.store(x + 5, 1)\n        ^\n" in said


def test_device_asserts():

    @triton.jit(debug=True)
    def kernel(x):
        tl.device_assert(tl.load(x) > 0, "must be positive")

    kernel[(1, )](np.ones(1, np.int32))
    with pytest.raises(errors.TilerunError, match="must be positive"):
        kernel[(1, )](np.zeros(1, np.int32))


def test_assertions_without_a_text(knobs):

    @triton.jit(debug=True)
    def plain(x):
        assert (tl.load(x)
                > 0)

    @triton.jit(debug=True)
    def built(x):
        tl.device_assert(tl.load(x) > 0)

    for checks in (False, True):
        knobs.interpreter.checks = checks
        for kernel, text in ((plain, "assertion failed: tl.load(x) > 0 (kernel 'plain'"), (built, "assertion failed (kernel 'built'")):
            with pytest.raises(errors.TilerunError) as caught:
                kernel[(1, )](np.zeros(1, np.int32))
            assert text in str(caught.value)


DEBUG = """
    import numpy as np, triton, triton.language as tl

    def kernel(x):
        tl.device_assert(tl.load(x) > 0, "must be positive")

    def ask(kernel, **options):
        try:
            kernel[(1, )](np.zeros(1, np.int32), **options)
            return "-"
        except RuntimeError as error:
            assert "must be positive" in str(error)
            return "+"

    print(*("".join(ask(triton.jit(kernel, debug=debug), **options) for options in
                    ({}, {"debug": True}, {"debug": False}, {"debug": None}, {"debug": tl.constexpr(False)}))
            for debug in (None, True, False)))
    """


def test_who_decides_on_device_asserts(run_text):
    """The launch before the decorator; TRITON_DEBUG=1 before both."""
    assert run_text(DEBUG).stdout.split() == ["-+---", "++---", "-+---"]
    assert run_text(DEBUG, TRITON_DEBUG="0").stdout.split() == ["-+---", "++---", "-+---"]
    assert run_text(DEBUG, TRITON_DEBUG="1").stdout.split() == ["+++++"] * 3


def test_interpret_from_the_environment(run_text):
    done = run_text(
        """
        import numpy as np, triton, triton.language as tl

        @triton.jit
        def kernel(x):
            tl.store(x + 5, 1)

        kernel[(1, )](np.zeros(4, np.int32))
        """, TRITON_INTERPRET="1", TILERUN_CHECKS="1", fails=True)
    assert "FaultError" in done.stderr and "script.py:6" in done.stderr
    assert "script.py:6" in run_text(open(done.args[-1]).read(), "--checks", fails=True).stderr


def test_tensors_without_elements(checks):
    """The message names the null pointer, not its distance from some allocation."""
    torch = pytest.importorskip("torch")
    y = torch.zeros(64)
    shifted[(1, )](torch.empty(0), y, 0, BY=0, BLOCK=64)
    with pytest.raises(errors.FaultError, match="read of 4 bytes at a null pointer, which has no memory"):
        shifted[(1, )](torch.empty(0), y, 8, BY=0, BLOCK=64)

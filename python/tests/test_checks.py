"""TRITON_INTERPRET and the interpreter's checks: bounds, uninitialized reads, races, overflow."""

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
    np.testing.assert_array_equal(y[1:], x[:-1])  # What was in bounds was written.


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


def test_device_asserts():

    @triton.jit(debug=True)
    def kernel(x):
        tl.device_assert(tl.load(x) > 0, "must be positive")

    kernel[(1, )](np.ones(1, np.int32))
    with pytest.raises(errors.TilerunError, match="must be positive"):
        kernel[(1, )](np.zeros(1, np.int32))


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
    """Their null pointer is told, not its distance from some allocation."""
    torch = pytest.importorskip("torch")
    y = torch.zeros(64)
    shifted[(1, )](torch.empty(0), y, 0, BY=0, BLOCK=64)
    with pytest.raises(errors.FaultError, match="read of 4 bytes at a null pointer"):
        shifted[(1, )](torch.empty(0), y, 8, BY=0, BLOCK=64)

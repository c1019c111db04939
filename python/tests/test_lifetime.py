"""Lifetimes: launches leave nothing behind, and kernels are collected when no references are left."""

import gc
import sys
import weakref

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


@triton.jit
def copy_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def add_pair(out, pair):
    tl.store(out, pair[0] + pair[1])


X, OUT, LOCKED = np.ones(4, np.float32), np.zeros(4, np.float32), np.ones(4, np.float32)
LOCKED.flags.writeable = False
GRID = (1, )


def fail(*args):
    try:
        copy_kernel[GRID](*args, BLOCK=4)
    except (TypeError, ValueError):
        pass


class Exporter:

    def __dlpack__(self, **_):
        return X.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


LAUNCHES = {
    "warm": (lambda: copy_kernel[GRID](X, OUT, 4, BLOCK=4), 50000),
    "grid as a function": (lambda: copy_kernel[lambda meta: GRID](X, OUT, 4, BLOCK=4), 5000),
    "numpy's numbers": (lambda: copy_kernel[GRID](X, OUT, np.int64(4), BLOCK=4), 2000),
    "a tuple": (lambda: add_pair[GRID](OUT, (2, 3)), 2000),
    "read only": (lambda: copy_kernel[GRID](LOCKED, OUT, 4, BLOCK=4), 2000),
    "dlpack": (lambda: copy_kernel[GRID](Exporter(), OUT, 4, BLOCK=4), 2000),
    "a wrong argument": (lambda: fail(X, object(), 4), 2000),
    "a wrong kind": (lambda: fail(X, OUT, "four"), 1000),
}


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.parametrize("name", LAUNCHES)
def test_launches_leave_nothing(name):
    launch, count = LAUNCHES[name]
    for _ in range(300):
        launch()
    gc.collect()
    references = [sys.getrefcount(value) for value in (X, OUT, LOCKED, GRID, copy_kernel, add_pair)]
    objects, before = len(gc.get_objects()), memory()
    for _ in range(count):
        launch()
    gc.collect()
    assert [sys.getrefcount(value) for value in (X, OUT, LOCKED, GRID, copy_kernel, add_pair)] == references
    assert len(gc.get_objects()) - objects < 50
    assert memory() - before < 4 << 20  # If each left 100 bytes, or one page, it would be more.


def test_kernels_are_collected():
    """With the compiled code, and the captured objects."""

    def make(captured):

        @triton.autotune([triton.Config({"BLOCK": b}) for b in (2, 4)], key=["n"], warmup=1, rep=1)
        @triton.jit
        def kernel(x, y, n, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(y + i, tl.load(x + i) + captured)

        kernel[GRID](X, OUT, 4)
        kernel.fn[GRID](X, OUT, (4, ), BLOCK=4)
        return weakref.ref(kernel), weakref.ref(kernel.fn)

    known = [make(i) for i in range(3)]
    gc.collect()
    assert [reference() for pair in known for reference in pair] == [None] * 6


def test_stored_launchers_are_collected():

    class Model:

        def __init__(self):
            self.weights = np.ones(4, np.float32)
            self.launch = copy_kernel[lambda meta: self.grid()]

        def grid(self):
            return GRID

    model = Model()
    model.launch(model.weights, OUT, 4, BLOCK=4)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_the_end_of_the_process(run_python, tmp_path):
    """Daemon threads launch, and objects that die last launch too: nothing crashes, nothing hangs."""
    script = tmp_path / "end.py"
    script.write_text("""
import threading, time
import numpy as np
import tilerun.triton as triton, tilerun.triton.language as tl

@triton.jit
def fill(out, n):
    for i in range(n):
        tl.store(out, i)

def work():
    out = np.zeros(1, np.float32)
    while True:
        fill[(1, )](out, 1000)

class Last:
    def __del__(self, fill=fill, out=np.zeros(1, np.float32)):
        fill[(1, )](out, 5)

last = Last()
fill[(1, )](np.zeros(1, np.float32), 3)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("done")
""")
    for _ in range(3):
        done = run_python(script)
        assert done.stdout == "done\n" and "Error" not in done.stderr

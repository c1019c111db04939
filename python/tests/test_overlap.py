"""Launches that may overlap (launch_pdl): the calls that reach the driver, which here is the fake
one."""

import numpy as np

import tilerun.triton as triton
import tilerun.triton.language as tl

SCRIPT = """
import ctypes
import os
import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _memory, _native
from tilerun._memory import Pointer

@triton.jit
def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)

_native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
memory = [Pointer(_native.allocate(_memory.CUDA, 0, 4096), "i32", _memory.CUDA, 0) for _ in range(3)]
fake = ctypes.CDLL(os.environ["TILERUN_CUDA_DRIVER"])
count = lambda: (fake.fakeCudaCountCalls(b"cuLaunchKernel"), fake.fakeCudaCountCalls(b"overlap"))

def launch(**options):
    before = count()
    tilerun_test_add[(1, )](*memory, 128, BLOCK=128, **options)
    print(*(after - b for after, b in zip(count(), before)))

for options in ({"launch_pdl": True}, {}, {"launch_pdl": True}, {"launch_pdl": False}, {"launch_pdl": None},
                {"num_warps": 8, "launch_pdl": True}, {"launch_pdl": tl.constexpr(True)}, {"launch_pdl": 1}):
    launch(**options)
tilerun_test_add.add_pre_run_hook(lambda *args, **kwargs: None)
launch(launch_pdl=True)
launch()
"""


def test_what_reaches_the_driver(run_on_fake_cuda):
    plain, overlap = "1 0", "0 1"
    assert run_on_fake_cuda(SCRIPT) == [
        overlap, plain, overlap, plain, plain, overlap, overlap, overlap, overlap, plain]


def test_ignored_where_grids_do_not_overlap():

    @triton.jit
    def double(x):
        tl.extra.cuda.gdc_wait()
        i = tl.arange(0, 4)
        tl.store(x + i, tl.load(x + i) * 2)
        tl.extra.cuda.gdc_launch_dependents()

    x = np.arange(4, dtype=np.int32)
    for _ in range(3):
        double[(1, )](x, launch_pdl=True)
    assert x.tolist() == [0, 8, 16, 24]


def test_a_parameter_of_that_name():

    @triton.jit
    def fill(x, launch_pdl):
        tl.store(x, launch_pdl)

    x = np.zeros(1, np.int32)
    for value in (7, 8):
        fill[(1, )](x, launch_pdl=value)
        assert x[0] == value

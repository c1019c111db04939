"""Page-locked memory of the host beside memory of a GPU: the GPU reaches it, so the kernel runs there. Over the fake CUDA
driver, with a module that stands for torch."""

SCRIPT = """
import ctypes
import os
import sys
import types
from tilerun import _memory, _native
import tilerun.triton as triton
import tilerun.triton.language as tl

class Tensor:
    def __init__(self, address, device, pinned=False):
        self.address, self.pinned = address, pinned
        self.device = types.SimpleNamespace(type=device, index=0 if device == "cuda" else None)
        self.dtype = types.SimpleNamespace(name="int32")

    data_ptr = lambda self: self.address
    is_pinned = lambda self: self.pinned

stream = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 0)
sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor, _C=stream)
_memory.register_torch = lambda: None

@triton.jit
def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)

_native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
fake = ctypes.CDLL(os.environ["TILERUN_CUDA_DRIVER"])
first, second = (_native.allocate(_memory.CUDA, 0, 4096) for _ in range(2))
for a in (Tensor(second, "cuda"), Tensor(second, "cpu", pinned=True), Tensor(second, "cpu")):
    before = fake.fakeCudaCountCalls(b"cuLaunchKernel")
    try:
        tilerun_test_add[(1, )](Tensor(first, "cuda"), a, a, 128, BLOCK=128)
    except ValueError as error:
        print(error)
    print(fake.fakeCudaCountCalls(b"cuLaunchKernel") - before)
"""


def test_beside_memory_of_a_gpu(run_on_fake_cuda):
    lines = run_on_fake_cuda(SCRIPT)
    assert lines[:2] == ["1", "1"]
    assert "parameter 'a' is on cpu, but 'out' is on cuda:0" in lines[2] and lines[3] == "0"

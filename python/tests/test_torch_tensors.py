"""How torch's tensors are read: by torch's own C functions where the package finds the objects they
work on, else by attributes. A library and a class of the tests' own stand for torch."""

import os
import textwrap

import pytest

LIBRARY = os.path.join(os.environ["TILERUN_BUILD"], "python", "tests", "libtorch_cpu.so")

# A class whose objects hold the value of `_cdata`, as torch's do.
FAKE = """
import ctypes
import struct
from tilerun import _memory, _native

library = ctypes.PyDLL({library!r})
numbers = {{"torch.int32": 3, "torch.float32": 6, "torch.int64": 4}}


class Tensor:
    __slots__ = "contents", "address", "kind", "index", "dtype"

    def __init__(self, address=2, kind=0, index=-1, dtype="torch.float32", layout=0):
        self.address, self.kind, self.index, self.dtype = address, kind, index, dtype
        self.contents = struct.pack("=Qiiii", address, kind, index, numbers[dtype], layout)

    _cdata = property(lambda self: {cdata})
    is_cuda = property(lambda self: self.kind == 1)

    def data_ptr(self):
        return {address}

    def get_device(self):
        return self.index


_memory.register_torch = lambda: None
dtypes = {{"torch.int32": _memory.DTYPES["i32"], "torch.float32": _memory.DTYPES["fp32"]}}
_native.register_torch((Tensor, ), dtypes, _memory.CUDA)
numReads = library.fakeTorchCountReads
"""


@pytest.fixture
def run_fake(run_python, tmp_path):

    def run(text, cdata="id(self.contents)", address="self.address"):
        assert os.path.exists(LIBRARY), "the target tilerun_fake_torch is not built"
        script = tmp_path / "script.py"
        script.write_text(FAKE.format(library=LIBRARY, cdata=cdata, address=address) + textwrap.dedent(text))
        return run_python(script).stdout.splitlines()

    return run


def test_by_functions(run_fake):
    assert run_fake("""
        before = numReads()
        print(before)  # The trial.
        for tensor in (Tensor(4096), Tensor(4096, 1, 3), Tensor(64, 1, 0, "torch.int32")):
            print(_native.read_tensor(tensor))
        print(numReads() - before)
        """) == ["1", "(4096, 17, 1, 0)", "(4096, 17, 2, 3)", "(64, 4, 2, 0)", "3"]


def test_what_the_functions_are_not_asked_for(run_fake):
    """Other layouts, devices and dtypes, of which torch's functions would complain on stderr."""
    assert run_fake("""
        before = numReads()
        print(_native.read_tensor(Tensor(4096, 1, 3, layout=2)))  # The attributes know no layout.
        print(_native.read_tensor(Tensor(4096, 0, -1, "torch.float32", 1)))
        for tensor in (Tensor(4096, 9, 3), Tensor(4096, 1, 3, "torch.int64"), Tensor(0, 9, 3)):
            try:
                _native.read_tensor(tensor)
            except Exception:
                pass  # The package's code has the word.
        print(numReads() - before)
        """) == ["(4096, 17, 2, 3)", "(4096, 17, 1, 0)", "0"]


@pytest.mark.parametrize("changed", [{"cdata": "id(self.contents) + 8"}, {"cdata": "0"}, {"cdata": "self.nothing"},
                                     {"address": "self.address + 4"}],
                         ids=["elsewhere", "null", "missing", "another address"])
def test_not_where_something_differs(run_fake, changed):
    """The values read must agree with the attributes, else the attributes count."""
    address = 4100 if "address" in changed else 4096
    assert run_fake("""
        before = numReads()
        print(_native.read_tensor(Tensor(4096, 1, 3)), numReads() - before)
        """, **changed) == [f"({address}, 17, 2, 3) 0"]

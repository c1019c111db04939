"""Mistakes in kernels, with whole messages: the kernels of tests/lit/tilerun/Inputs/bad.py, whose comments hold them."""

import importlib.util
import os
import re
import sys

import numpy as np
import pytest

import tilerun.triton as triton
from conftest import ROOT

FILE = os.path.join(ROOT, "tests", "lit", "tilerun", "Inputs", "bad.py")


def read_expectations():
    """By kernel: the line at fault and the message about it."""
    expected, kernel = {}, None
    with open(FILE) as lines:
        for number, line in enumerate(lines, 1):
            if match := re.match(r"def (\w+)\(out, n\):", line):
                kernel = match[1]
            elif match := re.match(r" *# error: (.*)", line):
                expected[kernel] = number + 1, match[1]
    return expected


EXPECTED = read_expectations()


@pytest.fixture(scope="module")
def kernels():
    saved = {name: sys.modules.get(name) for name in ("triton", "triton.language")}
    sys.modules["triton"], sys.modules["triton.language"] = triton, triton.language
    try:
        spec = importlib.util.spec_from_file_location("bad", FILE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name, old in saved.items():
            if old is None:
                del sys.modules[name]
            else:
                sys.modules[name] = old
    return module


@pytest.mark.parametrize("name", EXPECTED)
def test_bad_kernel(kernels, name):
    with pytest.raises(triton.CompilationError) as caught:
        getattr(kernels, name)[(1, )](np.zeros(64, np.int32), 5)
    said = re.findall(r"^.*bad\.py:(\d+):\d+: error: (.*)$", str(caught.value), re.M)
    assert said == [(str(EXPECTED[name][0]), EXPECTED[name][1])]


def test_all_are_there():
    assert len(EXPECTED) > 35


def test_no_source():
    scope = {"triton": triton}
    with pytest.raises(OSError) as caught:
        exec("@triton.jit\ndef kernel(out):\n    pass\n", scope)
    assert str(caught.value).startswith("the source of 'kernel' cannot be read (")
    assert "; a kernel must be defined in a file, " in str(caught.value)

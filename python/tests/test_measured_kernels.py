"""Kernels that bench/gpu measures are right, on shapes that their blocks do not divide."""

import os
import re

import pytest

from conftest import ROOT

SCRIPT = os.path.join(os.path.dirname(__file__), "scripts", "measured_kernels.py")
NAMES = ["forward-32-full", "forward-32-causal", "forward-48-full", "forward-48-causal", "backward-full", "backward-causal", "split-product-1",
         "split-product-5", "vector-product", "split-attention-4", "split-attention-1", "softmax", "norms", "cross-entropy"]


@pytest.mark.parametrize("name", NAMES)
def test_kernel(name, run_python):
    done = run_python("-m", "tilerun", "--cpu", SCRIPT, os.path.join(ROOT, "bench", "gpu"), name)
    assert done.stdout.strip() == "ok"


def test_every_kernel_is_run():
    with open(SCRIPT) as file:
        script = file.read()
    for module in ("attention_kernels", "attention_backward_kernels", "decode_kernels", "row_kernels"):
        with open(os.path.join(ROOT, "bench", "gpu", module + ".py")) as file:
            kernels = re.findall(r"^def (\w+_kernel)\(", file.read(), re.M)
        assert kernels and all(f"{kernel}[" in script for kernel in kernels), (module, kernels)


@pytest.mark.parametrize("name", ["rows", "choice", "none_works", "backward", "decode", "failing", "lost", "budget"])
def test_work(name, run_python):
    """Works of several launches, the choice of configurations, and rows."""
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float8_e4m3fn") or not hasattr(torch.nn, "attention"):
        pytest.skip(f"PyTorch {torch.__version__} has no 8-bit floats or no choice of attention; PyTorch 2.3 has both")
    done = run_python("-m", "tilerun", "--cpu", os.path.join(os.path.dirname(SCRIPT), "measured_works.py"), os.path.join(ROOT, "bench", "gpu"), name)
    assert done.stdout.strip().splitlines()[-1] == "ok"

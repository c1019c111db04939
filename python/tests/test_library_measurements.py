"""bench/gpu/libraries.py on the interpreter, with packages that stand for others: what is there is measured in turns, and
what is not is named."""

import json
import os

import pytest

from conftest import ROOT

FUNCTIONAL = '''
import torch
import triton
import triton.language as tl


@triton.jit
def multiply_kernel(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) * tl.load(b + i, mask=i < n), mask=i < n)


def multiply(a, b):
    c = torch.empty_like(a)
    multiply_kernel[triton.cdiv(a.numel(), 128), ](a, b, c, a.numel(), BLOCK=128)
    return c


class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return multiply(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return multiply(grad, b), multiply(grad, a)


def liger_swiglu(a, b):
    return Multiply.apply(a, b)


def liger_softmax(x):
    raise ValueError("this one fails")
'''


@pytest.fixture
def packages(tmp_path):
    folder = tmp_path / "packages"
    for inner in ("liger_kernel/transformers", "liger_kernel-9.8.7.dist-info"):
        (folder / inner).mkdir(parents=True)
    (folder / "liger_kernel" / "__init__.py").touch()
    (folder / "liger_kernel" / "transformers" / "__init__.py").touch()
    (folder / "liger_kernel" / "transformers" / "functional.py").write_text(FUNCTIONAL)
    (folder / "liger_kernel-9.8.7.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: liger-kernel\nVersion: 9.8.7\n")
    return folder


def test_what_is_there_is_measured(packages, tmp_path, run_python):
    pytest.importorskip("torch")
    done = run_python(os.path.join(ROOT, "bench", "gpu", "libraries.py"), "--packages", packages, "--device", "cpu", "--json", tmp_path / "out.json",
                      "--only", "swiglu|Liger: softmax|FLA: chunk_gla", TILERUN_PACKAGE=os.path.join(os.environ["TILERUN_BUILD"], "python"))
    document = json.loads((tmp_path / "out.json").read_text())
    row, = document["rows"]
    assert (row["name"], row["version"], row["unit"]) == ("Liger: swiglu, forward and backward", "9.8.7", "ms")
    assert len(row["turns"]["tilerun"]) == 15 and all(time > 0 for time in row["turns"]["tilerun"])
    assert row["first call"]["tilerun"] >= 0 and document["kind"] == "libraries"
    assert document["not measured"] == ["Liger: softmax, forward and backward", "FLA: chunk_gla, forward and backward"]
    assert document["failures"] == {"Liger: softmax, forward and backward": ["tilerun: ValueError: this one fails"],
                                    "FLA: chunk_gla, forward and backward": ["tilerun: ModuleNotFoundError: No module named 'fla'"]}
    assert "Liger: softmax, forward and backward: not measured: tilerun: ValueError: this one fails" in done.stdout


def test_the_budget_ends_it(packages, run_python):
    pytest.importorskip("torch")
    done = run_python(os.path.join(ROOT, "bench", "gpu", "libraries.py"), "--packages", packages, "--device", "cpu", "--only", "swiglu|Liger: rms_norm",
                      "--budget", "0", TILERUN_PACKAGE=os.path.join(os.environ["TILERUN_BUILD"], "python"))
    assert "the budget of 0 s ends here; not measured: Liger: rms_norm, forward and backward, Liger: swiglu, forward and backward\n" in done.stdout

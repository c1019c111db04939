"""bench/gpu/torch_models.py without a GPU: small models, compiled by Inductor to Triton code that the interpreter runs, are compared with
higher precision and measured, and what is wrong is found."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
import torch

BENCH = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "gpu")
sys.path.append(BENCH)

import torch_model_rows
import torch_models


def measure(tmp_path, only, *more, status=0):
    path = tmp_path / "out.json"
    done = subprocess.run([sys.executable, os.path.join(BENCH, "torch_models.py"), "--device", "cpu", "--json", path, "--rounds", "3", "--only", only, *more], text=True,
                          capture_output=True, env=os.environ | {"TILERUN_PACKAGE": os.path.join(os.environ["TILERUN_BUILD"], "python")})
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(path.read_text()) if path.exists() else None, done


def test_parts_of_models(tmp_path):
    document, done = measure(tmp_path, "softmax *|cross entropy, gradient")
    first, second = document["rows"]
    assert (first["name"], second["name"]) == ("softmax * log_softmax, 4096 x 8192", "cross entropy, gradient, 4096 x 32000")
    for row in (first, second):
        assert 0 < row["errors"]["tilerun"] < 1e-5 and row["notes"] == [] and row["first call"]["tilerun"] > 0
        assert len(row["turns"]["tilerun"]) == 3 and min(row["turns"]["tilerun"]) > 0
    assert document["kind"] == "models" and document["not measured"] == [] and document["failures"] == {}
    assert "not on the interpreter: flex attention, causal, forward; flex attention, causal, gradients" in done.stdout


@pytest.mark.parametrize("package, name", (("transformers", "BERT base, 4 layers, training step"), ("transformers", "Mixtral-like mixture of 8 experts, 2 layers, forward"),
                                           ("diffusers", "U-Net, forward")), ids=("bert", "mixture", "unet"))
def test_models_of_packages(tmp_path, package, name):
    """A package that is not installed is named as the reason."""
    document, _ = measure(tmp_path, name)
    if importlib.util.find_spec(package) is None:
        assert document["failures"] == {name: [f"tilerun: ModuleNotFoundError: No module named '{package}'"]}
        assert document["not measured"] == [name] and document["rows"] == []
        return
    row, = document["rows"]
    assert row["name"] == name and row["notes"] == [] and 0 < row["errors"]["tilerun"] < 0.05 and row["parameters"] > 1000
    assert row["version"].startswith(package + " ")


def test_wrong_results_are_found():
    expected = [torch.randn(50), torch.randn(3, 4), torch.zeros(5)]
    rounded = [t.bfloat16() for t in expected]
    right = torch_models.compare(torch, rounded, rounded, expected, torch.bfloat16)
    assert right["wrong"] == [] and 0 < right["error"] < 1e-2 and right["error"] == right["eager's error"]
    one_wrong = [rounded[0], rounded[1].clone(), rounded[2]]
    one_wrong[1][2, 3] += 1
    assert [text.partition(":")[0] for text in torch_models.compare(torch, one_wrong, rounded, expected, torch.bfloat16)["wrong"]] == ["tensor 1 of 3"]
    undefined = [rounded[0], rounded[1], torch.full((5, ), float("nan")).bfloat16()]
    assert [text.partition(":")[0] for text in torch_models.compare(torch, undefined, rounded, expected, torch.bfloat16)["wrong"]] == ["tensor 2 of 3"]


def test_rows_have_names_of_their_own():
    names = [row.name for row in torch_model_rows.ROWS]
    assert len(names) == len(set(names))


def test_bad_arguments(tmp_path):
    _, done = measure(tmp_path, "softmax", "--part", "3/2", status=2)
    assert "a part is I/N with I from 1 to N, not '3/2'" in done.stderr

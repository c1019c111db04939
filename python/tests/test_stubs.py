"""The type stubs, by which editors complete `tl.`: current, complete, and used by Jedi and mypy, where they are installed."""

import ast
import importlib.util
import inspect
import os
import subprocess
import sys

import pytest
import tilerun
import tilerun.triton.language as tl
from conftest import ROOT

LANGUAGE = os.path.join(ROOT, "python/tilerun/triton/language")
KERNEL = """import {package} as triton
import {package}.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    low, high = tl.split(x.reshape(BLOCK // 2, 2))
    y = x.to(tl.float32).{method}
    for k in tl.static_range(2):
        y += tl.math.exp(x[:, None] * k)
    tl.store(out_ptr + i, y)
"""


def test_are_what_the_table_gives():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts/stubs"), os.environ["TILERUN_BUILD"], "--check"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert os.path.exists(os.path.join(ROOT, "python/tilerun/py.typed"))


def test_have_every_function_with_its_parameters():
    with open(os.path.join(LANGUAGE, "__init__.pyi"), encoding="utf-8") as file:
        stub = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, ast.FunctionDef)}
    functions = {name for name in dir(tl) if isinstance(getattr(tl, name), tl.Function) and getattr(tl, name).__module__ == "triton.language"}
    assert len(functions) > 100 and functions <= stub.keys(), functions - stub.keys()
    assert [a.arg for a in stub["load"].args.args] == list(inspect.signature(tl.load).parameters)
    assert ast.get_docstring(stub["load"]) == tl.load.__doc__.partition("\n\n")[2].strip()


def test_signatures_for_help():
    assert str(inspect.signature(tl.arange)) == "(start, end)"
    text = str(inspect.signature(tl.dot))
    assert text.startswith("(input, other, acc=None,") and "out_dtype=float32" in text and "*, trans_a=False" in text
    for name in dir(tl):
        if isinstance(getattr(tl, name), tl.Function):
            inspect.signature(getattr(tl, name))


@pytest.mark.parametrize("package", ["tilerun.triton", "triton"])
def test_jedi_completes(package):
    jedi = pytest.importorskip("jedi")
    paths = [os.path.join(ROOT, "python"), os.path.join(tilerun.__path__[0], "dropin")]
    project = jedi.Project(ROOT, added_sys_path=paths, smart_sys_path=False)

    def complete(text):
        lines = text.split("\n")
        return {c.name for c in jedi.Script(text, project=project).complete(len(lines), len(lines[-1]))}

    head = f"import {package}.language as tl\n"
    assert {"load", "store", "dot", "float32", "constexpr"} <= complete(head + "tl.")
    assert {"sum", "to", "reshape"} <= complete(head + "x = tl.load(1)\nx.")
    assert "exp" in complete(head + "tl.math.")
    text = head + "tl.load("
    signature, = jedi.Script(text, project=project).get_signatures(2, len("tl.load("))
    assert [p.name for p in signature.params][:3] == ["pointer", "mask", "other"]


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
@pytest.mark.parametrize("package", ["tilerun.triton", "triton"])
def test_mypy_reads_kernels(package, tmp_path):
    path = {**os.environ, "MYPYPATH": os.path.join(ROOT, "python") + ":" + os.path.join(ROOT, "python/tilerun/dropin")}
    command = [sys.executable, "-m", "mypy", "--check-untyped-defs", "--follow-imports=silent", "--no-site-packages", "--ignore-missing-imports",
               "--cache-dir", str(tmp_path / "cache")]
    for method, fails in (("sum(axis=0)", False), ("sum(axes=0)", True)):
        file = tmp_path / "kernel.py"
        file.write_text(KERNEL.format(package=package, method=method))
        done = subprocess.run([*command, str(file)], capture_output=True, text=True, env=path)
        assert (done.returncode != 0) == fails and ("axes" in done.stdout) == fails, done.stdout + done.stderr

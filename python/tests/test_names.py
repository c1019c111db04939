"""Every public name of Triton's package exists here, or is refused by name with a reason."""

import importlib
import os

import pytest

from tilerun.triton import _missing


def read_names():
    names, module = {}, None
    with open(os.path.join(os.path.dirname(__file__), "triton_names.txt")) as file:
        for line in file:
            if line.startswith("  "):
                names[module] += line.split()
            elif line.strip() and not line.startswith("#"):
                module = line.strip().rstrip(":")
                names[module] = []
    return names


NAMES = read_names()


def import_ours(module):
    return importlib.import_module("tilerun." + module)


def find_refusal(module, name):
    table = _missing.NAMES.get(module)
    if table is None and module.startswith("triton.language"):
        table = _missing.NAMES["triton.language"]
    return (table or {}).get(name)


def test_every_name_is_there_or_refused(capsys):
    there, refused, lost = 0, [], []
    for module, names in NAMES.items():
        if _missing.find_module(module):
            refused += [f"{module}.{name}" for name in names]
            continue
        ours = import_ours(module)
        for name in names:
            if hasattr(ours, name):
                there += 1
                assert find_refusal(module, name) is None, f"{module}.{name} is there, but is said to be missing"
            elif find_refusal(module, name):
                refused.append(f"{module}.{name}")
            else:
                lost.append(f"{module}.{name}")
    with capsys.disabled():
        print(f"\n{there} names of Triton are there, {len(refused)} are refused with a reason")
    assert not lost


@pytest.mark.parametrize("module", [m for m in _missing.NAMES])
def test_refusals_say_why(module):
    ours = import_ours(module)
    for name, reason in _missing.NAMES[module].items():
        assert not hasattr(ours, name), name
        with pytest.raises(AttributeError) as caught:
            getattr(ours, name)
        assert str(caught.value) == f"'{module}.{name}' is not in Tilerun: {reason}"
        with pytest.raises(ImportError) as caught:
            exec(f"from tilerun.{module} import {name}", {})
        assert str(caught.value) == f"'{module}.{name}' is not in Tilerun: {reason}"
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nonsense'"):
        ours.nonsense


def test_modules_that_are_missing_say_why(run_text):
    done = run_text("""
        import triton
        for name in ("triton.runtime.build", "triton.compiler.code_generator", "triton.tools.triton_to_gluon_translater.api", "triton.nonsense"):
            try:
                __import__(name)
            except ModuleNotFoundError as error:
                print(error)
        """)
    assert done.stdout.splitlines() == [
        "'triton.runtime.build' is not in Tilerun: nothing is built at run time here",
        "'triton.compiler.code_generator' is not in Tilerun: a part of Triton's own compiler; kernels are compiled by the library "
        "here",
        "'triton.tools.triton_to_gluon_translater' is not in Tilerun: Gluon's kernels state layouts by hand, for Triton's own compiler",
        "No module named 'triton.nonsense'"]

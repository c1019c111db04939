"""Shared by the tests: the package of the build tree is on the path (python/tests/run puts it there)."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def pytest_report_header():
    import numpy
    try:
        import torch
        torch_version = torch.__version__
    except ImportError:
        torch_version = "none: tests that need it are not run"
    return f"numpy {numpy.__version__}, torch {torch_version}, package {__import__('tilerun').__path__[0]}"


@pytest.fixture
def run_python():
    """Runs Python with the package in a process of its own (`program`: under another one); gives the finished process,
    which must succeed unless `fails`."""

    def run(*arguments, fails=False, program=(sys.executable, ), **environment):
        done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment})
        if not fails:
            assert done.returncode == 0, done.stdout + done.stderr
        else:
            assert done.returncode != 0, done.stdout
        return done

    return run


@pytest.fixture
def run_on_fake_cuda(run_python, tmp_path):
    """Runs the text of a script as `run_python` does, over the fake CUDA driver, and gives the lines that it prints."""
    driver = os.path.join(os.environ["TILERUN_BUILD"], "tests", "plugins", "cuda", "libfakecuda.so")
    assert os.path.exists(driver), "the fake CUDA driver is not built"

    def run(text):
        script = tmp_path / "script.py"
        script.write_text(text)
        return run_python(script, TILERUN_CUDA_DRIVER=driver).stdout.splitlines()

    return run


@pytest.fixture
def knobs():
    """Settings that are restored when the test ends."""
    from tilerun.triton import knobs as module
    with module.runtime.scope(), module.interpreter.scope(), module.autotuning.scope():
        yield module


@pytest.fixture
def run_text(run_python, tmp_path):
    """Runs a script given as text by `python -m tilerun`."""
    import textwrap

    def run(text, *options, arguments=(), **named):
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(text))
        return run_python("-m", "tilerun", *options, path, *arguments, **named)

    return run

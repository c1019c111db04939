"""`python -m tilerun` and `tilerun.install()`."""

import os
import subprocess
import sys

import pytest


def test_imports_in_all_forms(run_text):
    text = """
        import sys
        import triton
        import triton.language as tl
        import triton.language.extra.libdevice, triton.runtime.jit, triton.compiler.compiler, triton.knobs
        from triton import language, jit, Config
        from triton.runtime import driver
        from triton.runtime.driver import driver as driver_too
        from triton.backends.compiler import GPUTarget
        from triton.compiler.errors import CompilationError
        from triton.language.extra import libdevice
        from triton.language.extra.cuda.libdevice import tanh
        from triton.testing import do_bench
        from triton.tools.tensor_descriptor import TensorDescriptor
        import tilerun.triton
        assert triton is tilerun.triton and tl is triton.language is language
        assert triton.language.extra.libdevice is libdevice and libdevice.tanh is tanh
        assert driver_too.active.get_current_device() == 0
        assert sys.modules["triton.runtime"] is triton.runtime and triton.__version__ >= "3"
        assert triton.__spec__.name == "tilerun.triton"
        print(__name__, sys.argv[1:], sys.path[0] == __file__.rpartition("/")[0])
        """
    done = run_text(text, arguments=("one", "--two"))
    assert done.stdout == "__main__ ['one', '--two'] True\n"


def test_install_and_uninstall(run_python):
    run_python(
        "-c", "import sys, tilerun\n"
        "tilerun.install(); tilerun.install()\n"
        "import triton, triton.language\n"
        "assert triton.__name__ == 'tilerun.triton'\n"
        "tilerun.uninstall()\n"
        "assert 'triton' not in sys.modules and 'triton.language' not in sys.modules\n"
        "import types; sys.modules['triton'] = types.ModuleType('triton')\n"
        "try: tilerun.install()\n"
        "except ImportError as error: assert \"another 'triton' is imported already\" in str(error)\n"
        "else: raise AssertionError('installed over another')\n")


def test_the_distribution(run_text):
    run_text("""
        import importlib.metadata, importlib.util, tilerun, triton
        assert importlib.metadata.version("triton") == triton.__version__ and importlib.util.find_spec("triton")
        found = importlib.metadata.distribution("triton")
        assert found.name == "triton" and found.files is None and found.locate_file("language").is_dir()
        assert "triton" in [d.name for d in importlib.metadata.distributions()]
        tilerun.uninstall()
        if not importlib.util.find_spec("triton"):
            try: importlib.metadata.version("triton")
            except importlib.metadata.PackageNotFoundError: pass
            else: raise AssertionError("a distribution without a package")
        """)


def test_submodules_that_are_not_there(run_text):
    done = run_text("import triton.nonsense", fails=True)
    assert "ModuleNotFoundError" in done.stderr and "nonsense" in done.stderr


def test_modules(tmp_path, run_python):
    (tmp_path / "program.py").write_text("import sys, triton\nprint(triton.__name__, sys.argv[1:])\n")
    import os
    done = run_python("-m", "tilerun", "-m", "program", "a", "b",
                      PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")
    assert done.stdout == "tilerun.triton ['a', 'b']\n"


def test_bad_command_lines(run_python):
    assert "a script is expected" in run_python("-m", "tilerun", fails=True).stderr
    assert "'none.py' was not found" in run_python("-m", "tilerun", "none.py", fails=True).stderr
    assert "unknown option '--devcie'; did you mean '--device'?" in run_python("-m", "tilerun", "--devcie=cpu", "none.py", fails=True).stderr
    assert "tilerun 0.1" in run_python("-m", "tilerun", "--version").stdout


def test_exit_codes_and_exceptions_are_the_scripts(run_text):
    assert run_text("import sys; sys.exit(7)", fails=True).returncode == 7
    done = run_text("def f():\n    raise ValueError('mine')\nf()\n", fails=True)
    assert "ValueError: mine" in done.stderr and "script.py" in done.stderr


def test_devices_and_plugins():
    import tilerun
    assert any(device[0] == "cpu:0" for device in tilerun.devices())
    assert any(plugin[1] == "cpu" for plugin in tilerun.plugins())


def test_what_torch_imports_of_triton(run_python):
    """torch imports parts of Triton when it is used; it must find them."""
    torch = pytest.importorskip("torch")
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 6):
        pytest.skip(f"torch {torch.__version__} is older than what is tested")
    run_python("-c", "import tilerun; tilerun.install()\n"
               "import torch, torch._inductor.runtime.triton_compat as compat\n"
               "assert compat.HAS_TRITON and compat.Config.__module__.startswith('tilerun.')\n"
               "import torch._inductor.runtime.triton_heuristics\n"
               "from torch.utils._triton import has_triton_package\n"
               "assert has_triton_package()\n")


def test_without_numpy_and_torch(run_python):
    """The package needs neither."""
    run_python(
        "-c", "import sys\n"
        "sys.modules['numpy'] = sys.modules['torch'] = None\n"
        "import tilerun.triton as triton, tilerun.triton.language as tl\n"
        "assert triton.runtime.driver.active.get_current_target().backend\n"
        "from tilerun.triton.testing import do_bench\n")


def test_arguments_belong_to_the_script_or_module(run_python, tmp_path):
    script = tmp_path / "tell.py"
    script.write_text("import sys\nprint(sys.argv[1:])\n")
    assert run_python("-m", "tilerun", script, "--cpu", "-m", "x", "--help").stdout == "['--cpu', '-m', 'x', '--help']\n"
    done = run_python("-m", "tilerun", "-m", "tell", "-v", "--checks", "-m", "x", PYTHONPATH=f"{tmp_path}:{os.environ['PYTHONPATH']}")
    assert done.stdout == "['-v', '--checks', '-m', 'x']\n"


KERNEL = """
import sys, triton, triton.language as tl, numpy as np

@triton.jit
def double(x):
    tl.store(x, tl.load(x) * 2)

x = np.full(1, 21, np.int32)
double[(1, )](x)
print(x[0], __name__, sys.argv, repr(sys.path[0]))
"""


def test_text_of_a_command_line_and_of_the_standard_input(run_python):
    assert run_python("-m", "tilerun", "-c", KERNEL, "--cpu", "-c").stdout == "42 __main__ ['-c', '--cpu', '-c'] ''\n"
    assert run_python("-m", "tilerun", "--checks", "-cimport triton; print(triton.__name__)").stdout == "tilerun.triton\n"
    assert "expected one argument" in run_python("-m", "tilerun", "-c", fails=True).stderr
    done = subprocess.run([sys.executable, "-m", "tilerun", "-", "a", "-b"], input=KERNEL, capture_output=True, text=True)
    assert done.stdout == "42 __main__ ['-', 'a', '-b'] ''\n", done.stderr
    done = run_python("-m", "tilerun", "-c", KERNEL.replace("load(x)", "laod(x)"), fails=True)
    assert "<string>:6:" in done.stderr and "did you mean 'load'" in done.stderr


def test_what_a_script_makes_on_a_gpu_is_made_on_the_cpu(run_text):
    pytest.importorskip("torch")
    run_text("""
        import torch
        generator = torch.Generator(device="cuda").manual_seed(3)
        assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
        again = torch.Generator("cuda:0")
        again.manual_seed(3)
        assert torch.equal(torch.randn(5, device="cuda", generator=generator), torch.randn(5, generator=again))
        assert torch.normal(0., 1., (3, ), device="cuda").shape == (3, )
        assert torch.zeros(3).pin_memory().sum() == 0 and torch.zeros(3, pin_memory=True).sum() == 0
        assert torch.cuda.FloatTensor(3).is_cuda
        torch.cuda.manual_seed(5)
        first = torch.rand(3, device="cuda")
        torch.manual_seed(5)
        assert torch.equal(first, torch.rand(3))
        state = torch.cuda.get_rng_state()
        second = torch.rand(3)
        torch.cuda.set_rng_state(state)
        assert torch.equal(second, torch.rand(3))
        free, total = torch.cuda.mem_get_info()
        assert free <= total and torch.cuda.memory_summary() == "" and torch.cuda.memory_reserved() == 0
        torch.cuda.init()
        assert not torch.cuda.is_current_stream_capturing()
        """, "--cpu")


def test_programs_that_are_started_as_commands(run_text):
    """They find the drop-in, by PYTHONPATH or by the path that they are given in its place."""
    done = run_text("""
        import importlib.metadata, os, subprocess, sys
        import triton
        text = ("import importlib.metadata; version = importlib.metadata.version('triton'); "
                "import triton, triton.language as tl; from triton.runtime.jit import JITFunction; "
                "print(triton.__name__, tl.__name__, version == importlib.metadata.version('triton') == triton.__version__)")
        for path in (os.environ["PYTHONPATH"], os.pathsep.join(sys.path)):
            print(subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": path}, check=True,
                                 capture_output=True, text=True).stdout, end="")
        """)
    assert done.stdout == "tilerun.triton tilerun.triton.language True\n" * 2


def test_uninstall_restores_the_paths(run_python):
    run_python("-c", "import os, sys\n"
               "before = list(sys.path), os.environ.get('PYTHONPATH')\n"
               "import tilerun; tilerun.install()\n"
               "assert os.environ['PYTHONPATH'] != before[1] and sys.path[0] == before[0][0]\n"
               "tilerun.uninstall()\n"
               "assert (list(sys.path), os.environ.get('PYTHONPATH')) == before\n")

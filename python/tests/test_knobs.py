"""`triton.knobs`: every setting of Triton exists, from the environment or from code."""

import os
import stat

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors

knobs = triton.knobs

# Of Triton 3.6.
NAMES = {
    "build": "backend_dirs cc cudacrt_path cudart_path impl",
    "redis": "host key_format port",
    "cache": "dir dump_dir get_triton_dir home_dir manager_class override_dir remote_manager_class",
    "compilation": "allow_non_constexpr_globals always_compile disable_line_info dump_ir dump_ir_extract_di_local_variables "
                   "enable_asan front_end_debugging instrumentation_mode listener override store_binary_only use_ir_loc",
    "autotuning": "cache print",
    "runtime": "add_stages_inspection_hook debug interpret jit_cache_hook jit_post_compile_hook kernel_load_end_hook "
               "kernel_load_start_hook launch_enter_hook launch_exit_hook override_arch",
    "language": "default_fp_fusion fp32_default",
    "nvidia": "disable_ptxas_opt dump_nvptx dump_ptxas_log libcuda_path libdevice_path mock_ptx_version ptxas_options",
    "amd": "buffer_ops_analyze_small_tensor_range dump_amdgcn libhip_path scalarize_packed_fops use_async_copy "
           "use_block_pingpong use_buffer_atomics use_buffer_ops use_in_thread_transpose",
    "proton": "cupti_lib_dir disable enable_nvtx"}


@pytest.mark.parametrize("group", NAMES)
def test_settings_are_there(group):
    settings = getattr(knobs, group)
    for name in NAMES[group].split():
        getattr(settings, name)
        assert name in dir(settings)
    for name in ("copy", "knobs", "reset", "scope"):
        assert hasattr(settings, name)
    with pytest.raises(AttributeError, match="unknown setting 'nonsense'"):
        settings.nonsense
    assert not hasattr(settings, "nonsense")


def test_the_environment_is_read_at_each_look(monkeypatch):
    monkeypatch.delenv("TRITON_PRINT_AUTOTUNING", raising=False)
    assert knobs.autotuning.print is False
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    assert knobs.autotuning.print is True
    with knobs.autotuning.scope():
        knobs.autotuning.print = False
        assert knobs.autotuning.print is False
        # The assignment has set the variable, too.
        del knobs.autotuning.print
        assert knobs.autotuning.print is False
        knobs.autotuning.print = False
        monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
        assert knobs.autotuning.print is False
        assert knobs.autotuning.reset() is knobs.autotuning
        assert knobs.autotuning.print is True
    monkeypatch.setenv("TRITON_HOME", "/somewhere")
    assert knobs.cache.get_triton_dir("cache") == "/somewhere/.triton/cache"
    assert knobs.cache.dump_dir == "/somewhere/.triton/dump"
    monkeypatch.setenv("TILERUN_CACHE_DIR", "/kept")
    assert knobs.cache.dir == "/kept"


VARIABLES = {("runtime", "debug"): "TRITON_DEBUG", ("runtime", "interpret"): "TRITON_INTERPRET",
             ("interpreter", "checks"): "TILERUN_CHECKS", ("interpreter", "bounds_checks"): "TILERUN_BOUNDS_CHECKS",
             ("interpreter", "autotune"): "TILERUN_INTERPRETER_AUTOTUNE",
             ("compilation", "instrumentation_mode"): "TRITON_INSTRUMENTATION_MODE"}


@pytest.mark.parametrize("group, name", VARIABLES)
def test_no_variable_is_read_once(monkeypatch, group, name):
    settings = getattr(knobs, group)
    for text in ("1", "0", "1"):
        monkeypatch.setenv(VARIABLES[group, name], text)
        assert getattr(settings, name) == (text if name == "instrumentation_mode" else text == "1")
        with settings.scope():
            before = getattr(settings, name)
            setattr(settings, name, not before)
            assert getattr(settings, name) == (not before), "code decides against the environment"
    monkeypatch.delenv("TRITON_HOME", raising=False)
    monkeypatch.setenv("HOME", "/moved")
    assert knobs.cache.home_dir == "/moved"


@triton.jit
def asserts(x, n):
    tl.device_assert(n > 0, "must be positive")
    tl.store(x + n, 1)


@triton.jit
def beyond(x, y):
    tl.store(y, tl.load(x + 4))


def fails(kernel, *arguments):
    try:
        kernel[(1, )](*arguments)
    except errors.TilerunError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("change", [lambda monkeypatch: lambda name, text: monkeypatch.setenv(name, text),
                                    lambda monkeypatch: lambda name, text: monkeypatch.setitem(os.environ, name, text),
                                    lambda monkeypatch: lambda name, text: os.environ.update({name: text})])
def test_warm_launches_follow_the_environment(monkeypatch, change):
    """A launch that was made before takes the native path, which must see what has been set since. The 4 bytes that `beyond`
    reads after an array of 16 are padding of malloc's."""
    for name in ("TRITON_DEBUG", "TILERUN_CHECKS", "TILERUN_BOUNDS_CHECKS"):
        monkeypatch.delenv(name, raising=False)
    set, x = change(monkeypatch), np.zeros(8, np.int32)
    for _ in range(3):
        assert not fails(asserts, x[4:], 0) and "outside of" in fails(beyond, x[:4].copy(), x)
    set("TRITON_DEBUG", "1")
    assert "must be positive" in fails(asserts, x[4:], 0)
    set("TRITON_DEBUG", "0")
    assert not fails(asserts, x[4:], 0)
    set("TILERUN_CHECKS", "1")
    assert "must be positive" in fails(asserts, x[4:], 0)
    set("TILERUN_CHECKS", "0")
    assert not fails(asserts, x[4:], 0)
    set("TILERUN_BOUNDS_CHECKS", "0")
    assert not fails(beyond, x[:4].copy(), x)
    set("TILERUN_BOUNDS_CHECKS", "1")
    assert "outside of" in fails(beyond, x[:4].copy(), x)
    del os.environ["TILERUN_BOUNDS_CHECKS"]
    assert "outside of" in fails(beyond, x[:4].copy(), x)


def test_settings_that_could_not_be_read_are_read_again(monkeypatch):
    """As where a signal's handler raises while they are read."""
    monkeypatch.delenv("TRITON_DEBUG", raising=False)
    x = np.zeros(4, np.int32)
    assert not fails(asserts, x, 0)

    def interrupted():
        raise InterruptedError("while the settings are read")

    with monkeypatch.context() as during:
        during.setattr(triton.knobs, "checks_are_on", interrupted)
        monkeypatch.setenv("TRITON_DEBUG", "1")
        for _ in range(2):
            with pytest.raises(InterruptedError):
                asserts[(1, )](x, 0)
    assert "must be positive" in fails(asserts, x, 0)


@triton.autotune([triton.Config({"N": 1}), triton.Config({"N": 2})], key=[], warmup=1, rep=1)
@triton.jit
def tuned(x, N: tl.constexpr):
    tl.store(x, N)


def is_measured():
    tuned.cache.clear()
    tuned.configs_timings = None
    tuned[(1, )](np.zeros(4, np.int32))
    return tuned.configs_timings is not None


@pytest.mark.parametrize("group, name, acts", [
    ("runtime", "debug", lambda: "must be positive" in fails(asserts, np.zeros(4, np.int32), 0)),
    ("interpreter", "checks", lambda: "must be positive" in fails(asserts, np.zeros(4, np.int32), 0)),
    ("interpreter", "bounds_checks", lambda: "outside of" in fails(beyond, np.zeros(4, np.int32), np.zeros(4, np.int32))),
    ("interpreter", "autotune", is_measured)])
def test_launches_follow_an_assignment_against_the_environment(monkeypatch, group, name, acts):
    settings = getattr(knobs, group)
    for text in ("0", "1"):
        monkeypatch.setenv(VARIABLES[group, name], text)
        assert acts() == (text == "1")
        with settings.scope():
            for value in (True, False, True):
                setattr(settings, name, value)
                assert acts() == value, (text, value)
            delattr(settings, name)
            assert acts() == (text == "1")
            setattr(settings, name, text == "0")
        assert acts() == (text == "1")


def test_the_device_follows_an_assignment_against_the_environment(run_on_fake_cuda):
    told = run_on_fake_cuda("""
import os
import tilerun.triton as triton
from tilerun import _devices, _memory

for text in ("0", "1"):
    os.environ["TRITON_INTERPRET"] = text
    for value in (True, False):
        triton.knobs.runtime.interpret = value
        print(int(_devices.get_default() == (_memory.CPU, 0)))
""")
    assert told == ["1", "0", "1", "0"]


def test_launches_of_a_gpu_follow_the_environment(run_on_fake_cuda):
    told = run_on_fake_cuda("""
import os
import tilerun.triton as triton, tilerun.triton.language as tl
from tilerun import _memory, _native

@triton.jit
def kernel(x, n):
    tl.device_assert(n > 0)
    tl.store(x, n)

_native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
x = _memory.Pointer(_native.allocate(_memory.CUDA, 0, 64), _memory.DTYPES["i32"], _memory.CUDA, 0)
for text in ("0", "1", "0", "1"):
    os.environ["TRITON_DEBUG"] = text
    print(int("__assertfail" in kernel[(1, )](x, 3).asm["ptx"]))
""")
    assert told == ["0", "1", "0", "1"]


def test_assignments_set_variables(monkeypatch):
    for name in ("TRITON_HOME", "TRITON_REDIS_PORT", "TRITON_ALWAYS_COMPILE", "TRITON_OVERRIDE_ARCH", "TRITON_DEBUG",
                 "TILERUN_CHECKS"):
        monkeypatch.delenv(name, raising=False)
    with knobs.cache.scope(), knobs.redis.scope(), knobs.compilation.scope(), knobs.runtime.scope(), knobs.interpreter.scope():
        knobs.cache.home_dir, knobs.redis.port, knobs.compilation.always_compile = "/elsewhere", 6380, True
        assert [os.environ.get(n) for n in ("TRITON_HOME", "TRITON_REDIS_PORT", "TRITON_ALWAYS_COMPILE")] == \
            ["/elsewhere", "6380", "1"]
        knobs.compilation.always_compile = False
        assert os.environ["TRITON_ALWAYS_COMPILE"] == "0"
        knobs.runtime.override_arch = "sm_80"
        knobs.runtime.override_arch = None
        assert "TRITON_OVERRIDE_ARCH" not in os.environ and knobs.runtime.override_arch is None
        # Triton's own are read once there, and written nowhere; Tilerun's belong to the process.
        knobs.runtime.debug = knobs.interpreter.checks = True
        assert "TRITON_DEBUG" not in os.environ and "TILERUN_CHECKS" not in os.environ
        # Back to the environment's.
        os.environ["TRITON_HOME"] = "/third"
        assert knobs.cache.home_dir == "/elsewhere"
        knobs.cache.home_dir = knobs.env
        assert knobs.cache.home_dir == "/third"
        monkeypatch.setattr(knobs, "propagate_env", False)
        knobs.cache.home_dir = "/fourth"
        assert os.environ["TRITON_HOME"] == "/third" and knobs.cache.home_dir == "/fourth"
    assert not {"TRITON_HOME", "TRITON_REDIS_PORT", "TRITON_ALWAYS_COMPILE"} & os.environ.keys()
    assert knobs.redis.port == 6379


def test_groups_as_fixtures_take_them_apart(monkeypatch):
    """As Triton's own tests do: fresh groups in the place of those that are there, and their variables by name."""
    monkeypatch.delenv("TRITON_DEBUG", raising=False)
    groups = {name: group for name, group in vars(knobs).items() if isinstance(group, knobs.base_knobs)}
    assert groups.keys() >= NAMES.keys()
    assert knobs.cache.knob_descriptors["home_dir"].key == "TRITON_HOME"
    assert {"jit_cache_hook", "launch_enter_hook", "debug"} & knobs.runtime.knob_descriptors.keys() == set()
    told = []
    with monkeypatch.context() as during:
        for name, group in groups.items():
            during.setattr(knobs, name, group.copy().reset())
        knobs.runtime.launch_enter_hook.add(lambda metadata: told.append(metadata.get()["name"]))
        asserts[(1, )](np.zeros(4, np.int32), 1)
        assert told == ["asserts"]
        knobs.runtime.debug = True
        knobs.refresh_knobs()
        assert knobs.runtime.debug is False
        monkeypatch.setenv("TRITON_DEBUG", "1")
        knobs.refresh_knobs()
        assert knobs.runtime.debug is True
    monkeypatch.delenv("TRITON_DEBUG")
    asserts[(1, )](np.zeros(4, np.int32), 1)
    assert told == ["asserts"]


class CacheManager:
    """As a cache of a framework would be."""


class Kept(CacheManager):
    pass


def test_settings_of_other_types(monkeypatch):
    monkeypatch.setenv("TRITON_REDIS_PORT", "1234")
    assert knobs.redis.port == 1234
    monkeypatch.setenv("TRITON_REDIS_PORT", "many")
    with pytest.raises(RuntimeError, match="TRITON_REDIS_PORT is 'many': expected int"):
        knobs.redis.port
    assert knobs.redis.knobs["port"] is None
    monkeypatch.delenv("TRITON_CACHE_MANAGER", raising=False)
    assert knobs.cache.manager_class is None
    monkeypatch.setenv("TRITON_CACHE_MANAGER", f"{__name__}:Kept")
    assert knobs.cache.manager_class.__name__ == "Kept"
    for text, said in (("Kept", "is not of the form MODULE:CLASS"), ("pathlib:Path", "not of type 'CacheManager'")):
        monkeypatch.setenv("TRITON_CACHE_MANAGER", text)
        with pytest.raises(RuntimeError, match=said):
            knobs.cache.manager_class


def test_scopes_and_copies():
    with knobs.compilation.scope() as settings:
        settings.always_compile, settings.of_another_version = True, 5
        copied = settings.copy()
        assert copied.always_compile is True and copied.of_another_version == 5
    assert knobs.compilation.always_compile is False and not hasattr(knobs.compilation, "of_another_version")
    assert copied.always_compile is True
    with pytest.raises(AttributeError):
        del knobs.compilation.of_another_version
    with pytest.raises(AttributeError, match="did you mean 'always_compile'"):
        knobs.compilation.always_compil
    assert knobs.compilation.knobs["always_compile"] is False


def test_hooks_end_with_their_scope():
    told = []
    with knobs.runtime.scope():
        for word in "ab":
            knobs.runtime.launch_enter_hook.add(lambda word=word: told.append(word))
            knobs.runtime.launch_exit_hook.add(lambda word=word: told.append(word))
        knobs.runtime.launch_enter_hook()
        knobs.runtime.launch_exit_hook()
    assert told == ["a", "b", "b", "a"]  # The scope that began last ends first.
    assert not knobs.runtime.launch_enter_hook and not knobs.runtime.launch_exit_hook


def make_program(path, text):
    path.write_text(f"#!/bin/sh\necho '{text}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_tools(monkeypatch, tmp_path):
    program = make_program(tmp_path / "ptxas", "Cuda compilation tools, release 12.8, V12.8.93")
    monkeypatch.setenv("TRITON_PTXAS_PATH", program)
    assert knobs.nvidia.ptxas.path == program and knobs.nvidia.ptxas.version == "12.8"
    monkeypatch.delenv("TRITON_PTXAS_PATH")
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + os.environ["PATH"])
    assert knobs.nvidia.ptxas_blackwell.path == program, "one that has no name of its own there"
    with knobs.nvidia.scope():
        knobs.nvidia.cuobjdump = program
        assert knobs.nvidia.cuobjdump == knobs.nvidia.ptxas
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("CUDA_HOME", "/nonexistent")
    with pytest.raises(RuntimeError, match="ptxas was not found.*TRITON_PTXAS_PATH names one.*compiled without it"):
        knobs.nvidia.ptxas
    assert knobs.nvidia.knobs["ptxas"] is None


def test_precision_is_said_in_kernels():
    with knobs.language.scope(), pytest.warns(UserWarning, match="fp32_default = 'ieee' has no effect in Tilerun"):
        knobs.language.fp32_default = "ieee"

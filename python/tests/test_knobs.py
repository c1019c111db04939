"""`triton.knobs`: every setting of Triton exists, from the environment or from code."""

import os
import stat

import pytest

import tilerun.triton as triton

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
    with pytest.raises(AttributeError, match="there is no setting 'nonsense'"):
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
        del knobs.autotuning.print
        assert knobs.autotuning.print is True
        knobs.autotuning.print = False
        assert knobs.autotuning.reset() is knobs.autotuning
        assert knobs.autotuning.print is True
    monkeypatch.setenv("TRITON_HOME", "/somewhere")
    assert knobs.cache.get_triton_dir("cache") == "/somewhere/.triton/cache"
    assert knobs.cache.dump_dir == "/somewhere/.triton/dump"
    monkeypatch.setenv("TILERUN_CACHE_DIR", "/kept")
    assert knobs.cache.dir == "/kept"


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
    with pytest.raises(RuntimeError, match="there is no ptxas here.*TRITON_PTXAS_PATH names one.*compiled without it"):
        knobs.nvidia.ptxas
    assert knobs.nvidia.knobs["ptxas"] is None


def test_precision_is_said_in_kernels():
    with knobs.language.scope(), pytest.warns(UserWarning, match="fp32_default = 'ieee' has no effect in Tilerun"):
        knobs.language.fp32_default = "ieee"

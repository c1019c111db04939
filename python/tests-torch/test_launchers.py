"""What Inductor's compile workers make for a GPU that is not here: kernels for its static launcher, and what AOTInductor stores."""

import os
import pickle

import pytest
import torch._inductor.config as config
from torch._inductor.runtime.hints import DeviceProperties, HeuristicType
from torch._inductor.runtime.triton_heuristics import CachingAutotuner, StaticTritonCompileResult, TritonCompileResult

import triton
import triton.language as tl
from tilerun import _assembler

HOPPER = DeviceProperties(type="cuda", index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536,
                          max_threads_per_multi_processor=2048, warp_size=32)


@triton.jit
def scale_kernel(x, y, xnumel, factor, unused, XBLOCK: tl.constexpr):
    i = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < xnumel) * factor, mask=i < xnumel)


@pytest.fixture
def make(monkeypatch, tmp_path):
    """The result of compiling the kernel as a worker does."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    monkeypatch.delenv("TRITON_PTXAS_PATH", raising=False)
    if _assembler.find("sm_90a") is None:
        pytest.skip("neither nvJitLink nor ptxas was found")

    def make(**meta):
        autotuner = CachingAutotuner(
            fn=scale_kernel, configs=[triton.Config({"XBLOCK": 1024}, num_warps=8)], save_cache_hook=None, mutated_arg_names=["y"],
            optimize_mem=False, heuristic_type=HeuristicType.POINTWISE, size_hints={"x": 4096}, inductor_meta=meta,
            triton_meta={"signature": {"x": "*fp32", "y": "*fp32", "xnumel": "i32", "factor": "fp64", "unused": "constexpr",
                                       "XBLOCK": "constexpr"},
                         "constants": {"unused": 1}, "configs": [{(0, ): [["tt.divisibility", 16]], (1, ): [["tt.divisibility", 16]]}],
                         "device": HOPPER, "device_type": "cuda"})
        result = autotuner._precompile_config(autotuner.configs[0])
        result.autotuner = autotuner
        return result

    return make


def test_static_launcher(make, tmp_path):
    with config.patch(use_static_triton_launcher=True, strict_static_triton_launcher=True):
        result = make()
    assert isinstance(result, StaticTritonCompileResult)
    kernel = result.kernel
    # Two pointers, a number of 32 bits, one of 64; the rest are constants. Eight warps, and no memory beyond its own.
    assert (kernel.name, kernel.arg_tys, kernel.num_warps) == ("scale_kernel", "OOid", 8)
    assert [scalar for scalar in (kernel.has_global_scratch, kernel.has_profile_scratch)] == [True, True]
    assert kernel.cubin_raw[:4] == b"\x7fELF" and kernel.cubin_path.startswith(str(tmp_path))
    with open(kernel.cubin_path, "rb") as file:
        assert file.read() == kernel.cubin_raw
    there = pickle.loads(pickle.dumps(result))
    there.reload_cubin_path()
    assert there.kernel.cubin_path == os.path.join(tmp_path, "triton", *kernel.cubin_path.split(os.sep)[-2:])


def test_without_the_static_launcher(make):
    with config.patch(use_static_triton_launcher=False):
        result = make(store_cubin=True)
    assert isinstance(result, TritonCompileResult) and result.kernel.asm["cubin"][:4] == b"\x7fELF"
    assert result.kernel.metadata.global_scratch_size == 0 and result.kernel.num_warps == 8


def test_what_aotinductor_stores(make):
    """The C++ wrapper loads the machine code and finds the kernel by its name."""
    from torch._inductor.codecache import CudaKernelParamCache
    with config.patch(use_static_triton_launcher=False):
        result = make(store_cubin=True, kernel_name="scale_kernel", grid_type="Grid1D")
    launcher = result.make_launcher()
    result.autotuner.save_gpu_kernel(0, launcher)
    stored = CudaKernelParamCache.get("scale_kernel")
    assert (stored["mangled_name"], stored["num_warps"], stored["shared_mem"]) == ("scale_kernel", 8, 0)
    # The C++ code passes these, and a null pointer for each kind of scratch memory, of which the kernel has no parameter.
    assert stored["call_args"] == ["x", "y", "xnumel", "factor"] and stored["global_scratch"] == stored["profile_scratch"] == 0
    with open(stored["cubin_path"], "rb") as file:
        code = file.read()
    assert code[:4] == b"\x7fELF" and b".text.scale_kernel" in code

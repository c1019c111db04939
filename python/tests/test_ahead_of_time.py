"""`triton.tools.compile` and `triton.tools.link`: the C code that they write is compiled with a driver that prints what it is asked."""

import os
import shutil
import subprocess
import textwrap

import pytest

from tilerun import _assembler
from tilerun.triton.tools import compile as aot
from tilerun.triton.tools import link as linker

KERNELS = """
import triton
import triton.language as tl
@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)

@triton.jit
def turn(x, y, small, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i[None, :] + i[:, None] * BLOCK, tl.sort(tl.load(x + i[:, None] + i[None, :] * BLOCK)) + small)

@triton.jit
def pair(x, float):
    tl.store(x, float)
"""
# What the C code uses of a driver's header, and a driver that knows one module at a time.
CUDA_H = """
#pragma once
typedef int CUresult;
typedef struct CUstream_st *CUstream;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef unsigned long long CUdeviceptr;
enum { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
CUresult cuModuleUnload(CUmodule module);
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **parameters, void **extra);
"""
DRIVER = """
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
static const char *names[8];
static int loaded, numFunctions;
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values) {
  const char *text = image;
  printf("load %s %u %d\\n", text[0] == 127 ? "ELF" : text[1] == '/' || text[0] == '.' || text[0] == '\\n' ? "PTX" : "?", count, !options && !values);
  *module = (CUmodule)(intptr_t)++loaded;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  names[++numFunctions] = name;
  *function = (CUfunction)(intptr_t)numFunctions;
  return module ? CUDA_SUCCESS : 500;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  printf("%s may have %d bytes (%d)\\n", names[(intptr_t)function], value, attribute);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  printf("unload %d\\n", (int)(intptr_t)module);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **parameters, void **extra) {
  printf("%s [%u %u %u] %u %d:", names[(intptr_t)function], gx, gy, gz, bx * by * bz, stream || extra || shared > 100000);
  for (; *parameters; ++parameters)  /* Of which the last one is a float. */
    parameters[1] ? printf(" %d", *(int *)*parameters) : printf(" %g", *(float *)*parameters);
  printf("\\n");
  return CUDA_SUCCESS;
}
"""


@pytest.fixture
def compile(tmp_path, monkeypatch):
    """Compiles a kernel for an sm_90a into C code in `tmp_path`."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    monkeypatch.setattr(_assembler, "find", lambda arch: None)  # PTX in the code, wherever the test runs.
    monkeypatch.setenv("PYTHONPATH", os.environ["PYTHONPATH"])
    from tilerun import _install, install
    install()

    def compile(signature, kernel="scale", grid="(n + 1023) / 1024, 2, 1", target="cuda:90:32", **options):
        return aot.compile_kernel(aot.CompileArgs(path=str(tmp_path / "kernels.py"), kernel_name=kernel, signature=signature, grid=grid,
                                                  target=target, out_path=tmp_path / kernel, **options))

    yield compile
    _install.uninstall()


@pytest.fixture
def run_c(tmp_path):
    """Compiles the C files in `tmp_path` with a main function of this text, and gives the lines that it prints."""
    gcc = shutil.which("cc")
    if gcc is None:
        pytest.skip("no C compiler was found")

    def run(text, *files):
        (tmp_path / "cuda.h").write_text(CUDA_H)
        (tmp_path / "main.c").write_text(DRIVER + textwrap.dedent(text))
        program = tmp_path / "program"
        built = subprocess.run([gcc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-I", tmp_path, "-o", program,
                                tmp_path / "main.c", *files], capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    return run


def test_one_kernel(compile, run_c):
    name, (header, source) = compile("*fp32:16, *fp32:16, i32, fp32, 1024", num_warps=4)
    assert header.name == f"scale.{name.removeprefix('scale_')}.h" and name.endswith("_0d1d234")
    assert run_c(f"""
        #include "{header.name}"
        int main(void) {{
          if ({name}(0, 16, 32, 5000, 1.5f) || {name}(0, 48, 32, 1, 2) || {name}(0, 16, 16, 0, 2))
            return 1;
          return unload_{name}() || unload_{name}();
        }}""", source) == ["load PTX 0 1", "scale [5 2 1] 128 0: 16 32 5000 1.5", "scale [1 2 1] 128 0: 48 32 1 2", "unload 1"]


def test_joined(compile, run_c, tmp_path):
    made = [compile(f"{kinds}, fp32, 1024", num_warps=warps) for warps in (4, 8)
            for kinds in ("*fp32, *fp32, i32", "*fp32:16, *fp32:16, i32:16", "*fp32, *fp32, i32:1") if warps == 4 or "16" in kinds]
    header, source = linker.link([paths[0] for _, paths in made], tmp_path / "all")
    assert (header, source) == (tmp_path / "all.h", tmp_path / "all.c")
    lines = run_c("""
        #include "all.h"
        int main(void) {
          int failed = load_scale() || scale_get_num_algos() != 2;
          // The variant with the most demands that are met; the other algorithm has only one.
          failed |= scale_default(0, 16, 32, 32, 1) || scale_default(0, 16, 32, 1, 2) || scale_default(0, 16, 8, 32, 3);
          failed |= scale(0, 16, 32, 48, 4, 1);
          failed |= scale(0, 16, 32, 7, 5, 1) != CUDA_ERROR_INVALID_VALUE || scale(0, 16, 32, 32, 6, 2) != CUDA_ERROR_INVALID_VALUE;
          return failed || unload_scale();
        }""", source, *(paths[1] for _, paths in made))
    assert lines[:4] == ["load PTX 0 1"] * 4 and lines[-4:] == [f"unload {i}" for i in (1, 2, 3, 4)]
    assert lines[4:-4] == ["scale [1 2 1] 128 0: 16 32 32 1", "scale [1 2 1] 128 0: 16 32 2", "scale [1 2 1] 128 0: 16 8 32 3",
                           "scale [1 2 1] 256 0: 16 32 48 4"]


def test_much_shared_memory(compile, run_c):
    name, (header, source) = compile("*fp32, *fp32, fp32, 128", "turn", "1, 1, 1", num_warps=4)
    lines = run_c(f"""
        #include "{header.name}"
        int main(void) {{ return {name}(0, 0, 16, 1); }}""", source)
    assert lines[0] == "load PTX 0 1" and lines[1].startswith("turn may have ") and lines[1].endswith(" bytes (8)")
    assert int(lines[1].split()[3]) > 48 << 10 and lines[2] == "turn [1 1 1] 128 0: 0 16 1"


def test_amd(compile, run_c, tmp_path):
    """It compiles against what HIP declares."""
    name, (_, source) = compile("*fp16, *fp16, i64, fp32, 256", target="hip:gfx942:64", num_warps=2)
    (tmp_path / "hip").mkdir()
    (tmp_path / "hip" / "hip_runtime_api.h").write_text("""
        typedef enum { hipSuccess, hipErrorInvalidValue } hipError_t;
        typedef void *hipDeviceptr_t;
        typedef struct ihipStream_t *hipStream_t;
        typedef struct ihipModule_t *hipModule_t;
        typedef struct ihipModuleSymbol_t *hipFunction_t;
        hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
        hipError_t hipModuleUnload(hipModule_t module);
        hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
        hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                         unsigned shared, hipStream_t stream, void **parameters, void **extra);
        """)
    assert "hipModuleLaunchKernel(function_, gX_, gY_, gZ_, 128, 1, 1, 0," in source.read_text()
    assert "0x7f, 0x45, 0x4c, 0x46" in source.read_text()
    run_c("int main(void) { return 0; }")  # Skips where no C compiler is found.
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", tmp_path, "-c", "-o", tmp_path / "object", source], check=True)


@pytest.mark.parametrize("arguments, message", [
    ({"signature": "*fp32, *fp32, i32, fp32"}, "kernel 'scale' has 5 parameters (x, y, n, factor, BLOCK), but the signature has 4"),
    ({"signature": "*fp32, *fp32, i32, fp32, i32"}, "parameter 'BLOCK' is a constexpr: the signature must have its value, not 'i32'"),
    ({"signature": "*fp32:8, *fp32, i32, fp32, 64"}, "'*fp32:8' in the signature: after the type there may be ':16' (a multiple of 16)"),
    ({"signature": "*fp32, *fp32, i32, fp32, 64", "grid": "1, 1"}, "the grid is '1, 1', but it must be three C expressions"),
    ({"signature": "*fp32, *fp32, i32, fp8e5, 64"}, "parameter 'factor' has the type 'fp8e5', which C code cannot pass"),
    ({"signature": "*fp32, *fp32, i32, fp32, 64", "target": "cuda"}, "the target is 'cuda', but targets are written BACKEND:ARCH:WARPSIZE"),
    ({"signature": "*fp32, *fp32, i32, fp32, 64", "target": "vulkan:1.3"}, "C code cannot be written for vulkan:1.3: the target must be one of"),
    ({"signature": "*fp32, fp32", "kernel": "pair"}, "C code cannot have a parameter with the name 'float'"),
    ({"signature": "*fp32", "kernel": "nothing"}, "has no kernel 'nothing' (a @triton.jit function at module level)"),
    ({"signature": "*fp32, *fp32, i32, fp32, 64", "out_name": "a-b"}, "'a-b' is not a name of C; choose one by --out-name")])
def test_what_is_refused(compile, arguments, message):
    with pytest.raises(ValueError) as caught:
        compile(**arguments)
    assert message in str(caught.value)


def test_what_does_not_link(compile, tmp_path):
    one, other = (compile(f"*{kind}, *{kind}, {number}, fp32, 64")[1][0] for kind, number in (("fp32", "i32"), ("fp16", "i64")))
    with pytest.raises(linker.LinkerError, match="(?s)variants of kernel 'scale' have different parameters: .*int32_t n.*int64_t n"):
        linker.link([one, other], tmp_path / "all")
    with pytest.raises(linker.LinkerError, match="same variant of kernel 'scale' twice"):
        linker.link([one, one], tmp_path / "all")
    amd = compile("*fp32, *fp32, i32, fp32, 64", target="hip:gfx942:64")[1][0]
    with pytest.raises(linker.LinkerError, match="kernels for cuda and hip; link those of each driver separately"):
        linker.link([one, amd], tmp_path / "all")
    (tmp_path / "mine.h").write_text("int one(void);\n")
    with pytest.raises(linker.LinkerError, match="mine.h is not a header of triton.tools.compile"):
        linker.link([tmp_path / "mine.h"], tmp_path / "all")


def test_as_programs(run_python, tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    run_python("-m", "tilerun", "-m", "triton.tools.compile", tmp_path / "kernels.py", "-n", "scale", "-s", "*fp32, *fp32, i32, fp32, 64",
               "-g", "n, 1, 1", "-t", "cuda:80:32", "-w", "2", "-on", "mine", "-o", tmp_path / "out")
    [header] = tmp_path.glob("out.*.h")
    run_python("-m", "tilerun", "-m", "triton.tools.link", header, "-o", tmp_path / "joined", "--prefix", "my_")
    assert "CUresult my_mine_default(CUstream stream_, CUdeviceptr x, " in (tmp_path / "joined.h").read_text()
    done = run_python("-m", "tilerun", "-m", "triton.tools.link", tmp_path / "kernels.py", "-o", tmp_path / "joined", fails=True)
    assert "triton.tools.link: error: " in done.stderr and "Traceback" not in done.stderr

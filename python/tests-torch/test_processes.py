"""Inductor's compile workers: they import `triton` in processes of their own, and send compiled kernels back. All caches are on, and a
second process takes from them what the first one left."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, torch
import torch._inductor.config as config
import triton, triton.language as tl
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

compiled_here = []
plain = CachingAutotuner._precompile_config
def note(self, *args):
    compiled_here.append(self)
    return plain(self, *args)
CachingAutotuner._precompile_config = note

def program(x, w):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64), )](x.sin(), out, x.numel(), BLOCK=64)
    return torch.softmax(out * w, 1), out.sum(0)

if __name__ == "__main__":
    config.cpu_backend, config.compile_threads, config.worker_start_method = "triton", 2, sys.argv[1]
    from torch._inductor.async_compile import AsyncCompile
    AsyncCompile.wait_pool_ready(timeout=500)
    torch.manual_seed(0)
    x, w = torch.randn(9, 40), torch.randn(40)
    for found, expected in zip(torch.compile(program, fullgraph=True)(x, w), program(x, w)):
        torch.testing.assert_close(found, expected)
    print(triton.__name__, len(compiled_here))
"""


@pytest.mark.parametrize("method", ("subprocess", "fork", "spawn"))
def test_compile_workers(method, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"), "TILERUN_CACHE_DIR": str(tmp_path / "tilerun")}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-m", "tilerun", script, method], capture_output=True, text=True, timeout=600,
                              env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        # The workers have compiled what the parent launches.
        assert done.stdout == "tilerun.triton 0\n", done.stdout + done.stderr

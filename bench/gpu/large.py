#!/usr/bin/env python3
"""Sizes at which 32-bit arithmetic ends: 2^28 elements, offsets of more than 2^31 bytes and of more than 2^31
elements, and shapes that are multiples of nothing, compared with PyTorch. Usage: TILERUN_BUNDLE=DIR large.py"""

import os
import sys

import torch

import binding

EXAMPLES = os.path.join(binding.BUNDLE, "share", "tilerun", "examples")
library = binding.Library()
failures = 0


def report(name, same):
    global failures
    failures += not same
    print(f"{name:58}{'ok' if same else 'WRONG'}", flush=True)


def launch(file, kernel, grid, *arguments, **options):
    library.launch(library.kernel(os.path.join(EXAMPLES, file), kernel), grid, arguments, **options)
    torch.cuda.synchronize()


for n in (1 << 28, (1 << 28) + 12345, (1 << 30) + 7):  # The last: 4 GiB an array.
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    out = torch.full_like(x, float("nan"))
    launch("vector_add.py", "add_kernel", (-(-n // 1024),), x, y, out, n, 1024)
    report(f"vector add of {n} f32", torch.equal(out, x + y))
del x, y, out
torch.cuda.empty_cache()

# A view whose rows lie 2^31 + 64 elements (of a byte) apart: the stride needs 64 bits.
rows, columns, stride = 3, 500, (1 << 31) + 64
base = torch.zeros(2 * stride + columns, dtype=torch.int8, device="cuda")
view = base.as_strided((1, rows, columns), (0, stride, 1))
view.copy_(torch.randint(-100, 100, view.shape, device="cuda", dtype=torch.int8))
out = torch.zeros(1, columns, rows, dtype=torch.int8, device="cuda")
launch("strided.py", "transpose_kernel", (1, 32, 1), view, out, rows, columns, *view.stride(), *out.stride(), 32, 16)
report(f"transpose of rows {stride} bytes apart", torch.equal(out, view.transpose(1, 2)))
del base, view

for M, N, K in ((1, 1, 1), (129, 257, 65), (1000, 999, 1001), (77, 4096, 3)):
    a, b = (torch.randn(s, device="cuda", dtype=torch.float16) for s in ((M, K), (K, N)))
    c = torch.full((M, N), float("nan"), device="cuda", dtype=torch.float16)
    for blocks, warps in (((64, 64, 32), 4), ((128, 128, 64), 8), ((128, 256, 64), 8)):
        grid = (-(-M // blocks[0]) * -(-N // blocks[1]),)
        launch("matmul.py", "matmul_grouped_kernel", grid, a, b, c, M, N, K, K, 1, N, 1, N, 1, *blocks, 8, "",
               num_warps=warps, num_stages=3)
        expected = a.double() @ b.double()
        error = (c.double() - expected).norm() / expected.norm()
        report(f"matmul f16 {M}x{N}x{K} in blocks of {blocks}: {error:.1e}", bool(error < 1e-3))
sys.exit(failures > 0)

#!/usr/bin/env python3
"""Cold compilation of each example kernel, from source to a function that the driver can launch, beside Triton's:
both with an empty cache, in a process that has compiled another kernel before. And from the disk cache.
Usage: TILERUN_BUNDLE=DIR cold.py"""

import ctypes
import os
import sys
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()

import torch
import triton

import binding
from measuring import EXAMPLES, load_example

TYPES = {"p": "*fp32:16", "h": "*fp16:16", "s": "*i32:16", "i": "i32:16", "f": "fp32", "1": 1}
ROW_MAJOR = "iii" + "i1" * 3  # M, N, K and the strides of three matrices.
TILES = {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}
LARGE = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}
# Every kernel of the examples as their host code compiles it, then products in blocks of full speed:
# file, kernel, a letter of TYPES for each argument, constants, warps, stages.
KERNELS = [
    ("vector_add", "add_kernel", "pppi", {"BLOCK_SIZE": 1024}, 4, 3),
    ("vector_add", "scale_kernel", "ppfi", {"BLOCK_SIZE": 1024}, 4, 3),
    ("vector_add", "multiply_kernel", "pppi", {"BLOCK_SIZE": 1024}, 4, 3),
    ("softmax", "softmax_kernel", "ppiiii", {"BLOCK_SIZE": 1024}, 4, 3),
    ("softmax", "online_softmax_kernel", "ppii", {"BLOCK_SIZE": 256}, 4, 3),
    ("matmul", "matmul_kernel", "hhh" + ROW_MAJOR, TILES, 4, 3),
    ("matmul", "matmul_grouped_kernel", "hhh" + ROW_MAJOR,
     {"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 4, "ACTIVATION": ""}, 4, 3),
    ("matmul", "matmul_autotuned_kernel", "hhh" + ROW_MAJOR,
     {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8}, 4, 4),
    ("matmul", "batched_matmul_kernel", "pppiii" + "ii1" * 3, TILES, 4, 3),
    ("layer_norm", "layer_norm_fwd_kernel", "ppppppiif", {"BLOCK_SIZE": 1024}, 4, 3),
    ("layer_norm", "layer_norm_bwd_dx_kernel", "ppppppii", {"BLOCK_SIZE": 1024}, 4, 3),
    ("layer_norm", "layer_norm_bwd_partial_kernel", "ppppppiii", {"ROWS": 4, "COLUMNS": 64}, 4, 3),
    ("layer_norm", "sum_rows_kernel", "ppii", {"ROWS": 16, "COLUMNS": 64}, 4, 3),
    ("dot_product", "partial_dot_kernel", "pppi", {"BLOCK_SIZE": 512}, 4, 3),
    ("dot_product", "sum_kernel", "ppi", {"BLOCK_SIZE": 64}, 4, 3),
    ("dot_product", "atomic_dot_kernel", "pppi", {"BLOCK_SIZE": 1024}, 4, 3),
    ("gelu", "gelu_kernel", "ppi", {"APPROXIMATE": True, "BLOCK_SIZE": 512}, 4, 3),
    ("gelu", "gelu_backward_kernel", "pppi", {"BLOCK_SIZE": 512}, 4, 3),
    ("dropout", "dropout_kernel", "ppsif", {"BLOCK_SIZE": 1024}, 4, 3),
    ("strided", "transpose_kernel", "ppiiiiiiii", {"BLOCK_M": 32, "BLOCK_N": 16}, 4, 3),
    ("strided", "segment_sum_kernel", "psp", {"BLOCK_SIZE": 64}, 4, 3),
    ("matmul", "matmul_kernel", "hhh" + ROW_MAJOR, LARGE, 8, 3),
    ("matmul", "matmul_grouped_kernel", "hhh" + ROW_MAJOR, {**LARGE, "GROUP_M": 8, "ACTIVATION": ""}, 8, 3),
]
NUM_EXAMPLES = len(KERNELS) - 2


def value(text):
    if not isinstance(text, str):
        return text
    if text.startswith("*"):
        dtype = {"*fp32:16": torch.float32, "*fp16:16": torch.float16, "*i32:16": torch.int32}[text]
        return torch.empty(64, dtype=dtype, device="cuda")
    return 1.5 if text == "fp32" else 4096


def specialize(library, path, kernel, names, signature, constants, warps, stages):
    handle, made = ctypes.c_void_p(), ctypes.c_void_p()
    quoted = {k: f'"{v}"' if isinstance(v, str) else str(v).lower() if isinstance(v, bool) else v
              for k, v in constants.items()}
    text = ", ".join(f"{n}={v}" for n, v in [*zip(names, signature), *quoted.items()])
    options = binding.CompileOptions(ctypes.sizeof(binding.CompileOptions), warps, stages, 0)
    start = time.perf_counter()
    library.call("tilerunLoadKernel", library.runtime, path.encode(), kernel.encode(), ctypes.byref(handle))
    library.call("tilerunSpecialize", handle, library.device, text.encode(), ctypes.byref(options), ctypes.byref(made))
    return 1000 * (time.perf_counter() - start)


def main():
    torch.cuda.init()
    torch.empty(1, device="cuda")
    folder = tempfile.mkdtemp()
    without, filling, from_disk = (binding.Library(cache_folder=f) for f in ("", folder, folder))
    slow = []
    print(f"{'kernel':34}{'Tilerun':>10}{'Triton':>10}{'ratio':>8}{'from disk':>12}")
    # The first one pays for start-up, of both, and is not shown.
    first = (*KERNELS[0][:3], {"BLOCK_SIZE": 256}, 4, 3)
    for number, (file, kernel, letters, constants, warps, stages) in enumerate([first, *KERNELS]):
        signature = [TYPES[letter] for letter in letters]
        function = getattr(load_example(file), kernel)
        function = function.fn if hasattr(function, "configs") else function
        names = [n for n in function.arg_names if n not in constants]
        constants = {n: constants[n] for n in function.arg_names if n in constants}
        assert len(names) == len(signature), (names, signature)
        path = os.path.join(EXAMPLES, file + ".py")
        arguments = path, kernel, names, signature, constants, warps, stages
        ours = specialize(without, *arguments)
        specialize(filling, *arguments)
        cached = specialize(from_disk, *arguments)
        start = time.perf_counter()
        compiled = function.warmup(*map(value, signature), **constants, num_warps=warps, num_stages=stages, grid=(1,))
        compiled._init_handles()
        theirs = 1000 * (time.perf_counter() - start)
        if number == 0:
            continue
        name = kernel if number <= NUM_EXAMPLES else f"{kernel} {constants['BLOCK_M']}x{constants['BLOCK_N']}"
        if number <= NUM_EXAMPLES and ours > theirs / 2:
            slow.append(kernel)
        print(f"{name:34}{ours:7.1f} ms{theirs:7.1f} ms{ours / theirs:8.2f}{cached:9.1f} ms", flush=True)
    print("examples above half of Triton's: " + (", ".join(slow) or "none"))
    return len(slow) > 0


if __name__ == "__main__":
    sys.exit(main())

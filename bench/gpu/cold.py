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
from compare import EXAMPLES, load_example

F16, F32 = "*fp16:16", "*fp32:16"
KERNELS = [  # file, kernel, signature as Triton takes it, constants, warps, stages
    ("vector_add", "add_kernel", [F32, F32, F32, "i32:16"], {"BLOCK_SIZE": 1024}, 4, 3),
    ("softmax", "softmax_kernel", [F16, F16, "i32:16", "i32:16", "i32:16", "i32:16"], {"BLOCK_SIZE": 4096}, 8, 2),
    ("layer_norm", "layer_norm_fwd_kernel", [F16, F16, F16, F16, F32, F32, "i32:16", "i32:16", "fp32"],
     {"BLOCK_SIZE": 1024}, 8, 3),
    ("matmul", "matmul_grouped_kernel", [F16, F16, F16] + ["i32:16"] * 4 + [1, "i32:16", 1, "i32:16", 1],
     {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8, "ACTIVATION": ""}, 8, 3),
    ("matmul", "matmul_kernel", [F16, F16, F16] + ["i32:16"] * 4 + [1, "i32:16", 1, "i32:16", 1],
     {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, 4, 3),
    ("gelu", "gelu_kernel", [F32, F32, "i32:16"], {"BLOCK_SIZE": 1024, "APPROXIMATE": True}, 4, 3),
]


def value(text):
    if not isinstance(text, str):
        return text
    if text.startswith("*"):
        return torch.empty(64, dtype=torch.float16 if "16:" in text else torch.float32, device="cuda")
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
    slow = 0
    print(f"{'kernel':28}{'Tilerun':>10}{'Triton':>10}{'ratio':>8}{'from disk':>12}")
    # The first one pays for start-up, of both, and is not shown.
    first = (*KERNELS[0][:3], {"BLOCK_SIZE": 256}, 4, 3)
    for file, kernel, signature, constants, warps, stages in [first, *KERNELS]:
        function = getattr(load_example(file), kernel)
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
        if constants == first[3]:
            continue
        slow += ours > theirs / 2
        print(f"{kernel:28}{ours:7.1f} ms{theirs:7.1f} ms{ours / theirs:8.2f}{cached:9.1f} ms", flush=True)
    print("cold compilation: " + (f"{slow} above half of Triton's" if slow else "all below half of Triton's"))
    return slow > 0


if __name__ == "__main__":
    sys.exit(main())

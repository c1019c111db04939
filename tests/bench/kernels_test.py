#!/usr/bin/env python3
"""Kernels of bench/gpu compile for sm_90a as compare.py launches them, and products by the instructions that they are there
to measure. Usage: kernels_test.py TILERUN bench/gpu"""

import pathlib
import subprocess
import sys
import unittest

FOLDER, TILERUN = pathlib.Path(sys.argv.pop()).resolve(), sys.argv.pop()
HALVES = "q_ptr=*fp16:16, k_ptr=*fp16:16, v_ptr=*fp16:16"
FORWARD = HALVES + (", out_ptr=*fp16:16, lse_ptr={lse}, tokens=i32:16, stride=i32:16, head_stride=i32:16, scale=fp32, HEAD={head}, D={d}, "
                    "BLOCK_M=128, BLOCK_N=64, CAUSAL={causal}")
GRADIENTS = HALVES + ", grad_ptr=*fp16:16, lse_ptr=*fp32:16, delta_ptr=*fp32:16, "
BACKWARD = "tokens=i32:16, scale=fp32, D={d}, BLOCK_M={m}, BLOCK_N={n}, CAUSAL={causal}"
SPLIT = ("a_ptr=*fp16:16, b_ptr=*fp16:16, parts_ptr=*fp32:16, M={m}, N=i32:16, K=i32:16, stride_am=i32:16, stride_ak=1, stride_bk=1, stride_bn=i32:16, "
         "BLOCK_M=16, BLOCK_N=64, BLOCK_K=128, SPLITS=8")
NORM = "x_ptr=*{t}:16, weight_ptr=*{t}:16, {more}out_ptr=*{t}:16, {sums}rstd_ptr=*fp32:16, columns=i32:16, eps=fp32, BLOCK=4096, WHOLE={whole}"
LOSS = "x_ptr=*bf16:16, target_ptr=*i64:16, loss_ptr=*fp32:16, grad_ptr={grad}, columns=i32:16, scale=fp32, BLOCK=4096, WHOLE={whole}"
ROWS = [("softmax_row_kernel", "x_ptr=*fp16:16, out_ptr=*fp16:16, columns=i32:16, BLOCK=4096, WHOLE={whole}"),
        ("rms_norm_row_kernel", NORM.format(t="bf16", more="", sums="", whole="{whole}")),
        ("layer_norm_row_kernel", NORM.format(t="fp16", more="bias_ptr=*fp16:16, ", sums="mean_ptr=*fp32:16, ", whole="{whole}")),
        ("cross_entropy_row_kernel", LOSS.format(grad="None", whole="{whole}")),
        ("cross_entropy_row_kernel", LOSS.format(grad="*bf16:16", whole="{whole}"))]
CASES = [  # File, kernel, signature, warps, an instruction that it must have.
    *[("attention_kernels", "attention_kernel", FORWARD.format(head=head, d=d, causal=causal, lse=lse), 8, "wgmma")
      for head, d, lse in ((64, 64, "None"), (96, 128, "None"), (128, 128, "*fp32:16")) for causal in ("false", "true")],
    ("attention_backward_kernels", "delta_kernel", "out_ptr=*fp16:16, grad_ptr=*fp16:16, delta_ptr=*fp32:16, tokens=i32:16, D=128, BLOCK=64", 4, "shfl"),
    *[("attention_backward_kernels", kernel, GRADIENTS + outputs + BACKWARD.format(d=d, m=m, n=n, causal=causal), 8, "wgmma")
      for kernel, outputs, m, n in (("key_value_gradient_kernel", "grad_k_ptr=*fp16:16, grad_v_ptr=*fp16:16, ", 64, 128),
                                    ("query_gradient_kernel", "grad_q_ptr=*fp16:16, ", 128, 64)) for d in (64, 128) for causal in ("false", "true")],
    *[("decode_kernels", "split_product_kernel", SPLIT.format(m=m), 4, "mma.sync") for m in ("1", "i32", "i32:16")],
    ("decode_kernels", "sum_of_parts_kernel", "parts_ptr=*fp32:16, out_ptr=*fp16:16, count=i32:16, SPLITS=8, BLOCK=512", 4, "ld.global"),
    ("decode_kernels", "vector_product_kernel", "x_ptr=*fp16:16, weights_ptr=*fp16:16, out_ptr=*fp16:16, N=i32:16, K=i32:16, BLOCK_N=4, BLOCK_K=1024", 4,
     "shfl"),
    ("decode_kernels", "split_attention_kernel", HALVES + ", parts_ptr=*fp32:16, lse_ptr=*fp32:16, tokens=i32:16, scale=fp32, GROUP=4, D=128, ROWS=16, "
     "BLOCK_N=64, SPLITS=16", 4, "mma.sync"),
    ("decode_kernels", "combine_attention_kernel", "parts_ptr=*fp32:16, lse_ptr=*fp32:16, out_ptr=*fp16:16, D=128, SPLITS=16", 4, "ex2"),
    *[("row_kernels", kernel, signature.format(whole=whole), 8, "shfl") for kernel, signature in ROWS for whole in ("false", "true")],
]


class Compiles(unittest.TestCase):

    def test_for_hopper(self):
        for file, kernel, signature, warps, instruction in CASES:
            with self.subTest(kernel=kernel, signature=signature):
                done = subprocess.run([TILERUN, "compile", f"{FOLDER / file}.py::{kernel}", "--signature", signature, "--target", "cuda:sm_90a",
                                       "--num-warps", str(warps), "--num-stages", "2", "--emit", "ptx", "-o", "-"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f".entry {kernel}", done.stdout)
                self.assertIn(instruction, done.stdout)

    def test_every_kernel_is_compiled(self):
        """A file that is named here has no kernel that is not."""
        for file in {case[0] for case in CASES}:
            text = (FOLDER / f"{file}.py").read_text()
            defined = {line[4:line.index("(")] for line in text.splitlines() if line.startswith("def ") and "_kernel(" in line}
            self.assertEqual(defined, {kernel for name, kernel, *_ in CASES if name == file})


if __name__ == "__main__":
    unittest.main()

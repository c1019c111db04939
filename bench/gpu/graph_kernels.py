"""Kernels in the form in which a graph compiler writes them: loops over blocks of a row, 2-dimensional tensors, the
functions of libdevice. `compare.py` measures them beside Triton."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def softmax_log_softmax_kernel(x_ptr, softmax_ptr, log_softmax_ptr, x_count, r_count, X_BLOCK: tl.constexpr,
                               R_BLOCK: tl.constexpr):
    x_index = tl.program_id(0) * X_BLOCK + tl.arange(0, X_BLOCK)[:, None]
    x_mask = x_index < x_count
    r_base = tl.arange(0, R_BLOCK)[None, :]
    largest = tl.full([X_BLOCK, R_BLOCK], float("-inf"), tl.float32)
    for r_offset in range(0, r_count, R_BLOCK):
        r_index = r_offset + r_base
        mask = (r_index < r_count) & x_mask
        x = tl.load(x_ptr + r_index + r_count * x_index, mask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        largest = tl.where(mask, tl.maximum(largest, x), largest)
    maximum = tl.max(largest, 1)[:, None]
    partial = tl.full([X_BLOCK, R_BLOCK], 0.0, tl.float32)
    for r_offset in range(0, r_count, R_BLOCK):
        r_index = r_offset + r_base
        mask = (r_index < r_count) & x_mask
        x = tl.load(x_ptr + r_index + r_count * x_index, mask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        partial = tl.where(mask, partial + libdevice.exp(x - maximum), partial)
    total = tl.sum(partial, 1)[:, None]
    for r_offset in range(0, r_count, R_BLOCK):
        r_index = r_offset + r_base
        mask = (r_index < r_count) & x_mask
        x = tl.load(x_ptr + r_index + r_count * x_index, mask, eviction_policy="evict_first", other=0.0).to(tl.float32)
        shifted = x - maximum
        tl.store(softmax_ptr + r_index + r_count * x_index, libdevice.exp(shifted) / total, mask)
        tl.store(log_softmax_ptr + r_index + r_count * x_index, shifted - libdevice.log(total), mask)


@triton.jit
def layer_norm_gelu_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, x_count, r_count, eps, X_BLOCK: tl.constexpr,
                           R_BLOCK: tl.constexpr):
    x_index = tl.program_id(0) * X_BLOCK + tl.arange(0, X_BLOCK)[:, None]
    x_mask = x_index < x_count
    r_base = tl.arange(0, R_BLOCK)[None, :]
    partial = tl.full([X_BLOCK, R_BLOCK], 0.0, tl.float32)
    squares = tl.full([X_BLOCK, R_BLOCK], 0.0, tl.float32)
    for r_offset in range(0, r_count, R_BLOCK):
        r_index = r_offset + r_base
        mask = (r_index < r_count) & x_mask
        x = tl.load(x_ptr + r_index + r_count * x_index, mask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        partial = tl.where(mask, partial + x, partial)
        squares = tl.where(mask, squares + x * x, squares)
    mean = tl.sum(partial, 1)[:, None] / r_count
    variance = tl.sum(squares, 1)[:, None] / r_count - mean * mean
    scale = libdevice.rsqrt(variance + eps)
    for r_offset in range(0, r_count, R_BLOCK):
        r_index = r_offset + r_base
        r_mask = r_index < r_count
        mask = r_mask & x_mask
        x = tl.load(x_ptr + r_index + r_count * x_index, mask, eviction_policy="evict_first", other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + r_index, r_mask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        bias = tl.load(bias_ptr + r_index, r_mask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        y = (x - mean) * scale * weight + bias
        gelu = y * 0.5 * (libdevice.erf(y * 0.7071067811865476) + 1.0)
        tl.store(out_ptr + r_index + r_count * x_index, gelu, mask)

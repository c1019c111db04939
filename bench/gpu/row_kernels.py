"""Kernels that take a row per program: softmax, norms and cross entropy. With WHOLE, a block holds the row, which is read
once; otherwise blocks of it are read twice, first for what the whole row determines, then for the result."""

import triton
import triton.language as tl


@triton.jit
def load_block(row_ptr, start, columns, other, BLOCK: tl.constexpr):
    offsets = start + tl.arange(0, BLOCK)
    return tl.load(row_ptr + offsets, mask=offsets < columns, other=other).to(tl.float32)


@triton.jit
def store_block(row_ptr, start, columns, values, BLOCK: tl.constexpr):
    offsets = start + tl.arange(0, BLOCK)
    tl.store(row_ptr + offsets, values.to(row_ptr.dtype.element_ty), mask=offsets < columns)


@triton.jit
def maximum_and_sum(row_ptr, columns, BLOCK: tl.constexpr):
    """The largest element, and the sum of exponentials of differences from it"""
    most = float("-inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        x = load_block(row_ptr, start, columns, float("-inf"), BLOCK)
        larger = tl.maximum(most, tl.max(x, 0))
        total = total * tl.exp(most - larger) + tl.sum(tl.exp(x - larger), 0)
        most = larger
    return most, total


@triton.jit
def softmax_row_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * columns
    out_ptr += row * columns
    if WHOLE:
        x = load_block(x_ptr, 0, columns, float("-inf"), BLOCK)
        weights = tl.exp(x - tl.max(x, 0))
        store_block(out_ptr, 0, columns, weights / tl.sum(weights, 0), BLOCK)
    else:
        most, total = maximum_and_sum(x_ptr, columns, BLOCK)
        for start in range(0, columns, BLOCK):
            x = load_block(x_ptr, start, columns, float("-inf"), BLOCK)
            store_block(out_ptr, start, columns, tl.exp(x - most) / total, BLOCK)


@triton.jit
def rms_norm_row_kernel(x_ptr, weight_ptr, out_ptr, rstd_ptr, columns, eps, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * columns
    out_ptr += row * columns
    if WHOLE:
        x = load_block(x_ptr, 0, columns, 0.0, BLOCK)
        rstd = tl.rsqrt(tl.sum(x * x, 0) / columns + eps)
        store_block(out_ptr, 0, columns, x * rstd * load_block(weight_ptr, 0, columns, 0.0, BLOCK), BLOCK)
    else:
        squares = tl.zeros((BLOCK, ), tl.float32)
        for start in range(0, columns, BLOCK):
            x = load_block(x_ptr, start, columns, 0.0, BLOCK)
            squares += x * x
        rstd = tl.rsqrt(tl.sum(squares, 0) / columns + eps)
        for start in range(0, columns, BLOCK):
            x = load_block(x_ptr, start, columns, 0.0, BLOCK)
            store_block(out_ptr, start, columns, x * rstd * load_block(weight_ptr, start, columns, 0.0, BLOCK), BLOCK)
    tl.store(rstd_ptr + row, rstd)


@triton.jit
def layer_norm_row_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, columns, eps, BLOCK: tl.constexpr,
                          WHOLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * columns
    out_ptr += row * columns
    if WHOLE:
        x = load_block(x_ptr, 0, columns, 0.0, BLOCK)
        mean = tl.sum(x, 0) / columns
        centred = tl.where(tl.arange(0, BLOCK) < columns, x - mean, 0.0)
        rstd = tl.rsqrt(tl.sum(centred * centred, 0) / columns + eps)
        weight = load_block(weight_ptr, 0, columns, 0.0, BLOCK)
        bias = load_block(bias_ptr, 0, columns, 0.0, BLOCK)
        store_block(out_ptr, 0, columns, centred * rstd * weight + bias, BLOCK)
    else:
        sums = tl.zeros((BLOCK, ), tl.float32)
        squares = tl.zeros((BLOCK, ), tl.float32)
        for start in range(0, columns, BLOCK):
            x = load_block(x_ptr, start, columns, 0.0, BLOCK)
            sums += x
            squares += x * x
        mean = tl.sum(sums, 0) / columns
        rstd = tl.rsqrt(tl.sum(squares, 0) / columns - mean * mean + eps)
        for start in range(0, columns, BLOCK):
            x = load_block(x_ptr, start, columns, 0.0, BLOCK)
            weight = load_block(weight_ptr, start, columns, 0.0, BLOCK)
            bias = load_block(bias_ptr, start, columns, 0.0, BLOCK)
            store_block(out_ptr, start, columns, (x - mean) * rstd * weight + bias, BLOCK)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@triton.jit
def cross_entropy_row_kernel(x_ptr, target_ptr, loss_ptr, grad_ptr, columns, scale, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    """The loss of a row of logits, and unless grad_ptr is None its gradient times `scale`"""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * columns
    target = tl.load(target_ptr + row)
    of_target = tl.load(x_ptr + target).to(tl.float32)
    if WHOLE:
        x = load_block(x_ptr, 0, columns, float("-inf"), BLOCK)
        most = tl.max(x, 0)
        weights = tl.exp(x - most)
        total = tl.sum(weights, 0)
        if grad_ptr is not None:
            grad = weights / total - tl.where(tl.arange(0, BLOCK) == target, 1.0, 0.0)
            store_block(grad_ptr + row * columns, 0, columns, grad * scale, BLOCK)
    else:
        most, total = maximum_and_sum(x_ptr, columns, BLOCK)
        if grad_ptr is not None:
            for start in range(0, columns, BLOCK):
                x = load_block(x_ptr, start, columns, float("-inf"), BLOCK)
                grad = tl.exp(x - most) / total - tl.where(start + tl.arange(0, BLOCK) == target, 1.0, 0.0)
                store_block(grad_ptr + row * columns, start, columns, grad * scale, BLOCK)
    tl.store(loss_ptr + row, most + tl.log(total) - of_target)

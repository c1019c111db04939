"""Runs kernels of bench/gpu on small shapes, under `python -m tilerun --cpu`, and compares them with float64.
Usage: measured_kernels.py FOLDER CASE; CASE is a name of CASES."""

import sys

sys.path.insert(0, sys.argv[1])

import numpy as np

RANDOM = np.random.default_rng()
LOG2_E = np.log2(np.e)


def half(*shape):
    return RANDOM.standard_normal(shape).astype(np.float16)


def same(found, expected, tolerance=2e-3):
    assert np.isfinite(found).all()
    error = np.linalg.norm(found.astype(np.float64) - expected) / np.linalg.norm(expected)
    assert error < tolerance, error


def nan(*shape, dtype=np.float32):
    return np.full(shape, np.nan, dtype)


def exact_attention(q, k, v, causal, scale):
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores[..., np.triu(np.ones(scores.shape[-2:], bool), 1)] = -np.inf
    most = scores.max(-1, keepdims=True)
    weights = np.exp(scores - most)
    total = weights.sum(-1, keepdims=True)
    return weights / total, (most + np.log(total))[..., 0] * LOG2_E


def forward(head, causal):
    from attention_kernels import attention_kernel
    heads, tokens, scale = 2, 128, 0.3
    q, k, v = (half(heads, tokens, head) for _ in range(3))
    out, lse = nan(heads, tokens, head, dtype=np.float16), nan(heads, tokens)
    attention_kernel[tokens // 64, heads](q, k, v, out, lse, tokens, head, tokens * head, scale, HEAD=head,
                                          D=1 << (head - 1).bit_length(), BLOCK_M=64, BLOCK_N=32, CAUSAL=causal)
    wide = [x.astype(np.float64) for x in (q, k, v)]
    weights, exact_lse = exact_attention(*wide, causal, scale)
    same(out, weights @ wide[2])
    same(lse, exact_lse)


def backward(causal):
    from attention_backward_kernels import delta_kernel, key_value_gradient_kernel, query_gradient_kernel
    heads, tokens, head, scale = 2, 128, 32, 0.25
    q, k, v, grad = (half(heads, tokens, head) for _ in range(4))
    wide_q, wide_k, wide_v, wide_grad = (x.astype(np.float64) for x in (q, k, v, grad))
    weights, lse = exact_attention(wide_q, wide_k, wide_v, causal, scale)
    out = weights @ wide_v
    exact_delta = (out * wide_grad).sum(-1)
    delta = nan(heads, tokens)
    delta_kernel[tokens // 32, heads](out.astype(np.float16), grad, delta, tokens, D=head, BLOCK=32)
    same(delta, exact_delta)
    dq, dk, dv = (nan(heads, tokens, head, dtype=np.float16) for _ in range(3))
    inputs = q, k, v, grad, lse.astype(np.float32), delta
    key_value_gradient_kernel[tokens // 64, heads](*inputs, dk, dv, tokens, scale, D=head, BLOCK_M=32, BLOCK_N=64, CAUSAL=causal)
    query_gradient_kernel[tokens // 64, heads](*inputs, dq, tokens, scale, D=head, BLOCK_M=64, BLOCK_N=32, CAUSAL=causal)
    grad_scores = weights * (wide_grad @ wide_v.swapaxes(-1, -2) - exact_delta[..., None])
    same(dv, weights.swapaxes(-1, -2) @ wide_grad, 4e-3)
    same(dk, grad_scores.swapaxes(-1, -2) @ wide_q * scale, 4e-3)
    same(dq, grad_scores @ wide_k * scale, 4e-3)


def split_product(m):
    """Parts of k that blocks do not divide, and one that is past the end."""
    from decode_kernels import split_product_kernel, sum_of_parts_kernel
    n, k, splits = 40, 200, 4
    a, b = half(m, k), half(n, k)
    parts, out = nan(splits, m, n), nan(m, n, dtype=np.float16)
    split_product_kernel[3, splits](a, b, parts, m, n, k, k, 1, 1, k, BLOCK_M=16, BLOCK_N=16, BLOCK_K=64, SPLITS=splits)
    sum_of_parts_kernel[-(-m * n // 128), ](parts, out, m * n, SPLITS=splits, BLOCK=128)
    same(out, a.astype(np.float64) @ b.astype(np.float64).T)


def vector_product():
    from decode_kernels import vector_product_kernel
    n, k = 30, 300
    x, weights, out = half(k), half(n, k), nan(n, dtype=np.float16)
    vector_product_kernel[8, ](x, weights, out, n, k, BLOCK_N=4, BLOCK_K=128)
    same(out, weights.astype(np.float64) @ x.astype(np.float64))


def split_attention(group, tokens):
    """Caches whose end is within a block, and parts without a token."""
    from decode_kernels import combine_attention_kernel, split_attention_kernel
    heads, head, splits, scale = 3, 32, 4, 0.2
    q, k, v = half(heads, group, head), half(heads, tokens, head), half(heads, tokens, head)
    parts, lse = nan(heads * group, splits, head), nan(heads * group, splits)
    out = nan(heads, group, head, dtype=np.float16)
    split_attention_kernel[heads, splits](q, k, v, parts, lse, tokens, scale, GROUP=group, D=head, ROWS=16, BLOCK_N=32, SPLITS=splits)
    combine_attention_kernel[heads * group, ](parts, lse, out, D=head, SPLITS=splits)
    wide = [x.astype(np.float64) for x in (q, k, v)]
    same(out, exact_attention(*wide, False, scale)[0] @ wide[2])


def shapes_of_rows():
    """(rows, columns, block, whether it holds a row)"""
    return (5, 100, 128, True), (3, 300, 64, False), (2, 256, 64, False)


def softmax():
    from row_kernels import softmax_row_kernel
    for rows, columns, block, whole in shapes_of_rows():
        x, out = half(rows, columns) * 3, nan(rows, columns, dtype=np.float16)
        softmax_row_kernel[rows, ](x, out, columns, BLOCK=block, WHOLE=whole)
        exact = np.exp(x.astype(np.float64))
        same(out, exact / exact.sum(1, keepdims=True))


def norms():
    from row_kernels import layer_norm_row_kernel, rms_norm_row_kernel
    for rows, columns, block, whole in shapes_of_rows():
        x, weight, bias = half(rows, columns) + np.float16(0.5), half(columns), half(columns)
        wide, wide_weight = x.astype(np.float64), weight.astype(np.float64)
        out, mean, rstd = nan(rows, columns, dtype=np.float16), nan(rows), nan(rows)
        rms_norm_row_kernel[rows, ](x, weight, out, rstd, columns, 1e-5, BLOCK=block, WHOLE=whole)
        exact = 1 / np.sqrt((wide**2).mean(1) + 1e-5)
        same(rstd, exact)
        same(out, wide * exact[:, None] * wide_weight)
        out, rstd = nan(rows, columns, dtype=np.float16), nan(rows)
        layer_norm_row_kernel[rows, ](x, weight, bias, out, mean, rstd, columns, 1e-5, BLOCK=block, WHOLE=whole)
        exact = 1 / np.sqrt(wide.var(1) + 1e-5)
        same(mean, wide.mean(1))
        same(rstd, exact)
        same(out, (wide - wide.mean(1, keepdims=True)) * exact[:, None] * wide_weight + bias.astype(np.float64))


def cross_entropy():
    from row_kernels import cross_entropy_row_kernel
    for rows, columns, block, whole in shapes_of_rows():
        x, target = half(rows, columns) * 2, RANDOM.integers(0, columns, rows)
        exact = np.exp(x.astype(np.float64))
        exact /= exact.sum(1, keepdims=True)
        loss = -np.log(exact[np.arange(rows), target])
        exact[np.arange(rows), target] -= 1
        for gradient in (False, True):
            found, grad = nan(rows), nan(rows, columns, dtype=np.float16) if gradient else None
            cross_entropy_row_kernel[rows, ](x, target, found, grad, columns, 0.5, BLOCK=block, WHOLE=whole)
            same(found, loss)
            if gradient:
                same(grad, exact * 0.5)


CASES = {
    **{f"forward-{head}-{'causal' if causal else 'full'}": lambda head=head, causal=causal: forward(head, causal)
       for head in (32, 48) for causal in (False, True)},
    "backward-full": lambda: backward(False), "backward-causal": lambda: backward(True),
    "split-product-1": lambda: split_product(1), "split-product-5": lambda: split_product(5), "vector-product": vector_product,
    "split-attention-4": lambda: split_attention(4, 200), "split-attention-1": lambda: split_attention(1, 33),
    "softmax": softmax, "norms": norms, "cross-entropy": cross_entropy,
}

if __name__ == "__main__":
    CASES[sys.argv[2]]()
    print("ok")

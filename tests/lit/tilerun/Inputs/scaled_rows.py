"""A product whose terms are scaled by vectors that nothing but the sum reads, for schedules."""
import triton
import triton.language as tl


@triton.jit
def scaled(A, B, S, D, steps):
    """D = sum over i of (A_i @ B_i) * S_i[None, :], of blocks of 32"""
    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    acc = tl.zeros((32, 32), tl.float32)
    for step in range(steps):
        a = tl.load(A + step * 1024 + i * 32 + j)
        b = tl.load(B + step * 1024 + i * 32 + j)
        acc += tl.dot(a, b) * tl.load(S + step * 32 + tl.arange(0, 32))[None, :]
    tl.store(D + i * 32 + j, acc)

"""Autotuned kernels whose first launches bench/tune/cold.py times: a product, attention's two products, and the products of a
chunked linear recurrence with gates. Each launch is small, so that compiling is what takes the time."""
import numpy as np

import triton
import triton.language as tl

PRODUCTS = [triton.Config({"M": m, "N": n, "K": k}, num_warps=w, num_stages=s)
            for m, n in ((64, 64), (128, 64), (128, 128)) for k in (32, 64) for w in (4, 8) for s in (2, 3)]
ROWS = [triton.Config({"ROWS": rows, "COLUMNS": columns}, num_warps=w, num_stages=s)
        for rows in (64, 128) for columns in (32, 64) for w in (4, 8) for s in (2, 3)]
CHUNKS = [triton.Config({"BK": k, "BV": v}, num_warps=w, num_stages=s)
          for k in (32, 64) for v in (32, 64) for w in (2, 4, 8) for s in (2, 3)]
SIZE = 128


@triton.autotune(PRODUCTS, key=[])
@triton.jit
def product(a, b, c, SIZE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, SIZE, K):
        x = tl.load(a + rows[:, None] * SIZE + (k + inner)[None, :], mask=rows[:, None] < SIZE, other=0.0)
        y = tl.load(b + (k + inner)[:, None] * SIZE + columns[None, :], mask=columns[None, :] < SIZE, other=0.0)
        total += tl.dot(x, y)
    inside = (rows[:, None] < SIZE) & (columns[None, :] < SIZE)
    tl.store(c + rows[:, None] * SIZE + columns[None, :], total.to(tl.float16), mask=inside)


@triton.autotune(ROWS, key=[])
@triton.jit
def attention(q, k, v, out, SIZE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + d[None, :], mask=rows[:, None] < SIZE, other=0.0)
    most = tl.full((ROWS, ), float("-inf"), tl.float32)
    total = tl.zeros((ROWS, ), tl.float32)
    result = tl.zeros((ROWS, D), tl.float32)
    for begin in range(0, SIZE, COLUMNS):
        columns = begin + tl.arange(0, COLUMNS)
        keys = tl.load(k + columns[None, :] * D + d[:, None])
        scores = tl.dot(query, keys) * 0.125
        now = tl.maximum(most, tl.max(scores, 1))
        scale = tl.exp(most - now)
        weights = tl.exp(scores - now[:, None])
        total = total * scale + tl.sum(weights, 1)
        values = tl.load(v + columns[:, None] * D + d[None, :])
        result = result * scale[:, None] + tl.dot(weights.to(tl.float16), values)
        most = now
    tl.store(out + rows[:, None] * D + d[None, :], (result / total[:, None]).to(tl.float16), mask=rows[:, None] < SIZE)


@triton.autotune(CHUNKS, key=[])
@triton.jit
def chunk(q, k, v, g, h, out, SIZE: tl.constexpr, C: tl.constexpr, D: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):
    time = tl.program_id(0) * C + tl.arange(0, C)
    columns = tl.program_id(1) * BV + tl.arange(0, BV)
    result = tl.zeros((C, BV), tl.float32)
    scores = tl.zeros((C, C), tl.float32)
    for begin in range(0, D, BK):
        inner = begin + tl.arange(0, BK)
        query = tl.load(q + time[:, None] * D + inner[None, :])
        keys = tl.load(k + time[None, :] * D + inner[:, None])
        gates = tl.load(g + time[:, None] * D + inner[None, :])
        gated = (query * tl.exp(gates.to(tl.float32))).to(tl.float16)
        state = tl.load(h + inner[:, None] * D + columns[None, :])
        result += tl.dot(gated, state)
        scores += tl.dot(gated, keys)
    step = tl.arange(0, C)
    scores = tl.where(step[:, None] >= step[None, :], scores, 0.0)
    values = tl.load(v + time[:, None] * D + columns[None, :])
    result += tl.dot(scores.to(tl.float16), values)
    tl.store(out + time[:, None] * D + columns[None, :], result.to(tl.float16))


def make_launches(place=lambda array: array):
    """The first launch of each kernel, by name; `place` puts an array where the kernels find it."""
    arrays = [np.random.default_rng(i).standard_normal((SIZE, SIZE), np.float32).astype(np.float16) for i in range(6)]
    wide = [place(array) for array in arrays]
    narrow = [place(np.ascontiguousarray(array[:, :64])) for array in arrays]
    return {
        "product": (product, lambda: product[lambda meta: (triton.cdiv(SIZE, meta["M"]), triton.cdiv(SIZE, meta["N"]))](
            *wide[:3], SIZE=SIZE)),
        "attention": (attention, lambda: attention[lambda meta: (triton.cdiv(SIZE, meta["ROWS"]), )](
            *narrow[:4], SIZE=SIZE, D=64)),
        "chunk": (chunk, lambda: chunk[lambda meta: (2, triton.cdiv(SIZE, meta["BV"]))](*wide, SIZE=SIZE, C=64, D=SIZE)),
    }

# A loop with two products, the second of which multiplies what threads make of the first one's result; and loops in
# which one thing keeps it from being made an iteration late.
import triton
import triton.language as tl


@triton.jit
def two(Q, K, V, O, tokens, CASE: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, 64)
    d = tl.arange(0, D)
    n = tl.arange(0, BN)
    q = tl.load(Q + m[:, None] * D + d[None, :])
    acc = tl.zeros((64, D), tl.float32)
    other = tl.zeros((64, D), tl.float32)
    most = tl.full((64, ), float("-inf"), tl.float32)
    fixed = tl.load(V + n[:, None] * D + d[None, :])
    for i in range(0, tokens, BN):
        k = tl.load(K + (i + n)[None, :] * D + d[:, None])
        v = tl.load(V + (i + n)[:, None] * D + d[None, :])
        s = tl.dot(q, k)
        larger = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - larger[:, None])
        shrink = tl.exp2(most - larger)
        scaled = acc * shrink[:, None]
        if CASE == "not scaled":
            scaled = acc
        if CASE == "last sum is read twice":
            scaled = acc * acc
        if CASE == "sum is read":
            acc = tl.dot(p.to(tl.float16), v, scaled)
            larger += tl.sum(acc, 1) * 0.0
        elif CASE == "sum by rows":
            acc = tl.dot(p.to(tl.float16), v, tl.sum(acc, 1)[:, None] + tl.zeros((64, D), tl.float32))
        elif CASE == "no other product":
            w = tl.load(V + (i + n)[None, :] * D + m[:, None]) * 2.0
            acc = tl.dot(w.to(tl.float16), v, acc)
            other += s * 2.0
        elif CASE == "same in all iterations":
            acc = tl.dot(p.to(tl.float16), fixed, scaled)
        elif CASE == "shared":
            acc = tl.dot(tl.trans(p).to(tl.float16), v, scaled)
        elif CASE == "tile is read twice":
            acc = tl.dot(p.to(tl.float16), tl.trans(k), scaled)
        else:
            acc = tl.dot(p.to(tl.float16), v, scaled)
        most = larger
    tl.store(O + m[:, None] * D + d[None, :], acc + other)


@triton.jit
def both(Q, K, V, O, tokens, stride, CASE: tl.constexpr):
    """Two loops one after the other."""
    m = tl.arange(0, 64)
    q = tl.load(Q + m[:, None] * 64 + m[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, tokens, 64):
        k = tl.load(K + (i + m)[None, :] * stride + m[:, None])
        v = tl.load(V + (i + m)[:, None] * stride + m[None, :])
        acc = tl.dot(tl.exp2(tl.dot(q, k)).to(tl.float16), v, acc * 0.5)
    LAST: tl.constexpr = 32 if CASE == "tiles" else 64
    n = tl.arange(0, LAST)
    first = tl.num_programs(0) - 1 - tl.program_id(0)
    if CASE == "negative":
        first = tl.num_programs(0) - 2 - tl.program_id(0)
    if CASE == "another axis":
        first = tl.num_programs(1) - 1 - tl.program_id(0)
    if CASE == "store between":
        tl.store(O, 0.0)
    for i in range(first * 64, tokens, LAST):
        k = tl.load(K + (i + n)[None, :] * stride + m[:, None])
        v = tl.load(V + (i + n)[:, None] * stride + m[None, :])
        s = tl.dot(q, k)
        if CASE == "product":
            acc = tl.dot(tl.exp2(s).to(tl.float16), v, acc * tl.sum(acc, 1)[:, None])
        else:
            acc = tl.dot(tl.exp2(s).to(tl.float16), v, acc * 0.5)
    tl.store(O + m[:, None] * 64 + m[None, :], acc)

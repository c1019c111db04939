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
    for i in range(0, tokens, BN):
        k = tl.load(K + (i + n)[None, :] * D + d[:, None])
        v = tl.load(V + (i + n)[:, None] * D + d[None, :])
        s = tl.dot(q, k)
        larger = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - larger[:, None])
        shrink = tl.exp2(most - larger)
        scaled = acc * shrink[:, None]
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
            other += s
        elif CASE == "shared":
            acc = tl.dot(tl.trans(p).to(tl.float16), v, scaled)
        elif CASE == "tile is read twice":
            acc = tl.dot(p.to(tl.float16), tl.trans(k), scaled)
        else:
            acc = tl.dot(p.to(tl.float16), v, scaled)
        most = larger
    tl.store(O + m[:, None] * D + d[None, :], acc + other)

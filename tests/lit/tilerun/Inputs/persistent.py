# Products by copies of boxes, in programs that could each run several of the caller's; and kernels in which one thing
# keeps them from that. And products that warp groups could start in turns.
import triton
import triton.language as tl


@triton.jit
def product(A, B, C, M, N, K, sa, sb, CASE: tl.constexpr):
    m = tl.program_id(0) * 128 + tl.arange(0, 128)
    n = tl.program_id(1) * 128 + tl.arange(0, 128)
    k = tl.arange(0, 64)
    acc = tl.zeros((128, 128), tl.float32)
    end = K
    if CASE == "length":
        end = K * (tl.program_id(0) + 1)
    for i in range(0, end, 64):
        a = tl.load(A + m[:, None] * sa + (i + k)[None, :], mask=(m < M)[:, None] & (i + k < K)[None, :], other=0.0)
        b = tl.load(B + (i + k)[:, None] * sb + n[None, :], mask=(i + k < K)[:, None] & (n < N)[None, :], other=0.0)
        if CASE == "between":
            acc = tl.dot(a, b) + acc * 0.5
        else:
            acc = tl.dot(a, b, acc)
    if CASE == "atomic":
        tl.atomic_add(C, 1.0)
    if CASE == "assembly":
        acc += tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r,r", [m], tl.int32, True, 1)[:, None]
    if CASE == "volatile":
        acc += tl.load(C, volatile=True)
    tl.store(C + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def attention(Q, K, V, O, tokens, CASE: tl.constexpr):
    m = tl.program_id(0) * 128 + tl.arange(0, 128)
    d = tl.arange(0, 64)
    n = tl.arange(0, 64)
    q = tl.load(Q + m[:, None] * 64 + d[None, :])
    acc = tl.zeros((128, 64), tl.float32)
    most = tl.full((128, ), float("-inf"), tl.float32)
    end = tokens
    if CASE == "causal":
        end = (tl.program_id(0) + 1) * 128
    for i in range(0, end, 64):
        k = tl.load(K + (i + n)[None, :] * 64 + d[:, None])
        v = tl.load(V + (i + n)[:, None] * 64 + d[None, :])
        if CASE == "stored":
            s = tl.dot(q, (k * 2).to(tl.float16))
        else:
            s = tl.dot(q, k)
        if CASE == "bias":
            s += tl.load(K + m[:, None] * tokens + (i + n)[None, :])
        larger = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - larger[:, None])
        acc = tl.dot(p.to(tl.float16), v, acc * tl.exp2(most - larger)[:, None])
        most = larger
    tl.store(O + m[:, None] * 64 + d[None, :], acc)

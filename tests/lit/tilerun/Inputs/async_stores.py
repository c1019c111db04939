# A product in programs that each run several of the caller's, and stores of its result that one thing keeps from being
# copies of boxes.
import triton
import triton.language as tl


@triton.jit
def product(A, B, C, M, N, K, sa, sb, sc, CASE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, 64)
    wrapped_m = m if CASE == "vector" or CASE == "far" else m % M
    wrapped_n = n if CASE == "vector" or CASE == "far" else n % N
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, 64):
        a = tl.load(A + wrapped_m[:, None] * sa + (i + k)[None, :], mask=(i + k < K)[None, :], other=0.0)
        b = tl.load(B + (i + k)[:, None] * sb + wrapped_n[None, :], mask=(i + k < K)[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
    inside = (m < M)[:, None] & (n < N)[None, :]
    rows = C + m[:, None] * sc
    if CASE == "read":
        acc += tl.load(rows + n[None, :], mask=inside, other=0.0)
    if CASE == "twice":
        tl.store(rows + n[None, :], acc.to(C.dtype.element_ty) * 2, mask=inside)
    if CASE == "policy":
        tl.store(rows + n[None, :], acc.to(C.dtype.element_ty), mask=inside, eviction_policy="evict_first")
    elif CASE == "wrapped":
        tl.store(rows + (n % N)[None, :], acc.to(C.dtype.element_ty), mask=inside)
    elif CASE == "below":
        tl.store(rows + (n - 1)[None, :], acc.to(C.dtype.element_ty), mask=inside)
    elif CASE == "branch":
        if K > 0:
            tl.store(rows + n[None, :], acc.to(C.dtype.element_ty), mask=inside)
    elif CASE == "columns":
        tl.store(C + m[:, None] + n[None, :] * sc, acc.to(C.dtype.element_ty), mask=inside)
    elif CASE == "carried":
        tl.store(rows + n[None, :], acc.to(C.dtype.element_ty), mask=inside)
        p = A
        for i in range(K):
            tl.store(B + i, tl.load(p + i))
            p = C
    elif CASE == "reversed":
        tl.store(C + (M - 1 - m)[:, None] * sc + n[None, :], acc.to(C.dtype.element_ty), mask=inside)
    elif CASE == "far":
        tl.store(C + tl.program_id(2).to(tl.int64) * 1073741824 + m[:, None] * sc + n[None, :], acc.to(C.dtype.element_ty),
                 mask=(m < M)[:, None])
    elif CASE == "argument":
        tl.store(rows + (n + K)[None, :], acc.to(C.dtype.element_ty), mask=inside)
    elif CASE == "vector":
        tl.store(C + m, tl.sum(acc, 1).to(C.dtype.element_ty), mask=m < M)
    else:
        tl.store(rows + n[None, :], acc.to(C.dtype.element_ty), mask=inside)

# Products in a loop, each with one thing that its loads need to be copies of boxes, or one that they must not have.
import triton
import triton.language as tl

BM = tl.constexpr(64)
BN = tl.constexpr(64)
BK = tl.constexpr(64)


@triton.jit
def masked(A, B, C, M, N, K, sa, sb):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = A + m[:, None] * sa + k[None, :]
    b = B + k[:, None] * sb + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a, mask=(m[:, None] < M) & (i + k[None, :] < K), other=0.0)
        y = tl.load(b, mask=(K > k[:, None] + i) & (n <= N - 1)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * sb
    tl.store(C + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def wrapped(A, B, C, M, N, K, sa, sb):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = A + (m % M)[:, None] * sa + k[None, :]
    b = B + k[:, None] * sb + (n % N)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a, mask=k[None, :] < K - i * BK, other=0.0), tl.load(b, mask=k[:, None] < K - i * BK, other=0.0), acc)
        a += BK
        b += BK * sb
    tl.store(C + m[:, None] * N + n[None, :], acc * 2.0, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def described(A, B, C, M, N, K, sa, sb):
    x = tl.make_tensor_descriptor(A, [M, K], [sa, 1], [BM, BK])
    y = tl.make_tensor_descriptor(B, [K, N], [sb, 1], [BK, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        acc = tl.dot(x.load([m - 5, i]), y.load([i, n]), acc)
    rows = m + tl.arange(0, BM)
    columns = n + tl.arange(0, BN)
    tl.store(C + rows[:, None] * N + columns[None, :], acc)


@triton.jit
def block_pointers(A, B, C, M, N, K, sa, sb):
    x = tl.make_block_ptr(A, (M, K), (sa, 1), (tl.program_id(0) * BM, 0), (BM, BK), (1, 0))
    y = tl.make_block_ptr(B, (K, N), (sb, 1), (0, tl.program_id(1) * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        acc = tl.dot(tl.load(x, boundary_check=(0, 1), padding_option="zero"), tl.load(y, boundary_check=(0, 1)), acc)
        x = tl.advance(x, (0, BK))
        y = tl.advance(y, (BK, 0))
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(C + m[:, None] * N + n[None, :], acc)


@triton.jit
def batched(A, B, C, M, N, K, sa, sb):
    m = tl.arange(0, BM)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(A + tl.program_id(0) * sb + tl.program_id(1).to(tl.int64) * sa * M + m[:, None] * sa + (i + k)[None, :])
        y = tl.load(B + (i + k)[:, None] * sb + m[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(C + m[:, None] * N + m[None, :], acc)


# What follows differs in what CASE says.
@triton.jit
def other(A, B, C, M, N, K, sa, sb, CASE: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    rows = m
    fill = 0.0
    inside = m < M
    if CASE == "negative":
        rows = m - 5
    if CASE == "wraps inside":
        rows = m % M + 1
    if CASE == "wraps and is read":
        rows = m % M
        inside = m < K
    if CASE == "other":
        fill = 1.0
    if CASE == "squares":
        rows = m * m
    if CASE == "loaded rows":
        rows = tl.load(C + m).to(tl.int32)
    end = M
    if CASE == "loaded end":
        end = tl.load(C).to(tl.int32)
    if CASE == "prints":
        tl.device_print("m", M)
    a = A + rows[:, None] * sa + k[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        if CASE == "or":
            mask = (m[:, None] < M) | (k[None, :] < 3)
        elif CASE == "equal":
            mask = (m[:, None] != M) & (k[None, :] < K)
        elif CASE == "from one on":
            mask = (m[:, None] < M) & (k[None, :] >= 1)
        elif CASE == "two bounds":
            mask = (m[:, None] < M) & (m[:, None] < N)
        elif CASE == "uniform":
            mask = (m[:, None] < M) & ((k[None, :] * 0 + i) < K)
        else:
            mask = (m[:, None] < end) & (i + k[None, :] < K)
        if CASE == "wraps inside" or CASE == "wraps and is read":
            x = tl.load(a, mask=i + k[None, :] < K, other=fill)
        else:
            x = tl.load(a, mask=mask, other=fill)
        y = tl.load(B + (i + k)[:, None] * sb + n[None, :])
        acc = tl.dot(x, y, acc)
        a += BK
        if CASE == "writes":
            tl.store(A + i, 0.0)
        if CASE == "grows":
            a += i
    tl.store(C + m[:, None] * N + n[None, :], acc, mask=inside[:, None] & (n[None, :] < N))

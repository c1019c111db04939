# Many threads that modify the same memory, and that communicate through it.
import triton
import triton.language as tl


@triton.jit
def count(o, one, PLACES: tl.constexpr, BLOCK: tl.constexpr):
    """Every element is added to from many threads and programs; narrow ones share words."""
    i = tl.arange(0, BLOCK)
    tl.atomic_add(o + i % PLACES, tl.load(one + i * 0))


@triton.jit
def numbers(o, seen, BLOCK: tl.constexpr):
    """Old values of additions are numbers from a counter: each comes once."""
    i = tl.arange(0, BLOCK)
    n = tl.atomic_add(o + i * 0, 1)
    tl.atomic_add(seen + n, 1)


@triton.jit
def extremes(low, high, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.atomic_min(low + i % 4, v)
    tl.atomic_max(high + i % 4, v)


@triton.jit
def exchange(o, seen, done, BLOCK: tl.constexpr):
    """Each value is given back to one thread, or is found at the end by the last program."""
    i = tl.arange(0, BLOCK)
    mine = (tl.program_id(0) * BLOCK + i + 1).to(o.dtype.element_ty)
    old = tl.atomic_xchg(o + i % 4, mine)
    tl.atomic_add(seen + old.to(tl.int32), 1)
    tl.debug_barrier()
    if tl.atomic_add(done, 1) == tl.num_programs(0) - 1:
        p = o + tl.arange(0, 4)
        tl.atomic_add(seen + tl.atomic_xchg(p, (tl.arange(0, 4) * 0).to(o.dtype.element_ty)).to(tl.int32), 1)


@triton.jit
def claim(o, won, BLOCK: tl.constexpr):
    """Of all threads that compare and swap one place, one wins."""
    i = tl.arange(0, BLOCK)
    zero = (i * 0).to(o.dtype.element_ty)
    before = tl.atomic_cas(o + i % 5, zero, zero + 1)
    tl.atomic_add(won + i % 5, (before == 0).to(tl.int32))


@triton.jit
def locked(o, lock, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.debug_barrier()
    tl.store(o + i, tl.load(o + i, volatile=True) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def transpose(x, y, M: tl.constexpr, N: tl.constexpr):
    """Through shared memory, in pieces of one element where rows are short."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    v = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(v))


@triton.jit
def scans(x, y, z, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(y + i, tl.cumsum(v, 0))
    tl.store(z + i, tl.flip(v))


@triton.jit
def bins(x, y, BLOCK: tl.constexpr, BINS: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.store(y + tl.arange(0, BINS), tl.histogram(v, BINS))


@triton.jit
def telling(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * BLOCK + i)
    tl.device_print("100% of v:", v)
    tl.device_print("long", v.to(tl.int64) * 1000000007)
    tl.device_print("float", v.to(tl.float32) / 4)
    tl.device_print("done")


@triton.jit
def checking(x, y, limit, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(0, 4):
        v = tl.load(x + k * BLOCK + i)
        tl.device_assert(v < limit, "value within the limit")
        tl.store(y + k * BLOCK + i, v)


@triton.jit
def ending(limit):
    """Programs in which the assertion fails print nothing after it."""
    for k in range(0, 3):
        tl.device_assert(tl.program_id(0) * 10 + k < limit, "below the limit")
    tl.device_print("passed")


@triton.jit
def talking(x, BLOCK: tl.constexpr):
    tl.device_print("v", tl.load(x + tl.arange(0, BLOCK)))


@triton.jit
def forms(x, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.device_print("two", v, v.to(tl.float32) / 4)
    tl.device_print("hex", v.to(tl.int16), hex=True)
    tl.device_print("bits", v.to(tl.float16), hex=True)
    tl.device_print("half", v.to(tl.float16) / 3)
    tl.device_print("bfloat", v.to(tl.bfloat16) / 3)
    tl.device_print("eight bits", v.to(tl.float32).to(tl.float8e5))
    tl.device_print("truth", v > 0)
    tl.device_print("unsigned", v.to(tl.uint8))
    tl.device_print("long", v.to(tl.uint64), tl.sum(v, 0).to(tl.int64) * 5000000000)
    tl.device_print("scalar", tl.program_id(0), tl.sum(v, 0).to(tl.float32))
    tl.device_print("table:", tl.reshape(v, [2, BLOCK // 2]))
    tl.device_print("text alone")
    print(v)
    print("python", v)

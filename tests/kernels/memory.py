# Loads, stores and atomics of every width, with masks, hints and orders.
import triton
import triton.language as tl


#: X=i1[64]:randint(0,2,1) Z=i1[64]:zeros N=64
#: X=i8[1024]:randint(-99,99,1) Z=i8[1024]:zeros N=1024
#: X=u8[16]:randint(0,200,1) Z=u8[16]:zeros N=16 --num-warps 1
#: X=i16[256]:randint(-99,99,1) Z=i16[256]:zeros N=256
#: X=f8e5[512]:randn(1) Z=f8e5[512]:zeros N=512
#: X=f8e4nv[512]:randn(1) Z=f8e4nv[512]:zeros N=512 --num-warps 1
#: X=f64[512]:randn(1) Z=f64[512]:zeros N=512
@triton.jit
def copy(X, Z, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(Z + i, tl.load(X + i))


#: X=i1[100]:randint(0,2,1) Z=i1[128]:full(1) n=100 OTHER=1
#: X=i8[100]:randint(-99,99,1) Z=i8[128]:full(1) n=100 OTHER=7
#: X=f16[100]:randn(1) Z=f16[128]:full(1) n=96 OTHER=3
#: X=f32[100]:randn(1) Z=f32[128]:full(1) n=99 OTHER=3 --num-warps 1
#: X=i64[100]:randint(-99,99,1) Z=i64[128]:full(1) n=16 OTHER=-5
#: X=f8e5[100]:randn(1) Z=f8e5[128]:full(1) n=77 OTHER=2
@triton.jit
def masked(X, Z, n, OTHER: tl.constexpr):
    i = tl.arange(0, 128)
    tl.store(Z + i, tl.load(X + i, mask=i < n, other=OTHER), mask=i < 120)


#: X=f32[512]:randn(1) Z=f32[512]:zeros
#: X=f16[512]:randn(1) Z=f16[512]:zeros --num-warps 1
#: X=i8[512]:randint(-99,99,1) Z=i8[512]:zeros
@triton.jit
def hints(X, Z):
    i = tl.arange(0, 128)
    a = tl.load(X + i, cache_modifier=".ca", eviction_policy="evict_first")
    b = tl.load(X + 128 + i, cache_modifier=".cg", eviction_policy="evict_last")
    c = tl.load(X + 256 + i, eviction_policy="evict_last", mask=i < 100, other=0)
    d = tl.load(X + 384 + i, cache_modifier=".cv", volatile=True)
    tl.store(Z + i, a, cache_modifier=".wb")
    tl.store(Z + 128 + i, b, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(Z + 256 + i, c, cache_modifier=".cs", mask=i < 120)
    tl.store(Z + 384 + i, d, cache_modifier=".wt", eviction_policy="evict_last")


#: X=f32[64,48]:randn(1) Z=f32[64,48]:zeros m=50 n=40
#: X=f16[64,48]:randn(1) Z=f16[64,48]:zeros m=64 n=48 --num-warps 1
#: X=i8[64,48]:randint(-99,99,1) Z=i8[64,48]:zeros m=1 n=33 --num-warps 8
@triton.jit
def edges(X, Z, m, n):
    r = tl.arange(0, 64)[:, None]
    c = tl.arange(0, 64)[None, :]
    mask = (r < m) & (c < n)
    tl.store(Z + r * 48 + c, tl.load(X + r * 48 + c, mask) * 2, mask)


#: X=f32[512]:randn(1) I=i32[256]:randint(0,512,2) Z=f32[256]:zeros
#: X=i8[512]:randint(-99,99,1) I=i64[256]:randint(0,512,2) Z=i8[256]:zeros --num-warps 1
@triton.jit
def indirect(X, I, Z):
    i = tl.arange(0, 256)
    tl.store(Z + i, tl.load(X + tl.load(I + i)))


#: X=f32[256]:randn(1) Z=f32[256]:zeros stride=1
#: X=f32[768]:randn(1) Z=f32[256]:zeros stride=3
#: X=f32[512]:randn(1) Z=f32[256]:zeros stride=2 --num-warps 1
@triton.jit
def strided(X, Z, stride):
    i = tl.arange(0, 256)
    tl.store(Z + i, tl.load(X + i * stride))


#: X=f32[1024]:randn(1) Z=f32[1024]:zeros
#: X=f16[1024]:randn(1) Z=f16[1024]:zeros --num-warps 1
@triton.jit
def block_pointer(X, Z):
    x = tl.make_block_ptr(X, (30, 32), (32, 1), (0, 0), (16, 32), (1, 0))
    z = tl.make_block_ptr(Z, (30, 32), (32, 1), (0, 0), (16, 32), (1, 0))
    for _ in range(2):
        tl.store(z, tl.load(x, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0,))
        x = tl.advance(x, (16, 0))
        z = tl.advance(z, (16, 0))


#: X=i32[256]:randint(0,8,1) Y=i32[256]:randint(-9,9,2) Z=i32[8]:full(3) O=i32[256]:zeros n=200
#: X=i32[256]:randint(0,8,1) Y=i64[256]:randint(-9,9,2) Z=i64[8]:full(3) O=i64[256]:zeros n=200 --num-warps 1
#: X=i32[256]:randint(0,8,1) Y=u32[256]:randint(0,9,2) Z=u32[8]:full(3) O=u32[256]:zeros n=256
@triton.jit
def atomic_integers(X, Y, Z, O, n):
    i = tl.arange(0, 256)
    m = i < n
    x = tl.load(X + i)
    y = tl.load(Y + i)
    tl.atomic_add(Z + (x & 1), y, mask=m)
    tl.atomic_max(Z + 2 + (x & 0), y, mask=m)
    tl.atomic_min(Z + 3 + (x & 0), y, mask=m, sem="relaxed")
    tl.atomic_and(Z + 4 + (x & 1), y, mask=m, sem="acquire", scope="cta")
    tl.atomic_or(Z + 6 + (x & 0), y, mask=m, sem="release", scope="sys")
    tl.atomic_xor(Z + 7 + (x & 0), y, mask=m)


#: X=f32[256]:randint(-9,9,2) Z=f32[8]:full(3)
#: X=f64[256]:randint(-9,9,2) Z=f64[8]:full(3) --num-warps 1
@triton.jit
def atomic_floats(X, Z):
    i = tl.arange(0, 256)
    x = tl.load(X + i)
    tl.atomic_add(Z + (i & 1), x)
    tl.atomic_max(Z + 2 + (i & 0), x)
    tl.atomic_min(Z + 3 + (i & 0), x)


#: X=f16[64]:randint(0,3,2) Z=f16[64]:full(3)
#: X=bf16[64]:randint(0,3,2) Z=bf16[64]:full(3) --num-warps 1
@triton.jit
def atomic_halves(X, Z):
    i = tl.arange(0, 64)
    tl.atomic_add(Z + i, tl.load(X + i))
    tl.atomic_add(Z + i, tl.load(X + i), mask=i < 32, sem="relaxed")


#: X=i32[64]:randint(0,99,2) Z=i32[64]:arange O=i32[64]:zeros
#: X=i64[64]:randint(0,99,2) Z=i64[64]:arange O=i64[64]:zeros --num-warps 1
#: X=f32[64]:randint(0,99,2) Z=f32[64]:arange O=f32[64]:zeros
#: X=f16[64]:randint(0,99,2) Z=f16[64]:arange O=f16[64]:zeros
#: X=i16[64]:randint(0,99,2) Z=i16[64]:arange O=i16[64]:zeros --num-warps 1
@triton.jit
def exchange(X, Z, O):
    i = tl.arange(0, 64)
    old = tl.atomic_xchg(Z + i, tl.load(X + i))
    tl.store(O + i, old)


#: X=i32[64]:randint(0,99,2) Z=i32[64]:full(5) O=i32[64]:zeros
#: X=i64[64]:randint(0,99,2) Z=i64[64]:full(5) O=i64[64]:zeros --num-warps 1
#: X=i16[64]:randint(0,99,2) Z=i16[64]:full(5) O=i16[64]:zeros
@triton.jit
def compare_and_swap(X, Z, O):
    i = tl.arange(0, 64)
    x = tl.load(X + i)
    five = tl.full([64], 5, X.dtype.element_ty)
    old = tl.atomic_cas(Z + i, tl.where(i < 32, five, x), x)
    tl.store(O + i, old)


#: Z=i32[8]:zeros O=i32[64]:zeros --grid 16
#: Z=i64[8]:zeros O=i64[64]:zeros --grid 4 --num-warps 1
@triton.jit
def scalar_atomics(Z, O):
    one = tl.full([], 1, Z.dtype.element_ty)
    tl.atomic_add(Z, one)
    tl.atomic_max(Z + 1, tl.program_id(0).to(Z.dtype.element_ty))
    old = tl.atomic_cas(Z + 2, one * 0, one)
    tl.atomic_add(Z + 3, old)
    tl.atomic_xchg(Z + 4, one * 9)
    tl.atomic_or(Z + 5, one << tl.program_id(0).to(Z.dtype.element_ty))


#: Z=i32[16]:zeros O=i32[512]:zeros
@triton.jit
def old_values(Z, O):
    i = tl.arange(0, 16)
    old = tl.atomic_add(Z + i, i)
    again = tl.atomic_add(Z + i, old + 1)
    r = tl.arange(0, 32)[None, :]
    tl.store(O + i[:, None] * 32 + r, again[:, None] + r)


#: X=f32[128]:randn(1) Z=f32[128]:zeros
#: X=f32[128]:randn(1) Z=f32[128]:zeros --num-warps 1
@triton.jit
def barrier(X, Z):
    i = tl.arange(0, 128)
    tl.store(Z + i, tl.load(X + i))
    tl.debug_barrier()
    y = tl.load(Z + 127 - i)
    tl.debug_barrier()
    tl.store(Z + i, y + 1)


#: X=f32[256]:randn(1) Y=f16[256]:zeros U=bf16[256]:zeros V=f8e5[256]:zeros W=f8e4nv[256]:zeros I=i8[256]:zeros J=i64[256]:zeros
#: X=f32[256]:randn(1) Y=f16[256]:zeros U=bf16[256]:zeros V=f8e5[256]:zeros W=f8e4nv[256]:zeros I=i8[256]:zeros J=i64[256]:zeros --num-warps 1
@triton.jit
def convert(X, Y, U, V, W, I, J):
    i = tl.arange(0, 256)
    x = tl.load(X + i)
    tl.store(Y + i, x.to(tl.float16))
    tl.store(U + i, x.to(tl.bfloat16))
    tl.store(V + i, x.to(tl.float8e5))
    tl.store(W + i, x.to(tl.float8e4nv))
    tl.store(I + i, (x * 10).to(tl.int8))
    tl.store(J + i, (x * 1000).to(tl.int64))


#: X=f32[128]:randn(1) Z=f32[128]:zeros n=-1
#: X=f32[128]:randn(1) Z=f32[128]:zeros n=0
#: X=f32[128]:randn(1) Z=f32[128]:zeros n=-16
@triton.jit
def mask_of_quotients(X, Z, n):
    """`//` rounds toward zero: four neighbours have one quotient only from zero up."""
    i = tl.arange(0, 128)
    x = tl.load(X + i, mask=(i + n * 4) // 4 >= 0, other=7.0)
    tl.store(Z + i, x, mask=(i + n * 4) % 8 < 4)


# Sums in vectors where the target has them: all, with a mask that ends within one, 16 bits, and neighbours that several threads hold.
#: X=f32[512]:randint(-9,9,1) Y=f16[256]:randint(-9,9,2) Z=f32[512]:zeros n=301 --num-warps 2
#: X=f32[512]:randint(-9,9,1) Y=f16[256]:randint(-9,9,2) Z=f32[512]:zeros n=512 --num-warps 8
@triton.jit
def vector_sums(X, Y, Z, n):
    i = tl.arange(0, 512)
    x = tl.load(X + i)
    tl.atomic_add(Z + i, x, mask=i < n, sem="relaxed")
    tl.atomic_add(Z + i, x * 2, sem="relaxed")
    j = tl.arange(0, 256)
    tl.atomic_add(Y + j, j.to(tl.float16), sem="relaxed")


# Loads with one address for many neighbours, and masks that end between them.
#: X=f32[64]:randn(1) Y=i64[64]:randint(-9,9,2) Z=f32[16,128]:zeros n=13 --num-warps 2
#: X=f32[64]:randn(1) Y=i64[64]:randint(-9,9,2) Z=f32[16,128]:zeros n=16 --num-warps 8
@triton.jit
def one_address_for_many(X, Y, Z, n):
    i = tl.program_id(0) * 2048 + tl.arange(0, 2048)
    row = i // 128
    x = tl.load(X + row * 3, mask=row < n, other=1.5)
    y = tl.load(Y + row % 16, mask=row < n, other=4)
    tl.store(Z + i, tl.where(row < n, x + y, x - y))


# Along neither dimension do elements follow each other: lanes go along the one whose neighbours are nearer.
#: X=f16[64,256]:randn(1) Z=f16[32,64]:zeros --num-warps 4
@triton.jit
def nearest_neighbours(X, Z):
    r = tl.arange(0, 32)[:, None]
    c = tl.arange(0, 64)[None, :]
    x = tl.load(X + r * 2 + c * 256 + (r % 4) * 64)
    tl.store(Z + r * 64 + c, x * 2)

"""How a launch specializes its arguments."""

import triton
import triton.language as tl


#: X=i8[100] n=1 P=None Z->i8[101]
@triton.jit
def ones_and_nones(X, n, P, Z):
    """A1: An integer argument that is 1, and `None`, are compile-time constants in the kernel: literals, which are weak."""
    tl.static_assert(n == 1)
    tl.static_assert(P is None)
    z = tl.load(X) + n
    tl.static_assert(z.dtype == tl.int8)
    tl.store(Z, z)


#: X=i8[100] n=1 b=True Z->i32[101]
@triton.jit
def bools_stay(X, n, b, Z):
    """A4: a bool is `int1`."""
    tl.static_assert(b.dtype == tl.int1)
    if b:
        tl.store(Z, tl.load(X) + n)


#: n=32 m=33 X=i32[0*4] Z->i32[1]
@triton.jit
def divisible(n, m, X, Z):
    """A2: Integers and pointers that are divisible by 16 carry that fact."""
    # ir: %arg0: i32 {tile.divisibility = 16 : i64, tile.name = "n"}, %arg1: i32 {tile.name = "m"}, %arg2: !tile.ptr<i32> {tile.divisibility = 16 : i64
    tl.store(Z, (n % 16 == 0).to(tl.int32) + (m % 16 == 0).to(tl.int32) + tl.load(X + n - 32))


#: a=2147483647 b=2147483648 c=-2147483648 d=-2147483649 e=9223372036854775808 Z->u64[2147483647,2147483648,18446744071562067968,18446744071562067967,9223372036854775808]
@triton.jit
def ranges(a, b, c, d, e, Z):
    """A3: An integer is `int32`, `int64` or `uint64`, the first that holds it."""
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.int64)
    tl.static_assert(c.dtype == tl.int32)
    tl.static_assert(d.dtype == tl.int64)
    tl.static_assert(e.dtype == tl.uint64)
    tl.store(Z, a.to(tl.uint64))
    tl.store(Z + 1, b.to(tl.uint64))
    tl.store(Z + 2, c.to(tl.uint64))
    tl.store(Z + 3, d.to(tl.uint64))
    tl.store(Z + 4, e)


#: x=0.1 y=1e300 Z->fp32[0x3dcccccd,inf]
@triton.jit
def floats(x, y, Z):
    """A4: A Python float is `float32`"""
    tl.static_assert(x.dtype == tl.float32)
    tl.static_assert(y.dtype == tl.float32)
    tl.store(Z, x)
    tl.store(Z + 1, y)


#: X=i8[100] n=1 m=16 Z->i32[101]
@triton.jit(do_not_specialize=["n", 2])
def not_specialized(X, n, m, Z):
    """A5: `do_not_specialize` turns A1 and A2 off for its parameters."""
    # ir: %arg1: i32 {tile.name = "n"}, %arg2: i32 {tile.name = "m"}
    tl.static_assert(n.dtype == tl.int32)
    z = tl.load(X) + n
    tl.static_assert(z.dtype == tl.int32)
    tl.store(Z, z)


#: grid=3 Z=i32[0*6]->[1,1,1,0,0,0]
#: grid=3,2 Z=i32[0*6]->[1,1,1,1,1,1]
#: grid=1,2,3 Z=i32[0*6]->[1,1,1,1,1,1]
@triton.jit
def grids(Z):
    """A7: A grid has 1 to 3 dimensions"""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(Z + at, tl.load(Z + at) + 1)

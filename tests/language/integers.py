"""Arithmetic of integers."""

import triton
import triton.language as tl


#: X=i32[7,-7,7,-7] Y=i32[2,2,-2,-2] Q->i32[3,-3,-3,3] R->i32[1,-1,1,-1]
@triton.jit
def truncates(X, Y, Q, R):
    """I1: Integer `//` and `%` truncate toward zero, as in C, at run time."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(Q + i, x // y)
    tl.store(R + i, x % y)


#: X=i8[-128,-127,127,-1] Q->i8[-42,-42,42,0] R->i8[-2,-1,1,-1]
@triton.jit
def truncates_beside_literals(X, Q, R):
    """I1: Integer `//` and `%` truncate toward zero, as in C, at run time."""
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Q + i, x // 3)
    tl.store(R + i, x % 3)


#: X=u64[18446744073709551615,7] Q->u64[6148914691236517205,2] R->u64[0,1]
@triton.jit
def divides_unsigned(X, Q, R):
    """I1: Integer `//` and `%` truncate toward zero"""
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    tl.store(Q + i, x // 3)
    tl.store(R + i, x % 3)


#: n=-7 Q->i32[-3] R->i32[-1]
@triton.jit
def scalars_truncate(n, Q, R):
    """I1: Integer `//` and `%` truncate toward zero, as in C, at run time."""
    tl.store(Q, n // 2)
    tl.store(R, n % 2)


#: N=-7 Z->i32[-4,1,-1,4]
@triton.jit
def floors_at_compile_time(N: tl.constexpr, Z):
    """I2: Between compile-time values `//` and `%` round down, as in Python."""
    tl.static_assert(N // 2 == -4)
    tl.static_assert(N % 2 == 1)
    tl.store(Z, N // 2)
    tl.store(Z + 1, N % 2)
    tl.store(Z + 2, 7 % -2)
    tl.store(Z + 3, N // -2 + 1)


#: X=i8[127,-128,100,-100] Y=i8[1,-1,100,100] A->i8[-128,127,-56,0] S->i8[126,-127,0,56] P->i8[127,-128,16,-16]
@triton.jit
def wraps_around(X, Y, A, S, P):
    """I3: Integer `+ - *` wrap around."""
    # 10000 is 39 times 256 and 16.
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(A + i, x + y)
    tl.store(S + i, x - y)
    tl.store(P + i, x * y)


#: X=u32[0,4294967295] Z->u32[4294967295,4294967294] Y->u32[0,1]
@triton.jit
def wraps_unsigned(X, Z, Y):
    """I3: Integer `+ - *` wrap around."""
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    tl.store(Z + i, x - 1)
    tl.store(Y + i, x * x)


#: X=i64[9223372036854775807] Z->i64[-9223372036854775808]
@triton.jit
def wraps_in_64_bits(X, Z):
    """I3: Integer `+ - *` wrap around."""
    tl.store(Z, tl.load(X) + 1)


#: X=i32[2147483647] Z->i32[-2147483648]
#: X=i32[7] Z->i32[8] debug
#: X=i32[2147483647] Z->i32[0] debug fails
@triton.jit
def overflow_is_checked(X, Z):
    """I4: In debug mode, an integer `+ - *` that overflows stops the kernel"""
    # fails: 2147483647 + 1 overflows int32
    tl.store(Z, tl.load(X) + 1)


#: X=i32[2147483647,7] A->i32[-2147483648,8] S->i32[2147483646,6] P->i32[-2,14] debug
@triton.jit
def overflow_may_be_meant(X, A, S, P):
    """I4: except in `tl.add`, `tl.sub` and `tl.mul` with `sanitize_overflow=False`."""
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    tl.store(A + i, tl.add(x, 1, sanitize_overflow=False))
    tl.store(S + i, tl.sub(x, 1, sanitize_overflow=False))
    tl.store(P + i, tl.mul(x, 2, sanitize_overflow=False))


#: X=i32[2147483647] Z->i32[0] debug fails
@triton.jit
def overflow_of_tl_mul(X, Z):
    """I4: In debug mode, an integer `+ - *` that overflows stops the kernel, except in `tl.add`, `tl.sub` and `tl.mul`
    with `sanitize_overflow=False`.
    """
    # fails: 2147483647 * 2 overflows int32
    tl.store(Z, tl.mul(tl.load(X), 2))


#: X=i32[-8,7] U=u32[4294967288,7] Z->i32[-4,3] Y->u32[2147483644,3]
@triton.jit
def shifts_right(X, U, Z, Y):
    """I5: `>>` fills as its left operand's signedness says."""
    i = tl.arange(0, 2)
    tl.store(Z + i, tl.load(X + i) >> 1)
    tl.store(Y + i, tl.load(U + i) >> 1)


#: X=i8[-128] U=u8[128] Z->i8[-1] Y->u8[1]
@triton.jit
def shifts_narrow(X, U, Z, Y):
    """I5: `>>` fills as its left operand's signedness says."""
    tl.store(Z, tl.load(X) >> 7)
    tl.store(Y, tl.load(U) >> 7)


#: X=i32[1,1,1,1] N=i32[0,31,-1,32] Z->i32[1,-2147483648,0,0]
@triton.jit
def shifts_too_far(X, N, Z):
    """I6: Shifts by less than zero, or by as many bits as the dtype has or more, are undefined."""
    i = tl.arange(0, 4)
    n = tl.load(N + i)
    shifted = tl.load(X + i) << n
    tl.store(Z + i, tl.where((n >= 0) & (n < 32), shifted, 0))

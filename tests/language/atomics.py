"""Atomics."""

import triton
import triton.language as tl


#: Z=i32[1,2,3,4]->[11,12,3,4] Y->i32[1,2,0,0] beyond
@triton.jit
def old_values(Z, Y):
    """U1: Atomics give the old value, and 0 where the mask is false."""
    i = tl.arange(0, 4)
    tl.store(Y + i, tl.atomic_add(Z + i, 10, mask=i < 2))


#: Z=i32[12,12,12,5,3,9]->[14,8,4,9,3,4] Y->i32[12,12,12,5,3,9]
@triton.jit
def old_values_of_each(Z, Y):
    """U1: Atomics give the old value"""
    tl.store(Y, tl.atomic_or(Z, 6))
    tl.store(Y + 1, tl.atomic_and(Z + 1, 11))
    tl.store(Y + 2, tl.atomic_xor(Z + 2, 8))
    tl.store(Y + 3, tl.atomic_max(Z + 3, 9))
    tl.store(Y + 4, tl.atomic_min(Z + 4, 7))
    tl.store(Y + 5, tl.atomic_xchg(Z + 5, 4))


#: Z=i32[0]->[8] S=i32[0*8]->[1*8] grid=8
@triton.jit
def tickets(Z, S):
    """U1: Atomics give the old value"""
    # Eight programs draw numbers: each number once.
    ticket = tl.atomic_add(Z, 1)
    tl.store(S + ticket, tl.load(S + ticket) + 1)


#: Z=i32[0*6]->[1*6]
@triton.jit
def orders(Z):
    """U2: They default to `acq_rel` order at `gpu` scope; `acquire`, `release` and `relaxed`, `cta` and `sys` are the
    others.
    """
    # ir: tile.atomic_rmw  add %arg0, %c1_i32 : !tile.ptr<i32>
    tl.atomic_add(Z, 1)
    # ir: {scope = #tile<scope cta>, sem = #tile<sem acquire>}
    tl.atomic_add(Z + 1, 1, sem="acquire", scope="cta")
    # ir: {scope = #tile<scope sys>, sem = #tile<sem release>}
    tl.atomic_add(Z + 2, 1, sem="release", scope="sys")
    # ir: {sem = #tile<sem relaxed>}
    tl.atomic_add(Z + 3, 1, sem="relaxed", scope="gpu")
    tl.atomic_xchg(Z + 4, 1, sem="acq_rel")
    tl.atomic_cas(Z + 5, 0, 1, sem="relaxed")


#: Z=i32[0] refused
@triton.jit
def unknown_orders(Z):
    """U2: `acquire`, `release` and `relaxed`, `cta` and `sys` are the others."""
    # error: tl.atomic_add: 'sem' is 'seq_cst'; use 'acquire', 'release', 'acq_rel' or 'relaxed'
    tl.atomic_add(Z, 1, sem="seq_cst")
    # error: tl.atomic_add: 'scope' is 'warp'; use 'gpu', 'cta' or 'sys'
    tl.atomic_add(Z, 1, scope="warp")


#: H=fp16[0.5,1]->[2,2.5] F=fp32[0.5,1]->[2,2.5] D=fp64[0.5,1]->[2,2.5] I=i32[1,2]->[2,3] L=i64[1,2]->[2,3] U=u32[4294967295,2]->[0,3]
@triton.jit
def adds(H, F, D, I, L, U):
    """U3: `tl.atomic_add` takes floats of 16, 32 and 64 bits and integers of 32 and 64 bits."""
    i = tl.arange(0, 2)
    tl.atomic_add(H + i, 1.5)
    tl.atomic_add(F + i, 1.5)
    tl.atomic_add(D + i, 1.5)
    tl.atomic_add(I + i, 1)
    tl.atomic_add(L + i, 1)
    tl.atomic_add(U + i, 1)


#: B=bf16[0.5,1]->[2,2.5] O->bf16[0.5,1]
@triton.jit
def adds_bfloat16(B, O):
    """U3: `tl.atomic_add` takes floats of 16, 32 and 64 bits"""
    i = tl.arange(0, 2)
    tl.store(O + i, tl.atomic_add(B + i, 1.5))


#: X=i8[1] Y=i16[1] refused
@triton.jit
def adds_narrow(X, Y):
    """U3: integers of 32 and 64 bits."""
    # error: tl.atomic_add: 'pointer' points to int8, but this atomic works on integers of 32 or 64 bits and floats of 16, 32 or 64 bits
    tl.atomic_add(X, 1)
    # error: tl.atomic_add: 'pointer' points to int16, but this atomic works on integers of 32 or 64 bits and floats of 16, 32 or 64 bits
    tl.atomic_add(Y, 1)


#: F=fp32[-0.0,0.0,1,-3,nan]->[0.0,0.0,2,-2,nan] G=fp32[-0.0,0.0,1,-3,-1]->[-0.0,-0.0,-5,-3,-1] V=fp32[0.0,-0.0,2,-2,5] W=fp32[0.0,-0.0,-5,-2,2]
@triton.jit
def float_extrema(F, G, V, W):
    """U4: `tl.atomic_max` and `tl.atomic_min` of floats order the values by their bit patterns as signed magnitudes: -0.0
    is below 0.0, and a NaN counts as larger (or, with its sign bit set, smaller) than every number.
    """
    i = tl.arange(0, 8)
    m = i < 5
    tl.atomic_max(F + i, tl.load(V + i, mask=m), mask=m)
    tl.atomic_min(G + i, tl.load(W + i, mask=m), mask=m)


#: F=fp32[1,5]->[0x7fc00000,5] G=fp32[1,5]->[0xffc00000,5] V=fp32[0x7fc00000,0xffc00000]
@triton.jit
def nan_extrema(F, G, V):
    """U4: a NaN counts as larger (or, with its sign bit set, smaller) than every number."""
    v = tl.load(V)
    minus = tl.load(V + 1)
    tl.atomic_max(F, v)
    tl.atomic_max(F + 1, minus)
    tl.atomic_min(G, minus)
    tl.atomic_min(G + 1, v)


#: F=fp16[1,-3,-0.0,5,nan]->[4,-2,0.0,5,nan] G=bf16[1,-3,0.0,5,-1]->[1,-3,-0.0,4,-2] V=fp16[4,-2,0.0,4,7] W=bf16[4,-2,-0.0,4,-2] beyond
@triton.jit
def extrema_of_16_bits(F, G, V, W):
    """U6: Beyond Triton, where only descriptors do so: `tl.atomic_max` and `tl.atomic_min` take floats of 16 bits.

    U4: order the values by their bit patterns as signed magnitudes: -0.0 is below 0.0, and a NaN counts as larger
    """
    i = tl.arange(0, 8)
    m = i < 5
    tl.atomic_max(F + i, tl.load(V + i, mask=m), mask=m)
    tl.atomic_min(G + i, tl.load(W + i, mask=m), mask=m)


#: X=fp16[1,2,3,4,5,6,7,8]->[1,2,5,5,5,6,7,8] Y=bf16[1,2,3,4,5,6,7,8]->[1,2,3,4,5,5,5,5] Z=bf16[1,2,3,4,5,6,7,8]->[5,5,5,5,5,6,7,8]
@triton.jit
def extrema_of_descriptors(X, Y, Z):
    """U6: descriptors"""
    x = tl.make_tensor_descriptor(X, [8], [1], [8])
    x.atomic_max([2], tl.full((8, ), 5, tl.float16))
    y = tl.make_tensor_descriptor(Y, [8], [1], [8])
    y.atomic_min([0], tl.full((8, ), 5, tl.bfloat16))
    z = tl.make_tensor_descriptor(Z, [8], [1], [8])
    z.atomic_max([0], tl.full((8, ), 5, tl.bfloat16))


#: A=i32[1,2]->[9,2] B=i64[1,2]->[9,2] C=fp16[1,2]->[9,2] O->i32[1,2] E=i32[1]->[7] F=i64[1]->[7]
@triton.jit
def swaps(A, B, C, O, E, F):
    """U5: `tl.atomic_cas` and `tl.atomic_xchg` take 16, 32 and 64 bits"""
    i = tl.arange(0, 2)
    tl.store(O + i, tl.atomic_cas(A + i, tl.full((2, ), 1, tl.int32), tl.full((2, ), 9, tl.int32)))
    one = tl.full((2, ), 1, tl.int64)
    tl.atomic_cas(B + i, one, one + 8)
    half = tl.full((2, ), 1, tl.float16)
    tl.atomic_cas(C + i, half, half + 8)
    tl.atomic_xchg(E, 7)
    tl.atomic_xchg(F, 7)


#: A=i16[1,2]->[9,2] E=fp16[1]->[7] G=bf16[1]->[7] beyond
@triton.jit
def swaps_of_16_bits(A, E, G):
    """U5: `tl.atomic_cas` and `tl.atomic_xchg` take 16, 32 and 64 bits"""
    i = tl.arange(0, 2)
    one = tl.full((2, ), 1, tl.int16)
    tl.atomic_cas(A + i, one, one + 8)
    tl.atomic_xchg(E, 7.0)
    tl.atomic_xchg(G, 7.0)


#: F=fp32[-0.0,0.0]->[-0.0,1]
@triton.jit
def compares_bits(F):
    """U5: `tl.atomic_cas` compares bits."""
    zero = tl.zeros((2, ), tl.float32)
    tl.atomic_cas(F + tl.arange(0, 2), zero, zero + 1)


#: X=i8[1] refused
@triton.jit
def swaps_of_8_bits(X):
    """U5: take 16, 32 and 64 bits"""
    x = tl.load(X)
    # error: tl.atomic_cas: 'pointer' points to int8, but compare-and-swap works on numbers of 16, 32 or 64 bits
    tl.atomic_cas(X, x, x)
    # error: tl.atomic_xchg: 'pointer' points to int8, but this atomic works on numbers of 16, 32 or 64 bits
    tl.atomic_xchg(X, x)

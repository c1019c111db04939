"""Hints, output and checks."""

import triton
import triton.language as tl


#: X=i32[1,2,3,4] n=4 Z->i32[1,2,3,4]
@triton.jit
def promises(X, n, Z):
    """H1: `tl.multiple_of`, `tl.max_contiguous`, `tl.max_constancy` and `tl.assume` promise facts, and change no value."""
    # ir: tile.assume
    tl.assume(n > 0)
    # ir: {divisibility = array<i64: 4>} : tensor<4xi32>
    # ir: {contiguity = array<i64: 4>} : tensor<4xi32>
    # ir: {constancy = array<i64: 2>} : tensor<4xi32>
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 4), 4), 4)
    half = tl.max_constancy(i // 2, 2)
    tl.static_assert(i.dtype == tl.int32)
    tl.store(Z + i, tl.load(X + half * 2 + i % 2, mask=i < n))


#: refused
@triton.jit
def promises_of_another_rank():
    """H1: `tl.multiple_of`, `tl.max_contiguous`, `tl.max_constancy`"""
    i = tl.arange(0, 4)
    # error: tl.multiple_of: 'values' has 2 entries, but int32[4] needs 1 (one per dimension)
    a = tl.multiple_of(i, [4, 4])
    # error: tl.max_contiguous: 'values' has 2 entries, but int32[4] needs 1 (one per dimension)
    b = tl.max_contiguous(i, (4, 4))


#: n=5 N=3
@triton.jit
def prints(n, N: tl.constexpr):
    """H2: `tl.static_print` prints when a kernel is compiled"""
    # prints: N is 3 4
    tl.static_print("N is", N, N + 1)
    # prints: int32
    tl.static_print(n.dtype)


#: N=3 refused
#: N=4
@triton.jit
def asserts(N: tl.constexpr):
    """H2: `tl.static_assert` stops the compilation with its message."""
    # error: tl.static_assert: 'cond' is false: N is 3, not 4
    tl.static_assert(N == 4, f"N is {N}, not 4")


#: n=5 Z->i32[1] debug fails
#: n=5 Z->i32[1]
#: n=3 Z->i32[1] debug
@triton.jit
def device_asserts(n, Z):
    """H3: `tl.device_assert` stops a kernel in debug mode, and does nothing otherwise."""
    # fails: assertion failed: n is too large (kernel 'device_asserts', program (0, 0, 0))
    tl.device_assert(n < 4, "n is too large")
    tl.store(Z, 1)


#: n=5 Z->i32[5] grid=2
@triton.jit
def device_prints(n, Z):
    """H3: `tl.device_print` prints the values of each program after its text and a colon"""
    tl.device_print("n is", n)
    tl.store(Z, n)


#: X=i32[1,2,3,4] Z->i32[4,3,2,1] S=i32[0*4]->[1,2,3,4]
@triton.jit
def barriers(X, S, Z):
    """H4: `tl.debug_barrier` orders the memory accesses of a program's threads."""
    i = tl.arange(0, 4)
    tl.store(S + i, tl.load(X + i))
    tl.debug_barrier()
    tl.store(Z + i, tl.load(S + 3 - i))


#: n=10 X=i32[1*10] Z->i32[60]
@triton.jit
def loop_options(n, X, Z):
    """H5: `num_stages`, `loop_unroll_factor`, `flatten`, `warp_specialize`, `disallow_acc_multi_buffer` and
    `disable_licm` of `tl.range` change no result.
    """
    x = 0
    for i in tl.range(0, n, num_stages=4):
        x += tl.load(X + i)
    for i in tl.range(0, n, loop_unroll_factor=4):
        x += tl.load(X + i)
    for i in tl.range(0, n, flatten=True):
        x += tl.load(X + i)
    for i in tl.range(0, n, warp_specialize=True):
        x += tl.load(X + i)
    for i in tl.range(0, n, disallow_acc_multi_buffer=True):
        x += tl.load(X + i)
    for i in tl.range(0, n, disable_licm=True):
        x += tl.load(X + i)
    tl.store(Z, x)


#: n=5 Z->i32[5] beyond
@triton.jit
def breakpoints(n, Z):
    """H6: Beyond Triton: `breakpoint()` stops a kernel under `tilerun debug`, and does nothing elsewhere."""
    breakpoint()
    tl.store(Z, n)

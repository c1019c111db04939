"""Arithmetic of floats, and NaN."""

import triton
import triton.language as tl


#: X=fp32[7.5,-7.5,7.5,-7.5,5.5,-4] Y=fp32[2,2,-2,-2,inf,2] Z->fp32[1.5,-1.5,1.5,-1.5,5.5,-0.0]
@triton.jit
def remainder(X, Y, Z):
    """F1: Float `%` has the sign of its left side, as C's `fmod`."""
    i = tl.arange(0, 8)
    m = i < 6
    tl.store(Z + i, tl.load(X + i, mask=m) % tl.load(Y + i, mask=m, other=1), mask=m)


#: X=fp32[0.0,-0.0,1.5,-inf] Z->fp32[-0.0,0.0,-1.5,inf]
@triton.jit
def negation(X, Z):
    """F2: `-x` of a float flips the sign, also of zero."""
    i = tl.arange(0, 4)
    tl.store(Z + i, -tl.load(X + i))


#: X=fp32[nan,1,nan,0.0] Y=fp32[1,nan,nan,-0.0] Z->i32[2,2,2,25]
@triton.jit
def comparisons(X, Y, Z):
    """F3: Comparisons with NaN are false, but `!=` is true."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    bits = (x == y).to(tl.int32) + (x != y) * 2 + (x < y) * 4 + (x <= y) * 8 + (x >= y) * 16 + (x > y) * 32
    tl.store(Z + i, bits)


#: X=fp32[nan,1,nan,2] Y=fp32[1,nan,nan,3] Z->fp32[1,1,nan,3] Y2->fp32[1,1,nan,2] C->fp32[0,1,0,2]
@triton.jit
def nan_loses(X, Y, Z, Y2, C):
    """F4: `tl.maximum`, `tl.minimum`, `tl.clamp` and the reductions `max` and `min` ignore a NaN beside a number."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(Z + i, tl.maximum(x, y))
    tl.store(Y2 + i, tl.minimum(x, y))
    tl.store(C + i, tl.clamp(x, 0.0, 2.5))


#: X=fp32[nan,1,nan,-2] Z->fp32[1,-2]
#: X=fp32[nan,nan,nan,nan] Z->fp32[nan,nan]
@triton.jit
def nan_loses_in_reductions(X, Z):
    """F4: the reductions `max` and `min` ignore a NaN beside a number."""
    x = tl.load(X + tl.arange(0, 4))
    tl.store(Z, tl.max(x))
    tl.store(Z + 1, tl.min(x))


#: X=fp32[nan,1,3,2] Y=fp32[1,nan,2,3] A->fp32[nan,nan,3,3] B->fp32[nan,nan,2,2] C->fp32[nan,1,2.5,2]
@triton.jit
def nan_wins(X, Y, A, B, C):
    """F5: `propagate_nan=tl.PropagateNan.ALL` makes `tl.maximum`, `tl.minimum` and `tl.clamp` give NaN wherever an
    operand (of `tl.clamp`, the first) is NaN.
    """
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(A + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(B + i, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(C + i, tl.clamp(x, 0.0, 2.5, propagate_nan=tl.PropagateNan.ALL))


#: X=i32[1] refused
@triton.jit
def clamp_of_integers(X):
    """F6: `tl.clamp` is for floats."""
    # error: tl.clamp: needs floats, but got int32; use tl.minimum(tl.maximum(x, min), max) for integers
    a = tl.clamp(tl.load(X), 0, 2)


#: X=fp32[1,2,3,10] Y=fp32[3,3,7,3] Q->~3e-7:fp32[0.3333333333333333,0.6666666666666666,0.42857142857142855,3.3333333333333335] F->~3e-7:fp32[0.3333333333333333,0.6666666666666666,0.42857142857142855,3.3333333333333335]
@triton.jit
def fast_quotients(X, Y, Q, F):
    """F7: On `float32`, `/`, `tl.fdiv`, `tl.exp`, `tl.exp2`, `tl.sqrt` and `tl.rsqrt` are the fast forms of a GPU: a few
    units in the last place from the exact result.
    """
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(Q + i, x / y)
    tl.store(F + i, tl.fdiv(x, y))


#: X=fp32[1.5,2.5] E->~5e-7:fp32[4.4816890703380645,12.182493960703473] E2->~5e-7:fp32[2.8284271247461903,5.656854249492381] Q->~3e-7:fp32[1.224744871391589,1.5811388300841898] R->~3e-7:fp32[0.8164965809277261,0.6324555320336759]
@triton.jit
def fast_functions(X, E, E2, Q, R):
    """F7: `tl.exp`, `tl.exp2`, `tl.sqrt` and `tl.rsqrt` are the fast forms of a GPU: a few units in the last place from
    the exact result.
    """
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    tl.store(E + i, tl.exp(x))
    tl.store(E2 + i, tl.exp2(x))
    tl.store(Q + i, tl.sqrt(x))
    tl.store(R + i, tl.rsqrt(x))


#: X=fp32[131071.703125,7571.23779296875,1.0000000150474662e+30,-2.5] Y=fp32[1.0002000331878662,0.9995999932289124,0.699999988079071,1.5] S->~1.5e-7:fp32[-0.9677208463632228,-0.0005021826305973377,-0.7911634385219837,-0.5984721441039565] C->~1.5e-7:fp32[-0.2520245295879905,0.9999998739062949,-0.6116047854178966,-0.8011436155469337] L->~1.5e-7:fp32[0.00020001318389568118,-0.00040008679513692366,-0.35667496096863105,0.4054651081081644] L2->~1.5e-7:fp32[0.0002885580285187115,-0.0005772032352691984,-0.5145731973987085,0.5849625007211562]
@triton.jit
def accurate_functions(X, Y, S, C, L, L2):
    """F7: `tl.sin`, `tl.cos`, `tl.log` and `tl.log2` are accurate for every argument."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(S + i, tl.sin(x))
    tl.store(C + i, tl.cos(x))
    tl.store(L + i, tl.log(y))
    tl.store(L2 + i, tl.log2(y))


#: X=fp32[1,2,3,10] Y=fp32[3,3,7,3] Q->fp32[0x3eaaaaab,0x3f2aaaab,0x3edb6db7,0x40555555] F->fp32[0x3eaaaaab,0x3f2aaaab,0x3edb6db7,0x40555555] S->fp32[1,0x3fb504f3,0x3fddb3d7,0x404a62c2]
@triton.jit
def correctly_rounded(X, Y, Q, F, S):
    """F8: `tl.div_rn`, `tl.sqrt_rn` and `tl.fdiv` with `ieee_rounding=True` are correctly rounded."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i), tl.load(Y + i)
    tl.store(Q + i, tl.div_rn(x, y))
    tl.store(F + i, tl.fdiv(x, y, ieee_rounding=True))
    tl.store(S + i, tl.sqrt_rn(x))


#: H=fp16[1] B=bf16[1] I=i32[1] refused
@triton.jit
def functions_of_float32(H, B, I):
    """F9: `tl.exp`, `tl.exp2`, `tl.log`, `tl.log2`, `tl.sin`, `tl.cos`, `tl.sqrt` and `tl.rsqrt` do not take `float16`,
    `bfloat16` or integers: cast first.
    """
    h, b, i = tl.load(H), tl.load(B), tl.load(I)
    # error: tl.exp: 'x' must be float32 or float64, but it is float16; cast with .to(tl.float32)
    a = tl.exp(h)
    # error: tl.exp2: 'x' must be float32 or float64, but it is bfloat16; cast with .to(tl.float32)
    a = tl.exp2(b)
    # error: tl.log: 'x' must be float32 or float64, but it is int32; cast with .to(tl.float32)
    a = tl.log(i)
    # error: tl.log2: 'x' must be float32 or float64, but it is float16; cast with .to(tl.float32)
    a = tl.log2(h)
    # error: tl.sin: 'x' must be float32 or float64, but it is bfloat16; cast with .to(tl.float32)
    a = tl.sin(b)
    # error: tl.cos: 'x' must be float32 or float64, but it is int32; cast with .to(tl.float32)
    a = tl.cos(i)
    # error: tl.sqrt: 'x' must be float32 or float64, but it is float16; cast with .to(tl.float32)
    a = tl.sqrt(h)
    # error: tl.rsqrt: 'x' must be float32 or float64, but it is bfloat16; cast with .to(tl.float32)
    a = tl.rsqrt(b)

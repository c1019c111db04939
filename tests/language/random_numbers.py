"""Random numbers. The first kernel has the known answers of the paper on Philox (Random123, kat_vectors)."""

import triton
import triton.language as tl


#: S=u64[0,18446744073709551615,2999170649027065890] C=u32[0*4,4294967295*4,0x243f6a88,0x85a308d3,0x13198a2e,0x03707344] Z->u32[0x6627e8d5,0xe169c58d,0xbc57ac4c,0x9b00dbd8,0x408f276d,0x41c83b0e,0xa20bc7c6,0x6d5451fd,0xd16cfe09,0x94fdcceb,0x5001e420,0x24126ea1]
@triton.jit
def known_answers(S, C, Z):
    """P1: `tl.rand` and its relatives are Philox-4x32 with 10 rounds.

    P5: Integer and uniform results are bit-exact on every backend.
    """
    i = tl.arange(0, 4)
    m = i < 3
    seed = tl.load(S + i, mask=m)
    at = C + i * 4
    a, b, c, d = tl.philox(seed, tl.load(at, mask=m), tl.load(at + 1, mask=m), tl.load(at + 2, mask=m),
                           tl.load(at + 3, mask=m))
    tl.store(Z + i * 4, a, mask=m)
    tl.store(Z + i * 4 + 1, b, mask=m)
    tl.store(Z + i * 4 + 2, c, mask=m)
    tl.store(Z + i * 4 + 3, d, mask=m)


#: seed=42 Z->u32[2632642643,4242219303,3547071013,3133604981] W->u32[0x77f5493b,0x53ba6cfd,0xa8875dcb,0xabaf0dab]
@triton.jit
def integers(seed, Z, W):
    """P1: `tl.rand` and its relatives are Philox-4x32 with 10 rounds.

    P2: the counter is (offset low, offset high, 0, 0).
    """
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.randint(seed, i))
    r0, r1, r2, r3 = tl.randint4x(seed, i)
    tl.store(W + i, r1)


#: seed=30064771077 O=i64[12884901889,0,1,2] Z->u32[1571568815,3973061290,2678933479,1871415911]
@triton.jit
def long_seeds_and_offsets(seed, O, Z):
    """P2: The key is the low and the high 32 bits of the seed, the counter is (offset low, offset high, 0, 0)."""
    # The seed is 7 * 2^32 + 5, the first offset 3 * 2^32 + 1.
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.randint(seed, tl.load(O + i)))


#: seed=42 Z->fp32[0x3f462a1e,0x3cc937b5,0x3eb24ff6,0x3f0a71f6]
@triton.jit
def uniform(seed, Z):
    """P3: A uniform number is `(x if x >= 0 else ~x) * 4.6566127342e-10` of the first word x as `int32`.

    P5: Integer and uniform results are bit-exact on every backend.
    """
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.rand(seed, i))


#: X=u32[0,2147483647,4294967295,2147483648] Z->fp32[0,0x3f7fffff,0,0x3f7fffff]
@triton.jit
def uniform_formula(X, Z):
    """P3: A uniform number is `(x if x >= 0 else ~x) * 4.6566127342e-10`"""
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.uint_to_uniform_float(tl.load(X + i)))


#: seed=42 Z->~1e-5:fp32[0.6606132953196475,-1.542713211420674,-0.5904634817589294,-0.6016256392087698] W->~1e-5:fp32[-0.8153169296299005,0.1994377096577033,-0.6487015149366356,0.03192336775611141]
@triton.jit
def normal(seed, Z, W):
    """P4: Normal numbers are computed by Box–Muller from two uniform ones"""
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.randn(seed, i))
    n0, n1, n2, n3 = tl.randn4x(seed, i)
    tl.store(W + i, n2)


#: U=fp32[0.0,0.0] Z->~1e-5:fp32[5.677692425496862,0.0]
@triton.jit
def normal_of_zero(U, Z):
    """P4: the first of which is at least 1e-7."""
    # The root of -2 log(1e-7) is 5.6777.
    a, b = tl.pair_uniform_to_normal(tl.load(U), tl.load(U + 1))
    tl.store(Z, a)
    tl.store(Z + 1, b)

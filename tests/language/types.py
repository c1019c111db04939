"""Dtypes of values: literals beside tensors, and promotion."""

import triton
import triton.language as tl


#: X=i8[1,2,127,-128] Z->i8[4,5,-126,-125]
@triton.jit
def literals_of_equal_kind(X, Z):
    """T2: a literal of equal or lower kind"""
    i = tl.arange(0, 4)
    z = tl.load(X + i) + 3
    tl.static_assert(z.dtype == tl.int8)
    tl.store(Z + i, z)

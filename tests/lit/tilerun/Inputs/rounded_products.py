# Products that are rounded by themselves, with a negation at one place or another before a sum takes them.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, y, o, CASE: tl.constexpr):
    i = tl.arange(0, 32)
    a, b, c = tl.load(x + i), tl.load(y + i), tl.load(o + i)
    if CASE == "plain":
        r = libdevice.mul_rn(a, b) + c
    elif CASE == "negated":
        r = c + (-libdevice.mul_rn(a, b))
    elif CASE == "negated, less":
        r = -libdevice.mul_rn(a, b) - c
    elif CASE == "factor":
        r = libdevice.mul_rn(-a, b) + c
    elif CASE == "factor, less":
        r = c - libdevice.mul_rn(a, -b)
    else:
        r = c - (-a) * b
    tl.store(o + i, r)

# Tuples of tensors, numbers and constants as one argument.
import triton
import triton.language as tl


@triton.jit
def weighted(out, terms, n, N: tl.constexpr):
    o = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for i in tl.static_range(len(terms)):
        pointer, weight = terms[i]
        total += tl.load(pointer + o, mask=o < n, other=0.0) * weight
    tl.store(out + o, total, mask=o < n)


@triton.jit
def nested(t, N: tl.constexpr):
    (out, (scale, mode)), size = t
    tl.static_assert(mode == "twice")
    o = tl.arange(0, N)
    tl.store(out + o, o * scale * 2, mask=o < size)

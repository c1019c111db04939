@triton.jit
def k(a, b):
    x = a + b * -a ** b // ~b % (a @ b) << 1 >> 2 & a | b ^ a
    y = a[:, None] + a[None, ..., 1:2:3, ::-1][0].b.c(1, *a, k=2, **b)
    z = {1: 2, **a}, {1, 2}, [*a, 1], (), (1,), (yield), await a
    w = lambda p, /, q=1, *r, s, **t: (u := p)

@a.b[0](x)
@(lambda f: f)
@triton.jit
@c
async def k(x: "int" = 1, /, y: tl.constexpr = 2, *, z, **w) -> (int, str):
    """doc"""
@triton.jit
x = 3

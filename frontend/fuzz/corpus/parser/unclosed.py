x = f(1, [2
@triton.jit
def k(x):
    y = (x,
    z = 3
    return

@triton.jit
def k(x):
    y = (x]; z = [x}); w = {x
    return )

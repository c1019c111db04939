@triton.jit
def k(

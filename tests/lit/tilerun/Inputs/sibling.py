import triton
import triton.language as tl


@triton.jit
def double(x):
    return x * 2

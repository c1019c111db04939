import triton
import triton.language as tl


@triton.jit
def nothing():
    tl.debug_barrier()

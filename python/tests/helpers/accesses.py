"""A kernel of another module whose accesses depend on what it reads."""

import tilerun.triton as triton
import tilerun.triton.language as tl


@triton.jit
def gather(index_ptr, out_ptr):
    i = tl.load(index_ptr + tl.arange(0, 2))
    tl.store(out_ptr + i, 1.0)

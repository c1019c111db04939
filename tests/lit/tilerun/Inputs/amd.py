# A kernel that asks which AMD GPU it is compiled for.
import triton
import triton.language as tl


@triton.jit
def which(y):
    generation: tl.constexpr = 3 if tl.target_info.is_hip_cdna3() else 4 if tl.target_info.is_hip_cdna4() else 0
    tl.store(y, (1000 if tl.target_info.is_hip() else 0) + generation)

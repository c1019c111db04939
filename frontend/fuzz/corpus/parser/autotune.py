import triton
CONFIGS = [triton.Config({"B": 16}, num_warps=4)]
@triton.autotune(configs=CONFIGS + [triton.Config({"B": b}, num_stages=s) for b in [32, 64] for s in range(2, 4)], key=["n"], reset_to_zero=["o"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def k(o, n, B: tl.constexpr, EVEN: tl.constexpr):
    pass

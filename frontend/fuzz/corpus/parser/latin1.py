# éÿ
x = "é"
@triton.jit
def k(x):
    return "é", ÿþ

@triton.jit
def k(a, b):
    if a: return
    elif b < 1 <= 2 != 3: x = 1
    elif not a and b or a is not None and b not in a: pass
    else:
        y = 1 if a else 2

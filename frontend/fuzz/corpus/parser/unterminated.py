@triton.jit
def k(x):
    a = "abc
    b = f"{x
    c = f"{x"
    d = f'{x:>'
    e = f"}"
    f = """

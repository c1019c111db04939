def f(x):
    match x:
        case [1, *_] | {"a": b} if b: pass
        case A(x=1): return
        case _: pass
match = 3
match[0], match (1)
@triton.jit
def k(match, type, case): match = type + case

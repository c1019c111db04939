@triton.jit
def k(x):
    global a, b; nonlocal c
    assert x, "m"; del a[0], b.c; raise E from e
    try: pass
    except (A, B) as e: pass
    except* C: pass
    else: pass
    finally: pass
    with a as b, c(): pass
    with (a as b, c as d,): pass
    with (a, b) as c: pass
    return *x, 1

@triton.jit
def k(x, x):
    if x = 3: pass
    else if x: pass
    f() = 1
    1 = x
    f(a=1, b)
    f(a b)
    a && b || !c
    print "x"
    for i range(3):
        pass
    class = 3
    x <> y
    x++
  return

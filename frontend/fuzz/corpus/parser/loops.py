@triton.jit
def k(n):
    for i in tl.static_range(4):
        for j, (q, *r) in tl.range(0, n, num_stages=2):
            if j: break
            else: continue
    else:
        pass
    while n > 0:
        n -= 1

import triton.language as tl
A = 3
B: tl.constexpr = tl.constexpr(4)
C, (D, *E) = 1, (2, 3, 4)
A += 1
F = G = [1, 2]
if A: H = 1
else: H = 2
for I in range(3): J = I
with open("x") as K: pass
del F

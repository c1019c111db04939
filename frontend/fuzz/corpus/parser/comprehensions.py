x = [a for a in b if a if b for c in d]
y = {a: b for a, b in c}
z = {a async for a in b}
w = f(a for a in b)

# Records and named tuples with their values: made, changed in loops and branches, passed and returned.
# RUN: tilerun run %s::stats n=1000 x=f32[n]:randn(1) total=f32[1]:empty squares=f32[1]:empty BLOCK=128 --grid 1 --expect 'total=sum(x)' --expect 'squares=sum(x * x)'
# RUN: tilerun run %s::points a=f32[1]:empty b=f32[1]:empty c=f32[1]:empty d=f32[1]:empty n=5 --grid 1 --expect a=3 --expect b=10 --expect c=8 --expect d=5
# RUN: tilerun run %s::make.closure out=f32[8]:empty x=3.0 --grid 1 --expect out=10
# RUN: tilerun list %s | FileCheck %s --check-prefix=LIST
# RUN: not tilerun compile %s::broken --signature 'p=*fp32, x=fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=BROKEN
from collections import namedtuple

import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate

# LIST-DAG: kernel stats(
# LIST-DAG: helper Sums.add(
# LIST-DAG: helper make.Box.grown(


@aggregate
class Sums:
    total: tl.tensor
    squares: tl.tensor
    BLOCK: tl.constexpr

    @triton.constexpr_function
    def __init__(self, total, squares, BLOCK):
        self.total = total
        self.squares = squares
        self.BLOCK = tl.constexpr(BLOCK)

    @triton.jit
    def add(self, v):
        return Sums(self.total + v, self.squares + v * v, self.BLOCK)

    @triton.jit
    def store(self, total, squares):
        tl.store(total, tl.sum(self.total))
        tl.store(squares, tl.sum(self.squares))


@triton.jit
def stats(x, total, squares, n, BLOCK: tl.constexpr):
    zero = tl.zeros((BLOCK, ), tl.float32)
    sums = Sums(zero, zero, BLOCK)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, sums.BLOCK)
        if start + BLOCK <= n:
            sums = sums.add(tl.load(x + i))
        else:
            sums = sums.add(tl.load(x + i, mask=i < n, other=0.0))
    sums.store(total, squares)


Point = namedtuple("Point", ["x", "y"], defaults=[0.0])


@triton.jit
def larger(a, b):
    if a.x + a.y > b.x + b.y:
        return a
    return b


@triton.jit
def points(a, b, c, d, n):
    p = Point(3.0)
    for i in range(n):
        p = p._replace(y=p.y + i)
    q = larger(p, Point(8.0, y=5.0)) if n > 100 else larger(Point(1.0, 2.0), Point(y=5.0, x=8.0))
    x, y = p
    tl.store(a, x)
    tl.store(b, y)
    tl.store(c, q.x)
    tl.store(d, q.y)


def make():
    SIZE = 8

    @aggregate
    class Box:
        x: tl.tensor

        @triton.jit
        def grown(self):
            return Box(self.x + SIZE)

    @triton.jit
    def closure(out, x):
        tl.store(out + tl.arange(0, SIZE), Box(x - 1).grown().x)

    return closure


# BROKEN: records.py:[[#@LINE+11]]:{{[0-9]+}}: error: 's' changes its type in this loop: field 'total' of 'Sums' is float32 before and float64 after an iteration
# BROKEN: note: the loop starts here
# BROKEN: records.py:[[#@LINE+10]]:{{[0-9]+}}: error: a record 'Sums' has no field 'totl'; did you mean 'total'?
# BROKEN: note: 'Sums' is defined here
# BROKEN-NOT: error


@triton.jit
def broken(p, x):
    s = Sums(x, x, 4)
    for i in range(3):
        s = Sums(s.total.to(tl.float64), s.squares, 4)
    tl.store(p, Sums(x, x, 4).totl)

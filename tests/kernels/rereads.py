# Loops that read again what a loop before them has read.
import triton
import triton.language as tl


# The sum of exponentials grows by the row's maximum so far; what the last loop stores goes elsewhere, or where it has read.
#: X=f16[3,2000]:randn(1) Z=f16[3,2000]:zeros C=2000 B=256 --grid 3
#: X=bf16[3,2000]:randn(1) Z=f32[3,2000]:zeros C=2000 B=512 --grid 3 --num-warps 1
#: X=f32[2,3000]:randn(1) Z=f32[2,3000]:zeros C=3000 B=1024 --grid 2
#: X=f32[2,100]:randn(1) Z=f32[2,100]:zeros C=0 B=64 --grid 2
@triton.jit
def softmax_rows(X, Z, C, B: tl.constexpr):
    row = tl.program_id(0) * C
    most = float("-inf")
    total = 0.0
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        x = tl.load(X + row + c, mask=c < C, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(most, tl.max(x, 0))
        total = total * tl.exp(most - larger) + tl.sum(tl.exp(x - larger), 0)
        most = larger
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        x = tl.load(X + row + c, mask=c < C, other=float("-inf")).to(tl.float32)
        tl.store(Z + row + c, (tl.exp(x - most) / total).to(Z.dtype.element_ty), mask=c < C)


# Three loops over two tensors, and weights that are read once.
#: X=f16[2,1500]:randn(1) Y=f32[2,1500]:randn(2) W=f16[1500]:randn(3) Z=f32[2,1500]:zeros C=1500 B=128 --grid 2
#: X=f16[2,1500]:randn(1) Y=f32[2,1500]:randn(2) W=f16[1500]:randn(3) Z=f32[2,1500]:zeros C=1500 B=256 --grid 2 --num-warps 8
@triton.jit
def three_loops(X, Y, W, Z, C, B: tl.constexpr):
    X += tl.program_id(0) * C
    Y += tl.program_id(0) * C
    Z += tl.program_id(0) * C
    sums = tl.zeros((B, ), tl.float32)
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        sums += tl.load(X + c, mask=c < C, other=0.0).to(tl.float32)
    mean = tl.sum(sums, 0) / C
    products = tl.zeros((B, ), tl.float32)
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        x = tl.load(X + c, mask=c < C, other=0.0).to(tl.float32)
        y = tl.load(Y + c, mask=c < C, other=0.0)
        products += tl.where(c < C, x - mean, 0.0) * y
    scale = tl.sum(products, 0) / C
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        x = tl.load(X + c, mask=c < C, other=0.0).to(tl.float32)
        y = tl.load(Y + c, mask=c < C, other=0.0)
        tl.store(Z + c, (x - mean) * scale + y * tl.load(W + c, mask=c < C, other=0.0).to(tl.float32), mask=c < C)


# In place; integers of 8 bits, of which a thread has fewer than one access brings, and numbers of 64.
#: X=i8[2,700]:randint(-20,20,1) S=i32[2]:zeros C=700 B=64 --grid 2
#: X=i64[2,700]:randint(-20,20,1) S=i32[2]:zeros C=700 B=256 --grid 2 --num-warps 1
#: X=f64[2,512]:randint(-20,20,1) S=i32[2]:zeros C=512 B=128 --grid 2
@triton.jit
def in_place(X, S, C, B: tl.constexpr):
    X += tl.program_id(0) * C
    total = tl.zeros((B, ), tl.int32)
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        total += tl.load(X + c, mask=c < C, other=0).to(tl.int32)
    least = tl.sum(total, 0) % 7
    for start in range(0, C, B):
        c = start + tl.arange(0, B)
        x = tl.load(X + c, mask=c < C, other=0)
        tl.store(X + c, tl.where(x < least, -x, x), mask=c < C)
    tl.store(S + tl.program_id(0), least)


# Blocks of rows, pointers that are carried, steps other than sizes, and a start that is not 0.
#: X=f32[64,96]:randn(1) Z=f32[96]:zeros N=64 L=3
#: X=f32[64,96]:randn(1) Z=f32[96]:zeros N=41 L=10 --num-warps 2
@triton.jit
def blocks(X, Z, N, L):
    r = tl.arange(0, 8)[:, None]
    c = tl.arange(0, 32)[None, :]
    for part in range(3):
        p = X + (L + r) * 96 + part * 32 + c
        most = tl.full((32, ), float("-inf"), tl.float32)
        for start in range(L, N, 8):
            x = tl.load(p, mask=start + r < N, other=float("-inf"))
            most = tl.maximum(most, tl.max(x, 0))
            p += 8 * 96
        q = X + (L + r) * 96 + part * 32 + c
        total = tl.zeros((32, ), tl.float32)
        for start in range(L, N, 8):
            x = tl.load(q, mask=start + r < N, other=float("-inf"))
            total += tl.sum(tl.exp(x - most[None, :]), 0)
            q += 8 * 96
        tl.store(Z + part * 32 + tl.arange(0, 32), most + tl.log(total))

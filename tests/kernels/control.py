# Control flow with tensors, printing and assertions.
import triton
import triton.language as tl


#: X=f32[1024]:randn(1) Z=f32[128]:zeros n=1000
#: X=f32[1024]:randn(1) Z=f32[128]:zeros n=1000 --num-warps 1
#: X=f16[1024]:randn(1) Z=f32[128]:zeros n=77 --num-warps 8
@triton.jit
def accumulate(X, Z, n):
    i = tl.arange(0, 128)
    total = tl.zeros([128], tl.float32)
    for start in range(0, n, 128):
        total += tl.load(X + start + i, mask=start + i < n, other=0.0).to(tl.float32)
    tl.store(Z + i, total)


#: X=f32[16,64]:randn(1) Y=f32[64]:randn(2) Z=f32[16]:zeros n=5
#: X=f32[16,64]:randn(1) Y=f32[64]:randn(2) Z=f32[16]:zeros n=5 --num-warps 1
@triton.jit
def running_max(X, Y, Z, n):
    r = tl.arange(0, 16)
    c = tl.arange(0, 64)
    x = tl.load(X + r[:, None] * 64 + c[None, :])
    best = tl.full([16], -1e9, tl.float32)
    total = tl.zeros([16], tl.float32)
    for i in range(n):
        y = tl.load(Y + (c + i) % 64)
        row = tl.max(x * y[None, :], 1)
        new = tl.maximum(best, row)
        total = total * tl.exp(best - new) + tl.exp(row - new)
        best = new
    tl.store(Z + r, best + tl.log(total))


#: X=i32[128]:randint(0,99,1) Z=i32[128]:zeros n=3
#: X=i32[128]:randint(0,99,1) Z=i32[128]:zeros n=-3 --num-warps 1
#: X=i32[128]:randint(0,99,1) Z=i32[128]:zeros n=0
@triton.jit
def branches(X, Z, n):
    i = tl.arange(0, 128)
    x = tl.load(X + i)
    if n > 0:
        if n > 2:
            x = x * 2 + tl.flip(x)
        else:
            x = x + 7
        y = tl.cumsum(x, 0)
    elif n < 0:
        y = tl.flip(x)
    else:
        y = x
    tl.store(Z + i, y)


#: Z=i32[64]:zeros n=27
#: Z=i32[64]:zeros n=27 --num-warps 1
@triton.jit
def collatz(Z, n):
    i = tl.arange(0, 64)
    value = i + n
    steps = tl.zeros([64], tl.int32)
    while tl.max(value) > 1:
        active = value > 1
        value = tl.where(active, tl.where(value % 2 == 0, value // 2, 3 * value + 1), value)
        steps += active.to(tl.int32)
    tl.store(Z + i, steps)


#: X=i32[128]:randint(0,99,1) Z=i32[128]:zeros n=3 --grid 4
@triton.jit
def early_return(X, Z, n):
    if tl.program_id(0) >= n:
        return
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    x = tl.load(X + i)
    if tl.sum(x) < 0:
        return
    tl.store(Z + i, x + 1)


#: X=i32[16]:randint(0,99,1) Z=i32[16]:zeros --num-warps 1
#: X=i32[16]:randint(0,99,1) Z=i32[16]:zeros
@triton.jit
def debugging(X, Z):
    i = tl.arange(0, 16)
    x = tl.load(X + i)
    tl.device_assert(x >= 0, "negative")
    tl.device_print("x", x, i)
    tl.device_print("here")
    tl.store(Z + i, x)


#: X=f32[64,64]:randn(1) Y=f32[64,64]:randn(2) Z=f32[64,64]:zeros
#: X=f16[64,64]:randn(1) Y=f16[64,64]:randn(2) Z=f32[64,64]:zeros
#: X=f16[64,64]:randn(1) Y=f16[64,64]:randn(2) Z=f32[64,64]:zeros --num-warps 8
@triton.jit
def product(X, Y, Z):
    r = tl.arange(0, 64)[:, None]
    c = tl.arange(0, 64)[None, :]
    x = tl.load(X + r * 64 + c)
    y = tl.load(Y + r * 64 + c)
    z = tl.dot(x, y, input_precision="ieee")
    z = z - tl.max(z, 1)[:, None]
    tl.store(Z + r * 64 + c, z)


#: Z=f32[256]:zeros N=256 seed=7
#: Z=f32[16]:zeros N=16 seed=7 --num-warps 1
@triton.jit
def random(Z, N: tl.constexpr, seed):
    i = tl.arange(0, N)
    tl.store(Z + i, tl.rand(seed, i) + tl.randn(seed, i))

# Sorting, in tensors that are smaller and larger than the threads.
import triton
import triton.language as tl


#: X=f32[256]:randn(1) Z=f32[256]:zeros N=256 D=0
#: X=i32[64]:randint(-99,99,1) Z=i32[64]:zeros N=64 D=1 --num-warps 1
#: X=i8[16]:randint(-99,99,1) Z=i8[16]:zeros N=16 D=0
#: X=f16[512]:randn(1) Z=f16[512]:zeros N=512 D=1 --num-warps 8
#: X=i64[128]:randint(-99,99,1) Z=i64[128]:zeros N=128 D=0
#: X=u16[32]:randint(0,60000,1) Z=u16[32]:zeros N=32 D=0
#: X=f64[32]:randn(1) Z=f64[32]:zeros N=32 D=0
#: X=bf16[64]:randn(1) Z=bf16[64]:zeros N=64 D=0
#: X=i16[2]:randint(-99,99,1) Z=i16[2]:zeros N=2 D=0
#: X=i32[1024]:randint(-999,999,1) Z=i32[1024]:zeros N=1024 D=0
#: X=f32[2048]:randn(1) Z=f32[2048]:zeros N=2048 D=1 --num-warps 8
@triton.jit
def sort(X, Z, N: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(Z + i, tl.sort(tl.load(X + i), descending=D))


#: X=i32[16,32]:randint(-99,99,1) Z=i32[16,32]:zeros
#: X=f32[16,32]:randn(1) Z=f32[16,32]:zeros --num-warps 1
@triton.jit
def sort_rows(X, Z):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(Z + i, tl.sort(tl.load(X + i), 1))


#: X=f32[4,64]:randn(1) Z=f32[4,8]:zeros
#: X=i32[4,64]:randint(-99,99,1) Z=i32[4,8]:zeros --num-warps 2
@triton.jit
def topk(X, Z):
    r = tl.arange(0, 4)[:, None]
    x = tl.load(X + r * 64 + tl.arange(0, 64)[None, :])
    tl.store(Z + r * 8 + tl.arange(0, 8)[None, :], tl.topk(x, 8))

import os

import triton
import triton.language as tl


def is_hip():
    return os.getpid() < 0


IS_HIP = tl.constexpr(is_hip())
SIZE = 4
COPIES = os.cpu_count()


@triton.jit
def kernel(out):
    if IS_HIP:
        tl.store(out, 1)
    else:
        tl.store(out, 2)


@triton.autotune([triton.Config({"BLOCK": 64 if IS_HIP else 32})], key=[])
@triton.jit
def tuned(out, BLOCK: tl.constexpr, VALUE: tl.constexpr = 4 if IS_HIP else 5):
    tl.store(out + tl.arange(0, BLOCK), VALUE)


class Config:
    FAST = os.cpu_count() > 1
    SIZE = 4


@triton.jit
def configured(out):
    tl.store(out, 7 if Config.FAST else Config.SIZE)


@triton.heuristics({"BLOCK": lambda args: 64 if IS_HIP else 32})
@triton.jit
def heuristic(out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), 1)

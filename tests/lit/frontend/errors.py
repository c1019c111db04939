# Diagnostics with places, notes and exit code; several in one run.
# RUN: not tilerun compile %s::several --signature 'p=*fp32, count=i32' --emit tile 2>&1 | FileCheck %s --check-prefix=SEVERAL
# RUN: not tilerun compile %s::stack --signature 'p=*fp32, n=i32' --emit tile 2>&1 | FileCheck %s --check-prefix=STACK
# RUN: not tilerun compile %s::carried --signature 'p=*fp32, n=i32' --emit tile 2>&1 | FileCheck %s --check-prefix=CARRIED
# RUN: not tilerun compile %s::host --signature 'p=*fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=HOST
# RUN: not tilerun compile %s::impure --signature 'p=*fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=IMPURE
# RUN: not tilerun compile %s::mapped --signature 'p=*fp32' --emit tile 2>&1 | FileCheck %s --check-prefix=MAPPED
# RUN: not tilerun compile %s::required --signature 'N=7' --emit tile 2>&1 | FileCheck %s --check-prefix=REQUIRED
import triton
import triton.language as tl


def on_the_host(x):
    return x


# SEVERAL: errors.py:[[#@LINE+5]]:9: error: unknown name 'cuont'; did you mean 'count'?
# SEVERAL: ^~~~~
# SEVERAL: errors.py:[[#@LINE+4]]:{{[0-9]+}}: error: {{.*}}did you mean 'mask'?
@triton.jit
def several(p, count):
    a = cuont + 1
    b = tl.load(p, msk=count > 0)
    tl.store(p, a + b)


# STACK: errors.py:[[#@LINE+6]]:16: error: unknown name 'y'
# STACK: note: in call to 'inner' here
# STACK: note: in call to 'outer' here
# STACK-NOT: error:
@triton.jit
def inner(x):
    return x + y


@triton.jit
def outer(x):
    return inner(x)


@triton.jit
def stack(p, n):
    tl.store(p, outer(n))


# CARRIED: errors.py:[[#@LINE+8]]:9: error: 'acc' changes its type in this loop: it is int32 before and float32 after an iteration
# CARRIED: errors.py:[[#@LINE+5]]:5: note: it is int32 here
# CARRIED: errors.py:[[#@LINE+5]]:5: note: the loop starts here
@triton.jit
def carried(p, n):
    # The accumulator starts as an integer.
    acc = 0
    for i in range(n):
        acc += tl.load(p + i)
    tl.store(p, acc)


# HOST: error: the host function 'on_the_host' cannot be called in a kernel; decorate it with @triton.jit
# HOST: errors.py:13:{{[0-9]+}}: note: defined here
@triton.jit
def host(p):
    tl.store(p, on_the_host(1))


# REQUIRED: error: {{.*}}N must be even, but is 7
@triton.jit
def required(N: tl.constexpr):
    tl.static_assert(N % 2 == 0, f"N must be even, but is {N}")


# IMPURE: errors.py:[[#@LINE+12]]:{{[0-9]+}}: error: {{.*}}the function may only compute with its arguments, but it loads, stores, prints, asserts or runs assembly that is not pure in line [[#@LINE+4]]; do that outside of it
@triton.jit
def telling(a, b):
    if a > b:
        tl.device_print("a", a)
    return a + b


@triton.jit
def impure(p):
    x = tl.load(p + tl.arange(0, 8))
    y = tl.map_elementwise(telling, x, x) if False else x
    tl.store(p, tl.reduce(y, 0, telling))


# MAPPED: errors.py:[[#@LINE+3]]:{{[0-9]+}}: error: {{.*}}the function may only compute with its arguments
@triton.jit
def mapped(p):
    x = tl.map_elementwise(telling, tl.load(p + tl.arange(0, 8)), 1.0)
    tl.store(p, tl.sum(x))

"""One use of each rule of docs/language.md that goes beyond Triton, in code that runs without strict mode."""

import triton
import triton.language as tl


@triton.jit
def helper(*args, **kwargs):
    return args[0] + kwargs["k"]


@triton.jit
def all_rules(x, out, half, n):
    i = tl.arange(0, 48)
    value = tl.load(x + i, mask=i < n)
    value = tl.reshape(value, (6, 8))
    tl.store(out + tl.arange(0, 4), value[0, 4:])
    total = 0
    for step in range(n):
        if step == 3:
            continue
        if step == 5:
            break
        total += step
    if 0 <= n < 100:
        total += 1
    d = {"k": total}
    tl.store(out, helper(total, **d))
    tl.atomic_max(half, 1.0)
    breakpoint()
    z = tl.zeros((32, 32), tl.int8)
    tl.store(out + 1, tl.sum(tl.sum(tl.dot(z, z, tl.zeros((32, 32), tl.int32)), axis=1), axis=0))
    tl.store(x + tl.arange(0, 32), tl.cat(tl.arange(0, 16), tl.arange(0, 16)))
    tl.store(tl.make_block_ptr(out, (4, ), (1, ), (0, ), (4, ), (0, )), tl.zeros((4, ), tl.int32))
    tl.make_tensor_descriptor(x, [8, 4], [4, 1], [1, 4]).gather(tl.arange(0, 4), 0)
    for part in (1, 2):
        tl.store(out + part, part)


@triton.constexpr_function
def in_python(n):
    table = {"a": 1, "b": 2}
    for i in range(n):
        if 0 < i < 3:
            break
    return table["b"]


@triton.jit
def triton_takes_it(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.flip(tl.cumsum(tl.sort(tl.load(x + i)), axis=0))
    tl.store(out + i, value + in_python(4) + tl.rand(1, i) + tl.softmax(value)[None, :].reshape(BLOCK))

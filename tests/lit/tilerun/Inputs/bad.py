"""Kernels that are refused, one mistake each. The comment above the line at fault is the message: the tests of the command,
of the library and of the Python package compare it whole. Helpers stand below their kernel."""

import triton
import triton.language as tl

LIMITS = {"width": 4}


def on_the_host(x):
    return x + 1


@triton.jit
def add(x, y, scale: tl.constexpr = 1):
    return x + y * scale


@triton.jit
def dtype_changes_in_loop(out, n):
    x = 0
    for i in range(n):
        # error: 'x' changes its type in this loop: it is int32 before and float32 after an iteration; start it with the type that it keeps, or convert the new value with .to(…)
        x += 0.5
    tl.store(out, x)


@triton.jit
def shape_changes_in_loop(out, n):
    x = tl.zeros((4, ), tl.float32)
    while n > 0:
        # error: 'x' changes its type in this loop: it is float32[4] before and float32[4, 1] after an iteration; start it with the type that it keeps, or convert the new value with .to(…)
        x = x[:, None]
        n -= 1


@triton.jit
def none_in_loop(out, n):
    x = None
    for i in range(n):
        # error: 'x' is None before this run-time loop and cannot be reassigned in it; use another name, or tl.static_range to unroll the loop
        x = i
    tl.store(out, x)


@triton.jit
def constant_in_loop(out, n):
    x: tl.constexpr = 1
    for i in range(n):
        # error: 'x' is the integer 1 (declared tl.constexpr) before this run-time loop and cannot be reassigned in it; use another name, or tl.static_range to unroll the loop
        x = x + 1
    tl.store(out, x)


@triton.jit
def arms_differ(out, n):
    # error: 'x' differs in type after this run-time 'if': int32 in one arm and float32 in the other; convert one of them with .to(…)
    if n > 0:
        x = 1
    else:
        x = 2.0
    tl.store(out, x)


@triton.jit
def shapes_of_arms_differ(out, n):
    # error: 'x' differs in type after this run-time 'if': int32[4] in one arm and int32[8] in the other; convert one of them with .to(…)
    if n > 0:
        x = tl.zeros((4, ), tl.int32)
    else:
        x = tl.zeros((8, ), tl.int32)
    tl.store(out + tl.arange(0, 8), x)


@triton.jit
def ternary_arms_differ(out, n):
    # error: the two arms of this conditional expression differ in type: the integer 1 in one arm and int32[4] in the other; convert one of them with .to(…)
    x = 1 if n > 0 else tl.arange(0, 4)
    tl.store(out, x)


@triton.jit
def bound_in_one_arm(out, n):
    if n > 0:
        x = 1
    # error: 'x' is not defined here: it is bound in only one arm of a run-time 'if'; bind it before the 'if' or in both arms
    tl.store(out, x)


@triton.jit
def name_after_loop(out, n):
    for i in range(n):
        last = i
    # error: 'last' is not defined here: it is first bound inside a run-time loop, which may run zero times; bind it before the loop
    tl.store(out, last)


@triton.jit
def variable_after_loop(out, n):
    for i in range(n):
        tl.store(out, i)
    # error: 'i' is not defined here: the variable of a run-time loop has no value after the loop
    tl.store(out, i)


@triton.jit
def unknown_name(out, n):
    # error: unknown name 'm'
    tl.store(out, m)


@triton.jit
def unknown_function(out, n):
    # error: 'triton.language' has no name 'sotre'; did you mean 'store'?
    tl.sotre(out, n)


@triton.jit
def unknown_keyword(out, n):
    # error: tl.store has no parameter 'msk'; did you mean 'mask'?
    tl.store(out, n, msk=n > 0)


@triton.jit
def too_few_arguments(out, n):
    # error: tl.store needs an argument for 'value'; its parameters are (pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="")
    tl.store(out)


@triton.jit
def too_many_arguments(out, n):
    # error: 'add' takes 3 positional arguments, but 4 are given
    tl.store(out, add(n, n, 2, 3))


@triton.jit
def argument_twice(out, n):
    # error: parameter 'x' of 'add' is given twice
    tl.store(out, add(n, y=n, x=n))


@triton.jit
def argument_missing(out, n):
    # error: parameter 'y' of 'add' is not given
    tl.store(out, add(n))


@triton.jit
def run_time_for_constexpr(out, n):
    # error: tl.arange: 'end' must be an integer known at compile time, but it is int32; pass a tl.constexpr
    tl.store(out + tl.arange(0, n), 1)


@triton.jit
def load_of_a_number(out, n):
    # error: tl.load: 'pointer' must be a pointer or a tensor of pointers, but it is int32; add offsets to a pointer argument of the kernel
    tl.store(out, tl.load(n))


@triton.jit
def pointer_times_number(out, n):
    # error: cannot apply '*' to pointer<int32> and int32; pointers only take + and - with an integer
    tl.store(out * n, 1)


@triton.jit
def condition_of_many(out, n):
    # error: the condition of if must be one value, but it is int1[4]; combine tensors with '&', '|', tl.where, or reduce them
    if tl.arange(0, 4) < n:
        tl.store(out, 1)


@triton.jit
def returns_a_value(out, n):
    # error: a kernel returns nothing, but this returns int32; store results through a pointer
    return n


@triton.jit
def with_statement(out, n):
    # error: 'with' cannot be used in a kernel; write its body without it
    with n:
        tl.store(out, n)


@triton.jit
def try_statement(out, n):
    # error: 'try' cannot be used in a kernel, which has no exceptions; test the condition with 'if'
    try:
        tl.store(out, n)
    except ValueError:
        pass


@triton.jit
def import_statement(out, n):
    # error: 'import' cannot be used in a kernel; import at module level
    import math
    tl.store(out, n)


@triton.jit
def global_statement(out, n):
    # error: 'global' cannot be used in a kernel; pass the value as an argument
    global LIMITS
    tl.store(out, n)


@triton.jit
def delete_statement(out, n):
    # error: 'del' cannot be used in a kernel; leave the name as it is
    del n


@triton.jit
def nested_function(out, n):
    # error: a function cannot be defined inside a kernel; define a @triton.jit function at module level and call it
    def inner(x):
        return x


@triton.jit
def nested_class(out, n):
    # error: a class cannot be defined inside a kernel; define it at module level
    class Inner:
        pass


@triton.jit
def lambda_expression(out, n):
    # error: lambda expressions cannot be used in a kernel; write a @triton.jit function
    twice = lambda x: x + x
    tl.store(out, twice(n))


@triton.jit
def yield_expression(out, n):
    # error: 'yield' cannot be used in a kernel; return a tuple
    yield n


@triton.jit
def element_assignment(out, n):
    x = tl.arange(0, 4)
    # error: elements cannot be assigned, because tensors and tuples are values; use tl.where to select, or tl.store to write memory
    x[0] = n


@triton.jit
def host_function(out, n):
    # error: the host function 'on_the_host' cannot be called in a kernel; decorate it with @triton.jit
    tl.store(out, on_the_host(n))


@triton.jit
def recursion(out, n):
    tl.store(out, itself(n))


@triton.jit
def itself(n):
    # error: calls nest deeper than 64; 'itself' calls itself, and helpers are inlined, so the recursion must end at compile time
    return itself(n - 1)


@triton.jit
def mutual_recursion(out, n):
    tl.store(out, even(n))


@triton.jit
def even(n):
    # error: calls nest deeper than 64; 'odd' calls itself, and helpers are inlined, so the recursion must end at compile time
    return odd(n - 1)


@triton.jit
def odd(n):
    return even(n - 1)


@triton.jit
def shapes_do_not_fit(out, n):
    # error: tl.store: 'value' has shape [8], which does not broadcast to the pointer's shape [4]
    tl.store(out + tl.arange(0, 4), tl.arange(0, 8))


@triton.jit
def inner_sizes_differ(out, n):
    # error: tl.dot: inner dimensions differ: [16, 16] and [32, 16] (16 and 32); transpose one with tl.trans?
    x = tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((32, 16), tl.float16))


@triton.jit
def pointer_from_two(out, n):
    # error: cannot apply '+' to two pointers (pointer<int32> and pointer<int32>); add an integer offset
    tl.store(out + out, n)


@triton.jit
def wrong_literal(out, n):
    x = tl.full((4, ), 1, tl.int8)
    # error: '+': the literal 1000 is out of range for int8 (-128 to 127); cast the other operand first
    tl.store(out + tl.arange(0, 4), x + 1000)


@triton.jit
def pointer_beside_number(out, n):
    offsets = tl.arange(0, 16)
    # error: cannot compare int32[16] with pointer<int32>: the parameter 'out' is a pointer here; pass a number for it (a tensor's only element is tensor.item()), load what it points to, or compare its address, out.to(tl.int64)
    tl.store(out + offsets, n, mask=offsets < out)


@triton.jit
def pointer_beside_zero(out, n):
    if is_positive(out + n):
        tl.store(out, n)


@triton.jit
def is_positive(x):
    # error: cannot compare pointer<int32> with the integer 0: the parameter 'out' is a pointer here; pass a number for it (a tensor's only element is tensor.item()), load what it points to, or compare its address, out.to(tl.int64)
    return x > 0

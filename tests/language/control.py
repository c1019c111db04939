"""Control flow: loops, branches and the values after them."""

import triton
import triton.language as tl


#: n=3 Z->fp32[1.5]
@triton.jit
def carried(n, Z):
    """C1: A value that a run-time loop carries keeps its dtype and shape"""
    x = 0.0
    for i in range(n):
        x += 0.5
    tl.static_assert(x.dtype == tl.float32)
    tl.store(Z, x)


#: n=3 refused
@triton.jit
def carried_dtype_changes(n):
    """C1: a change is an error."""
    x = 0
    for i in range(n):
        # error: 'x' changes its type in this loop: it is int32 before and float32 after an iteration; start it with the type that it keeps, or convert the new value with .to(…)
        x += 0.5


#: n=3 refused
@triton.jit
def carried_shape_changes(n):
    """C1: A value that a run-time loop carries keeps its dtype and shape; a change is an error."""
    x = 0
    for i in range(n):
        # error: 'x' changes its type in this loop: it is int32 before and int32[4] after an iteration; start it with the type that it keeps, or convert the new value with .to(…)
        x = x + tl.arange(0, 4)


#: X=i8[1] n=3 refused
@triton.jit
def carried_dtype_widens(X, n):
    """C1: a change is an error."""
    x = tl.load(X)
    while n > 0:
        # error: 'x' changes its type in this loop: it is int8 before and int32 after an iteration; start it with the type that it keeps, or convert the new value with .to(…)
        x = x + n
        n -= 1


#: n=3 Z=i32[0] refused
@triton.jit
def names_of_loops(n, Z):
    """C2: A name that is first bound in a run-time loop is not defined after it, nor is the loop's variable."""
    for i in range(n):
        last = i * 2
    # error: 'last' is not defined here: it is first bound inside a run-time loop, which may run zero times; bind it before the loop
    tl.store(Z, last)
    # error: 'i' is not defined here: the variable of a run-time loop has no value after the loop
    tl.store(Z, i)


#: Z->i32[6,3]
@triton.jit
def names_of_unrolled_loops(Z):
    """C2: A name that is first bound in a run-time loop"""
    for i in tl.static_range(4):
        last = i * 2
    tl.store(Z, last)
    tl.store(Z + 1, i)


#: n=3 Z=i32[0]->[30]
#: n=-3 Z=i32[0]->[-6]
@triton.jit
def arms(n, Z):
    """C3: Both arms of a run-time `if` must bind a name to the same dtype and shape"""
    if n > 0:
        x = n * 10
        only = n
    else:
        x = n * 2
    tl.store(Z, x)


#: n=3 X=fp32[1] Z=fp32[1] refused
@triton.jit
def arms_differ(n, X, Z):
    """C3: Both arms of a run-time `if` must bind a name to the same dtype and shape; one that is bound in only one arm is
    not defined after it.
    """
    # error: 'x' differs in type after this run-time 'if': int32 in one arm and float32 in the other; convert one of them with .to(…)
    # error: 'y' differs in type after this run-time 'if': int32[4] in one arm and int32[8] in the other; convert one of them with .to(…)
    if n > 0:
        x = 1
        y = tl.arange(0, 4)
        only = 1
    else:
        x = 2.0
        y = tl.arange(0, 8)
    tl.store(Z, x)
    tl.store(Z + tl.arange(0, 4), y)
    # error: 'only' is not defined here: it is bound in only one arm of a run-time 'if'; bind it before the 'if' or in both arms
    tl.store(Z, only)


#: N=3 Z->i32[1]
#: N=0 Z->i32[2]
@triton.jit
def compile_time_condition(N: tl.constexpr, Z):
    """C4: An `if` whose condition is known at compile time compiles only the arm that is taken."""
    if N > 0:
        x = 1
    else:
        x = tl.arange(0, 4) + 1.0
        x = tl.sum(x, 0).to(tl.int32) - 8
        tl.static_assert(N == 0)
    tl.store(Z, x)


#: P=None Z->i32[2]
@triton.jit
def condition_on_none(P, Z):
    """C4: compiles only the arm that is taken."""
    if P is not None:
        tl.store(Z, tl.load(P).no_such_thing)
    else:
        tl.store(Z, 2)


#: n=3 B=4 refused
@triton.jit
def constants_in_loops(n, B: tl.constexpr):
    """C5: A name that was declared `tl.constexpr` cannot be reassigned in a run-time loop."""
    for i in range(n):
        # error: 'B' is the integer 4 (declared tl.constexpr) before this run-time loop and cannot be reassigned in it; use another name, or tl.static_range to unroll the loop
        B = B * 2


#: n=3 Z=i32[0] refused
@triton.jit
def constants_in_while_loops(n, Z):
    """C5: A name that was declared `tl.constexpr` cannot be reassigned in a run-time loop."""
    C: tl.constexpr = 3
    while n > 0:
        # error: 'C' is the integer 3 (declared tl.constexpr) before this run-time loop and cannot be reassigned in it; use another name, or tl.static_range to unroll the loop
        C = C + 1
        n -= C
    tl.store(Z, C)


#: Z->i32[0,3,6,9]
@triton.jit
def unrolls(Z):
    """C6: `tl.static_range` unrolls: its variable is known at compile time."""
    for i in tl.static_range(0, 10, 3):
        tl.static_assert(i % 3 == 0)
        tl.static_assert(tl.arange(0, 2**i).shape == (2**i, ))
        tl.store(Z + i // 3, i)


#: n=3 big=4294967296 Z->i64[0]
@triton.jit
def induction_dtype(n, big, Z):
    """C7: The variable of a run-time loop has the promoted dtype of lower bound, upper bound and step."""
    for i in range(n):
        tl.static_assert(i.dtype == tl.int32)
    for i in range(0, big, 4294967296):
        tl.static_assert(i.dtype == tl.int64)
        tl.store(Z, i)
    for i in range(n, big, 4294967296):
        tl.static_assert(i.dtype == tl.int64)
    for i in range(n, n, n.to(tl.int64)):
        tl.static_assert(i.dtype == tl.int64)
    for i in range(0, n.to(tl.uint32)):
        tl.static_assert(i.dtype == tl.uint32)
    for i in range(n.to(tl.int8), n.to(tl.int8), n.to(tl.int8)):
        tl.static_assert(i.dtype == tl.int8)


#: n=7 Z=i32[0*4]->[7,4,1,0]
@triton.jit
def negative_steps(n, Z):
    """C8: A step may be negative"""
    k = 0
    for i in range(n, 0, -3):
        tl.store(Z + k, i)
        k += 1


#: n=7 refused
@triton.jit
def zero_step(n):
    """C8: a step of zero is an error."""
    # error: range: the step must not be 0
    for i in range(0, n, 0):
        pass


#: lower=2 upper=11 step=4 Z=i32[0*4]->[2,6,10,0]
#: lower=5 upper=5 step=1 Z=i32[0*4]->[0,0,0,0]
#: lower=5 upper=2 step=1 Z=i32[0*4]->[0,0,0,0]
@triton.jit
def run_time_bounds(lower, upper, step, Z):
    """C9: Bounds of `range` and `tl.range` may be known at run time only."""
    k = 0
    for i in range(lower, upper, step):
        tl.store(Z + k, i)
        k += 1
    for i in tl.range(lower, upper, step):
        tl.store(Z + k - 3, i, mask=k < 3)
        k += 0
    for i in range(lower, upper, step, num_stages=2, warp_specialize=False):
        k += 0


#: n=7 refused
@triton.jit
def conditions(n):
    """C10: The condition of a run-time `if` or `while` is one value, not a tensor."""
    # error: the condition of if must be one value, but it is int1[4]; combine tensors with '&', '|', tl.where, or reduce them
    if tl.arange(0, 4) > n:
        pass
    # error: the condition of while must be one value, but it is int1[4]; combine tensors with '&', '|', tl.where, or reduce them
    while tl.arange(0, 4) > n:
        n -= 1


#: n=7 Z=i32[0]->[4]
@triton.jit
def while_loop(n, Z):
    """C10: The condition of a run-time `if` or `while` is one value"""
    k = 0
    while n > 0:
        n -= 2
        k += 1
    tl.store(Z, k)


#: n=7 Z=i32[0,0]->[1,0]
#: n=-7 Z=i32[0,0]->[1,2]
@triton.jit
def returns(n, Z):
    """C11: A run-time `if` may contain `return`, with or without values, which ends the function."""
    tl.store(Z, 1)
    if n > 0:
        return
    tl.store(Z + 1, 2)


#: n=7 Z->i32[14]
#: n=-7 Z->i32[7]
@triton.jit
def returns_values(n, Z):
    """C11: A run-time `if` may contain `return`, with or without values, which ends the function."""
    tl.store(Z, choose(n))


@triton.jit
def choose(n):
    if n > 0:
        return n * 2
    return -n


#: n=10 Z=i32[0,0]->[4,8] beyond
@triton.jit
def leaves_loops(n, Z):
    """C12: Beyond Triton: `break` and `continue`"""
    # 1 + 3, and 4 rounds of which one is left out.
    total, rounds = 0, 0
    for i in range(n):
        if i == 2:
            continue
        if i > 3:
            break
        total += i
        rounds += i
    while n > 0:
        n -= 1
        rounds += 1
        if n < 7:
            break
    tl.store(Z, total)
    tl.store(Z + 1, rounds)


#: n=10 Z=i32[0,0]->[3,0] beyond
#: n=2 Z=i32[0,0]->[1,1] beyond
@triton.jit
def returns_from_loop(n, Z):
    """C12: and `return` in a run-time loop."""
    for i in range(n):
        tl.store(Z, i)
        if i == 3:
            return
    tl.store(Z + 1, 1)


#: n=3 Z->i32[1,1,1,0] beyond
#: n=0 Z->i32[0,0,0,0] beyond
@triton.jit
def chained(n, Z):
    """C13: Beyond Triton: `0 <= x < n` is `(0 <= x) & (x < n)`."""
    i = tl.arange(0, 4)
    tl.store(Z + i, (0 <= i < n).to(tl.int32))


#: n=0 m=5 Z->i32[0,1] P=None
@triton.jit
def logic_of_scalars(n, m, Z, P):
    """C14: `and` and `or` take the second operand only if they need it"""
    tl.store(Z, (n > 0 and m > 0).to(tl.int32))
    tl.store(Z + 1, (n > 0 or m > 0).to(tl.int32))
    tl.static_assert(not (P is not None and P.no_such_thing))
    tl.static_assert(P is None or P.no_such_thing)


#: X=i1[0,1,0,1] Y=i1[0,0,1,1] A->i32[0,0,0,1] O->i32[0,1,1,1]
@triton.jit
def logic_of_tensors(X, Y, A, O):
    """C14: of tensors they are elementwise, and take both."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i) != 0, tl.load(Y + i) != 0
    tl.store(A + i, (x and y).to(tl.int32))
    tl.store(O + i, (x or y).to(tl.int32))
    # Also of tensors with one element.
    first = tl.arange(0, 1) == 0
    tl.static_assert((first and tl.program_id(0) == 0).shape == (1, ))
    tl.static_assert((first[:, None] and x[None, :]).shape == (1, 4))


#: X=i1[0,1,1,0] Z->i32[1,0,0,1]
@triton.jit
def not_of_bools(X, Z):
    """C15: `not x` of a tensor is `x == 0`, elementwise."""
    i = tl.arange(0, 4)
    x = not (tl.load(X + i) != 0)
    tl.static_assert(x.dtype == tl.int1)
    tl.store(Z + i, x.to(tl.int32))


#: X=i32[0,5,-1,0] n=0 Z->i32[1,0,0,1,1] beyond
@triton.jit
def not_of_integers(X, n, Z):
    """C15: `not x` of a tensor is `x == 0`, elementwise."""
    i = tl.arange(0, 4)
    tl.store(Z + i, (not tl.load(X + i)).to(tl.int32))
    tl.store(Z + 4, (not n).to(tl.int32))


#: n=4 Z->i32[24,6,3]
@triton.jit
def names_used_again(n, Z):
    """C16: A name whose value is not read any more may get another dtype or shape, or be the variable of a loop."""
    i = 0
    x = 0
    for j in range(n):
        for i in range(n):
            x += i
    tl.store(Z, x)
    x = 0
    for i in range(n):
        t = 0.5
        if i > 0:
            t = tl.arange(0, 4)
        t = i
        x += t
    tl.store(Z + 1, x)
    i = tl.arange(0, 4)
    tl.store(Z + 2, tl.max(i))

"""Python inside a kernel, and around it."""

from typing import NamedTuple

import triton
import triton.language as tl

from sibling import OFFSET, SCALE, scaled

WIDTH = 4
HALF: tl.constexpr = WIDTH // 2
EIGHT = tl.constexpr(8)


def on_the_host(x):
    return x


@tl.constexpr
def width_of(dtype):
    dtype = tl.core._unwrap_if_constexpr(dtype)
    if dtype == tl.float32:
        return 4
    return dtype.primitive_bitwidth // 8


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


#: Z->i32[4,7,5,2] n=5
@triton.jit
def parameters(Z, n: "int", m=7, N: tl.constexpr = 4, T: tl.constexpr = tl.int32, flag: tl.tensor = None, w: tl.int64 = 2):
    """Y1: Parameters may have defaults, `tl.constexpr` or other annotations, which say nothing about the argument."""
    tl.static_assert(flag is None)
    tl.static_assert(T == tl.int32)
    tl.static_assert(n.dtype == tl.int32)
    tl.store(Z, N)
    tl.store(Z + 1, m)
    tl.store(Z + 2, n)
    tl.store(Z + 3, w)


#: Z->i32[1,2,3,4] beyond
@triton.jit
def unpacking(Z):
    """Y2: Assignment to tuples of names, nested and starred"""
    (a, (b, c)), d = (1, (2, 3)), 4
    first, *rest = (a, b, c)
    tl.static_assert(len(rest) == 2)
    tl.store(Z, first)
    tl.store(Z + 1, rest[0])
    tl.store(Z + 2, rest[1])
    tl.store(Z + 3, d)


#: n=5 Z->i32[1,2,3,10,16,4]
@triton.jit
def statements(n, Z):
    """Y2: Assignment to tuples of names, nested and starred, augmented assignment, and `name: tl.constexpr = value` are
    available, as are `pass`, docstrings and `assert` on compile-time values.
    """
    a, b, c = 1, 2, 3
    x = n
    x += n
    y = 1
    y <<= 4
    z = 8
    z //= 2
    N: tl.constexpr = 3 * 5
    assert N == 15, "N is what it is"
    pass
    tl.store(Z, a)
    tl.store(Z + 1, b)
    tl.store(Z + 2, c)
    tl.store(Z + 3, x)
    tl.store(Z + 4, y)
    tl.store(Z + 5, z)


#: n=5 N=3 refused
@triton.jit
def assert_fails(n, N: tl.constexpr):
    """Y2: `assert` on compile-time values."""
    # error: assertion failed: N is 3
    assert N == 4, f"N is {N}"


#: N=3 Z=i32[0] refused
#: N=4 Z->i32[1]
@triton.jit
def raises(N: tl.constexpr, Z):
    """Y3: `raise` is an error of compilation where it is reached."""
    if N != 4:
        # error: the kernel raises an error here: N is 3, not 4
        raise ValueError(f"N is {N}, not 4")
    tl.store(Z, 1)


#: n=5 S="gelu" T=tl.float16 P=None Z->i32[10,1,2,3,1,8]
@triton.jit
def expressions(n, S: tl.constexpr, T: tl.constexpr, P, Z):
    """Y4: The ternary operator, `is None`, `is not None`, comparison of dtypes and of strings, list and tuple literals,
    tuple comprehensions, `:=`, `**` of compile-time numbers and f-strings are available.
    """
    tl.store(Z, n * 2 if n > 3 else 0)
    tl.store(Z + 1, 1 if S == "gelu" else 0)
    tl.store(Z + 2, 2 if T == tl.float16 and T != tl.float32 else 0)
    tl.store(Z + 3, 3 if P is None else 0)
    tl.store(Z + 4, 0 if P is not None else 1)
    tl.store(Z + 5, 2**3)
    tl.static_assert((2, 4)[1] == 4)
    tl.static_assert(S != "relu", f"{S} of {T} is not meant")


#: Z->i32[0,2,4,7] beyond
@triton.jit
def comprehensions(Z):
    """Y4: tuple comprehensions, `:=`

    Y4: list and tuple literals

    Y9: `abs`, `len`, `float`, `int`, `bool`
    """
    tl.static_assert(tl.zeros([2, 4], tl.int32).shape == (2, 4))
    tl.static_assert(abs(-3) == 3)
    tl.static_assert(bool(3) and not bool(0))
    doubled = tuple(2 * i for i in (0, 1, 2))
    tl.store(Z, doubled[0])
    tl.store(Z + 1, doubled[1])
    tl.store(Z + 2, doubled[2])
    tl.store(Z + 3, (seven := 7))
    tl.static_assert(seven == 7)


#: Z->i32[3,20,30,2]
@triton.jit
def indices(Z):
    """Y5: Tuples take integers and slices as index, and so do shapes."""
    t = (10, 20, 30)
    x = tl.zeros((2, 4, 8), tl.int32)
    tl.static_assert(x.shape[1] == 4)
    tl.static_assert(x.shape[-1] == 8)
    tl.static_assert(len(x.shape[1:]) == 2)
    tl.store(Z, len(t[:3]))
    tl.store(Z + 1, t[1])
    tl.store(Z + 2, t[-1])
    tl.store(Z + 3, len(t[1:]))


#: X=fp32[1,2,3,4] Z->fp32[1,3,2,4] Y->fp32[10]
@triton.jit
def attributes(X, Z, Y):
    """Y6: Values have the attributes `shape`, `dtype`, `type`, `numel` and `T`, and most functions as methods."""
    i = tl.arange(0, 4)
    x = tl.load(X + i).reshape(2, 2)
    tl.static_assert(x.shape == (2, 2))
    tl.static_assert(x.dtype == tl.float32)
    tl.static_assert(x.type.element_ty == tl.float32)
    tl.static_assert(x.numel == 4)
    tl.static_assert(X.dtype.element_ty == tl.float32)
    tl.static_assert(X.dtype.is_ptr())
    tl.store(Z + i, x.T.reshape(4))
    tl.store(Y, x.sum().to(tl.float32))
    tl.static_assert(x.trans().permute(1, 0).to(tl.float16).max(0).shape == (2, ))


#: X=i32[0,5,0,7] Y=i32[0,0,3,7] Z->i32[0,0,0,1] W->i32[0,1,1,1] V->i32[1,5,1,5]
@triton.jit
def logical_methods(X, Y, Z, W, V):
    """Y6: most functions as methods."""
    i = tl.arange(0, 4)
    x, y = tl.load(X + i) != 0, tl.load(Y + i) != 0
    both = x.logical_and(y)
    tl.static_assert(both.dtype == tl.int1)
    tl.store(Z + i, both)
    tl.store(W + i, x.logical_or(y))
    z = i.__lshift__(2).__add__(1).__and__(7)
    tl.static_assert(z.__gt__(i).dtype == tl.int1)
    tl.static_assert(i.__neg__().__rsub__(3).shape == (4, ))
    tl.store(V + i, z)


#: X=bf16[1*16] Z->i32[0]
@triton.jit
def attributes_of_types(X, Z):
    """Y6: Values have the attributes `shape`, `dtype`, `type`

    Y9: `getattr` and `hasattr`
    """
    x = tl.load(X + tl.arange(0, 16))
    tl.static_assert(x.dtype.name == "bf16")
    tl.static_assert(x.dtype.exponent_bias == 127 and x.dtype.fp_mantissa_width == 7)
    tl.static_assert(x.dtype.kind() == tl.dtype.KIND.FLOATING)
    tl.static_assert(tl.int32.int_signedness == tl.dtype.SIGNEDNESS.SIGNED)
    tl.static_assert(x.type.nbytes == 32 and x.type.scalar.is_bf16())
    p = tl.make_block_ptr(X, (16, ), (1, ), (0, ), (16, ), (0, ))
    tl.static_assert(p.dtype.is_ptr() and p.type.element_ty.is_block())
    tl.static_assert(p.type.element_ty.element_ty == tl.bfloat16 and p.dtype.element_ty.shape[0] == 16)
    tl.store(p, x.to(tl.float32).to(p.dtype.element_ty))
    d = tl.make_tensor_descriptor(X, [16], [1], [16])
    tl.static_assert(d.type.block_type.element_ty == tl.bfloat16 and d.block_type.nbytes == 32)
    tl.static_assert(hasattr(d, "block_shape") and getattr(x, "dtype") == tl.bfloat16)
    tl.store(Z, 0)


#: Z->i32[4,31,-10,3]
@triton.jit
def numbers_of_texts(Z):
    """Y9: `float`, `int`"""
    tl.store(Z, int("4"))
    tl.store(Z + 1, int("1f", 16))
    tl.store(Z + 2, int(" -1_0"))
    tl.store(Z + 3, int("0b11", 0))
    tl.static_assert(float("inf") > 1e38)
    tl.static_assert(float("nan") != float("nan"))


#: Z->i32[1] refused
@triton.jit
def no_number(Z):
    """Y9: `int`"""
    tl.store(Z, int("4x"))  # error: int: 'x' is '4x', which is not an integer in base 10


@triton.jit
def sum_of_all(first, *args, scale=1, **kwargs):
    for i in tl.static_range(len(args)):
        first += args[i]
    for name, value in kwargs.items():
        first += value
    return first * scale + kwargs.get("none", 100)


@triton.jit
def passed_on(*args, **kwargs):
    return sum_of_all(*args, **kwargs)


#: n=5 Z->i32[105,118,131,8,3] beyond
@triton.jit
def any_arguments(n, Z):
    """Y15: Beyond Triton: functions that are not kernels take `*args` and `**kwargs`, and dicts whose keys are strings can be
    written, indexed, iterated over and unpacked by `**`.
    """
    tl.store(Z, sum_of_all(n))
    tl.store(Z + 1, sum_of_all(n, 2, 2, x=n, y=4))
    tl.store(Z + 2, passed_on(n, **{"x": n, "y": 5 + 1 - 0 * n}, scale=2 - 1, z=n + n + n))
    d = {"a": n, **{"b": 3}}
    tl.store(Z + 3, d["a"] + d["b"])
    for i in range(2):
        d = {"a": d["a"] + i, "b": 3}
    total = 0
    for name in d:
        total += len(name)
    tl.store(Z + 4, total + (1 if "a" in d else 0))


#: n=5 F=double_it Z->i32[10,15,7,9,10]
@triton.jit
def calls(n, F: tl.constexpr, Z):
    """Y7: Kernels call other jit functions: of the same file, of files that it imports, or passed as arguments; keyword
    and starred arguments are available, and tuples can be returned.
    """
    tl.store(Z, F(n))
    tl.store(Z + 1, scaled(n))
    tl.store(Z + 2, scaled(by=7, x=1))
    a, b = both(n)
    tl.store(Z + 3, a)
    pair = (n, 2)
    tl.store(Z + 4, scaled(*pair))


@triton.jit
def double_it(x):
    return x + x


@triton.jit
def both(x):
    return x + 4, x - 4


#: Z->i32[100,8]
@triton.jit
def globals_are_constants(Z):
    """Y8: Globals of the file are constants, declared `tl.constexpr`"""
    tl.static_assert(tl.arange(0, width_of(tl.int64)).shape == (8, ))
    tl.static_assert(width_of(tl.float32) == 4)
    tl.store(Z, OFFSET)
    tl.store(Z + 1, EIGHT)


#: Z->i32[4,2,3] beyond
@triton.jit
def plain_globals_are_constants(Z):
    """Y8: Globals of the file are constants, declared `tl.constexpr` or not."""
    tl.static_assert(HALF == 2)
    tl.store(Z, WIDTH)
    tl.store(Z + 1, HALF)
    tl.store(Z + 2, SCALE)


#: n=5 X=i32[1] Z->i32[6,1,9,7,2,1]
@triton.jit
def builtins(n, X, Z):
    """Y9: `range`, `min`, `max`, `abs`, `len`, `float`, `int`, `bool`, `isinstance`, `print`, `getattr` and `hasattr` are
    Python's own functions.
    """
    total = 0
    for i in range(4):
        total += i
    tl.store(Z, total)
    tl.store(Z + 1, min(3, 1, 2))
    tl.store(Z + 2, max(n, 9))
    tl.store(Z + 3, int(7.9))
    tl.store(Z + 4, len((1, 2)))
    tl.static_assert(float(2) / 4 == 0.5)
    tl.static_assert(isinstance(X, tl.tensor))
    tl.static_assert(hasattr(X, "dtype") and not hasattr(X, "no_such_thing"))
    tl.store(Z + 5, 1 if getattr(X, "dtype").is_ptr() else 0)


#: n=5 refused
@triton.jit
def not_in_kernels(n):
    """Y10: `with`, `try`, `import`, `global`, `del`, `yield`, `lambda`, and functions and classes inside a kernel are
    errors.
    """
    # error: 'with' cannot be used in a kernel; write its body without it
    with n:
        pass
    # error: 'try' cannot be used in a kernel, which has no exceptions; test the condition with 'if'
    try:
        pass
    finally:
        pass
    # error: 'import' cannot be used in a kernel; import at module level
    import math
    # error: 'global' cannot be used in a kernel; pass the value as an argument
    global WIDTH
    # error: 'del' cannot be used in a kernel; leave the name as it is
    del n
    # error: 'yield' cannot be used in a kernel; return a tuple
    yield n
    # error: lambda expressions cannot be used in a kernel; write a @triton.jit function
    f = lambda: 3

    # error: a function cannot be defined inside a kernel; define a @triton.jit function at module level and call it
    def inner():
        pass

    # error: a class cannot be defined inside a kernel; define it at module level
    class Inner:
        pass


#: n=5 refused
@triton.jit
def calls_the_host(n):
    """Y12: A kernel cannot call a function without `@triton.jit`"""
    # error: the host function 'on_the_host' cannot be called in a kernel; decorate it with @triton.jit
    on_the_host(n)


#: n=5 Z=i32[0] refused
@triton.jit
def calls_itself(n, Z):
    """Y12: nor can a function call itself."""
    tl.store(Z, recursive(n))


@triton.jit
def recursive(n):
    # error: calls nest deeper than 64; 'recursive' calls itself, and helpers are inlined, so the recursion must end at compile time
    return n if n < 1 else recursive(n - 1)


#: n=1 Z->i32[1]
@triton.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["Z"], repr=lambda _: "name", launch_metadata=None,
            noinline=False, debug=False, version=None)
def decorated(n, Z):
    """Y13: `@triton.jit` takes `do_not_specialize`, `do_not_specialize_on_alignment`, `repr`, `launch_metadata`,
    `noinline`, `debug` and `version`.
    """
    tl.static_assert(n.dtype == tl.int32)
    tl.store(Z, n)


#: n=5 Z->i32[6,4]
@triton.jit
def named_tuples(n, Z):
    """Y14: Named tuples can be made, passed, taken apart by name and returned."""
    swapped = swap(Pair(n - 1, second=n + 1))
    tl.store(Z, swapped.first)
    tl.store(Z + 1, swapped.second)


@triton.jit
def swap(pair):
    return Pair(pair.second, pair.first)


def plain_half(n):
    k = n // 2
    return k


@triton.constexpr_function
def quarter(n):
    return plain_half(plain_half(n))


def marked_sum(x, n):
    return x + n


marked_sum.__triton_builtin__ = True


#: n=5 N=16 Z->i32[4,7]
@triton.jit
def plain_functions(n, N: tl.constexpr, Z):
    """Y16: A function of `@triton.constexpr_function` computes with compile-time values, and may call plain Python functions; a
    kernel may call one that is marked `__triton_builtin__`.
    """
    tl.static_assert(quarter(N) == 4)
    tl.store(Z, quarter(N))
    tl.store(Z + 1, marked_sum(n, 2))


#: Z->i32[1,2,9,6] beyond
@triton.jit
def more_of_python(Z):
    """Y17: Beyond Triton: `:=`, `in`, starred names on the left of an assignment, and loops over tuples."""
    if (one := 1) in (1, 3):
        tl.store(Z, one)
    first, *rest = (7, 2, 9)
    for k in tl.static_range(2):
        tl.store(Z + 1 + k, rest[k])
    total = 0
    for part in (1, 2, 3):
        total += part
    tl.store(Z + 3, total)

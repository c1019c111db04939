"""Where a kernel's source comes from: closures, helpers of other files and packages, globals that change, text without
a file."""

import dataclasses
import gc
import linecache
import textwrap

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from helpers import constants, inner
from helpers.constants import shift as renamed
from helpers.inner.deep import scaled_shift
from tilerun.triton.language import float32 as f32
from tilerun.triton.language.extra import libdevice

SCALE = 3
SHAPE = (4, 2)
NESTED = tl.constexpr((1, (2.5, "name")))
INFINITY = float("inf")
HOST_STATE = {1, 2}


@dataclasses.dataclass(frozen=True)
class Fixed:
    factor: int = 3
    shape: tuple = (2, 2)


@dataclasses.dataclass
class Loose:
    factor: int = 3


FIXED, LOOSE = Fixed(), Loose()


class Mode:
    FIRST: tl.constexpr = 1
    SECOND: tl.constexpr = 2


def host_function(x):
    return x


def run(kernel, *args, size=4, dtype=np.float32, **named):
    out = np.zeros(size, dtype)
    kernel[(1, )](out, *args, **named)
    return out.tolist()


def make_kernel(amount, function=None):

    @triton.jit
    def kernel(out, N: tl.constexpr):
        v = tl.zeros((N, ), tl.float32) + amount
        if function is not None:
            v = function(v)
        tl.store(out + tl.arange(0, N), v)

    return kernel


def test_closures():
    first, second = make_kernel(2), make_kernel(0.5)
    assert run(first, N=4) == [2] * 4 and run(second, N=4) == [0.5] * 4 and run(first, N=4) == [2] * 4


def test_closures_over_functions():

    @triton.jit
    def twice(x):
        return x * 2

    assert run(make_kernel(5, twice), N=4) == [10] * 4
    assert run(make_kernel(5, renamed), N=4) == [12] * 4


def test_helpers_of_other_packages():

    @triton.jit
    def kernel(out, N: tl.constexpr):
        v = tl.zeros((N, ), tl.float32)
        tl.store(out + tl.arange(0, N), scaled_shift(v) + inner.reexported(v, TIMES=1) + constants.shift(v) + renamed(v))

    # (7 * 2 + 3) + (7 + 3) + 7 + 7
    assert run(kernel, N=4) == [41] * 4


def test_constants_of_modules():

    @triton.jit
    def kernel(out):
        tl.store(out, constants.OFFSET + constants.PLAIN * 10 + SCALE * 100 + SHAPE[0] * 1000)

    assert run(kernel, size=1) == [4337]


def test_classes_tuples_and_infinity():

    @triton.jit
    def kernel(out, MODE: tl.constexpr):
        if MODE == Mode.SECOND:
            tl.store(out, NESTED[1][0])
        else:
            tl.store(out, tl.minimum(INFINITY, 8.0))
        if NESTED[1][1] == "name":
            tl.store(out + 1, tl.full((), 1, f32))

    assert run(kernel, Mode.SECOND, size=2) == [2.5, 1] and run(kernel, Mode.FIRST, size=2) == [8, 1]


def test_libdevice_by_several_names():
    import tilerun.triton.language.extra.cuda.libdevice as cuda_libdevice

    @triton.jit
    def kernel(out, x):
        v = tl.load(x)
        tl.store(out, libdevice.log1p(v) + cuda_libdevice.log1p(v) + tl.extra.libdevice.log1p(v) + tl.math.log1p(v))

    np.testing.assert_allclose(run(kernel, np.ones(1, np.float32), size=1), [4 * np.log(2)], rtol=1e-6)


def test_a_changed_global_is_compiled_anew():
    global SCALE

    @triton.jit
    def kernel(out):
        tl.store(out, SCALE)

    try:
        for SCALE in (3, 4, 4, 3):
            assert run(kernel, size=1) == [SCALE]
    finally:
        SCALE = 3


SOME_DTYPE, SOME_LIST, SOME_NUMBER = tl.float32, [1, 2], np.int64(3)


def test_whatever_a_kernel_reads_is_compiled_anew():
    """Also values other than plain numbers, captured ones, ones that change in place, and ones that
    are bound later."""
    captured = 1

    def change(value):
        nonlocal captured
        captured = value

    @triton.jit
    def read(out):
        tl.store(out, tl.full([], 1.75, tl.float32).to(SOME_DTYPE).to(tl.float32))
        tl.store(out + 1, SOME_LIST[0] * 10 + SOME_LIST[1])
        tl.store(out + 2, SOME_NUMBER)
        tl.store(out + 3, captured)

    def launch():
        out = np.zeros(4, np.float32)
        read[(1, )](out)
        return out.tolist()

    names = globals()
    try:
        assert launch() == [1.75, 12, 3, 1]
        names["SOME_DTYPE"] = tl.int32
        assert launch() == [1, 12, 3, 1]
        SOME_LIST[1] = 7
        assert launch() == [1, 17, 3, 1]
        names["SOME_NUMBER"] = np.int64(5)
        assert launch() == [1, 17, 5, 1]
        change(6)
        assert launch() == launch() == [1, 17, 5, 6]
    finally:
        names["SOME_DTYPE"], names["SOME_NUMBER"] = tl.float32, np.int64(3)
        SOME_LIST[1] = 2


def test_names_that_come_later():
    names = globals()

    @triton.jit
    def later(out):
        tl.store(out, COMES_LATER)  # noqa: F821

    def outer():

        @triton.jit
        def inner(out):
            tl.store(out, bound)

        def launch():
            out = np.zeros(1, np.float32)
            inner[(1, )](out)
            return out[0]

        with pytest.raises(triton.CompilationError, match="bound"):
            launch()
        bound = 4
        return launch()

    out = np.zeros(1, np.float32)
    with pytest.raises(triton.CompilationError, match="unknown name 'COMES_LATER'"):
        later[(1, )](out)
    try:
        names["COMES_LATER"] = 8
        later[(1, )](out)
        assert out[0] == 8
        del names["COMES_LATER"]
        with pytest.raises(triton.CompilationError, match="unknown name 'COMES_LATER'"):
            later[(1, )](out)
    finally:
        names.pop("COMES_LATER", None)
    assert outer() == 4


def test_functions_as_constants_are_told_apart_when_they_die():
    """A new object may have the address of an earlier one."""

    @triton.jit
    def apply(out, function: tl.constexpr):
        tl.store(out, function(3))

    def make_adder(amount):

        @triton.jit
        def add(x):
            return x + amount

        return add

    for i in range(20):
        adder = make_adder(i)
        out = np.zeros(1, np.int32)
        apply[(1, )](out, adder)
        assert out[0] == 3 + i
        del adder
    gc.collect()
    assert not apply._variants


def test_variants_see_changed_globals():
    """A helper that is passed reads globals as well."""

    @triton.jit
    def apply(out, function: tl.constexpr):
        tl.store(out, function(3))

    @triton.jit
    def scaled(x):
        return x * SOME_LIST[0]

    out = np.zeros(1, np.int32)
    apply[(1, )](out, scaled)
    assert out[0] == 3
    try:
        SOME_LIST[0] = 9
        apply[(1, )](out, scaled)
        assert out[0] == 27
    finally:
        SOME_LIST[0] = 1


def test_recursion_is_refused():

    @triton.jit
    def again(x):
        return again(x)

    @triton.jit
    def kernel(out):
        tl.store(out, again(1))

    with pytest.raises(triton.CompilationError, match="recursi|calls itself"):
        run(kernel, size=1)


def test_helpers_that_call_each_other():

    @triton.jit
    def inner_helper(x, N: tl.constexpr):
        return x + N

    @triton.jit
    def outer_helper(x, N: tl.constexpr):
        return inner_helper(x, N) * 2

    @triton.jit
    def kernel(out):
        tl.store(out, inner_helper(outer_helper(tl.load(out), 1), 5))

    assert run(kernel, size=1) == [7]


def define(text, path):
    """Runs text as a notebook does."""
    text = textwrap.dedent(text)
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    scope = {"triton": triton, "tl": tl}
    exec(compile(text, path, "exec"), scope)
    return scope


def test_a_notebook_cell():
    scope = define("""
        @triton.jit
        def kernel(out, n):
            tl.store(out, n + 1)
        """, "<ipython-input-1>")
    assert run(scope["kernel"], 41, size=1) == [42]


def test_no_source():
    with pytest.raises(OSError, match="the source of 'kernel' cannot be read"):
        exec("@triton.jit\ndef kernel(out):\n    tl.store(out, 1)\n", {"triton": triton, "tl": tl})
    with pytest.raises(TypeError, match="takes a function"):
        triton.jit(5)
    with pytest.raises(ValueError, match="a lambda cannot be a kernel"):  # An OSError as well.
        triton.jit(lambda x: x)


def test_jit_as_a_call():

    def plain(out):
        tl.store(out, 9)

    assert run(triton.jit(plain), size=1) == [9]


def test_other_decorators():
    import functools

    fast = functools.partial(triton.jit, noinline=True)

    @fast
    def helper(x):
        return x + 1

    @functools.wraps
    @triton.jit
    def unused(out):
        pass

    @triton.jit
    def kernel(out):
        tl.store(out, helper(4))

    assert run(kernel, size=1) == [5]


def test_unknown_and_host_names_are_told_by_line():

    @triton.jit
    def undefined(out):
        tl.store(out, missing_name)  # noqa: F821

    @triton.jit
    def host(out):
        tl.store(out, host_function(1))

    @triton.jit
    def state(out):
        tl.store(out, HOST_STATE)

    with pytest.raises(triton.CompilationError, match="(?s)test_sources.py:.*unknown name 'missing_name'.*\\^~~"):
        run(undefined, size=1)
    with pytest.raises(triton.CompilationError, match="host function 'host_function' cannot be called.*@triton.jit"):
        run(host, size=1)
    with pytest.raises(triton.CompilationError, match="the value of the global 'HOST_STATE' is not known: it is of a kind that kernels cannot use"):
        run(state, size=1)

    @triton.jit
    def called(out):
        tl.store(out, HOST_STATE())

    @triton.jit
    def fields(out):
        tl.store(out, LOOSE.factr + LOOSE.factor)

    @triton.jit
    def array(out):
        tl.store(out, np.exp(1.0))

    for kernel, message in ((called, "(?s)'HOST_STATE' cannot be called in a kernel: it is of a kind.*'HOST_STATE' is a set of the host"),
                            (fields, "'<Loose of the host>' has no 'factr'; did you mean 'factor'"),
                            (array, "numpy.exp belongs to host code and cannot be used in a kernel; use tl.exp")):
        with pytest.raises(triton.CompilationError, match=message):
            run(kernel, size=1)


def test_frozen_objects_are_constants():

    @triton.jit
    def kernel(out, N: tl.constexpr):
        tl.store(out + tl.arange(0, N), tl.zeros(FIXED.shape, tl.float32).reshape(N) + FIXED.factor)

    global FIXED
    assert run(kernel, N=4) == [3] * 4
    FIXED = Fixed(7, (4, 1))
    assert run(kernel, N=4) == [7] * 4
    FIXED = Fixed()


def test_what_begins_further_left():
    """Comments and texts in an indented kernel may begin anywhere."""

    @triton.jit
    def kernel(out, N: tl.constexpr):
        """A text
that begins at the left
  """
        i = tl.arange(0, N)
# A comment at the left.
        tl.store(out + i, (i
+ 1))

    assert run(kernel, N=4) == [1, 2, 3, 4]
    with pytest.raises(triton.CompilationError, match=rf"test_sources.py:{kernel.starting_line_number + 4}:\d+: error: unknown"):
        kernel._unsafe_update_src(kernel.src.replace("i = tl.arange(0, N)", "i = tl.arange(0, M)"))
        run(kernel, N=4)


def test_lines_of_messages_are_those_of_the_file():

    @triton.jit
    def helper(x):
        return x + tl.arange(3, 3)

    @triton.jit
    def kernel(out):
        tl.store(out, helper(1))

    with pytest.raises(triton.CompilationError) as error:
        run(kernel, size=1)
    line = helper.starting_line_number + 1
    assert f"{__file__}:{line}:" in str(error.value) and "return x + tl.arange(3, 3)" in str(error.value)
    assert f"{__file__}:{kernel.starting_line_number + 1}:" in str(error.value)
    assert "must be greater than 'start'" in str(error.value)


def test_unsafe_update_src():

    @triton.jit
    def kernel(out):
        tl.store(out, 1)

    assert run(kernel, size=1) == [1]
    kernel._unsafe_update_src("def kernel(out):\n    tl.store(out, 2)\n")
    assert run(kernel, size=1) == [2]


def _make_users_of(helper):
    """Kernels that use a function in every possible way: [(kernel, its arguments after `out`)]."""

    @triton.jit
    def between(x):
        return helper(x)

    @triton.jit
    def by_name(out):
        tl.store(out, helper(5))

    @triton.jit
    def through_another(out):
        tl.store(out, between(5))

    @triton.jit
    def as_constant(out, function: tl.constexpr):
        tl.store(out, function(5))

    @triton.jit
    def as_argument(out, function):
        tl.store(out, function(5))

    @triton.jit
    def in_tuple(out, functions: tl.constexpr):
        tl.store(out, functions[1](5))

    @triton.jit
    def beside_parts(out, pair, function: tl.constexpr):
        tl.store(out, function(pair[0] + pair[1]))

    return [(by_name, ()), (through_another, ()), (as_constant, (helper, )), (as_argument, (helper, )),
            (in_tuple, ((1, helper), )), (as_constant, (between, )), (beside_parts, ((2, 3), helper))]


@pytest.mark.parametrize("decorator", [triton.jit, triton.constexpr_function])
def test_unsafe_update_src_reaches_whoever_uses_the_function(decorator):

    @decorator
    def helper(x):
        return x + 1

    users = _make_users_of(helper)
    before = [kernel.cache_key for kernel, _ in users]
    for value, text in ((6, None), (10, "def helper(x):\n    return x * 2\n"), (6, "def helper(x):\n    return x + 1\n")):
        if text is not None:
            helper._unsafe_update_src(text)
        for kernel, arguments in users:
            out = np.zeros(1, np.int32)
            for _ in range(2):
                kernel[(1, )](out, *arguments)
                assert out[0] == value, (kernel, arguments)
    assert [kernel.cache_key for kernel, _ in users] == before and helper.src == "".join(helper.raw_src) == text


def test_hash_is_reset_by_code_that_follows_tritons_rules():

    @triton.jit
    def kernel(out):
        tl.store(out, 1)

    key = kernel.hash
    kernel.hash = None
    assert kernel.hash == key and run(kernel, size=1) == [1]


def test_methods_and_string_annotations():

    @triton.jit
    def kernel(out, N: "tl.constexpr", x: "float" = 0.5):
        tl.store(out + tl.arange(0, N), (tl.arange(0, N).to(tl.float32) + x).cast(tl.float32))

    assert run(kernel, N=4) == [0.5, 1.5, 2.5, 3.5]


def test_lists_inside_of_others_may_change():
    nested, named = ([1, [2]], 3), {"a": [4]}

    @triton.jit
    def kernel(out):
        tl.store(out, nested[0][0] + nested[0][1][0] + nested[1] + named["a"][0])

    assert run(kernel)[0] == 10
    nested[0][0] = 10
    assert run(kernel)[0] == 19
    nested[0][1][0] = 20
    assert run(kernel)[0] == 37
    named["a"][0] = 40
    assert run(kernel)[0] == 73


def test_names_of_files_need_not_be_utf8(tmp_path):
    import os
    import subprocess
    import sys
    folder = os.path.join(os.fsencode(tmp_path), b"d\xff")
    os.mkdir(folder)
    with open(os.path.join(folder, b"k\xfe.py"), "w") as file:
        file.write(textwrap.dedent("""\
            import numpy as np, triton, triton.language as tl
            @triton.jit
            def good(p, n):
                tl.store(p + n, 1)
            @triton.jit
            def bad(p, n):
                tl.store(p + nn, 1)
            p = np.zeros(4, np.int32)
            good[(1, )](p, 2)
            assert p.tolist() == [0, 0, 1, 0]
            for kernel, n, text in ((bad, 2, "unknown name 'nn'"), (good, 20, "write of 4 bytes at 'p'[20]")):
                try:
                    kernel[(1, )](p, n)
                except Exception as error:
                    assert text in str(error) and "k\\\\xfe.py:" in str(error), ascii(str(error))
                else:
                    raise AssertionError("no error")
            """))
    for options in ([], ["--cpu"], ["--checks"]):
        ran = subprocess.run([os.fsencode(sys.executable), b"-m", b"tilerun", *map(str.encode, options), b"k\xfe.py"], cwd=folder,
                             capture_output=True)
        assert ran.returncode == 0, ran.stderr

"""What code that is written for Triton relies on besides results: annotations as types, marks of functions, names of kernels,
dumps, hooks of `warmup`."""

import pickle

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _assembler
from tilerun.triton import knobs

X = np.zeros(64, np.float32)


def signature(kernel, *arguments):
    return dict(kernel.warmup(*arguments, grid=(1, )).src.signature)


# -- Annotations


def annotated(*annotations):
    """A decorator that gives parameters types which are not written at them, as libraries' decorators do."""

    def decorate(fn):
        fn.__annotations__ = dict(zip(fn.__code__.co_varnames, annotations))
        return fn

    return decorate


Wide = tl.int64


@triton.jit
def written(x, a: tl.int8, b: "u16", c: tl.float64, d: "tl.bfloat16", e: Wide, f: tl.int64):
    tl.static_assert(a.dtype == tl.int8 and b.dtype == tl.uint16 and c.dtype == tl.float64)
    tl.static_assert(d.dtype == tl.bfloat16 and e.dtype == tl.int64 and f == 1)
    tl.store(x, a + b + c.to(tl.float32) + d.to(tl.float32) + e)


@triton.jit
@annotated("*fp32", tl.int8, tl.constexpr, "i64", tl.float16)
def by_a_decorator(x,  a, B, c,
                   d: tl.constexpr, e=1):  # A comment; d is not a constant.
    tl.static_assert(a.dtype == tl.int8 and c.dtype == tl.int64 and d.dtype == tl.float16)
    tl.store(x + tl.arange(0, B), a + c + d.to(tl.float32))


def test_annotations_are_types():
    found = signature(written, X, 3, 5, 0.5, 2.0, 7, 1)
    assert found == {"x": "*fp32", "a": "i8", "b": "u16", "c": "fp64", "d": "bf16", "e": "i64", "f": "constexpr"}
    assert [p.meaning for p in written.params] == ["", "i8", "u16", "fp64", "bf16", "i64", "i64"]
    with pytest.raises(ValueError, match="parameter 'a' is of type i8, which cannot hold it; the integer 300"):
        written[(1, )](X, 300, 5, 0.5, 2.0, 7, 1)
    x = X.copy()
    written[(1, )](x, -3, 5, 0.5, 2.0, 7, 1)
    assert x[0] == -3 + 5 + 0.5 + 2 + 7


def test_annotations_that_decorators_set():
    found = signature(by_a_decorator, X, 3, 16, 5, 0.5)
    assert found == {"x": "*fp32", "a": "i8", "B": "constexpr", "c": "i64", "d": "fp16", "e": "constexpr"}
    x = X.copy()
    by_a_decorator[(1, )](x, 3, 16, 5, 0.5)
    assert (x[:16] == 8.5).all() and not x[16:].any()


@triton.jit
def with_tuple(x, pair, n: tl.int64):
    tl.static_assert(n.dtype == tl.int64)
    tl.store(x, pair[0] + n)


def test_annotations_beside_arguments_that_are_taken_apart():
    x = X.copy()
    with_tuple[(1, )](x, (3, 4), 5)
    assert x[0] == 8


# -- Marks


@tl.core.builtin
def plus_one(x, _semantic=None):
    return x + 1


@tl.core.must_use_result
@triton.jit
def twice(x):
    return 2 * x


@tl.core.must_use_result("it stores nothing")
@tl.core.builtin
def halved(x, _semantic=None):
    return x / 2


@triton.jit
def uses(x):
    tl.store(x, twice(plus_one(3)) + halved(1.0))


@triton.jit
def drops_helper(x):
    if x is not None:
        twice(
            tl.load(x))


@triton.jit
def drops_builtin(x):
    halved(3.0)


@triton.jit
def drops_advance(x):
    block = tl.make_block_ptr(x, (4, ), (1, ), (0, ), (4, ), (0, ))
    tl.advance(block, (4, ))


def test_functions_whose_result_must_be_used():
    x = X.copy()
    uses[(1, )](x)
    assert x[0] == 8.5
    for kernel, said in ((drops_helper, "at 3:8: in 'drops_helper'"), (drops_builtin, "'halved' is not used: it stores nothing"),
                         (drops_advance, "the result of 'tl.advance' is not used")):
        with pytest.raises(triton.CompilationError) as caught:
            kernel.warmup(X, grid=(1, ))
        assert said in str(caught.value)


def test_builtins_belong_to_kernels():
    assert tl.core.is_builtin(plus_one) and tl.core.is_builtin(tl.arange) and not tl.core.is_builtin(annotated)
    for call in (lambda: plus_one(3), lambda: tl.arange(0, 4)):
        for kind in (ValueError, RuntimeError):
            with pytest.raises(kind, match="Did you forget to add @triton.jit"):
                call()


def test_types_of_constants():
    three = tl.constexpr(3).type
    assert three == tl.constexpr_type(3) == tl.core.constexpr_type(tl.constexpr(3)) and three != tl.constexpr_type(4)
    assert hash(three) == hash(tl.constexpr_type(3)) and three.mangle() == repr(three) == "constexpr_type[3]" and three.value == 3
    assert tl.constexpr(0).__not__().value is True


# -- Kernels


@triton.jit(repr=lambda specialization: f"sum_{specialization.constants['B']}_{specialization.signature['n']}")
def named(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), n)


def test_names_of_kernels():
    compiled = named.warmup(X, 3, 16, grid=(1, ))
    assert compiled.name == compiled.metadata.name == "sum_16_i32" and compiled.src_name == "named"
    assert named.preload(compiled.specialization_data).name == "sum_16_i32"
    launched = named[(1, )](X.copy(), 1 << 40, 8)
    assert launched.name == "sum_8_i64" and pickle.loads(pickle.dumps(launched)).name == "sum_8_i64"
    assert written.warmup(X, 3, 5, 0.5, 2.0, 7, 1, grid=(1, )).name == "written"


def test_dumps(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    launched = triton.jit(named.fn)[(1, )](X.copy(), 3, 32)
    source = triton.compiler.ASTSource(stored, {"x": "*fp32", "n": "i32"})
    ahead = triton.compile(source, target=triton.backends.compiler.GPUTarget("cuda", 90, 32))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "0")
    triton.jit(named.fn)[(1, )](X.copy(), 3, 64)
    found = {path.name: path for path in tmp_path.glob("*/*")}
    stages = ["ttir", "ttgir", "llir", "ptx"] + ["cubin"] * (_assembler.find("sm_90a") is not None)
    assert found.keys() == {"named.ttir", *(f"stored.{stage}" for stage in stages)}
    assert found["named.ttir"].read_text() == launched.asm["ttir"] and found["stored.ptx"].read_text() == ahead.asm["ptx"]
    assert len(list(tmp_path.iterdir())) == 2


@triton.jit
def stored(x, n):
    tl.store(x, n)


def test_hooks_of_warmup(monkeypatch):
    told, fresh = [], triton.jit(stored.fn)

    def before(**call):
        told.append(("before", call["is_manual_warmup"], call["compile"]["is_warmup"], call["already_compiled"]))
        return len(told) == 1

    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = before
        knobs.runtime.jit_post_compile_hook = lambda **call: told.append(("after", call["is_manual_warmup"]))
        assert fresh.warmup(X, 3, grid=(1, )) is None, "the hook has taken it over"
        assert fresh.warmup(X, 1 << 40, grid=(1, )) is not None
        fresh[(1, )](X.copy(), 0.5)
    assert told == [("before", True, True, False), ("before", True, True, False), ("after", True), ("before", False, False, False),
                    ("after", False)]


def test_tensors_of_another_type():
    torch = pytest.importorskip("torch")
    base = torch.arange(4, dtype=torch.int8)
    wrapped = triton.reinterpret(base, tl.float8e5)
    other = wrapped.clone()
    other.base.add_(1)
    assert other.dtype == wrapped.dtype == tl.float8e5 and base.tolist() == [0, 1, 2, 3]
    wrapped.copy_(other)
    assert base.tolist() == [1, 2, 3, 4]
    made = wrapped.new_empty((3, 5))
    assert (made.dtype, made.shape, made.base.dtype) == (tl.float8e5, (3, 5), torch.int8)


@triton.jit
def products(x, y, z):
    at = tl.arange(0, 2048).reshape(2, 4, 16, 16)
    product = tl.dot(tl.load(x + at), tl.load(y + at))
    tl.static_assert(product.shape == (2, 4, 16, 16))
    tl.store(z + at, product)


@triton.jit
def product_of_bytes(x, y, z):
    i, j, k = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :], tl.arange(0, 32)
    product = tl.dot(tl.load(x + i * 32 + k[None, :]), tl.load(y + k[:, None] * 16 + j), out_dtype=tl.int8)
    tl.static_assert(product.dtype == tl.int32)
    tl.store(z + i * 16 + j, product)


def test_products_of_many_dimensions_and_of_bytes():
    generator = np.random.default_rng(1)
    x, y = generator.standard_normal((2, 2, 4, 16, 16)).astype(np.float16)
    z = np.zeros((2, 4, 16, 16), np.float32)
    products[(1, )](x, y, z)
    np.testing.assert_allclose(z, x.astype(np.float64) @ y.astype(np.float64), rtol=1e-3, atol=1e-3)
    source = triton.compiler.ASTSource(products, {"x": "*fp16", "y": "*fp16", "z": "*fp32"})
    assert "mma.sync" in triton.compile(source, target=triton.backends.compiler.GPUTarget("cuda", 80, 32)).asm["ptx"]
    x, y = generator.integers(-128, 128, (16, 32), np.int8), generator.integers(-128, 128, (32, 16), np.int8)
    z = np.zeros((16, 16), np.int32)
    product_of_bytes[(1, )](x, y, z)
    np.testing.assert_array_equal(z, x.astype(np.int64) @ y.astype(np.int64))

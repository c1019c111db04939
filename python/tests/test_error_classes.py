"""Classes, causes and places of errors, as code that is written for Triton expects them."""

import copy
import pickle

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import errors

X = np.zeros(64, np.float32)


@triton.jit
def stored(x, n):
    tl.store(x, n)



@triton.jit
def helper(x):
    return tl.arange(0, x)


@triton.jit
def e_static(x):
    tl.static_assert(x is None, "my text")


@triton.jit
def e_construct(x):
    tl.store(x, (lambda: 1)())


@triton.jit
def e_raise(x):
    raise ValueError("never")


@triton.jit
def e_name(x):
    tl.store(x, undefined)  # noqa: F821


@triton.jit
def e_attribute(x):
    x.nothing()


@triton.jit
def e_operands(x):
    tl.store(x, tl.load(x) & 1.0)


@triton.jit
def e_value(x):
    tl.store(x + tl.arange(16, 0), 1)


@triton.jit
def e_inner(x):
    tl.store(x + helper(-4), 1)


@pytest.mark.parametrize("kernel, kind, cause, places", [
    (e_static, "CompileTimeAssertionFailure", None, ["at 2:4: in 'e_static'"]),
    (e_construct, "UnsupportedLanguageConstruct", None, ["at 2:17: in 'e_construct'"]),
    (e_raise, "UnsupportedLanguageConstruct", None, ["at 2:4: in 'e_raise'"]),
    (e_name, "CompilationError", NameError, ["at 2:16: in 'e_name'"]),
    (e_attribute, "CompilationError", AttributeError, ["at 2:4: in 'e_attribute'"]),
    (e_operands, "CompilationError", TypeError, ["at 2:16: in 'e_operands'"]),
    (e_value, "CompilationError", ValueError, ["at 2:17: in 'e_value'"]),
    (e_inner, "CompilationError", errors.CompilationError, ["at 2:11: in 'helper'", "at 2:17: in 'e_inner'"])],
    ids=lambda value: getattr(value, "__name__", None))
def test_errors_of_compilation(kernel, kind, cause, places):
    with pytest.raises(triton.CompilationError) as caught:
        kernel.warmup(X, grid=(1, ))
    error = caught.value
    assert type(error) is getattr(triton.compiler.errors, kind)
    assert type(error.__cause__) is (type(None) if cause is None else cause)
    if cause is errors.CompilationError:
        # That of the function that the kernel calls.
        assert str(error.__cause__).startswith(places[0] + "\n") and type(error.__cause__.__cause__) is ValueError
    elif cause:
        assert str(error.__cause__) in str(error)
    assert [line for line in str(error).splitlines() if line.startswith("at ")] == places
    assert str(pickle.loads(pickle.dumps(error))) == str(copy.copy(error)) == str(error)


# What Triton says of mistakes, which scripts match on.
@triton.jit
def different(n):
    if n == 0:
        return 1
    else:
        return 2.5


def w_name(x):
    a += 1  # noqa: F821


def w_attribute(x):
    tl.nothing(x)


def w_operands(x):
    0 + "a"


def w_none(x):
    tl.expand_dims(None, -1)


def w_dot(x):
    a = tl.full((8, 8), 0, tl.float16)
    tl.dot(a, a)


def w_imprecise(x):
    a = tl.full((64, 64), 0, tl.float8e5)
    tl.dot(a, a, max_num_imprecise_acc=128)


def w_shapes(x):
    tl.store(x, tl.arange(0, 4) + tl.arange(0, 8))


def w_loop(x):
    a = 0
    for _ in range(4):
        a = a + 1.5
    tl.store(x, a)


def w_arms(x):
    if tl.load(x) > 0:
        b = 1
    else:
        b = 2.5
    tl.store(x, b)


def w_returns(x):
    tl.store(x, different(tl.program_id(0)))


@pytest.mark.parametrize("function, kind, words", [
    (w_name, NameError, "a is not defined"),
    (w_attribute, AttributeError, "module 'triton.language' has no attribute 'nothing'"),
    (w_operands, TypeError, "unsupported operand type(s) for +: 'int' and 'str'"),
    (w_none, TypeError, "cannot convert None of type <class 'NoneType'> to tensor"),
    (w_dot, AssertionError, "Input shapes should have M >= 1, N >= 1 and K >= 16"),
    (w_imprecise, ValueError, "max_num_imprecise_acc (128) must be <= K (64)"),
    (w_shapes, ValueError, "Cannot make_shape_compatible: incompatible dimensions at index 0: 4 and 8"),
    (w_loop, AssertionError, "Loop-carried variable a has initial type int32 but is re-assigned to fp32 in loop! "
     "Please make sure that the type stays consistent."),
    (w_arms, AssertionError, "Mismatched type for b between then block (int32) and else block (fp32)"),
    (w_returns, TypeError, "Inconsistent return types: int32 and float32")], ids=lambda value: getattr(value, "__name__", None))
def test_words_of_triton(function, kind, words):
    with pytest.raises(triton.CompilationError) as caught:
        triton.jit(function).warmup(X, grid=(1, ))
    cause = caught.value.__cause__
    if function is w_returns:
        assert "at 5:8: in 'different'" in str(cause)
        cause = cause.__cause__
    assert type(cause) is kind and str(cause) == words
    assert repr(cause) in str(caught.value)


# A line of a kernel with pointers x (float32), c (constant) and b (int8), Triton's class, and its words.
LINES = [
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 2])", ValueError,
     "Descriptor block shape must have at least 16 bytes in the last dimension, but got 2 * 4 = 8 bytes"),
    ("tl.atomic_add(x, 1.5, sem='none')", ValueError, "Memory semantic none not supported"),
    ("tl.atomic_add(b, 1)", ValueError, "atomic_add does not support int8"),
    ("tl.load(x, cache_modifier='.none')", ValueError, "Cache modifier .none not supported"),
    ("tl.load(x, eviction_policy='none')", ValueError, "Eviction policy none not supported"),
    ("tl.load(x, other=1)", ValueError, "`other` cannot be provided without `mask`"),
    ("tl.load(x, mask=tl.arange(0, 4) > 1)", ValueError, "Mask argument cannot be block type if pointer argument is not a block"),
    ("tl.store(x, tl.arange(0, 4))", ValueError, "Value argument cannot be block type if pointer argument is not a block"),
    ("tl.store(c, 1)", ValueError, "Cannot store to a constant pointer"),
    ("tl.reshape(tl.arange(0, 4), 8)", ValueError, "reshape() cannot change total number of elements in tensor"),
    ("tl.trans(tl.arange(0, 4))", ValueError, "tl.trans invoked with a 0- or 1-dimensional tensor"),
    ("tl.load(x).to(tl.int64, bitcast=True)", ValueError, "Cannot bitcast data-type of size 32 to data-type of size 64"),
    ("tl.histogram(tl.arange(0, 8).to(tl.float32), 4)", AssertionError, "histogram only supports integer input"),
    ("tl.gather(tl.arange(0, 4), tl.arange(0, 4).to(tl.float32), 0)", AssertionError, "index must be an integer tensor"),
    ("tl.program_id(3)", ValueError, "program_id axis must be 0, 1, or 2 but got 3"),
    ("tl.load(x) & tl.load(x)", TypeError, "invalid operands of type fp32 and fp32"),
    ("tl.load(x) << 1", TypeError, "invalid operands of type fp32 and fp32"),
    ("tl.arange(0, 8)[10:]", ValueError, "unsupported tensor index: 10:"),
    ("tl.expand_dims(tl.arange(0, 8), -3)", ValueError, "invalid axis -3. Expected -2 <= axis < 2"),
    ("tl.expand_dims(tl.arange(0, 8), (0, -3))", ValueError, "expand_dims received duplicate axes, normalized axes = [0, 0]"),
    ("tl.sum(tl.zeros((4, 8), tl.int32), axis=2)", ValueError, "invalid axis 2. Expected -2 <= axis < 2"),
    ("tl.sum(tl.arange(0, 8), axis=3)", ValueError, "invalid axis 3. Expected -1 <= axis < 1"),
    ("tl.multiple_of(tl.zeros((4, 8), tl.int32), (16, 2.5))", TypeError, "values element 1 must have type `constexpr[int]`"),
    ("tl.permute(tl.zeros((4, 8), tl.int32), (0, 0))", ValueError, "permute dims must be a permutation of 0, 1, ..., n-1, but were [0, 0]"),
    ("tl.permute(tl.zeros((4, 8), tl.int32), (0, ))", ValueError, "permute dims must have the same length as input shape"),
    ("tl.load(tl.zeros((4, 8), tl.float32))", ValueError, "Unsupported ptr type <['4', '8'], fp32> in `tl.load`"),
    ("tl.store(5, 1)", ValueError, "Unsupported ptr type triton.language.int32 in `tl.store`"),
    ("tl.atomic_cas(b, 1, 2)", ValueError, "atomic_cas only supports elements with width {16, 32, 64}"),
    ("tl.dot(tl.zeros((16, 32), tl.float16), tl.zeros((16, 16), tl.float16))", AssertionError,
     "First input shape (['16', '32']) and second input shape ['16', '16'] are not compatible for matmul"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))", AssertionError, "Both operands must be same dtype. Got fp16 and fp32"),
    ("tl.dot(tl.arange(0, 16), tl.arange(0, 16))", AssertionError, "Both inputs must be either 2D or 3D"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16), input_precision='half')", ValueError,
     "input_precision must be one of {'tf32', 'tf32x3', 'ieee', 'bf16x3', 'bf16x6'}. Got half"),
    ("tl.histogram(tl.zeros((4, 4), tl.int32), 4)", AssertionError, "histogram only supports 1D input"),
    ("tl.gather(tl.zeros((4, 4), tl.int32), tl.arange(0, 4), 0)", AssertionError, "source and index tensors must have the same rank"),
    ("tl.full((8, ), tl.arange(0, 8), tl.int32)", AssertionError, "only accepts size-1 tensors"),
    ("tl.make_block_ptr(x, (8, ), (1, ), (0, ), (8, ), (1, ))", AssertionError, "Expected a permutation of (0, 1, ..., len(order)-1) in order"),
    ("tl.make_block_ptr(x, (8, 8), (8, 1), (0, 0), (8, 8), (0, ))", AssertionError, "Expected shape/strides/offsets/block_shape to have the same length"),
    ("tl.make_block_ptr(x, (8, ), (1, 1), (0, ), (8, ), (0, ))", AssertionError, "Expected shape/strides/offsets/block_shape to have the same length"),
    ("tl.multiple_of(tl.zeros((4, 4), tl.int32), 4)", ValueError, "Shape of input to multiple_of does not match the length of values"),
    ("tl.arange(0, 4).to(tl.float16, fp_downcast_rounding='rtz')", ValueError,
     "fp_downcast_rounding should be set only for truncating fp conversions. Source scalar type is int32 and destination type is fp16"),
    ("tl.sort(tl.zeros((4, 4), tl.int32), dim=0)", AssertionError, "only minor dimension is currently supported"),
    ("tl.make_block_ptr(x, (8, ), (1, ), (0, ), (tl.program_id(0), ), (0, ))", AssertionError,
     "Expected a list of constant integers (`int32_t` range) in `block_shape`"),
    ("tl.load(tl.make_block_ptr(x, (8, ), (1, ), (0, ), (8, ), (0, )), mask=True)", ValueError,
     "`mask` and `other` arguments cannot be specified for loading block pointers"),
    ("tl.store(tl.make_block_ptr(x, (8, ), (1, ), (0, ), (8, ), (0, )), 1.0, mask=True)", ValueError,
     "`mask` and `other` arguments cannot be specified for loading block pointers"),
    ("tl.load(tl.make_block_ptr(x, (8, ), (1, ), (0, ), (8, ), (0, )), boundary_check=(1, ))", AssertionError, ""),
    ("tl.load(tl.make_block_ptr(x, (8, ), (1, ), (0, ), (8, ), (0, )), boundary_check=(0, ), padding_option='one')", ValueError,
     "Padding option one not supported"),
    ("tl.load(x, boundary_check=(0, ))", ValueError,
     "`padding_option` or `boundary_check` argument is not supported for loading a tensor of pointers or loading a scalar"),
    ("tl.load(x, padding_option='nan')", ValueError,
     "`padding_option` or `boundary_check` argument is not supported for loading a tensor of pointers or loading a scalar"),
    ("tl.store(x, 1.0, boundary_check=(0, ))", ValueError, "`boundary_check` argument is not supported for storing a tensor of pointers or storing a scalar"),
    ("tl.load(tl.make_block_ptr(b, (8, ), (1, ), (0, ), (8, ), (0, )), boundary_check=(0, ), padding_option='nan')", ValueError,
     "Padding option `nan` is not supported for integer block pointers"),
    ("tl.load(x, mask=True, other=tl.zeros((4, ), tl.float32))", ValueError, "Other argument cannot be block type if pointer argument is not a block"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 2], [8, 8])", ValueError, "Tensor descriptor last dim must be 1 but got 2"),
    ("tl.make_tensor_descriptor(x, [], [], [])", ValueError, "Expected 1 <= ndim <= 5 but got 0 dimensions"),
    ("tl.make_tensor_descriptor(x, [8, 8], [1], [8, 8])", ValueError, "Expected 2 strides but got 1"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8])", ValueError, "Expected block_shape to have 2 dimensions but got 1"),
    ("tl.make_tensor_descriptor(x, [8], [1], [tl.program_id(0)])", TypeError, "Shape element must have type `constexpr[int]`"),
    ("tl.make_tensor_descriptor(x, [8], [1], [8], padding_option='one')", ValueError, "Padding option one not supported"),
    ("tl.make_tensor_descriptor(b, [16], [1], [16], padding_option='nan')", ValueError, "Padding option `nan` is not supported for integer blocks"),
    ("tl.make_tensor_descriptor(5, [8], [1], [8])", AssertionError, ""),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8]).load([0])", AssertionError, "expected 2 offsets, but got 1"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8]).store([0, 0], tl.zeros((8, 16), tl.float32))", AssertionError, ""),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8]).atomic_xor([0, 0], tl.zeros((8, 8), tl.float32))", AssertionError, "Unsupported dtype"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8]).gather(tl.arange(0, 8), 0)", AssertionError,
     "descriptor block must have 1 row, but got ['8', '8']"),
    ("tl.make_tensor_descriptor(x, [8], [1], [8]).gather(tl.arange(0, 8), 0)", AssertionError, "descriptor must be 2D, but got ['8']"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [1, 8]).gather(tl.zeros((8, 2), tl.int32), 0)", AssertionError, "x offsets must be 1D, but got ['8', '2']"),
    ("tl.load(x).to(tl.float16, fp_downcast_rounding='up')", ValueError, "Invalid rounding mode: up. Supported rounding modes are 'rtne' and 'rtz'."),
    ("tl.load(x).to(tl.int32, True)", ValueError, "Invalid rounding mode: True. Supported rounding modes are 'rtne' and 'rtz'."),
    ("x.to(tl.float32)", AssertionError, "cannot cast pointer<fp32>[] to fp32"),
    ("tl.load(x).to(tl.float8e5).to(tl.int32)", AssertionError, "cannot cast fp8e5[] to int32"),
    ("tl.load(x).to(None)", AttributeError, "'NoneType' object has no attribute 'scalar'"),
    ("tl.store(x, 1 << 65)", ValueError, "Nonrepresentable integer 36893488147419103232."),
    ("tl.arange(4, 2)", ValueError, "arange's end argument must be greater than the start argument"),
    ("tl.arange(0, tl.program_id(0))", ValueError, "arange's arguments must be of type tl.constexpr"),
    ("tl.arange(0, 1 << 33)", ValueError, "arange must fit in int32"),
    ("tl.zeros((2048, 1024), tl.float32)", ValueError, "numel (2097152) exceeds triton maximum tensor numel (1048576)"),
    ("tl.broadcast_to(tl.arange(0, 4), (2, 4))", ValueError, "Cannot broadcast, rank mismatch: ['4'], [2, 4]"),
    ("tl.broadcast_to(tl.arange(0, 8)[:, None], (4, 4))", ValueError,
     "Cannot broadcast, the expanded size of the tensor (4) must match the existing size (8) at non-singleton dimension 0: ['8', '1'], [4, 4]"),
    ("tl.split(tl.arange(0, 4))", AssertionError, ""),
    ("tl.reduce((tl.arange(0, 4), tl.arange(0, 8)), 0, both)", AssertionError, "all reduction inputs must have the same shape"),
    ("tl.associative_scan((tl.arange(0, 4), tl.arange(0, 8)), 0, both)", AssertionError, "all scan inputs must have the same shape"),
    ("both(1, 2, 3)", TypeError, "both() missing 1 required positional argument: 'd'"),
    ("tl.associative_scan(tl.arange(0, 4), 0, wider)", AssertionError, ""),
    ("both(1, 2, 3, 4, 5)", TypeError, "both() takes 4 positional arguments but 5 were given"),
    ("both(1, 2, 3, 4, e=5)", TypeError, "both() got an unexpected keyword argument 'e'"),
    ("both(1, 2, 3, 4, a=5)", TypeError, "both() got multiple values for argument 'a'"),
    ("tl.load(x, wrong=1)", TypeError, "load() got an unexpected keyword argument 'wrong'"),
    ("tl.load()", TypeError, "load() missing 1 required positional argument: 'pointer'"),
    ("tl.load(x, pointer=x)", TypeError, "load() got multiple values for argument 'pointer'"),
    ("tl.zeros((4, ), tl.float32, 3)", TypeError, "zeros() takes 2 positional arguments but 3 were given"),
    ("tl.gather(tl.arange(0, 4), tl.arange(0, 4), 1)", AssertionError, "gather axis 1 must be < source rank (1)"),
    ("tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((8, 4), tl.int32), 0)", AssertionError, "index dim 0 must match the corresponding source dim"),
    ("tl.device_print(tl.program_id(0))", AssertionError, "int32[] is not string"),
    ("tl.atomic_add(x, 1.0, scope='none')", ValueError, "Memory semantic none not supported"),
    ("tl.atomic_add(tl.program_id(0), 1)", ValueError, "Pointer argument of store instruction is triton.language.int32"),
    ("tl.exp(tl.arange(0, 4))", ValueError, "Expected dtype ['fp32', 'fp64'] but got int32"),
    ("tl.sqrt_rn(tl.arange(0, 4)) if False else tl.div_rn(tl.arange(0, 4), 2)", ValueError, "Expected dtype ['fp32'] but got int32"),
    ("tl.umulhi(tl.load(x), tl.load(x))", ValueError, "Expected dtype ['int32', 'int64', 'uint32', 'uint64'] but got fp32"),
    ("tl.fdiv(tl.arange(0, 4), tl.arange(0, 4))", TypeError, "both operands of fdiv must have floating scalar type"),
    ("tl.clamp(tl.arange(0, 4), 0, 1)", TypeError, "Unexpected dtype int32. Only floating point clamp is supported"),
    ("tl.maximum(tl.load(x), 0.0, propagate_nan=True)", ValueError, "Unexpected propagate_nan"),
    ("libdevice.tanh(tl.arange(0, 4))", KeyError, "'(triton.language.int32)'"),
    ("libdevice.clz(tl.load(x))", KeyError, "'(triton.language.float32)'"),
    ("libdevice.pow(tl.load(x))", TypeError, "pow() missing 1 required positional argument: 'arg1'"),
    ("tl.program_id(0) if tl.program_id(0) > 3 else tl.load(x)", AssertionError,
     "Ternary expression with dynamic condition has inconsistent types int32 and fp32"),
    ("x.field = 3", NotImplementedError, "Attribute assignment is not supported in triton"),
    ("t = (1, 2); t[0] = 3", NotImplementedError, "__setitem__ is not supported in triton"),
    ("~tl.load(x)", ValueError, "wrong type argument to unary invert (triton.language.float32)"),
    ("-x", ValueError, "wrong type argument to unary minus (pointer<fp32>)"),
    ("x + x", TypeError, "cannot add pointers together"),
    ("tl.load(b) + 100000", ValueError, "Scalar 100000 is out of range for type int8"),
    ("tl.load(b).to(tl.uint8) // -3", ValueError,
     "Cannot perform a binary operation between an unsigned tensor and a negative scalar. Perform a explicit cast on one of them."),
    ("1 // 0", ZeroDivisionError, "integer division or modulo by zero"),
    ("(1, 2)[5]", IndexError, "list index out of range"),
    ("(1, 2)[tl.program_id(0)]", AssertionError, ""),
    ("tl.store(x, (1, 2))", TypeError, "cannot convert tuple of type <class 'triton.language.core.tuple'> to tensor"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16), acc=tl.zeros((16, 32), tl.float32))", AssertionError,
     "accumulator shape is incompatible"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16), acc=tl.zeros((16, 16), tl.float16))", AssertionError, ""),
    ("tl.dot(tl.zeros((16, 16), tl.int16), tl.zeros((16, 16), tl.int16))", AssertionError, "Unsupported lhs dtype int16"),
    ("tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16), out_dtype=tl.bfloat16)", ValueError,
     "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with `.to(tl.bfloat16)`"),
    ("tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float32), input_precision='ieee', allow_tf32=True)", AssertionError,
     "Only one of input_precision and allow_tf32 can be specified"),
    ("tl.dot(tl.zeros((2, 16, 16), tl.float16), tl.zeros((4, 16, 16), tl.float16))", AssertionError, "input and other must have equal batch shapes"),
]


HEADER = """import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton.language.extra import libdevice


@triton.jit
def both(a, b, c, d):
    return a + c, b + d


@triton.jit
def wider(a, b):
    return (a + b).to(tl.int64)


"""


@pytest.mark.parametrize("line, kind, words", LINES, ids=[line for line, _, _ in LINES])
def test_words_of_triton_for_calls(tmp_path, line, kind, words):
    path = tmp_path / "made.py"
    path.write_text(HEADER + f"@triton.jit\ndef kernel(x, c: tl.const, b):\n    {line}\n")
    scope = {"__name__": "made"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(triton.CompilationError) as caught:
        scope["kernel"].warmup(X, X, np.zeros(1, np.int8), grid=(1, ))
    assert type(caught.value.__cause__) is kind and str(caught.value.__cause__) == words


STRICT_LINES = [
    ("tl.zeros((16, 12), tl.float32)", "Shape element 1 must be a power of 2"),
    ("tl.full([12, 16], 1, tl.float32)", "Shape element 0 must be a power of 2"),
    ("size: tl.constexpr = 12; tl.zeros((16, size), tl.float32)", "Shape element must be a power of 2"),
    ("tl.arange(0, 12)", "arange's range must be a power of 2"),
    ("tl.arange(0, 8)[2:4]", "unsupported tensor index: 2:4"),
    ("tl.arange(0, 8)[::2]", "unsupported tensor index: ::2"),
    ("tl.arange(0, 8)[3]", "unsupported tensor index: 3"),
]
BLOCK = "tl.make_block_ptr(x, (8, ), (1, ), (0, ), (8, ), (0, ))"
WIDE = "tl.program_id(0).to(tl.int64)"
STRICT_ASSERTIONS = [
    (f"tl.make_block_ptr(x, (8, ), (1, ), ({WIDE}, ), (8, ), (0, ))",
     "Block pointers only support 32 bit `offsets/block_shape`, add a `.to(tl.int32)` or use regular indexing for 64 bit support"),
    (f"tl.store({BLOCK}, tl.zeros((8, ), tl.int32))", "Block element type(fp32) and value element type(int32) mismatch"),
    (f"tl.store({BLOCK}, tl.zeros((1, ), tl.float32))", "Block shape(['8']) and value shape(['1']) mismatch"),
    (f"tl.store({BLOCK}, tl.zeros((4, ), tl.float32))", "Block shape(['8']) and value shape(['4']) mismatch"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [1, 8]).gather(tl.arange(0, 4), 0)", "descriptor gather must have at least 8 rows, but got [4]"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [1, 4]).gather(tl.arange(0, 8), 0)", "descriptor gather must have at least 32 bytes in a row"),
    ("tl.make_tensor_descriptor(x, [8, 8], [8, 1], [1, 8]).atomic_min([0, 0], tl.zeros((1, 8), tl.float32))", "Unsupported dtype"),
    ("tl.cat(tl.arange(0, 4), tl.arange(0, 4))", "current implementation of `cat` always may reorder elements"),
    ("tl.cat(tl.zeros((4, 4), tl.int32), tl.zeros((4, 4), tl.int32), can_reorder=True)", ""),
]
STRICT_CALLS = [(line, ValueError, words) for line, words in STRICT_LINES] + [(line, AssertionError, words) for line, words in STRICT_ASSERTIONS] + [
    (f"tl.load(tl.advance({BLOCK}, 8))", TypeError, "'int' object is not iterable"),
    (f"tl.load({BLOCK}, boundary_check=0)", TypeError, "'int' object is not iterable")]


@pytest.mark.parametrize("line, kind, words", STRICT_CALLS, ids=[line for line, _, _ in STRICT_CALLS])
def test_words_of_triton_for_what_goes_beyond_it(monkeypatch, tmp_path, line, kind, words):
    monkeypatch.setenv("TILERUN_STRICT", "1")
    test_words_of_triton_for_calls(tmp_path, line, kind, words)


@pytest.mark.parametrize("line", ["(one := 1) > 0", "{'a': 1}", "0 < tl.program_id(0) < 3", "for i in range(tl.program_id(0)): break"])
def test_constructs_that_triton_lacks(monkeypatch, tmp_path, line):
    monkeypatch.setenv("TILERUN_STRICT", "1")
    path = tmp_path / "made.py"
    path.write_text(HEADER + f"@triton.jit\ndef kernel(x):\n    {line}\n")
    scope = {"__name__": "made"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(errors.UnsupportedLanguageConstruct, match="goes beyond Triton") as caught:
        scope["kernel"].warmup(X, grid=(1, ))
    assert caught.value.__cause__ is None
    monkeypatch.delenv("TILERUN_STRICT")
    scope["kernel"].warmup(X, grid=(1, ))


def test_strict_mode_takes_what_triton_takes(monkeypatch, tmp_path):
    monkeypatch.setenv("TILERUN_STRICT", "1")
    path = tmp_path / "made.py"
    lines = [f"tl.store({BLOCK}, 1)", f"tl.store({BLOCK}, tl.load(tl.advance({BLOCK}, (0, ))), boundary_check=(0, ))",
             "tl.make_block_ptr(x, (tl.program_id(0).to(tl.int64), ), (1, ), (0, ), (8, ), (0, ))",
             "tl.make_tensor_descriptor(x, [8, 8], [8, 1], [1, 8]).gather(tl.arange(0, 8), tl.program_id(0))",
             "tl.make_tensor_descriptor(x, [8, 8], [8, 1], [1, 8]).atomic_add([0, 0], tl.zeros((1, 8), tl.float32))",
             "tl.cat(tl.arange(0, 4), tl.arange(0, 4), can_reorder=True)", "tl.flip(tl.permute(tl.zeros((4, 8), tl.int32), 1, 0), 0)",
             "tl.zeros((4, 8), tl.int32)[:, None]"]
    path.write_text(HEADER + "@triton.jit\ndef kernel(x):\n    " + "\n    ".join(lines) + "\n")
    scope = {"__name__": "made"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    scope["kernel"].warmup(X, grid=(1, ))


def test_places_in_nested_functions(tmp_path):
    """A kernel that a function makes: lines and columns are the file's, and Triton's are the kernel's own."""
    path = tmp_path / "nested.py"
    path.write_text("import tilerun.triton as triton\n\n\ndef make():\n    @triton.jit\n    def kernel(x):\n        0 + \"a\"\n\n    return kernel\n")
    scope = {"__name__": "nested"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(triton.CompilationError) as caught:
        scope["make"]().warmup(X, grid=(1, ))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{path}:7:9: error: operator '+' does not apply")
    assert lines[1:4] == ['            0 + "a"', "            ^~~~~~~", "at 2:4: in 'kernel'"]


@triton.jit
def on_some_paths(n):
    if n > 0:
        return n + 1


@triton.jit
def conditions(x, n):
    i = tl.arange(0, 4)
    tl.store(x + i, tl.where(i, on_some_paths(n), 0.0))


def test_warnings():
    """What Triton warns of, too, and a result that is not defined on all paths."""
    with pytest.warns(UserWarning) as caught:
        conditions[(1, )](X, 4)
    text = "\n".join(str(warning.message) for warning in caught)
    assert "tl.where: 'condition' is int32[4], not boolean, which a future Triton refuses; compare it with 0" in text
    assert "'on_some_paths' returns a value on some paths only; its result is undefined on the others" in text
    assert X[:4].tolist() == [0, 5, 5, 5]
    with pytest.warns(UserWarning, match="tl.where: 'condition' is int32\\[4\\], not boolean"):
        triton.compile(triton.compiler.ASTSource(conditions, {"x": "*fp32", "n": "i32"}), target=triton.compiler.GPUTarget("cuda", 90, 32))


def test_errors_of_launches():
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        stored[(1, )](X, 1 << 70)
    for kind in (AssertionError, ValueError):
        with pytest.raises(kind, match="num_warps is 3, which is not a power of two; num_warps must be a power of 2"):
            stored[(1, )](X, 1, num_warps=3)
    source = triton.compiler.ASTSource(stored, {"x": "*fp32", "n": "i32"})
    for value, said in ((3, "num_warps is 3, which is not a power of two"), (0, "num_warps is 0; it must be positive"), (-1, "num_warps is -1; it must be positive")):
        for start in (lambda: stored[(1, )](X, 1, num_warps=value),
                      lambda: triton.compile(source, target=triton.compiler.GPUTarget("cuda", 90, 32), options={"num_warps": value})):
            with pytest.raises(AssertionError, match=said):
                start()
    with pytest.raises(TypeError, match="num_warps is '4', which is not an integer"):
        triton.compile(source, target=triton.compiler.GPUTarget("cuda", 90, 32), options={"num_warps": "4"})
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="parameter 'n' is not a tl.constexpr"):
            stored[(1, )](X, "text")
    assert issubclass(errors.IntegerRangeError, TypeError)


def test_errors_that_frameworks_make():
    """Of a text, a node and a message, as Triton's own compiler makes them."""
    import ast
    text = "\n".join(["def f():", *(f"  x{i} = {i}" for i in range(20))])
    for kind in (triton.CompilationError, errors.UnsupportedLanguageConstruct, errors.CompileTimeAssertionFailure):
        error = kind(text, ast.parse(text).body[0].body[15], "mine")
        lines = str(error).splitlines()
        assert lines[0] == "at 17:2:" and lines[1] == "  x4 = 4" and lines[-3:] == ["  x15 = 15", "  ^", "mine"] and len(lines) == 15
        assert (error.src, error.error_message, error.message) == (text, "mine", str(error))
        assert str(pickle.loads(pickle.dumps(error))) == str(copy.copy(error)) == str(error)
    assert str(errors.CompilationError(None, ast.parse("x").body[0])) == "at 1:0:\n <source unavailable>"
    plain = errors.CompilationError("all of it")
    assert str(plain) == plain.error_message == "all of it" and plain.src is None

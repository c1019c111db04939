"""`triton.language` for host code: a marker for every name of the compiler's table, dtypes, constexpr."""

import fractions
import os

import numpy
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun import _native

# What the language has in public, beyond what is listed by namespaces.
NAMES = """PropagateNan TRITON_MAX_TENSOR_NUMEL abs add advance arange argmax argmin associative_scan assume atomic_add
atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor bfloat16 block_type broadcast broadcast_to cast cat
cdiv ceil clamp constexpr cos cumprod cumsum debug_barrier device_assert device_print div_rn dot dot_scaled dtype erf exp exp2
expand_dims extra fdiv flip float16 float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16 floor fma full gather
histogram inline_asm_elementwise int1 int16 int32 int64 int8 interleave join load log log2 make_block_ptr
make_tensor_descriptor math max max_constancy max_contiguous maximum min minimum multiple_of num_programs pair_uniform_to_normal
permute philox philox_impl pi32_t pointer_type program_id rand rand4x randint randint4x randn randn4x range ravel reduce reshape
rsqrt sigmoid sin softmax sort split sqrt sqrt_rn static_assert static_print static_range store sum swizzle2d tensor topk trans
uint16 uint32 uint64 uint8 uint_to_uniform_float umulhi view void where xor_sum zeros zeros_like""".split()


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    assert hasattr(tl, name)


@pytest.mark.parametrize("path", ["triton.language", "triton.language.math", "triton.language.extra.libdevice",
                                  "triton.language.extra.cuda"])
def test_the_table_is_the_list(path):
    module = tl
    for part in path.split(".")[2:]:
        module = getattr(module, part)
    rows = _native.list_language(path)
    assert len(rows) > (10 if path.endswith("cuda") is False else 2)
    for name, kind, value, documentation in rows:
        assert hasattr(module, name), name
        if kind == "function" and not isinstance(getattr(module, name), type):
            marker = getattr(module, name)
            assert marker.__name__ == name and documentation.split("\n")[0] in marker.__doc__
            if name in ("cdiv", "next_power_of_2"):  # For host code as well.
                assert marker(*(9, 2)[:1 if "power" in name else 2]) in (5, 16)
                continue
            with pytest.raises(RuntimeError, match="only be called in a kernel"):
                marker()


def test_modules_have_one_identity():
    import tilerun.triton.language.extra.cuda.libdevice as by_cuda
    import tilerun.triton.language.extra.libdevice as plain
    from tilerun.triton.language import core, math, standard
    assert by_cuda is plain is tl.extra.libdevice and core is tl is standard and math is tl.math


def test_dtypes():
    assert str(tl.float32) == "fp32" and repr(tl.float32) == "triton.language.float32" and tl.float16.itemsize == 2
    assert tl.int1.primitive_bitwidth == 1 and tl.int1.itemsize == 1 and tl.float8e4nv.primitive_bitwidth == 8
    assert tl.bfloat16.is_floating() and tl.bfloat16.is_bf16() and not tl.bfloat16.is_fp16()
    assert tl.uint8.is_int_unsigned() and tl.int8.is_int_signed() and tl.int64.is_int64()
    assert tl.dtype("fp16") == tl.float16 and tl.dtype("int32") == tl.int32 and hash(tl.dtype("i8")) == hash(tl.int8)
    assert tl.float16 != tl.float32 and tl.float16 == tl.constexpr(tl.float16)
    pointer = tl.pointer_type(tl.float32)
    assert pointer.is_ptr() and pointer.element_ty is tl.float32 and str(pointer) == "pointer<fp32>"
    assert tl.pi32_t == tl.pointer_type(tl.int32) and tl.pi32_t.is_ptr() and tl.pi32_t.mangle() == "*i32"
    block = tl.block_type(tl.float32, [4, 8])
    assert block.shape == (4, 8) and block.scalar is tl.float32 and block.is_block()
    with pytest.raises(ValueError, match="unknown dtype 'fp17'"):
        tl.dtype("fp17")
    with pytest.raises(AttributeError, match="no attribute 'bits'"):
        tl.float32.bits


def test_what_is_asked_of_dtypes():
    assert tl.int32.int_signedness == tl.dtype.SIGNEDNESS.SIGNED != tl.uint8.int_signedness
    assert (tl.int1.kind(), tl.int8.kind(), tl.bfloat16.kind()) == (tl.dtype.KIND.BOOLEAN, tl.dtype.KIND.INTEGRAL,
                                                                    tl.dtype.KIND.FLOATING)
    assert (tl.int8.get_int_min_value(), tl.int8.get_int_max_value(), tl.uint16.get_int_max_value()) == (-128, 127, 65535)
    assert tl.uint16.get_int_min_value() == 0 and not hasattr(tl.float32, "int_signedness")
    for name, width, bias in (("float16", 10, 15), ("bfloat16", 7, 127), ("float8e4b8", 3, 8), ("float8e5b16", 2, 16)):
        kind = getattr(tl, name)
        assert (kind.fp_mantissa_width, kind.exponent_bias, kind.codegen_name()) == (width, bias, name)
    assert not hasattr(tl.int8, "fp_mantissa_width") and tl.dtype.is_dtype("fp8e5") and not tl.dtype.is_dtype("fp9")
    assert set(tl.dtype.FP_TYPES + tl.dtype.SINT_TYPES) >= {"fp32", "fp8e4nv", "int64"} and "int1" in tl.dtype.UINT_TYPES
    block = tl.block_type(tl.float16, [4, tl.constexpr(8)])
    assert (block.numel, block.nbytes, block.shape) == (32, 64, (4, 8)) and block.with_element_ty(tl.int8).scalar == tl.int8
    assert tl.str_to_ty("*kfp32").is_const() and tl.str_to_ty("u1") == tl.int1 and tl.str_to_ty("constexpr", 3).value == 3


def test_constexpr():
    c = tl.constexpr
    assert (c(3) + 4).value == 7 and (4 - c(3)).value == 1 and (c(7) // c(2)).value == 3 and (2**c(3)).value == 8
    assert (-c(3)).value == -3 and (c(6) & 3).value == 2 and (~c(0)).value == -1
    assert bool(c(3) == 3) and bool(c(2) < c(3)) and not c(0) and c(c(5)).value == 5
    assert [10, 20][c(1)] == 20 and int(c(3)) == 3 and repr(c(3)) == "constexpr[3]" and c((1, 2))[1] == 2
    assert {c(1): "one"}[c(1)] == "one"


def test_tensors_are_of_kernels():
    with pytest.raises(RuntimeError, match="only in kernels"):
        tl.tensor(None, None)


def test_the_package_has_tritons_names():
    for name in """Config JITFunction KernelInterface MockTensor OutOfResources TensorWrapper autotune cdiv compile
            heuristics jit knobs language must_use_result next_power_of_2 reinterpret runtime set_allocator testing tools
            constexpr_function CompilationError TritonError InterpreterError""".split():
        assert hasattr(triton, name), name
    for name in "assert_close do_bench do_bench_cudagraph perf_report Benchmark Mark cuda_memcheck set_gpu_clock".split():
        assert hasattr(triton.testing, name), name
    for name in "ASTSource CompiledKernel CompilationError GPUTarget make_backend".split():
        assert hasattr(triton.compiler, name), name


@triton.jit
def which_target(out):
    tl.store(out, 1 if tl.target_info.is_cuda() else 0)
    tl.store(out + 1, 1 if tl.target_info.current_target() is None else 0)


def test_target_is_asked_on_the_host_as_in_kernels():
    from tilerun.triton.language.target_info import cuda_capability_geq, current_target, is_cuda, is_hip
    out = numpy.zeros(2, numpy.int32)
    which_target[(1,)](out)
    assert out.tolist() == [is_cuda(), current_target() is None] == [0, 1]
    assert not cuda_capability_geq(8) and not is_hip()
    with pytest.raises(TypeError):
        is_cuda(1)


CONVERSIONS = [("int2float", numpy.int32, numpy.float32), ("uint2float", numpy.uint32, numpy.float32),
               ("ll2float", numpy.int64, numpy.float32), ("ull2float", numpy.uint64, numpy.float32),
               ("ll2double", numpy.int64, numpy.float64), ("ull2double", numpy.uint64, numpy.float64)]


def make_integers(dtype, seed):
    """Of all magnitudes, with the edges of the type and of mantissas."""
    rng = numpy.random.default_rng(seed)
    limits = numpy.iinfo(dtype)
    values = [0, 1, limits.max, limits.max - 1, limits.min] + [m + d for m in (2**24, 2**25) for d in (-1, 0, 1)]
    while len(values) < 512:
        magnitude = int(rng.integers(0, 2**62)) >> int(rng.integers(0, 62)) << int(rng.integers(0, 3))
        value = -magnitude if limits.min and rng.random() < 0.5 else magnitude
        if limits.min <= value <= limits.max:
            values.append(value)
    return numpy.array(values, dtype)


@pytest.mark.parametrize("name, source, target", CONVERSIONS)
@pytest.mark.parametrize("direction", ["rd", "ru", "rz"])
def test_integers_are_rounded_in_a_direction(name, source, target, direction, record_property):
    seed = int.from_bytes(os.urandom(4), "little")
    record_property("seed", seed)
    function = getattr(tl.extra.libdevice, f"{name}_{direction}")

    @triton.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, function(tl.load(x + i)))

    values = make_integers(source, seed)
    out = numpy.zeros(512, target)
    kernel[(1, )](values, out, 512)
    for value, result in zip(values.tolist(), out):
        # The neighbours of the result, as exact numbers.
        low, high = (numpy.nextafter(result, target(infinity)) for infinity in (-numpy.inf, numpy.inf))
        down = direction == "rd" or (direction == "rz" and value >= 0)
        if down:
            assert int(result) <= value and fractions.Fraction(float(high)) > value, (seed, value, result)
        else:
            assert int(result) >= value and fractions.Fraction(float(low)) < value, (seed, value, result)

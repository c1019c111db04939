// Python's compile-time semantics, through static_assert in kernels and through the functions.
#include "frontend/sema/ConstEval.h"
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun;
using namespace tilerun::test;

/// Every expression must be true at compile time.
class ConstexprHolds : public ::testing::TestWithParam<const char *> {};
TEST_P(ConstexprHolds, InAKernel) {
  auto c = compileBody("p, N: tl.constexpr, T: tl.constexpr",
                       std::string("tl.static_assert(") + GetParam() + ", 'must hold')",
                       "p=*fp16, N=12, T=tl.float16");
  EXPECT_COMPILES(c);
}
INSTANTIATE_TEST_SUITE_P(
    Arithmetic, ConstexprHolds,
    ::testing::Values("7 // 2 == 3", "-7 // 2 == -4", "7 // -2 == -4", "-7 % 3 == 2",
                      "7 % -3 == -2", "7 / 2 == 3.5", "2 ** 10 == 1024", "2 ** -1 == 0.5",
                      "-2 ** 2 == -4", "7.5 // 2 == 3.0", "-7.5 % 2 == 0.5",
                      "1 << 40 == 1099511627776", "-5 >> 1 == -3", "~5 == -6", "6 & 3 == 2",
                      "(6 | 3) == 7", "(6 ^ 3) == 5", "True + True == 2", "not 0", "1 < 2 < 3",
                      "not (1 < 2 > 3)", "1 == 1.0", "0x10 == 16", "1_000 == 1000", "0b101 == 5",
                      "1e3 == 1000", "N // 5 == 2", "N % 5 == 2", "float('inf') > 1e300",
                      "abs(-3) == 3", "min(3, 1, 2) == 1", "max(3, 1, 2) == 3", "int(3.9) == 3",
                      "triton.cdiv(N, 5) == 3", "triton.next_power_of_2(N) == 16",
                      "tl.cdiv(N, 5) == 3"));
INSTANTIATE_TEST_SUITE_P(Logic, ConstexprHolds,
                         ::testing::Values("(0 or 5) == 5", "(3 and 4) == 4", "(0 and 1 // 0) == 0",
                                           "(None or 2) == 2", "None is None", "N is not None",
                                           "not (N is None)", "p is not None", "'a' in ('a', 'b')",
                                           "3 not in (1, 2)", "'el' in 'gelu'", "'a' + 'b' == 'ab'",
                                           "'ab' * 2 == 'abab'", "'abc' < 'abd'", "'abc'[1] == 'b'",
                                           "'abcd'[1:3] == 'bc'", "('x' if N > 3 else 'y') == 'x'",
                                           "isinstance(N, int)", "len('abc') == 3"));
INSTANTIATE_TEST_SUITE_P(
    Tuples, ConstexprHolds,
    ::testing::Values("len((1, 2, 3)) == 3", "(1, 2)[1] == 2", "(1, 2, 3)[-1] == 3",
                      "(1, 2, 3, 4)[1:3] == (2, 3)", "(1, 2, 3, 4)[::-1] == (4, 3, 2, 1)",
                      "(1,) + (2, 3) == (1, 2, 3)", "(1, 2) < (1, 3)", "(0,) * 3 == (0, 0, 0)",
                      "(1, 2) != (1, 3)", "[1, 2][0] == 1", "(*(1, 2), 3) == (1, 2, 3)",
                      "[i * i for i in range(4)] == [0, 1, 4, 9]",
                      "tuple(i for i in range(6) if i % 2) == (1, 3, 5)",
                      "[a + b for a in (1, 2) for b in (10, 20)] == [11, 21, 12, 22]",
                      "(n := 5) + n == 10"));
INSTANTIATE_TEST_SUITE_P(Dicts, ConstexprHolds,
                         ::testing::Values("{'a': N}['a'] == 12", "'a' in {'a': 1}",
                                           "'b' not in {'a': 1}", "len({'a': 1, 'b': 2}) == 2",
                                           "{'a': 1, 'a': 2}['a'] == 2",
                                           "{**{'a': 1, 'b': 2}, 'a': 3}['a'] == 3",
                                           "{'a': 1}.get('b', 5) == 5", "{'a': 1}.get('b') is None",
                                           "[k for k in {'a': 1, 'b': 2}] == ['a', 'b']",
                                           "[k for k in {'a': 1}.keys()] == ['a']",
                                           "[v for v in {'a': 7}.values()] == [7]",
                                           "[k for k, v in {'a': 7}.items()] == ['a']",
                                           "{} is not None", "(1 if {} else 2) == 2"));
INSTANTIATE_TEST_SUITE_P(
    Numbers, ConstexprHolds,
    ::testing::Values("int('4') == 4", "int(' -1_0 ') == -10", "int('0x1f', 16) == 31",
                      "int('1f', 16) == 31", "int('0b11', 0) == 3", "int('0o17', 0) == 15",
                      "int('zz', 36) == 1295", "int('+7') == 7", "int(2.7) == 2",
                      "float('inf') > 1e30", "float('nan') != float('nan')",
                      "float('-Infinity') < 0", "float('1.5') == 1.5", "N.bit_length() == 4",
                      "(0).bit_length() == 0", "(-8).bit_length() == 4", "N.bit_count() == 2",
                      "(2.0).is_integer()", "not (2.5).is_integer()"));
INSTANTIATE_TEST_SUITE_P(EqualDicts, ConstexprHolds,
                         ::testing::Values("{'a': 1, 'b': 2} == {'b': 2, 'a': 1}",
                                           "{'a': 1} != {'b': 1}", "{'a': 1} != {'a': 2}",
                                           "{'a': 1} != {'a': 1, 'b': 1}", "{'a': 1} != (1,)",
                                           "{} != ()", "{} == {}",
                                           "{'a': {'b': 1}} == {'a': {'b': 1}}",
                                           "{'a': {'b': 1}} != {'a': {'c': 1}}"));
INSTANTIATE_TEST_SUITE_P(
    Types, ConstexprHolds,
    ::testing::Values(
        "T.exponent_bias == 15", "tl.bfloat16.exponent_bias == 127",
        "tl.float8e4nv.exponent_bias == 7", "T.kind() == tl.dtype.KIND.FLOATING",
        "tl.int1.kind() == tl.dtype.KIND.BOOLEAN", "tl.uint8.kind() == tl.dtype.KIND.INTEGRAL",
        "tl.uint8.int_signedness == tl.dtype.SIGNEDNESS.UNSIGNED",
        "tl.int8.int_signedness == tl.dtype.SIGNEDNESS.SIGNED", "tl.dtype.is_dtype('fp16')",
        "not tl.dtype.is_dtype('float99')", "tl.zeros((4, 8), T).type.nbytes == 64",
        "tl.pointer_type(T, 1, True).name == 'const_pointer<fp16>'", "T == tl.float16",
        "T != tl.float32", "p.dtype.element_ty == tl.float16", "p.dtype.element_ty == T",
        "T in (tl.float16, tl.bfloat16)", "T.is_floating()", "tl.int32.primitive_bitwidth == 32",
        "tl.zeros((4, 8), T).shape == (4, 8)", "tl.zeros((4, 8), T).shape[1] == 8",
        "tl.zeros((4,), T).dtype == T"));
INSTANTIATE_TEST_SUITE_P(
    Strings, ConstexprHolds,
    ::testing::Values("f'{N}' == '12'", "f'{N:04d}' == '0012'", "f'{N:x}' == 'c'",
                      "f'{N:#b}' == '0b1100'", "f'{3.14159:.2f}' == '3.14'", "f'{0.5}' == '0.5'",
                      "f'{1e20}' == '1e+20'", "f'{1/3}' == '0.3333333333333333'",
                      "f'{N!r:>5}' == '   12'", "f'{\"a\":<3}|' == 'a  |'", "f'{N=}' == 'N=12'",
                      "f'{12345678:,}' == '12,345,678'", "f'{True}' == 'True'",
                      "'a_b'.split('_') == ['a', 'b']", "len(' a  b '.split()) == 2",
                      "'a.py'.removesuffix('.py') == 'a'", "'x_a'.removeprefix('x_') == 'a'",
                      "'abab'.count('ab') == 2", "str(T) == 'fp16'", "f'{T}' == 'fp16'",
                      "f'{tl.int32}' == 'int32'", "T.name == 'fp16'",
                      "f'{p.dtype}' == 'pointer<fp16>'", "f'{(1, 2)}' == '(1, 2)'",
                      "f'{None}' == 'None'", "f'{0.25:.0%}' == '25%'", "f'{N:{4}d}' == '  12'",
                      "f'{T:>6}' == '  fp16'"));

namespace {
struct BadCase {
  const char *expression;
  const char *message;
};
} // namespace
class ConstexprFails : public ::testing::TestWithParam<BadCase> {};
TEST_P(ConstexprFails, WithAMessage) {
  auto c = compileBody("N: tl.constexpr", std::string("x: tl.constexpr = ") + GetParam().expression,
                       "N=12");
  EXPECT_SAYS(c, GetParam().message);
  EXPECT_EQ(c.numErrors, 1u) << c.diagnostics;
}
INSTANTIATE_TEST_SUITE_P(
    Errors, ConstexprFails,
    ::testing::Values(
        BadCase{"1 // 0", "division by zero"}, BadCase{"1 % 0", "modulo by zero"},
        BadCase{"1 / 0", "division by zero"}, BadCase{"1 << -1", "negative shift count"},
        BadCase{"2 ** 200", "does not fit 128 bits"}, BadCase{"1 << 200", "does not fit 128 bits"},
        BadCase{"0 ** -1", "negative power"},
        BadCase{"'a' + 1", "does not apply to the string 'a' and the integer 1"},
        BadCase{"1.5 & 1", "operator '&' needs integers"}, BadCase{"~1.5", "needs an integer"},
        BadCase{"-'a'", "does not apply to the string 'a'"},
        BadCase{"(1, 2)[2]", "index 2 is out of range for a tuple of 2"},
        BadCase{"(1, 2)['a']", "indexed by a compile-time integer"},
        BadCase{"(1, 2)[0, 1]", "takes one index"}, BadCase{"3[0]", "cannot be indexed"},
        BadCase{"1 < 'a'", "does not apply to"},
        BadCase{"1 in 2", "'in' needs a tuple, list or string"}, BadCase{"M", "unknown name 'M'"},
        BadCase{"(1, 2)[::0]", "the step of a slice cannot be 0"},
        BadCase{"'a' * 100000", "more than 65536"}, BadCase{"(0,) * 100000000", "more than 65536"},
        BadCase{"f'{N:q}'", "format 'q' does not apply"}, BadCase{"1 @ 2", "use tl.dot"},
        BadCase{"340282366920938463463374607431768211456", "does not fit 128 bits"},
        BadCase{"1j", "complex numbers"}, BadCase{"b'a'", "bytes cannot be used"},
        BadCase{"{1, 2}", "sets cannot be used"},
        BadCase{"{1: 1}", "only strings can be keys of a dict"},
        BadCase{"int('4x')", "is '4x', which is not an integer in base 10"},
        BadCase{"int('')", "which is not an integer"},
        BadCase{"int('1__0')", "which is not an integer"},
        BadCase{"int('1', 1)", "is 1; use 0 or 2 to 36"}, BadCase{"int(4, 10)", "is for texts"},
        BadCase{"int('9' * 60)", "which is too large"},
        BadCase{"'a'.split('')", "separator is empty"},
        BadCase{"('a ' * 5000).split()", "more than 4096 parts"},
        BadCase{"N.bit_length(1)", "takes no arguments"},
        BadCase{"lambda: 1", "lambda expressions cannot be used"},
        BadCase{"[i for i in 5]", "cannot be iterated over"},
        BadCase{"{i: i for i in (1,)}", "comprehensions cannot be used"},
        BadCase{"N.foo", "has no attribute 'foo'"}));

TEST(ConstEval, UnaryMinusOfTheSmallestIntegerIsAnError) {
  PyInt smallest = PyInt(1) << 127;
  EXPECT_FALSE(sema::evalUnary(ast::UnaryOp::Minus, Value(smallest)).ok());
  EXPECT_FALSE(sema::evalBinary(ast::BinaryOp::FloorDiv, Value(smallest), Value(PyInt(-1))).ok());
  EXPECT_TRUE(sema::evalBinary(ast::BinaryOp::Mod, Value(smallest), Value(PyInt(-1))).ok());
}

TEST(ConstEval, FloatsPrintAsInPython) {
  struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},           {1.0, "1.0"},
               {1e16, "1e+16"},        {123456.789, "123456.789"},
               {1e-5, "1e-05"},        {0.0001, "0.0001"},
               {-2.5e-10, "-2.5e-10"}, {1e15, "1000000000000000.0"},
               {HUGE_VAL, "inf"},      {-0.0, "-0.0"},
               {5e-324, "5e-324"},     {1.7976931348623157e308, "1.7976931348623157e+308"}};
  for (auto &c : cases)
    EXPECT_EQ(formatFloat(c.value), c.text);
}

TEST(ConstEval, IntegersPrintToTheLastDigit) {
  PyInt smallest = PyInt(1) << 127;
  EXPECT_EQ(formatInteger(smallest), "-170141183460469231731687303715884105728");
  EXPECT_EQ(formatInteger(0), "0");
  EXPECT_EQ(formatInteger(-42), "-42");
}

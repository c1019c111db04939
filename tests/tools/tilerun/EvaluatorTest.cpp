// Expressions: precedence, numbers, names, tensors, functions, and what is wrong with them.
#include "tests/tools/tilerun/ExpressionFixture.h"
#include "tools/tilerun/host/Operators.h"

using namespace tilerun;
using namespace tilerun::host;

namespace {

using EvaluatorTest = ExpressionTest;

TEST_F(EvaluatorTest, PrecedenceIsPythons) {
  EXPECT_EQ(show("1 + 2 * 3 ** 2"), "19");
  EXPECT_EQ(show("-2 ** 2"), "-4");
  EXPECT_EQ(show("2 ** 3 ** 2"), "512");
  EXPECT_EQ(show("7 & 3 | 8 ^ 1"), "11");
  EXPECT_EQ(show("1 << 2 + 1"), "8");
  EXPECT_EQ(show("not 1 == 2"), "true");
  EXPECT_EQ(show("1 if 0 else 2 if 0 else 3"), "3");
  EXPECT_EQ(show("10 - 4 - 3"), "3");
}

TEST_F(EvaluatorTest, IntegerDivisionFloors) {
  EXPECT_EQ(show("7 // 2"), "3");
  EXPECT_EQ(show("-7 // 2"), "-4");
  EXPECT_EQ(show("7 // -2"), "-4");
  EXPECT_EQ(show("-7 % 3"), "2");
  EXPECT_EQ(show("7 % -3"), "-2");
  EXPECT_EQ(show("-7.5 % 2"), "0.5f");
  EXPECT_EQ(show("7 / 2"), "3.5f");
}

TEST_F(EvaluatorTest, LargeIntegersAreExactAndBounded) {
  EXPECT_EQ(show("2 ** 64 - 1"), "18446744073709551615");
  EXPECT_EQ(show("18446744073709551615 + 1"), "18446744073709551616");
  EXPECT_EQ(show("0xff + 0b11 + 0o7"), "265");
  expectError("2 ** 127", "does not fit 128 bits");
  expectError("2 ** 100000000000", "does not fit 128 bits");
  expectError("1 << 200", "does not fit 128 bits");
  expectError("2 ** 126 * 4", "does not fit 128 bits");
  expectError("9" + std::string(200, '9'), "does not fit 128 bits");
  EXPECT_EQ(show("-1 >> 500"), "-1");
}

TEST_F(EvaluatorTest, DivisionByZero) {
  for (const char *text : {"1 / 0", "1 // 0", "1 % 0", "1.0 / 0", "cdiv(1, 0)"})
    expectError(text, "division by zero");
}

TEST_F(EvaluatorTest, ComparisonsChain) {
  EXPECT_EQ(show("1 < 2 < 3"), "true");
  EXPECT_EQ(show("1 < 2 > 3"), "false");
  EXPECT_EQ(show("2 in (1, 2)"), "true");
  EXPECT_EQ(show("none is none"), "true");
  EXPECT_EQ(show("\"a\" == \"a\" and \"a\" != \"b\""), "true");
  EXPECT_EQ(show("tl.float16 == fp16"), "true");
}

TEST_F(EvaluatorTest, BooleanOperatorsGiveOperands) {
  EXPECT_EQ(show("0 or 5"), "5");
  EXPECT_EQ(show("3 and 4"), "4");
  EXPECT_EQ(show("true and false"), "false");
  EXPECT_EQ(show("0 and unknown_name"), "0");
}

TEST_F(EvaluatorTest, HostFunctions) {
  EXPECT_EQ(show("cdiv(1000, 256)"), "4");
  EXPECT_EQ(show("triton.cdiv(1024, 256)"), "4");
  EXPECT_EQ(show("next_power_of_2(1000)"), "1024");
  EXPECT_EQ(show("next_power_of_2(1)"), "1");
  EXPECT_EQ(show("triton.next_power_of_2(1025)"), "2048");
  EXPECT_EQ(show("min(3, 1, 2)"), "1");
  EXPECT_EQ(show("max((3, 9, 2))"), "9");
  EXPECT_EQ(show("abs(-3)"), "3");
  EXPECT_EQ(show("round(2.5)"), "2");
  EXPECT_EQ(show("int(7.9)"), "7");
  EXPECT_EQ(show("math.ceil(1.2)"), "2");
  EXPECT_EQ(show("len((1, 2, 3))"), "3");
  expectError("next_power_of_2(2**63)", "up to 2**62");
  expectError("cdiv(1.5, 2)", "two integers");
}

TEST_F(EvaluatorTest, TuplesAndStars) {
  EXPECT_EQ(show("(1, 2) + (3,)"), "(1, 2, 3)");
  EXPECT_EQ(show("(1, 2, 3)[1:]"), "(2, 3)");
  EXPECT_EQ(show("(1, 2, 3)[-1]"), "3");
  EXPECT_EQ(show("(0, *(1, 2))"), "(0, 1, 2)");
  EXPECT_EQ(show("cdiv(5, 2), 7"), "(3, 7)");
  expectError("(1, 2)[5]", "out of range");
  expectError("(1,) * 10000000", "65536");
}

TEST_F(EvaluatorTest, Lambdas) {
  EXPECT_EQ(show("(lambda a, b=3: a * b)(5)"), "15");
  evaluator.define("f", *evaluate("lambda: f()"));
  expectError("f()", "too deeply");
}

TEST_F(EvaluatorTest, TensorProperties) {
  define("x", "f16[4,6]{8,1}:zeros");
  EXPECT_EQ(show("x.shape"), "(4, 6)");
  EXPECT_EQ(show("x.shape[-1]"), "6");
  EXPECT_EQ(show("x.stride(0)"), "8");
  EXPECT_EQ(show("x.stride()"), "(8, 1)");
  EXPECT_EQ(show("x.size(1)"), "6");
  EXPECT_EQ(show("x.numel()"), "24");
  EXPECT_EQ(show("x.element_size()"), "2");
  EXPECT_EQ(show("x.T.shape"), "(6, 4)");
  EXPECT_EQ(show("x.dtype == tl.float16"), "true");
  EXPECT_EQ(show("x.is_contiguous()"), "false");
  EXPECT_EQ(show("x.ndim"), "2");
  EXPECT_EQ(show("x.data_ptr() % 16"), "0");
  EXPECT_EQ(show("x[0, 1:].data_ptr() % 16"), "2");
  expectError("x.stride(2)", "axis 2");
  expectError("x.shap", "no attribute 'shap'");
}

TEST_F(EvaluatorTest, TensorArithmeticBroadcasts) {
  define("x", "f32[2,3]:arange");
  EXPECT_EQ(show("x * 2 + 1"), "[2, 3]: 1 3 5 7 9 11");
  EXPECT_EQ(show("x - x[:, :1]"), "[2, 3]: 0 1 2 0 1 2");
  EXPECT_EQ(show("x + (10, 20, 30)"), "[2, 3]: 10 21 32 13 24 35");
  EXPECT_EQ(show("-x"), "[2, 3]: -0 -1 -2 -3 -4 -5");
  EXPECT_EQ(show("x > 2"), "[2, 3]: 0 0 0 1 1 1");
  EXPECT_EQ(show("x // 2"), "[2, 3]: 0 0 1 1 2 2");
  EXPECT_EQ(show("x ** 2"), "[2, 3]: 0 1 4 9 16 25");
  expectError("x + (1, 2)", "do not broadcast");
}

TEST_F(EvaluatorTest, TensorBits) {
  define("x", "i32[4]:arange");
  EXPECT_EQ(show("x & 1"), "[4]: 0 1 0 1");
  EXPECT_EQ(show("x << 2"), "[4]: 0 4 8 12");
  EXPECT_EQ(show("~x"), "[4]: -1 -2 -3 -4");
  EXPECT_EQ(show("~(x > 1)"), "[4]: 1 1 0 0");
  expectError("(x + 0.5) & 1", "integers of at most 53 bits");
}

TEST_F(EvaluatorTest, Subscripts) {
  define("x", "f32[3,4]:arange");
  EXPECT_EQ(show("x[1]"), "[4]: 4 5 6 7");
  EXPECT_EQ(show("x[-1, ::2]"), "[2]: 8 10");
  EXPECT_EQ(show("x[..., 0]"), "[3]: 0 4 8");
  EXPECT_EQ(show("x[0, None, 1:3]"), "[1, 2]: 1 2");
  EXPECT_EQ(show("(x + 0)[1:, 3]"), "[2]: 7 11");
  EXPECT_EQ(show("x[5:]"), "[0, 4]:");
  EXPECT_EQ(show("x.T[1]"), "[3]: 1 5 9");
  expectError("x[3]", "out of range");
  expectError("x[0, 0, 0]", "3 indices");
  expectError("x[::-1]", "steps are 1 or more");
  expectError("x[0.5]", "must be an integer");
}

TEST_F(EvaluatorTest, ViewsShareStorageCopiesDoNot) {
  define("x", "f32[4,4]:arange");
  auto storage = [&](llvm::StringRef text) { return evaluate(text)->getIf<Tensor>()->storage; };
  EXPECT_EQ(storage("x[1:]"), storage("x"));
  EXPECT_EQ(storage("x.T"), storage("x"));
  EXPECT_EQ(storage("x.reshape(16)"), storage("x"));
  EXPECT_NE(storage("copy(x)"), storage("x"));
}

TEST_F(EvaluatorTest, Reductions) {
  define("x", "f32[2,3]:arange");
  EXPECT_EQ(show("sum(x)"), "[]: 15");
  EXPECT_EQ(show("x.sum(axis=0)"), "[3]: 3 5 7");
  EXPECT_EQ(show("x.mean(1, keepdims=true)"), "[2, 1]: 1 4");
  EXPECT_EQ(show("x.var(axis=1)"), "[2]: 0.6666666667 0.6666666667");
  EXPECT_EQ(show("x.var(axis=1, correction=1)"), "[2]: 1 1");
  EXPECT_EQ(show("max(x, axis=1)"), "[2]: 2 5");
  EXPECT_EQ(show("x.min()"), "[]: 0");
  EXPECT_EQ(show("argmax(x, axis=0)"), "[3]: 1 1 1");
  EXPECT_EQ(show("cumsum(x, axis=1)"), "[2, 3]: 0 1 3 3 7 12");
  EXPECT_EQ(show("any(x > 4)"), "[]: 1");
  EXPECT_EQ(show("all(x > 4)"), "[]: 0");
  expectError("sum(x, axis=2)", "axis 2");
  expectError("sum(x, axs=1)", "did you mean 'axis'");
}

TEST_F(EvaluatorTest, Sorting) {
  define("x", "f32((3, 1, 2))");
  EXPECT_EQ(show("sort(x)"), "[3]: 1 2 3");
  EXPECT_EQ(show("x.sort(descending=true)"), "[3]: 3 2 1");
  EXPECT_EQ(show("argsort(x)"), "[3]: 1 2 0");
  EXPECT_EQ(show("stack((x, -x)).sort(axis=0)"), "[2, 3]: -3 -1 -2 3 1 2");
  // Equal elements keep their order both ways; NaN is the largest.
  EXPECT_EQ(show("argsort((1, 0, 1, 0))"), "[4]: 1 3 0 2");
  EXPECT_EQ(show("argsort((1, 0, 1, 0), descending=true)"), "[4]: 0 2 1 3");
  EXPECT_EQ(show("sort((nan, 1, -inf))"), "[3]: -inf 1 nan");
  EXPECT_EQ(show("argsort((1, nan, 2), descending=true)"), "[3]: 1 2 0");
  expectError("sort(x, axis=1)", "axis 1");
}

TEST_F(EvaluatorTest, ShapesAndJoining) {
  define("x", "f32[2,3]:arange");
  EXPECT_EQ(show("x.reshape(3, -1)"), "[3, 2]: 0 1 2 3 4 5");
  EXPECT_EQ(show("x.T.reshape(6)"), "[6]: 0 3 1 4 2 5");
  EXPECT_EQ(show("permute(x, (1, 0))"), "[3, 2]: 0 3 1 4 2 5");
  EXPECT_EQ(show("cat((x, x[:1]), 0)"), "[3, 3]: 0 1 2 3 4 5 0 1 2");
  EXPECT_EQ(show("stack((x[0], x[1]), axis=1)"), "[3, 2]: 0 3 1 4 2 5");
  EXPECT_EQ(show("broadcast_to(x[0], 2, 3)"), "[2, 3]: 0 1 2 0 1 2");
  EXPECT_EQ(show("tril(x)"), "[2, 3]: 0 0 0 3 4 0");
  EXPECT_EQ(show("triu(x, 1)"), "[2, 3]: 0 1 2 0 0 5");
  EXPECT_EQ(show("full((2,), 7) + ones(2)"), "[2]: 8 8");
  EXPECT_EQ(show("arange(1, 4)"), "[3]: 1 2 3");
  expectError("x.reshape(4)", "cannot reshape 6");
  expectError("x.reshape(-1, -1)", "more than one");
  expectError("permute(x, (0, 0))", "twice");
}

TEST_F(EvaluatorTest, MatrixProducts) {
  define("a", "f32[2,3]:arange");
  define("b", "f32[3,2]:arange");
  EXPECT_EQ(show("a @ b"), "[2, 2]: 10 13 28 40");
  EXPECT_EQ(show("matmul(b, a)"), "[3, 3]: 3 4 5 9 14 19 15 24 33");
  EXPECT_EQ(show("a @ (1, 1, 1)"), "[2]: 3 12");
  EXPECT_EQ(show("(a[None] @ b[None]).shape"), "(1, 2, 2)");
  expectError("a @ a", "inner dimensions");
}

TEST_F(EvaluatorTest, ElementwiseFunctions) {
  EXPECT_EQ(show("exp(0.0)"), "1f");
  EXPECT_EQ(show("sigmoid(0)"), "0.5f");
  EXPECT_EQ(show("relu((-1, 2))"), "[2]: 0 2");
  EXPECT_EQ(show("where((1, 0), 5, (6, 7))"), "[2]: 5 7");
  EXPECT_EQ(show("clamp((-5, 0.5, 9), 0, 1)"), "[3]: 0 0.5 1");
  EXPECT_EQ(show("maximum((1, 5), 3)"), "[2]: 3 5");
  EXPECT_EQ(show("isnan((nan, 1))"), "[2]: 1 0");
  EXPECT_EQ(show("softmax((0, 0))"), "[2]: 0.5 0.5");
  EXPECT_EQ(show("log_softmax((0, 0))"), "[2]: -0.6931471806 -0.6931471806");
  EXPECT_EQ(show("rsqrt(4)"), "0.5f");
  EXPECT_EQ(show("torch.nn.functional.gelu(0.0)"), "0f");
}

TEST_F(EvaluatorTest, CastsRound) {
  EXPECT_EQ(show("f16(0.1)"), "0.09997558594f");
  EXPECT_EQ(show("i8(300)"), "44");
  EXPECT_EQ(show("u8(-1)"), "255");
  EXPECT_EQ(show("tl.int32((1.9, -1.9))"), "[2]: 1 -1");
  EXPECT_EQ(show("(f32((1, 2)) / 3).to(bf16)"), "[2]: 0.333984375 0.66796875");
  expectError("void(1)", "cannot convert");
}

TEST_F(EvaluatorTest, RandIsPhilox) {
  // Random123's known answer for counter 0 and key 0 is 0x6627e8d5 first.
  EXPECT_EQ(
      show("rand(0, (0,)) * 2 ** 31"),
      "[1]: " +
          number(static_cast<double>(static_cast<float>(0x6627e8d5) * 4.6566127342e-10f) * 0x1p31));
}

TEST_F(EvaluatorTest, RandintIsPhilox) {
  EXPECT_EQ(show("randint(0, (0,))"), "[1]: " + number(static_cast<double>(0x6627e8d5)));
  // All 32 bits, of which rand complements the words whose uppermost is set.
  define("r", "f64(randint(7, arange(64)))");
  EXPECT_EQ(show("any(r >= 2 ** 31)"), "[]: 1");
  define("folded", "f64(where(r >= 2 ** 31, 2 ** 32 - 1 - r, r))");
  EXPECT_EQ(show("all(abs(folded / 2 ** 31 - rand(7, arange(64))) < 1e-7)"), "[]: 1");
  expectError("randint(0, (-1,))", "offsets of 32 bits");
}

TEST_F(EvaluatorTest, ErrorsPointAtThePlace) {
  std::string text = show("1 + unknwn(2)");
  EXPECT_NE(text.find("test:1:5: error: unknown name 'unknwn'"), std::string::npos) << text;
  EXPECT_NE(text.find("^"), std::string::npos) << text;
  define("BLOCK_SIZE", "4");
  expectError("BLOCK_SIZ * 2", "did you mean 'BLOCK_SIZE'");
  expectError("1 +", "expected");
  expectError("", "expected an expression");
  expectError("x = 1", "");
  expectError("[i for i in (1,)]", "cannot be used here");
  expectError("1(2)", "cannot be called");
  expectError("sum()", "lacks 'x'");
  expectError("sum(1, 2, 3, 4)", "takes fewer");
  expectError("1 + \"a\"", "not defined for");
  expectError("1.5 & 1", "not defined for floats");
}

TEST_F(EvaluatorTest, EveryFunctionIsFoundByItsName) {
  EXPECT_GT(getFunctions().size(), 80u);
  for (const Function &function : getFunctions())
    EXPECT_EQ(findFunction(function.name), &function) << function.name.str() << " is there twice";
}

TEST_F(EvaluatorTest, DeepNestingIsAnError) {
  expectError(std::string(20000, '(') + "1" + std::string(20000, ')'), "");
  expectError(std::string(20000, '-') + "1", "");
}

TEST_F(EvaluatorTest, UsedNamesAreNoted) {
  define("n", "5");
  define("unused", "5");
  EXPECT_EQ(show("cdiv(n, 2)"), "3");
  EXPECT_TRUE(evaluator.getUsedNames().count("n"));
  EXPECT_FALSE(evaluator.getUsedNames().count("unused"));
}

} // namespace

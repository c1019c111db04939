// Result dtypes of functions of one operand and of casts, against the tables in ../recorded, which
// were recorded from Triton's compiler.
#include "tests/frontend/lang/LangTest.h"
#include "tests/frontend/recorded/RecordedTable.h"

using namespace tilerun;
using namespace tilerun::lang;

namespace {
std::string shortName(llvm::StringRef name) {
  return name == "-" ? "-" : parseDType(name).value_or(DType()).signature();
}

class RecordedFunctions : public LangTest {
protected:
  void check(const char *expression, llvm::function_ref<Result(const Value &)> run) {
    static const auto table = test::readRecordedTable("unary.txt");
    auto it = table.find(expression);
    ASSERT_NE(it, table.end()) << expression;
    EXPECT_EQ(it->second.size(), 15u);
    for (const auto &[row, dtype, expected] : it->second) {
      EXPECT_EQ(row, "");
      Result result = run(arg(parseDType(dtype)->signature() + "[16]"));
      std::string got = "-";
      if (mlir::succeeded(result)) {
        const Value &v = result->getTuple() ? result->getTuple()->elements[0] : *result;
        got = v.get<TensorValue>().type.dtype.signature();
      }
      EXPECT_EQ(got, shortName(expected)) << expression << " of " << dtype << ": " << lastError();
    }
  }
};

#define RECORDED(Name, Expression, ...)                                                            \
  TEST_F(RecordedFunctions, Name) {                                                                \
    check(Expression, [&](const Value &a) -> Result { return __VA_ARGS__; });                      \
  }
RECORDED(Negate, "-a", unary(emitter, ast::UnaryOp::Minus, a))
RECORDED(Invert, "~a", unary(emitter, ast::UnaryOp::Invert, a))
RECORDED(Abs, "tl.abs(a)", tryCall("abs", {a}))
RECORDED(Exp, "tl.exp(a)", tryCall("exp", {a}))
RECORDED(Sqrt, "tl.sqrt(a)", tryCall("sqrt", {a}))
RECORDED(Sum, "tl.sum(a)", tryCall("sum", {a}))
RECORDED(Max, "tl.max(a)", tryCall("max", {a}))
RECORDED(Min, "tl.min(a)", tryCall("min", {a}))
RECORDED(Argmax, "tl.argmax(a, 0)", tryCall("argmax", {a, lit(0)}))
RECORDED(Cumsum, "tl.cumsum(a)", tryCall("cumsum", {a}))
RECORDED(Cumprod, "tl.cumprod(a)", tryCall("cumprod", {a}))
RECORDED(Floor, "tl.floor(a)", tryCall("floor", {a}))
RECORDED(Ceil, "tl.ceil(a)", tryCall("ceil", {a}))
RECORDED(XorSum, "tl.xor_sum(a)", tryCall("xor_sum", {a}))
RECORDED(ReduceOr, "tl.reduce_or(a, 0)", tryCall("reduce_or", {a, lit(0)}))
RECORDED(Sort, "tl.sort(a)", tryCall("sort", {a}))
RECORDED(Sin, "tl.sin(a)", tryCall("sin", {a}))
RECORDED(Log2, "tl.log2(a)", tryCall("log2", {a}))
RECORDED(Rsqrt, "tl.rsqrt(a)", tryCall("rsqrt", {a}))
RECORDED(Erf, "tl.erf(a)", tryCall("erf", {a}))
RECORDED(Umulhi, "tl.umulhi(a, a)", tryCall("umulhi", {a, a}))
RECORDED(Clamp, "tl.clamp(a, a, a)", tryCall("clamp", {a, a, a}))
RECORDED(Fma, "tl.fma(a, a, a)", tryCall("fma", {a, a, a}))
RECORDED(DivRn, "tl.div_rn(a, a)", tryCall("div_rn", {a, a}))
RECORDED(MaxWithIndex, "tl.max(a, 0, return_indices=True)[0]",
         tryCall("max", {a, lit(0)}, {{"return_indices", lit(true)}}))

TEST_F(RecordedFunctions, EveryCast) {
  auto table = test::readRecordedTable("cast.txt");
  auto it = table.find("a.to(column)");
  ASSERT_NE(it, table.end());
  for (const auto &[from, to, expected] : it->second) {
    auto result = lang::cast(emitter, arg(parseDType(from)->signature() + "[16]"), *parseDType(to));
    std::string got = mlir::succeeded(result) ? result->type.dtype.signature() : "-";
    EXPECT_EQ(got, shortName(expected)) << from << " to " << to;
  }
  EXPECT_EQ(it->second.size(), 225u);
}
} // namespace

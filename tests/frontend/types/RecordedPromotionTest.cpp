// The promotion rules against the tables in ../recorded, which were recorded from Triton's
// compiler: every operator, every pair of dtypes, every kind of literal; one test case an operator.
#include "frontend/types/Promotion.h"
#include "tests/frontend/recorded/RecordedTable.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilerun;

namespace {
const test::RecordedTable &getTable() {
  static const test::RecordedTable table = test::readRecordedTable("binary.txt");
  return table;
}

std::optional<Literal> parseLiteral(llvm::StringRef text) {
  static const std::map<std::string, Literal> literals = {{"True", Literal(true)},
                                                          {"3", Literal(__int128(3))},
                                                          {"-1", Literal(__int128(-1))},
                                                          {"300", Literal(__int128(300))},
                                                          {"2**31", Literal(__int128(1) << 31)},
                                                          {"2**40", Literal(__int128(1) << 40)},
                                                          {"2**63", Literal(__int128(1) << 63)},
                                                          {"1.5", Literal(1.5)},
                                                          {"1e300", Literal(1e300)},
                                                          {"1e-300", Literal(1e-300)}};
  auto it = literals.find(text.str());
  return it == literals.end() ? std::nullopt : std::optional<Literal>(it->second);
}

/// A column heading as an operand: a dtype, a literal, or "=literal", which is a run-time value of
/// the literal's own type.
Operand parseOperand(llvm::StringRef text) {
  if (text.consume_front("="))
    return Operand(*getLiteralType(*parseLiteral(text)));
  if (std::optional<DType> type = parseDType(text))
    return Operand(*type);
  return Operand(*parseLiteral(text));
}

struct Case {
  const char *name;
  const char *expression;
  Combine op;
  bool givesBool = false;
};

class Recorded : public testing::TestWithParam<Case> {};

TEST_P(Recorded, EveryPairOfOperands) {
  const Case &param = GetParam();
  auto it = getTable().find(param.expression);
  ASSERT_NE(it, getTable().end()) << "no table for " << param.expression;
  EXPECT_GE(it->second.size(), 600u);
  unsigned different = 0;
  for (const test::RecordedCell &cell : it->second) {
    TypeOrError type = combine(param.op, parseOperand(cell.row), parseOperand(cell.column));
    std::string got = !type ? "-" : param.givesBool ? "i1" : (*type).signature();
    std::string expected =
        cell.expected == "-" ? "-" : parseDType(cell.expected).value_or(DType()).signature();
    EXPECT_EQ(type.error.empty(), static_cast<bool>(type));
    if (got != expected && ++different <= 20)
      ADD_FAILURE() << cell.row << " with " << cell.column << ": got " << got << ", recorded "
                    << expected << " " << type.error;
  }
  EXPECT_EQ(different, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Triton, Recorded,
    testing::Values(
        Case{"Add", "a + b", Combine::Arithmetic}, Case{"Sub", "a - b", Combine::Arithmetic},
        Case{"Mul", "a * b", Combine::Arithmetic}, Case{"Div", "a / b", Combine::Divide},
        Case{"FloorDiv", "a // b", Combine::FloorDivide}, Case{"Mod", "a % b", Combine::Modulo},
        Case{"And", "a & b", Combine::Bitwise}, Case{"Or", "a | b", Combine::Bitwise},
        Case{"Xor", "a ^ b", Combine::Bitwise}, Case{"Shl", "a << b", Combine::Shift},
        Case{"Shr", "a >> b", Combine::Shift}, Case{"Less", "a < b", Combine::Compare, true},
        Case{"Equal", "a == b", Combine::Compare, true},
        Case{"WhereThen", "tl.where(a == a, a, b)", Combine::Arithmetic},
        Case{"WhereElse", "tl.where(b == b, a, b)", Combine::Arithmetic},
        Case{"Maximum", "tl.maximum(a, b)", Combine::Extremum},
        Case{"Minimum", "tl.minimum(a, b)", Combine::Extremum},
        Case{"Fdiv", "tl.fdiv(a, b)", Combine::FloatDivide}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });
} // namespace

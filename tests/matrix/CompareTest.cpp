// The comparison by rule, the contents of tensors, and the names of cells: each must be able to
// fail.
#include "tests/matrix/Compare.h"
#include "tests/matrix/Data.h"
#include "tests/matrix/Launch.h"
#include "tests/matrix/Results.h"
#include "tests/matrix/Tolerance.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

template <class T> std::vector<uint8_t> toBytes(std::vector<T> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class MatrixCompare : public testing::Test {
protected:
  /// The result of comparing float32 results.
  std::string compareFloats(Tolerance tolerance, std::vector<float> got,
                            std::vector<float> expected) {
    Cell cell = makeCell("g", "op", "fp32", 0, tolerance);
    addOutput(cell, "o", "fp32", static_cast<int64_t>(got.size()));
    return compare(cell, cell.tensors[0], toBytes(got), toBytes(expected), /*wide=*/false);
  }
  std::string compareWide(Tolerance tolerance, std::vector<float> got,
                          std::vector<double> expected) {
    Cell cell = makeCell("g", "op", "fp32", 0, tolerance);
    addOutput(cell, "o", "fp32", static_cast<int64_t>(got.size()));
    return compare(cell, cell.tensors[0], toBytes(got), toBytes(expected), /*wide=*/true);
  }
  const float nan = std::nanf(""), inf = INFINITY;
};

TEST_F(MatrixCompare, BitsTellZerosAndNansApart) {
  EXPECT_EQ(compareFloats(kBits, {1, -0.0f}, {1, -0.0f}), "");
  EXPECT_NE(compareFloats(kBits, {0.0f}, {-0.0f}), "");
  EXPECT_NE(compareFloats(kBits, {nan}, {-nan}), "");
}
TEST_F(MatrixCompare, ValuesTakeAnyNanButNotAnyZero) {
  EXPECT_EQ(compareFloats(kValue, {nan}, {-nan}), "");
  EXPECT_NE(compareFloats(kValue, {0.0f}, {-0.0f}), "");
  EXPECT_NE(compareFloats(kValue, {1.0f}, {std::nextafterf(1, 2)}), "");
  EXPECT_NE(compareFloats(kValue, {nan}, {1}), "");
}
TEST_F(MatrixCompare, NumbersTakeAnyZero) {
  EXPECT_EQ(compareFloats(kNumber, {0.0f, nan, inf}, {-0.0f, nan, inf}), "");
  EXPECT_NE(compareFloats(kNumber, {inf}, {-inf}), "");
}
TEST_F(MatrixCompare, UnitsInTheLastPlace) {
  Tolerance two{Rule::Ulp, 2, 0};
  float oneUp = std::nextafterf(1, 2), threeUp = std::nextafterf(std::nextafterf(oneUp, 2), 2);
  EXPECT_EQ(compareWide(two, {oneUp}, {1.0}), "");
  EXPECT_NE(compareWide(two, {threeUp}, {1.0}), "");
  EXPECT_NE(compareWide(two, {1}, {NAN}), "");
  EXPECT_EQ(compareWide(two, {inf}, {1e39}), "");
  EXPECT_NE(compareWide(two, {inf}, {1e30}), "");
  EXPECT_NE(compareWide(two, {-inf}, {1e39}), "");
  EXPECT_NE(compareWide(two, {0}, {1e-30}), "");
  EXPECT_EQ(compareWide({Rule::Ulp, 2, 1e-20}, {0}, {1e-30}), "");
}
TEST_F(MatrixCompare, ProductsByTheirNorm) {
  Tolerance tolerance{Rule::Product, 8, 0};
  std::vector<float> values(64, 100.0f);
  std::vector<double> expected(64, 100.0);
  EXPECT_EQ(compareWide(tolerance, values, expected), "");
  values[7] = 100.001f;
  EXPECT_NE(compareWide(tolerance, values, expected).find("element 7"), std::string::npos);
  // Small everywhere, but too much together.
  for (float &value : values)
    value = 100.0004f;
  EXPECT_NE(compareWide(tolerance, values, expected).find("norm"), std::string::npos);
}
TEST_F(MatrixCompare, FlushedSubnormalsAgreeWithEitherReference) {
  Cell cell = makeCell("g", "op", "fp32", 0, kValue);
  addOutput(cell, "o", "fp32", 1);
  auto agrees = [&](float got, float expected, float flushed) {
    return compare(cell, cell.tensors[0], toBytes<float>({got}), toBytes<float>({expected}), false,
                   toBytes<float>({flushed}))
        .empty();
  };
  EXPECT_TRUE(agrees(1, 1, 2));
  EXPECT_TRUE(agrees(2, 1, 2));
  EXPECT_TRUE(agrees(0, 1e-40f, 1));
  EXPECT_TRUE(agrees(1e-41f, 1e-40f, 1));
  EXPECT_TRUE(agrees(0, std::ldexp(1.0f, -126), 1));
  EXPECT_FALSE(agrees(3, 1, 2));
  EXPECT_FALSE(agrees(0, 1, 2));
  EXPECT_FALSE(agrees(0, 2e-38f, 1)); // A normal number is not tiny.
  EXPECT_FALSE(agrees(0, -0.0f, 1));  // Nor is a zero: signs count.
}
TEST_F(MatrixCompare, MovesMayNotFlush) {
  Cell move = makeCell("g", "op", "fp32", 0, kBits), test = move, half = move;
  addInput(move, "x", "fp32", 4);
  addOutput(move, "o", "fp32", 4);
  EXPECT_FALSE(mayTakeSubnormalsForZeros(move));
  move.tolerance = kValue;
  EXPECT_TRUE(mayTakeSubnormalsForZeros(move));
  addInput(test, "x", "bf16", 4);
  addOutput(test, "o", "i1", 4);
  EXPECT_TRUE(mayTakeSubnormalsForZeros(test));
  half.tolerance = kValue;
  addInput(half, "x", "fp16", 4);
  addOutput(half, "o", "fp16", 4);
  EXPECT_FALSE(mayTakeSubnormalsForZeros(half));
}
TEST_F(MatrixCompare, SubnormalInputsBecomeZerosWithTheirSigns) {
  Cell cell = makeCell("g", "op", "fp32", 0, kValue);
  addInput(cell, "x", "fp32", 3);
  addInput(cell, "y", "fp16", 1);
  for (bool wide : {false, true}) {
    Memory memory = makeMemory(cell, 1, wide);
    auto write = [&](size_t at, double value) {
      uint8_t *bytes = memory.buffers[0].data() + memory.offsets[0];
      float narrow = static_cast<float>(value);
      if (wide)
        std::memcpy(bytes + at * 8, &value, 8);
      else
        std::memcpy(bytes + at * 4, &narrow, 4);
    };
    write(0, -1e-40);
    write(1, 2e-38);
    write(2, 1e-45);
    Memory flushed = memory;
    flushSubnormals(cell, flushed, wide);
    EXPECT_NE(memory.getTensor(0), flushed.getTensor(0));
    write(0, -0.0);
    write(2, 0);
    EXPECT_EQ(memory.getTensor(0), flushed.getTensor(0));
    EXPECT_EQ(memory.getTensor(1), flushed.getTensor(1));
  }
}
TEST_F(MatrixCompare, MessagesNameTheElementAndBothValues) {
  EXPECT_EQ(compareFloats(kValue, {1, 2, 4}, {1, 2, 3}),
            "'o': element 2 is 4, expected 3 (1 of 3 differ)");
}
TEST_F(MatrixCompare, IntegersAreExactWhateverTheRule) {
  Cell cell = makeCell("g", "op", "i32", 0, {Rule::Ulp, 100, 100});
  addOutput(cell, "o", "i32", 2);
  EXPECT_EQ(
      compare(cell, cell.tensors[0], toBytes<int32_t>({1, 2}), toBytes<int32_t>({1, 2}), false),
      "");
  EXPECT_NE(
      compare(cell, cell.tensors[0], toBytes<int32_t>({1, 2}), toBytes<int32_t>({1, 3}), false),
      "");
}

TEST(MatrixCells, IdsAreUnique) {
  std::set<std::string> ids;
  for (unsigned variant = 0; variant < kNumVariants; ++variant)
    for (const Cell &cell : makeCells(variant))
      EXPECT_TRUE(ids.insert(cell.group + "/" + cell.getId()).second) << cell.getId();
}
TEST(MatrixCells, TemplatesAreFilled) {
  // In assembly, $0 names an operand.
  auto isFilled = [](const std::string &text) {
    for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1))
      if (at + 1 == text.size() || !std::isdigit(static_cast<unsigned char>(text[at + 1])))
        return false;
    return true;
  };
  for (const Cell &cell : makeCells(1)) {
    EXPECT_TRUE(isFilled(cell.source)) << cell.getId() << "\n" << cell.source;
    EXPECT_TRUE(isFilled(cell.wideSource)) << cell.getId();
  }
}
TEST(MatrixCells, AMissingFunctionIsFound) {
  Cells cells = makeCells(0);
  EXPECT_TRUE(checkCoverage(cells).empty());
  llvm::erase_if(cells, [](const Cell &cell) { return cell.op.find("fdim") != std::string::npos; });
  std::vector<std::string> problems = checkCoverage(cells);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("libdevice.fdim"), std::string::npos);
}
TEST(MatrixData, ContentsAreAFunctionOfTheSeed) {
  Cell cell = makeCell("g", "op", "fp32", 0, kBits);
  addInput(cell, "x", "fp32", 400);
  addInput(cell, "p", "i32", 50, {Fill::Kind::Permutation});
  auto first = makeContents(cell, cell.tensors[0], 1);
  EXPECT_EQ(first, makeContents(cell, cell.tensors[0], 1));
  EXPECT_NE(first, makeContents(cell, cell.tensors[0], 2));
  size_t nans = 0, infinities = 0;
  for (size_t i = 0; i < 400; ++i) {
    float value;
    std::memcpy(&value, first.data() + 4 * i, 4);
    nans += std::isnan(value);
    infinities += std::isinf(value);
  }
  EXPECT_GT(nans, 0u);
  EXPECT_GT(infinities, 0u);
  std::set<int32_t> numbers;
  auto permutation = makeContents(cell, cell.tensors[1], 1);
  for (size_t i = 0; i < 50; ++i) {
    int32_t value;
    std::memcpy(&value, permutation.data() + 4 * i, 4);
    numbers.insert(value);
  }
  EXPECT_EQ(numbers.size(), 50u);
  EXPECT_EQ(*numbers.rbegin(), 49);
}
TEST(MatrixResults, SurviveTheirFile) {
  Results results;
  results.column = "c";
  results.description = "d \"quoted\"";
  results.seed = 7;
  results.cells = {{"g", "op (a.b)", "i8", "op (a.b).i8", Verdict::Pass, ""},
                   {"g", "op (a.b)", "i8", "op (a.b).i8#1", Verdict::Unsupported, "why\nmore"}};
  Results read;
  ASSERT_EQ(parseResults(formatResults(results), read), "");
  ASSERT_EQ(read.cells.size(), 2u);
  EXPECT_EQ(read.description, results.description);
  EXPECT_EQ(read.cells[1].id, "op (a.b).i8#1");
  EXPECT_EQ(read.cells[1].dtype, "i8");
  EXPECT_EQ(read.cells[1].verdict, Verdict::Unsupported);
  EXPECT_EQ(read.cells[1].text, "why");
  EXPECT_NE(parseResults("{}", read), "");
  EXPECT_NE(parseResults("[1", read), "");
}
TEST(MatrixResults, ThePageShowsFailuresAndReasons) {
  Results results;
  results.column = "here";
  results.cells = {{"elementwise", "add", "i8", "add.i8", Verdict::Pass, ""},
                   {"elementwise", "add", "fp16", "add.fp16", Verdict::Fail, "x"},
                   {"elementwise", "add", "fp8e5", "add.fp8e5", Verdict::Unsupported,
                    "compile: loc(\"matrix.py\":1:2): 'tile.add' has no 8-bit floats"}};
  std::string page = makePage({results});
  EXPECT_NE(page.find("i8; not fp8e5 [1]; fp16 **(fails)**"), std::string::npos);
  EXPECT_NE(page.find("- [1] 'tile.add' has no 8-bit floats"), std::string::npos);
}
TEST(MatrixResults, APassMayCarryARemark) {
  Results results, read;
  results.column = "here";
  // Of a function that has one dtype, and of some that another has.
  const std::string one = "atomic_max (acquire, cta)";
  results.cells = {{"atomics", one, "i64", one + ".i64", Verdict::Pass, "zeros"},
                   {"atomics", one, "i64", one + ".i64#1", Verdict::Pass, ""},
                   {"elementwise", "umulhi", "i32", "umulhi.i32", Verdict::Pass, ""},
                   {"elementwise", "umulhi", "u32", "umulhi.u32", Verdict::Pass, ""}};
  ASSERT_EQ(parseResults(formatResults(results), read), "");
  std::string page = makePage({read});
  EXPECT_NE(page.find("| all; i64: [1] |"), std::string::npos);
  EXPECT_NE(page.find("- [1] zeros"), std::string::npos);
  EXPECT_NE(page.find("| i32 u32; not run: i64 u64 |"), std::string::npos);
}
} // namespace

// The analysis of a mismatch: bins of errors, errors by program, and the map of the tensor.
#include "tools/tilerun/host/Mismatch.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;

namespace {

Tensor zeros(std::vector<int64_t> shape) {
  return llvm::cantFail(Tensor::create(dtype(Scalar::F32), shape));
}
/// Against zeros, so that the errors are the values; within 0.5.
MismatchReport analyze(const Tensor &tensor, const Writers *writers = nullptr,
                       MapSize size = kTextMap) {
  Array expected = llvm::cantFail(Array::create(tensor.shape));
  return analyzeMismatch(
      tensor, [&](auto each) { forEachError(tensor, expected, {0, 0.5}, each); }, writers, size);
}

TEST(Mismatch, BinsArePowersOfTen) {
  Tensor tensor = zeros({9});
  const double values[] = {0,
                           0.001,
                           0.00999,
                           -0.2,
                           0.1,
                           9.999,
                           std::nan(""),
                           1000,
                           -std::numeric_limits<double>::infinity()};
  for (int64_t i = 0; i < 9; ++i)
    tensor.set(i, values[i]);
  const MismatchReport report = analyze(tensor);
  struct Row {
    const char *text;
    int64_t elements, mismatches;
  };
  const Row rows[] = {{"0", 1, 0},           {"1e-3 to 1e-2", 2, 0}, {"1e-2 to 1e-1", 0, 0},
                      {"1e-1 to 1e0", 2, 0}, {"1e0 to 1e1", 1, 1},   {"1e1 to 1e2", 0, 0},
                      {"1e2 to 1e3", 0, 0},  {"1e3 to 1e4", 1, 1},   {"NaN, infinity", 2, 2}};
  ASSERT_EQ(report.histogram.size(), std::size(rows));
  for (auto [bin, row] : llvm::zip_equal(report.histogram, rows)) {
    EXPECT_EQ(describe(bin), row.text);
    EXPECT_EQ(bin.elements, row.elements) << row.text;
    EXPECT_EQ(bin.mismatches, row.mismatches) << row.text;
  }
}

TEST(Mismatch, ErrorsFarBelowTheLargestShareABin) {
  Tensor tensor = llvm::cantFail(Tensor::create(dtype(Scalar::F64), {4}));
  const double errors[] = {1e-200, 1e-40, 2e-14, 2e-3};
  for (int64_t i = 0; i < 4; ++i)
    tensor.set(i, errors[i]);
  const MismatchReport report = analyze(tensor);
  ASSERT_EQ(report.histogram.size(), 13u);
  EXPECT_EQ(describe(report.histogram.front()), "below 1e-14");
  EXPECT_EQ(report.histogram.front().elements, 2);
  EXPECT_EQ(report.histogram[1].elements, 1);
  EXPECT_EQ(describe(report.histogram.back()), "1e-3 to 1e-2");
}

TEST(Mismatch, EveryPowerOfTenBeginsItsBin) {
  for (int e = -30; e <= 30; ++e) {
    Tensor tensor = llvm::cantFail(Tensor::create(dtype(Scalar::F64), {2}));
    tensor.set(0, std::pow(10, e));
    tensor.set(1, std::nextafter(std::pow(10, e), 0));
    const MismatchReport report = analyze(tensor);
    ASSERT_EQ(report.histogram.size(), 2u) << e;
    EXPECT_EQ(report.histogram[1].from, std::pow(10, e));
    EXPECT_EQ(report.histogram[0].elements, 1);
  }
}

TEST(Mismatch, ProgramsOfBytes) {
  const Writers writers{{{0, 8, 5}, {12, 4, 7}}};
  EXPECT_EQ(writers.find(0), 5u);
  EXPECT_EQ(writers.find(7), 5u);
  EXPECT_EQ(writers.find(8), std::nullopt);
  EXPECT_EQ(writers.find(15), 7u);
  EXPECT_EQ(writers.find(16), std::nullopt);
  EXPECT_EQ(Writers().find(0), std::nullopt);
}

TEST(Mismatch, ErrorsByProgram) {
  Tensor tensor = zeros({4});
  tensor.set(1, 1);
  tensor.set(2, 1);
  tensor.set(3, 1);
  const Writers writers{{{0, 8, 5}, {12, 4, 3}}};
  const MismatchReport report = analyze(tensor, &writers);
  EXPECT_TRUE(report.hasPrograms);
  EXPECT_EQ(report.firstProgram, 5u);
  ASSERT_EQ(report.programs.size(), 3u);
  EXPECT_EQ(report.programs[0].program, 3u);
  EXPECT_EQ(report.programs[0].first, 3);
  EXPECT_EQ(report.programs[1].program, 5u);
  EXPECT_EQ(report.programs[1].elements, 2);
  EXPECT_EQ(report.programs[1].mismatches, 1);
  EXPECT_EQ(report.programs[2].program, std::nullopt);
  EXPECT_EQ(formatProgram(11, {2, 3, 4}), "(1, 2, 1)");
}

TEST(Mismatch, IncompleteWritersAreNone) {
  Tensor tensor = zeros({4});
  tensor.set(1, 1);
  const Writers writers{{{0, 8, 5}}, /*complete=*/false};
  const MismatchReport report = analyze(tensor, &writers);
  EXPECT_FALSE(report.hasPrograms);
  EXPECT_EQ(report.firstProgram, std::nullopt);
  EXPECT_EQ(getLetter(report.map.cells[0], false), '-');
  EXPECT_EQ(getLetter(report.map.cells[1], false), 'X');
}

std::string draw(const MismatchReport &report) {
  std::string text;
  for (auto [i, cell] : llvm::enumerate(report.map.cells))
    text += std::string(i && i % report.map.columns == 0 ? "/" : "") +
            getLetter(cell, report.hasPrograms);
  return text;
}

TEST(Mismatch, MapOfRows) {
  Tensor tensor = zeros({2, 3, 8}); // Six rows, in cells of 2 x 4.
  Writers writers;
  for (uint64_t row = 0; row < 5; ++row)
    for (uint64_t half = 0; half < 2; ++half)
      writers.runs.push_back({row * 32 + half * 16, 16, row / 2 * 2 + half});
  tensor.set(2 * 8 + 6, 1); // Program 3.
  tensor.set(5 * 8, 1);     // Nobody; its cell begins in the row of program 4.
  const MismatchReport report = analyze(tensor, &writers, {3, 2});
  EXPECT_EQ(report.map.cellRows, 2);
  EXPECT_EQ(report.map.cellColumns, 4);
  EXPECT_EQ(draw(report), "ab/cD/!f");
  EXPECT_EQ(report.map.cells[3].first, 2 * 8 + 4);
  EXPECT_EQ(report.map.cells[3].last, 3 * 8 + 7);
}

TEST(Mismatch, MapOfOneDimensionIsFolded) {
  Tensor tensor = zeros({21});
  const Writers writers{{{0, 40, 0}, {40, 40, 1}}};
  tensor.set(12, 1);
  const MismatchReport report = analyze(tensor, &writers, {3, 4}); // Cells of two elements.
  EXPECT_EQ(report.map.cellColumns, 2);
  EXPECT_EQ(report.map.rowLength, 8);
  EXPECT_EQ(draw(report), "aaaa/abBb/bb. ");
}

TEST(Mismatch, SmallAndEmptyTensors) {
  EXPECT_EQ(draw(analyze(zeros({}))), "-");
  EXPECT_EQ(draw(analyze(zeros({0}))), "");
  EXPECT_EQ(draw(analyze(zeros({3, 0}))), "");
  EXPECT_EQ(draw(analyze(zeros({5}))), "-----");
}

} // namespace

// Float64 array arithmetic: accuracy, special values, empty operands.
#include "tools/tilerun/host/ArrayMath.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;

namespace {

Array make(llvm::ArrayRef<int64_t> shape, std::vector<double> data) {
  Array array = llvm::cantFail(Array::create(shape));
  EXPECT_EQ(array.data.size(), data.size());
  array.data = std::move(data);
  return array;
}

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ArrayMath, SumsAreCompensated) {
  Array array = make({4}, {1, 1e100, 1, -1e100});
  EXPECT_EQ(llvm::cantFail(reduce(array, Reduction::Sum, std::nullopt, false, 0)).data[0], 2);
  EXPECT_EQ(llvm::cantFail(cumulativeSum(array, 0)).data[3], 2);
}

TEST(ArrayMath, SumsOfInfinities) {
  EXPECT_EQ(
      llvm::cantFail(reduce(make({2}, {kInf, 1}), Reduction::Sum, std::nullopt, false, 0)).data[0],
      kInf);
  EXPECT_TRUE(std::isnan(
      llvm::cantFail(reduce(make({2}, {kInf, -kInf}), Reduction::Sum, std::nullopt, false, 0))
          .data[0]));
}

TEST(ArrayMath, ReducesTheMiddleAxis) {
  Array array = make({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  Array sums = llvm::cantFail(reduce(array, Reduction::Sum, 1, false, 0));
  EXPECT_EQ(sums.shape, (Shape{2, 2}));
  EXPECT_EQ(sums.data, (std::vector<double>{2, 4, 10, 12}));
  EXPECT_EQ(llvm::cantFail(reduce(array, Reduction::Sum, -2, true, 0)).shape, (Shape{2, 1, 2}));
}

TEST(ArrayMath, NanWinsInMaxAndMin) {
  Array array = make({3}, {1, kNan, 5});
  EXPECT_TRUE(
      std::isnan(llvm::cantFail(reduce(array, Reduction::Max, std::nullopt, false, 0)).data[0]));
  EXPECT_EQ(llvm::cantFail(reduce(array, Reduction::ArgMin, std::nullopt, false, 0)).data[0], 1);
}

TEST(ArrayMath, EmptyReductions) {
  Array empty = make({0, 3}, {});
  EXPECT_EQ(llvm::cantFail(reduce(empty, Reduction::Sum, 0, false, 0)).data,
            (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(llvm::cantFail(reduce(empty, Reduction::Max, 1, false, 0)).data.size(), 0u);
  llvm::Expected<Array> failed = reduce(empty, Reduction::Max, 0, false, 0);
  EXPECT_FALSE(static_cast<bool>(failed));
  llvm::consumeError(failed.takeError());
}

TEST(ArrayMath, SoftmaxOfLargeValuesDoesNotOverflow) {
  Array out = llvm::cantFail(softmax(make({1, 2}, {1000, 1000}), 1, false));
  EXPECT_EQ(out.data, (std::vector<double>{0.5, 0.5}));
  out = llvm::cantFail(softmax(make({2, 2}, {0, 5, 0, 5}), 0, false));
  EXPECT_EQ(out.data, (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
}

TEST(ArrayMath, BatchedMatmulBroadcasts) {
  Array a = make({2, 1, 2}, {1, 2, 3, 4}), b = make({2, 1}, {10, 100});
  Array out = llvm::cantFail(matmul(a, b));
  EXPECT_EQ(out.shape, (Shape{2, 1, 1}));
  EXPECT_EQ(out.data, (std::vector<double>{210, 430}));
}

TEST(ArrayMath, MatmulOfVectors) {
  Array dot = llvm::cantFail(matmul(make({2}, {1, 2}), make({2}, {3, 4})));
  EXPECT_EQ(dot.shape, Shape());
  EXPECT_EQ(dot.data[0], 11);
}

TEST(ArrayMath, BroadcastShapes) {
  EXPECT_EQ(llvm::cantFail(broadcastShapes({3, 1}, {4})), (Shape{3, 4}));
  EXPECT_EQ(llvm::cantFail(broadcastShapes({}, {2})), (Shape{2}));
  EXPECT_EQ(llvm::cantFail(broadcastShapes({1}, {0})), (Shape{0}));
  llvm::Expected<Shape> failed = broadcastShapes({3}, {4});
  EXPECT_FALSE(static_cast<bool>(failed));
  llvm::consumeError(failed.takeError());
}

TEST(ArrayMath, ConcatenateChecksShapes) {
  llvm::Expected<Array> failed = concatenate({make({1, 2}, {1, 2}), make({1, 3}, {1, 2, 3})}, 0);
  EXPECT_FALSE(static_cast<bool>(failed));
  llvm::consumeError(failed.takeError());
  EXPECT_EQ(llvm::cantFail(concatenate({make({1, 2}, {1, 2}), make({1, 3}, {3, 4, 5})}, -1)).data,
            (std::vector<double>{1, 2, 3, 4, 5}));
}

} // namespace

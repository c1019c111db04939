// Comparison: tolerances, NaN, infinities, first difference, exact integers, printing.
#include "tools/tilerun/host/Compare.h"

#include "gtest/gtest.h"

#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace tilerun;
using namespace tilerun::host;

namespace {

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Array make(std::vector<double> data) {
  Array array = llvm::cantFail(Array::create({static_cast<int64_t>(data.size())}));
  array.data = std::move(data);
  return array;
}
Tensor tensor(Scalar scalar, std::vector<double> data) {
  return llvm::cantFail(toTensor(make(std::move(data)), dtype(scalar)));
}

TEST(Compare, ToleranceIsAbsolutePlusRelative) {
  Tensor got = tensor(Scalar::F64, {100.5, 0.25});
  EXPECT_TRUE(compareTensor(got, make({100, 0}), {0.0025, 0.25}).ok());
  Comparison result = compareTensor(got, make({100, 0}), {0.0025, 0.2});
  EXPECT_EQ(result.mismatches, 2);
  EXPECT_EQ(*result.first, 0);
  EXPECT_EQ(result.maxAbsError, 0.5);
}

TEST(Compare, FirstDifferenceHasIndexAndValues) {
  Comparison result = compareTensor(tensor(Scalar::F32, {1, 2, 3}), make({1, 2.5, 4}), {0, 0.1});
  EXPECT_EQ(result.count, 3);
  EXPECT_EQ(result.mismatches, 2);
  EXPECT_EQ(*result.first, 1);
  EXPECT_EQ(result.got, "2");
  EXPECT_EQ(result.expected, "2.5");
}

TEST(Compare, NanAndInfinity) {
  EXPECT_TRUE(
      compareTensor(tensor(Scalar::F32, {kNan, kInf, -kInf}), make({kNan, kInf, -kInf}), {0, 0})
          .ok());
  Comparison result = compareTensor(tensor(Scalar::F32, {kNan, kInf, 1, 1, kInf, kNan, 2}),
                                    make({1, -kInf, kInf, kNan, kNan, kNan, 2}), {1e9, 1e9});
  EXPECT_EQ(result.mismatches, 5);
  EXPECT_EQ(result.nans, 3);
  EXPECT_EQ(result.infinities, 2);
  EXPECT_EQ(result.maxAbsError, 0);
}

TEST(Compare, RelativeErrorIsScaledNearZero) {
  // The second element cancels to nearly nothing: its own relative error says nothing.
  Comparison result = compareTensor(tensor(Scalar::F64, {10, 1e-9}), make({10, 1e-12}), {0, 1});
  EXPECT_LT(result.maxRelError, 1e-9);
  result = compareTensor(tensor(Scalar::F64, {11, 10}), make({10, 10}), {0, 1});
  EXPECT_NEAR(result.maxRelError, 0.1, 1e-12);
}

TEST(Compare, WrongSignOfZeroIsEqual) {
  EXPECT_TRUE(compareTensor(tensor(Scalar::F32, {-0.0}), make({0.0}), {0, 0}).ok());
}

TEST(Compare, IntegersAreExact) {
  Tensor a = llvm::cantFail(Tensor::create(dtype(Scalar::Int64), {1})),
         b = llvm::cantFail(Tensor::create(dtype(Scalar::Int64), {1}));
  storeInteger(a.storage->bytes().data(), Scalar::Int64, (__int128(1) << 53) + 1);
  storeInteger(b.storage->bytes().data(), Scalar::Int64, __int128(1) << 53);
  Comparison result = compareIntegers(a, b);
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.got, "9007199254740993");
  EXPECT_EQ(result.expected, "9007199254740992");
  EXPECT_TRUE(compareIntegers(a, a).ok());
}

TEST(Compare, EmptyTensorsMatch) {
  EXPECT_TRUE(compareTensor(tensor(Scalar::F32, {}), make({}), {}).ok());
}

TEST(Compare, DefaultTolerancesFollowThePrecision) {
  EXPECT_EQ(getDefaultTolerance(dtype(Scalar::Int32)).rtol, 0);
  EXPECT_LT(getDefaultTolerance(dtype(Scalar::F64)).rtol,
            getDefaultTolerance(dtype(Scalar::F32)).rtol);
  EXPECT_LT(getDefaultTolerance(dtype(Scalar::F32)).rtol,
            getDefaultTolerance(dtype(Scalar::F16)).rtol);
  EXPECT_LT(getDefaultTolerance(dtype(Scalar::F16)).rtol,
            getDefaultTolerance(dtype(Scalar::BF16)).rtol);
  EXPECT_LT(getDefaultTolerance(dtype(Scalar::BF16)).rtol,
            getDefaultTolerance(dtype(Scalar::F8E4NV)).rtol);
}

TEST(Compare, ShortestTextOfNumbers) {
  EXPECT_EQ(formatElement(0.1f, dtype(Scalar::F32)), "0.1");
  EXPECT_EQ(formatElement(0.1, dtype(Scalar::F64)), "0.1");
  EXPECT_EQ(formatElement(-kInf, dtype(Scalar::F16)), "-inf");
}

TEST(Compare, PrintsLikeNumpy) {
  auto print = [](const Tensor &t) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printTensor(os, t);
    return text;
  };
  Tensor matrix = llvm::cantFail(Tensor::create(dtype(Scalar::Int32), {2, 2}, {1, 2}));
  matrix.set(1, 7);
  EXPECT_EQ(print(matrix), "[[0, 7],\n [0, 0]]");
  Tensor long1 = llvm::cantFail(Tensor::create(dtype(Scalar::Int32), {100}));
  long1.set(99, 5);
  EXPECT_EQ(print(long1), "[0, 0, 0, ..., 0, 0, 5]");
  EXPECT_EQ(print(llvm::cantFail(Tensor::create(dtype(Scalar::F32), {}))), "0");
  EXPECT_EQ(print(llvm::cantFail(Tensor::create(dtype(Scalar::F32), {0}))), "[]");
}

} // namespace

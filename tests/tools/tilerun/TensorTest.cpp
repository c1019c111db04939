// Shapes, strides, limits and conversion of host tensors.
#include "tools/tilerun/host/Tensor.h"

#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::host;

namespace {

std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST(Tensor, StridesReachEveryElement) {
  llvm::Expected<Tensor> tensor = Tensor::create(dtype(Scalar::F32), {2, 3}, {1, 4});
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->storage->bytes().size(), (1 + 1 + 2 * 4) * 4u);
  for (int64_t i = 0; i < 6; ++i)
    tensor->set(i, i);
  EXPECT_EQ(tensor->get(4), 4);
  EXPECT_EQ(tensor->getByteOffset(4), (1 + 4) * 4u);
  llvm::Expected<Array> array = toArray(*tensor);
  ASSERT_TRUE(static_cast<bool>(array));
  EXPECT_EQ(array->data, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(Tensor, ForEachVisitsInRowMajorOrder) {
  llvm::Expected<Tensor> tensor = Tensor::create(dtype(Scalar::Int8), {2, 2, 2}, {1, 2, 4});
  ASSERT_TRUE(static_cast<bool>(tensor));
  std::vector<uint64_t> offsets;
  tensor->forEach([&](int64_t i, uint64_t at) {
    EXPECT_EQ(at, tensor->getByteOffset(i));
    offsets.push_back(at);
  });
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(Tensor, ScalarsAndEmptyTensors) {
  llvm::Expected<Tensor> scalar = Tensor::create(dtype(Scalar::F64), {});
  ASSERT_TRUE(static_cast<bool>(scalar));
  EXPECT_EQ(scalar->numElements(), 1);
  llvm::Expected<Tensor> empty = Tensor::create(dtype(Scalar::F64), {3, 0});
  ASSERT_TRUE(static_cast<bool>(empty));
  EXPECT_EQ(empty->numElements(), 0);
  EXPECT_TRUE(empty->isContiguous());
  auto [begin, end] = empty->getByteRange();
  EXPECT_EQ(begin, end);
  empty->forEach([](int64_t, uint64_t) { FAIL(); });
}

TEST(Tensor, Contiguity) {
  auto isContiguous = [](llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) {
    return llvm::cantFail(Tensor::create(dtype(Scalar::Int8), shape, strides)).isContiguous();
  };
  EXPECT_TRUE(isContiguous({4, 8}, {8, 1}));
  EXPECT_TRUE(isContiguous({1, 8}, {77, 1}));
  EXPECT_FALSE(isContiguous({4, 8}, {1, 4}));
  EXPECT_FALSE(isContiguous({4, 8}, {9, 1}));
  EXPECT_FALSE(isContiguous({4}, {0}));
}

TEST(Tensor, RefusesWhatDoesNotFit) {
  EXPECT_NE(message(Tensor::create(dtype(Scalar::F32), {1ll << 62, 4}).takeError()).find("limit"),
            std::string::npos);
  EXPECT_NE(
      message(Tensor::create(dtype(Scalar::F32), {0, 1ll << 62, 4}).takeError()).find("limit"),
      std::string::npos);
  EXPECT_NE(
      message(Tensor::create(dtype(Scalar::Int8), {2}, {INT64_MAX}).takeError()).find("limit"),
      std::string::npos);
  EXPECT_NE(message(Tensor::create(dtype(Scalar::Int8), {2}, {-1}).takeError()).find("negative"),
            std::string::npos);
  EXPECT_NE(message(Tensor::create(dtype(Scalar::Int8), {-2}).takeError()).find("negative"),
            std::string::npos);
  Shape nine(9, 1);
  EXPECT_NE(message(Tensor::create(dtype(Scalar::Int8), nine).takeError()).find("at most 8"),
            std::string::npos);
}

TEST(Tensor, ToTensorRounds) {
  llvm::Expected<Array> array = Array::create({2});
  ASSERT_TRUE(static_cast<bool>(array));
  array->data = {0.1, 1000.3};
  llvm::Expected<Tensor> half = toTensor(*array, dtype(Scalar::F16));
  ASSERT_TRUE(static_cast<bool>(half));
  EXPECT_EQ(half->get(0), 0.0999755859375);
  EXPECT_EQ(half->get(1), 1000.5);
}

TEST(Tensor, Formatting) {
  EXPECT_EQ(formatIndex({3, 17}), "[3, 17]");
  EXPECT_EQ(unravel(7, {2, 5}), (Shape{1, 2}));
}

} // namespace

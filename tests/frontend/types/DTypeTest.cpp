// Names and properties of element types: every entry of Scalars.def.
#include "frontend/types/DType.h"

#include <gtest/gtest.h>

using namespace tilerun;

namespace {
struct Expectation {
  Scalar scalar;
  const char *name, *shortName;
  unsigned bits;
  char kind; // b, i, u, f, v
};

// Written out by hand, so that a slip in the list shows.
const Expectation kExpectations[] = {
    {Scalar::Void, "void", "void", 0, 'v'},
    {Scalar::Int1, "int1", "i1", 1, 'b'},
    {Scalar::Int8, "int8", "i8", 8, 'i'},
    {Scalar::Int16, "int16", "i16", 16, 'i'},
    {Scalar::Int32, "int32", "i32", 32, 'i'},
    {Scalar::Int64, "int64", "i64", 64, 'i'},
    {Scalar::UInt8, "uint8", "u8", 8, 'u'},
    {Scalar::UInt16, "uint16", "u16", 16, 'u'},
    {Scalar::UInt32, "uint32", "u32", 32, 'u'},
    {Scalar::UInt64, "uint64", "u64", 64, 'u'},
    {Scalar::F8E5, "float8e5", "fp8e5", 8, 'f'},
    {Scalar::F8E4NV, "float8e4nv", "fp8e4nv", 8, 'f'},
    {Scalar::F8E4B8, "float8e4b8", "fp8e4b8", 8, 'f'},
    {Scalar::F8E5B16, "float8e5b16", "fp8e5b16", 8, 'f'},
    {Scalar::F8E4B15, "float8e4b15", "fp8e4b15", 8, 'f'},
    {Scalar::F16, "float16", "fp16", 16, 'f'},
    {Scalar::BF16, "bfloat16", "bf16", 16, 'f'},
    {Scalar::F32, "float32", "fp32", 32, 'f'},
    {Scalar::F64, "float64", "fp64", 64, 'f'},
};

class EveryScalar : public testing::TestWithParam<Expectation> {};

TEST_P(EveryScalar, NamesAndProperties) {
  const Expectation &x = GetParam();
  DType type = dtype(x.scalar);
  EXPECT_EQ(type.str(), x.name);
  EXPECT_EQ(type.signature(), x.shortName);
  EXPECT_EQ(type.getBits(), x.bits);
  EXPECT_EQ(type.isBool(), x.kind == 'b');
  EXPECT_EQ(type.isInt(), x.kind == 'b' || x.kind == 'i' || x.kind == 'u');
  EXPECT_EQ(type.isSigned(), x.kind == 'i');
  EXPECT_EQ(type.isUnsigned(), x.kind == 'u' || x.kind == 'b');
  EXPECT_EQ(type.isFloat(), x.kind == 'f');
  EXPECT_EQ(type.isFp8(), x.kind == 'f' && x.bits == 8);
  EXPECT_EQ(parseDType(x.name), type);
  EXPECT_EQ(parseDType(x.shortName), type);

  DType pointer = type.getPointerTo();
  EXPECT_TRUE(pointer.isPointer());
  EXPECT_EQ(pointer.getBits(), 64u);
  EXPECT_FALSE(pointer.isInt() || pointer.isFloat() || pointer.isBool() || pointer.isSigned());
  EXPECT_EQ(pointer.getPointee(), type);
  EXPECT_EQ(pointer.str(), "pointer<" + std::string(x.name) + ">");
  EXPECT_EQ(pointer.signature(), "*" + std::string(x.shortName));
  EXPECT_EQ(parseDType(pointer.signature()), pointer);
  EXPECT_EQ(parseDType(pointer.str()), pointer);
  EXPECT_NE(pointer, type);
}

INSTANTIATE_TEST_SUITE_P(Scalars, EveryScalar, testing::ValuesIn(kExpectations),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(DType, ListIsComplete) {
  unsigned count = 0;
#define SCALAR(Enum, Name, Short, Bits, Kind) ++count;
#include "frontend/types/Scalars.def"
  EXPECT_EQ(count, std::size(kExpectations));
}

TEST(DType, Aliases) {
  EXPECT_EQ(parseDType("half"), dtype(Scalar::F16));
  EXPECT_EQ(parseDType("float"), dtype(Scalar::F32));
  EXPECT_EQ(parseDType("f32"), dtype(Scalar::F32));
  EXPECT_EQ(parseDType("double"), dtype(Scalar::F64));
  EXPECT_EQ(parseDType("bool"), dtype(Scalar::Int1));
  EXPECT_EQ(parseDType("int"), dtype(Scalar::Int32));
}

TEST(DType, PointersInSignatures) {
  auto pointer = parseDType("**fp16");
  ASSERT_TRUE(pointer);
  EXPECT_EQ(pointer->pointerDepth, 2);
  EXPECT_EQ(pointer->getPointee().getPointee(), dtype(Scalar::F16));
  auto constant = parseDType("*ki32");
  ASSERT_TRUE(constant);
  EXPECT_TRUE(constant->isConst);
  EXPECT_EQ(constant->getPointee(), dtype(Scalar::Int32));
  EXPECT_EQ(constant->signature(), "*ki32");
  EXPECT_EQ(constant->str(), "pointer<const int32>");
}

TEST(DType, UnknownNames) {
  for (const char *text : {"", "float33", "*", "k", "*k", "int", " int32", "pointer<", "pointer<>",
                           "Float32", "kfp32"})
    if (llvm::StringRef(text) != "int")
      EXPECT_FALSE(parseDType(text)) << text;
  EXPECT_FALSE(parseDType(std::string(1000, '*') + "i32"));
}

TEST(TensorType, TextAndSize) {
  TensorType scalar{dtype(Scalar::F32), {}};
  EXPECT_TRUE(scalar.isScalar());
  EXPECT_EQ(scalar.numElements(), 1);
  EXPECT_EQ(scalar.str(), "float32");
  TensorType tensor{dtype(Scalar::Int8), {64, 1, 32}};
  EXPECT_EQ(tensor.numElements(), 2048);
  EXPECT_EQ(tensor.str(), "int8[64, 1, 32]");
  EXPECT_FALSE(tensor == scalar);
}
} // namespace

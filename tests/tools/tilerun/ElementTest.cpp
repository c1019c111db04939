// Element conversions: tables of exact patterns, and every 8- and 16-bit pattern both ways.
#include "tools/tilerun/host/Element.h"

#include "gtest/gtest.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;

namespace {

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

uint32_t encode(Scalar scalar, double value) {
  uint8_t bytes[8] = {};
  storeElement(bytes, scalar, value);
  uint32_t out;
  std::memcpy(&out, bytes, 4);
  return out;
}

double decode(Scalar scalar, uint64_t pattern) {
  uint8_t bytes[8];
  std::memcpy(bytes, &pattern, 8);
  return loadElement(bytes, scalar);
}

/// LLVM's semantics of a format, as an independent reference; null where it has none.
const llvm::fltSemantics *getSemantics(Scalar scalar) {
  switch (scalar) {
  case Scalar::F16:
    return &llvm::APFloat::IEEEhalf();
  case Scalar::BF16:
    return &llvm::APFloat::BFloat();
  case Scalar::F8E5:
    return &llvm::APFloat::Float8E5M2();
  case Scalar::F8E4NV:
    return &llvm::APFloat::Float8E4M3FN();
  case Scalar::F8E4B8:
    return &llvm::APFloat::Float8E4M3FNUZ();
  case Scalar::F8E5B16:
    return &llvm::APFloat::Float8E5M2FNUZ();
  default:
    return nullptr;
  }
}

class SmallFloatTest : public testing::TestWithParam<Scalar> {};

TEST_P(SmallFloatTest, EveryPatternDecodesAsLlvmSays) {
  unsigned bits = dtype(GetParam()).getBits();
  for (uint32_t pattern = 0; pattern < 1u << bits; ++pattern) {
    llvm::APFloat reference(*getSemantics(GetParam()), llvm::APInt(bits, pattern));
    bool lost;
    reference.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
    double expected = reference.convertToDouble(), got = decode(GetParam(), pattern);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got)) << pattern;
    } else {
      EXPECT_EQ(got, expected) << pattern;
      EXPECT_EQ(std::signbit(got), std::signbit(expected)) << pattern;
    }
  }
}

TEST_P(SmallFloatTest, FiniteNumbersRoundTrip) {
  unsigned bits = dtype(GetParam()).getBits();
  for (uint32_t pattern = 0; pattern < 1u << bits; ++pattern) {
    double value = decode(GetParam(), pattern);
    if (std::isfinite(value)) {
      EXPECT_EQ(encode(GetParam(), value), pattern);
    }
  }
}

TEST_P(SmallFloatTest, RoundsToNearestEvenLikeLlvm) {
  unsigned bits = dtype(GetParam()).getBits();
  double previous = 0;
  for (uint32_t pattern = 1; pattern < 1u << (bits - 1); ++pattern) {
    double value = decode(GetParam(), pattern);
    if (!std::isfinite(value))
      break;
    double middle = (previous + value) / 2;
    for (double x : {middle, std::nextafter(middle, kInf), std::nextafter(middle, 0), -middle}) {
      llvm::APFloat reference(x);
      bool lost;
      reference.convert(*getSemantics(GetParam()), llvm::APFloat::rmNearestTiesToEven, &lost);
      EXPECT_EQ(encode(GetParam(), x), reference.bitcastToAPInt().getZExtValue()) << x;
    }
    previous = value;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloatTest,
                         testing::Values(Scalar::F16, Scalar::BF16, Scalar::F8E5, Scalar::F8E4NV,
                                         Scalar::F8E4B8, Scalar::F8E5B16),
                         [](const auto &info) { return dtype(info.param).str(); });

TEST(Element, Fp8SaturatesToFinite) {
  EXPECT_EQ(roundTo(1e9, Scalar::F8E4NV), 448);
  EXPECT_EQ(roundTo(-kInf, Scalar::F8E4NV), -448);
  EXPECT_EQ(roundTo(1e9, Scalar::F8E5), 57344);
  EXPECT_EQ(roundTo(1e9, Scalar::F8E4B8), 240);
  EXPECT_EQ(roundTo(1e9, Scalar::F8E5B16), 57344);
  EXPECT_EQ(roundTo(1e9, Scalar::F8E4B15), 1.875);
}

TEST(Element, HalfAndBfloatOverflowToInfinity) {
  EXPECT_EQ(roundTo(65519.0, Scalar::F16), 65504);
  EXPECT_EQ(roundTo(65520.0, Scalar::F16), kInf);
  EXPECT_EQ(roundTo(-1e39, Scalar::BF16), -kInf);
  EXPECT_EQ(roundTo(1e39, Scalar::F32), kInf);
  EXPECT_EQ(roundTo(-1e39, Scalar::F32), -kInf);
}

TEST(Element, NanAndMinusZero) {
  for (Scalar scalar : {Scalar::F16, Scalar::BF16, Scalar::F8E5, Scalar::F8E4NV, Scalar::F8E4B8,
                        Scalar::F8E5B16, Scalar::F32, Scalar::F64})
    EXPECT_TRUE(std::isnan(roundTo(kNan, scalar))) << dtype(scalar).str();
  EXPECT_EQ(encode(Scalar::F16, -0.0), 0x8000u);
  EXPECT_EQ(encode(Scalar::F8E4B8, -0.0), 0u);
}

TEST(Element, IntegersWrapAndTruncate) {
  EXPECT_EQ(roundTo(-1, Scalar::UInt8), 255);
  EXPECT_EQ(roundTo(300, Scalar::Int8), 44);
  EXPECT_EQ(roundTo(-2.9, Scalar::Int32), -2);
  EXPECT_EQ(roundTo(0.5, Scalar::Int1), 1);
  EXPECT_EQ(roundTo(kNan, Scalar::Int32), 0);
}

TEST(Element, WideIntegersAreExact) {
  uint8_t bytes[8];
  storeInteger(bytes, Scalar::UInt64, static_cast<__int128>(UINT64_MAX));
  EXPECT_TRUE(loadInteger(bytes, Scalar::UInt64) == static_cast<__int128>(UINT64_MAX));
  EXPECT_TRUE(loadInteger(bytes, Scalar::Int64) == -1);
}

TEST(Element, FitsInteger) {
  EXPECT_TRUE(fitsInteger(Scalar::Int8, -128));
  EXPECT_FALSE(fitsInteger(Scalar::Int8, 128));
  EXPECT_FALSE(fitsInteger(Scalar::UInt64, -1));
  EXPECT_TRUE(fitsInteger(Scalar::Int1, 1));
  EXPECT_FALSE(fitsInteger(Scalar::Int1, 2));
}

TEST(Element, Sizes) {
  EXPECT_EQ(getElementBytes(dtype(Scalar::Int1)), 1u);
  EXPECT_EQ(getElementBytes(dtype(Scalar::BF16)), 2u);
  EXPECT_EQ(getElementBytes(dtype(Scalar::F8E4NV)), 1u);
  EXPECT_EQ(getElementBytes(dtype(Scalar::F32).getPointerTo()), 8u);
}

} // namespace

// Conversions of small floats, exhaustively: every code of a format, and the borders between
// neighbours.
#include "emulators/amdgpu/Floats.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilerun::amdsim::tests {
namespace {

float bitsToFloat(uint32_t bits) { return std::bit_cast<float>(bits); }

// The value of a half from its definition.
double halfValue(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                    : std::ldexp(fraction, -24);
  return bits >> 15 ? -magnitude : magnitude;
}

TEST(AmdsimFloats, EveryHalf) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    double value = halfValue(uint16_t(bits));
    float widened = halfToFloat(uint16_t(bits));
    if (value != value) {
      EXPECT_NE(widened, widened) << bits;
      continue;
    }
    ASSERT_EQ(double(widened), value) << bits;
    ASSERT_EQ(std::signbit(widened), bits >> 15 != 0) << bits;
    ASSERT_EQ(floatToHalf(widened), bits);
    ASSERT_EQ(doubleToHalf(value), bits);
    ASSERT_EQ(floatToHalfTowardZero(widened), bits);
  }
}

TEST(AmdsimFloats, BetweenHalves) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) { // neighbours of one sign, finite
    double low = halfValue(uint16_t(bits)), high = halfValue(uint16_t(bits + 1)),
           middle = (low + high) / 2;
    uint16_t even = uint16_t(bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(floatToHalf(float(middle)), even) << bits;
    ASSERT_EQ(doubleToHalf(middle), even) << bits;
    ASSERT_EQ(doubleToHalf(std::nextafter(middle, high)), bits + 1);
    ASSERT_EQ(doubleToHalf(std::nextafter(middle, low)), bits);
    ASSERT_EQ(doubleToHalf(-std::nextafter(middle, high)), (bits + 1) | 0x8000);
    ASSERT_EQ(floatToHalfTowardZero(float(std::nextafter(float(high), 0.0f))), bits);
  }
  EXPECT_EQ(floatToHalf(65519.996f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalfTowardZero(1e30f), 0x7bff);
  EXPECT_EQ(floatToHalfTowardZero(INFINITY), 0x7c00);
  EXPECT_EQ(floatToHalfTowardZero(-1e-30f), 0x8000);
}

TEST(AmdsimFloats, EveryBfloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = bfloatToFloat(uint16_t(bits));
    if (value != value) {
      EXPECT_GT(floatToBfloat(value) & 0x7fff, 0x7f80) << bits;
      continue;
    }
    ASSERT_EQ(floatToBfloat(value), bits);
    if ((bits & 0x7fff) >= 0x7f7f)
      continue;
    uint32_t middle = bits << 16 | 0x8000;
    ASSERT_EQ(floatToBfloat(bitsToFloat(middle)), bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(floatToBfloat(bitsToFloat(middle + 1)), bits + 1);
    ASSERT_EQ(floatToBfloat(bitsToFloat(middle - 1)), bits);
  }
}

struct Kind {
  unsigned exponentBits;
  bool isFnuz;
  float largest;
};
const Kind kinds[] = {{4, true, 240}, {5, true, 57344}, {4, false, 448}, {5, false, 57344}};

TEST(AmdsimFloats, EveryFloat8) {
  for (const Kind &kind : kinds) {
    unsigned finite = 0;
    float largest = 0;
    for (unsigned code = 0; code < 256; ++code) {
      float value = float8ToFloat(uint8_t(code), kind.exponentBits, kind.isFnuz);
      if (value != value)
        continue;
      EXPECT_EQ(floatToFloat8(value, kind.exponentBits, kind.isFnuz, false), code)
          << value << " exponent bits " << kind.exponentBits << " fnuz " << kind.isFnuz;
      EXPECT_EQ(floatToFloat8Stochastic(value, 0, kind.exponentBits, kind.isFnuz, false), code)
          << value;
      EXPECT_EQ(floatToFloat8Stochastic(value, ~0u, kind.exponentBits, kind.isFnuz, false), code)
          << value;
      if (std::isfinite(value))
        ++finite, largest = std::max(largest, value);
    }
    EXPECT_EQ(largest, kind.largest);
    EXPECT_EQ(finite, kind.isFnuz ? 255u : kind.exponentBits == 4 ? 254u : 248u);
  }
}

TEST(AmdsimFloats, BetweenFloat8) {
  for (const Kind &kind : kinds) {
    auto narrow = [&](float value, bool saturates = false) {
      return unsigned(floatToFloat8(value, kind.exponentBits, kind.isFnuz, saturates));
    };
    for (unsigned code = 0;
         float8ToFloat(uint8_t(code + 1), kind.exponentBits, kind.isFnuz) <= kind.largest; ++code) {
      float low = float8ToFloat(uint8_t(code), kind.exponentBits, kind.isFnuz);
      float high = float8ToFloat(uint8_t(code + 1), kind.exponentBits, kind.isFnuz),
            middle = (low + high) / 2;
      EXPECT_EQ(narrow(middle), code & 1 ? code + 1 : code) << middle;
      EXPECT_EQ(narrow(std::nextafter(middle, high)), code + 1) << middle;
      EXPECT_EQ(narrow(std::nextafter(middle, low)), code) << middle;
      EXPECT_EQ(narrow(-std::nextafter(middle, high)), (code + 1) | 0x80) << middle;
      // Three quarters up: rounded up by three of four random numbers.
      float upper = low + (high - low) * 0.75f;
      EXPECT_EQ(floatToFloat8Stochastic(upper, 0x3fffffff, kind.exponentBits, kind.isFnuz, false),
                code)
          << upper;
      EXPECT_EQ(floatToFloat8Stochastic(upper, 0x40000000, kind.exponentBits, kind.isFnuz, false),
                code + 1)
          << upper;
    }
    unsigned largest = narrow(kind.largest);
    EXPECT_EQ(narrow(kind.largest * 1.5f, true), largest);
    float beyond =
        float8ToFloat(uint8_t(narrow(kind.largest * 1.5f)), kind.exponentBits, kind.isFnuz);
    EXPECT_TRUE(kind.exponentBits == 5 && !kind.isFnuz ? std::isinf(beyond) : beyond != beyond)
        << beyond;
    EXPECT_EQ(narrow(-0.0f), kind.isFnuz ? 0u : 0x80u);
  }
}

TEST(AmdsimFloats, IntegersSaturate) {
  EXPECT_EQ(toI32(3e9), INT32_MAX);
  EXPECT_EQ(toI32(-3e9), INT32_MIN);
  EXPECT_EQ(toI32(-1.9), -1);
  EXPECT_EQ(toI32(NAN), 0);
  EXPECT_EQ(toU32(5e9), UINT32_MAX);
  EXPECT_EQ(toU32(-1), 0u);
  EXPECT_EQ(toU32(4294967295.0), UINT32_MAX);
  EXPECT_EQ(toU32(NAN), 0u);
}

TEST(AmdsimFloats, Minima) {
  EXPECT_TRUE(std::signbit(minimumNumber(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(maximumNumber(-0.0f, 0.0f)));
  EXPECT_EQ(minimumNumber(NAN, 3.0f), 3.0f);
  EXPECT_EQ(maximumNumber(3.0f, float(NAN)), 3.0f);
  EXPECT_NE(minimumNan(3.0f, float(NAN)), minimumNan(3.0f, float(NAN)));
  EXPECT_EQ(medianNumber(3.0f, 1.0f, 2.0f), 2.0f);
  EXPECT_EQ(median(3, 1, 2), 2);
  EXPECT_EQ(median(1u, 1u, 9u), 1u);
}

} // namespace
} // namespace tilerun::amdsim::tests

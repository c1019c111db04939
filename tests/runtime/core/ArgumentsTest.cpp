// Conversions of values, and what they say about a specialization.
#include "runtime/core/Kernel.h"
#include "tests/runtime/core/TestPlugin.h"

#include <cmath>
#include <limits>

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

// The value of a 16-bit pattern, by the definition of the format.
double decode(uint16_t bits, int mantissa) {
  int exponentBits = 15 - mantissa, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits >> mantissa) & ((1 << exponentBits) - 1);
  double fraction = bits & ((1 << mantissa) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - mantissa);
  return sign * std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
}

TEST(Arguments, NarrowFloatsRoundToNearestEven) {
  const struct {
    int mantissa;
    uint16_t (*convert)(double);
  } formats[] = {{10, convertToHalf}, {7, convertToBFloat}};
  for (auto [mantissa, convert] : formats)
    for (uint32_t bits = 0; bits < 0x8000; ++bits) {
      double value = decode(static_cast<uint16_t>(bits), mantissa);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decode(convert(value), mantissa)));
        continue;
      }
      ASSERT_EQ(convert(value), bits) << value;
      ASSERT_EQ(convert(-value), bits | 0x8000) << value;
      if (std::isinf(value))
        continue;
      double next = decode(static_cast<uint16_t>(bits + 1), mantissa);
      if (std::isinf(next)) // The middle of the last value and the one that would follow.
        next = value + (value - decode(static_cast<uint16_t>(bits - 1), mantissa));
      double middle = (value + next) / 2;
      ASSERT_EQ(convert(middle), bits % 2 ? bits + 1 : bits) << middle;
      ASSERT_EQ(convert(std::nextafter(middle, 0)), bits) << middle;
      ASSERT_EQ(convert(std::nextafter(middle, INFINITY)), bits + 1) << middle;
    }
}

TEST(Arguments, RangesOfIntegers) {
  const struct {
    uint16_t dtype;
    int64_t least;
    uint64_t most;
  } cases[] = {{TILERUN_DTYPE_I1, 0, 1},
               {TILERUN_DTYPE_I8, -128, 127},
               {TILERUN_DTYPE_I16, -32768, 32767},
               {TILERUN_DTYPE_I32, INT32_MIN, INT32_MAX},
               {TILERUN_DTYPE_I64, INT64_MIN, INT64_MAX},
               {TILERUN_DTYPE_U8, 0, 255},
               {TILERUN_DTYPE_U16, 0, 65535},
               {TILERUN_DTYPE_U32, 0, UINT32_MAX},
               {TILERUN_DTYPE_U64, 0, UINT64_MAX}};
  for (auto [dtype, least, most] : cases) {
    SCOPED_TRACE(getTypeName(dtype));
    auto fits = [&](int64_t value) {
      return fitsType({static_cast<uint64_t>(value), value < 0}, dtype);
    };
    EXPECT_TRUE(fits(least));
    EXPECT_TRUE(fitsType({most, false}, dtype));
    if (least != INT64_MIN) {
      EXPECT_FALSE(fits(least - 1));
    }
    if (most != UINT64_MAX) {
      EXPECT_FALSE(fitsType({most + 1, false}, dtype));
    }
  }
}

TEST(Arguments, NamesOfTypesAreRead) {
#define CHECK_TYPE(name, number, word, bits)                                                       \
  EXPECT_EQ(findType(word), TILERUN_DTYPE_##name);                                                 \
  EXPECT_STREQ(getTypeName(TILERUN_DTYPE_##name), word);
  TILERUN_DTYPE_LIST(CHECK_TYPE)
#undef CHECK_TYPE
  EXPECT_EQ(findType("fp128"), TILERUN_DTYPE_AUTO);
}

TEST(Arguments, TextOfASpecialization) {
  SourceParameter plain, fixed, unaligned, constant, annotated;
  fixed.specialize = false;
  unaligned.specializeAlignment = false;
  constant.isConstexpr = true;
  annotated.annotation = TILERUN_DTYPE_I64;
  auto text = [](const SourceParameter &parameter, TilerunArgument argument) {
    SpecializationKey key(1, 1, kDefaults);
    return addToKey(key, parameter, argument) ? getSpecText(parameter, argument)
                                              : makeKeyError(parameter, argument).getMessage();
  };
  EXPECT_EQ(text(plain, pointerTo(256, TILERUN_DTYPE_BF16)), "*bf16:16");
  EXPECT_EQ(text(unaligned, pointerTo(256)), "*i32");
  EXPECT_EQ(text(plain, integer(1)), "1");
  EXPECT_EQ(text(fixed, integer(1)), "i32");
  EXPECT_EQ(text(fixed, integer(32)), "i32");
  EXPECT_EQ(text(unaligned, integer(1)), "1");
  EXPECT_EQ(text(unaligned, integer(32)), "i32");
  EXPECT_EQ(text(plain, integer(-32)), "i32:16");
  EXPECT_EQ(text(plain, integer(int64_t(1) << 31)), "i64:16");
  EXPECT_EQ(text(annotated, integer(48)), "i64:16");
  EXPECT_EQ(text(plain, integer(5, TILERUN_DTYPE_U8)), "u8");
  TilerunArgument natural = {TILERUN_ARGUMENT_NATURAL, 0, 0, {}};
  natural.value.natural = UINT64_MAX;
  EXPECT_EQ(text(plain, natural), "u64");
  EXPECT_EQ(text(constant, natural), "18446744073709551615");
  EXPECT_EQ(text(plain, number(1)), "fp32");
  EXPECT_EQ(text(plain, number(1, TILERUN_DTYPE_FP64)), "fp64");
  EXPECT_EQ(text(constant, number(1)), "1.0");
  EXPECT_EQ(text(constant, number(-1e300)), "-1.0000000000000001e+300");
  EXPECT_EQ(text(constant, integer(-7)), "-7");
  TilerunArgument truth = {TILERUN_ARGUMENT_BOOL, 0, 0, {}};
  truth.value.integer = 1;
  EXPECT_EQ(text(plain, truth), "i1");
  EXPECT_EQ(text(constant, truth), "true");
  TilerunArgument string = {TILERUN_ARGUMENT_STRING, 0, 0, {}};
  string.value.text = "a\"b\\c";
  EXPECT_EQ(text(constant, string), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(text(constant, {TILERUN_ARGUMENT_DTYPE, TILERUN_DTYPE_FP16, 0, {}}), "fp16!");
  EXPECT_EQ(text(plain, {TILERUN_ARGUMENT_NONE, 0, 0, {}}), "none");
}

TEST(Arguments, DifferentMeaningsHaveDifferentKeys) {
  SourceParameter plain, constant;
  constant.isConstexpr = true;
  TilerunArgument one = integer(1), two = integer(2), aligned = integer(16),
                  wide = integer(1ll << 40);
  TilerunArgument text = {TILERUN_ARGUMENT_STRING, 0, 0, {}};
  text.value.text = "ab";
  TilerunArgument longer = text;
  longer.value.text = "ab\x01";
  std::vector<std::pair<const SourceParameter *, TilerunArgument>> all = {
      {&plain, one},          {&plain, two},      {&plain, aligned}, {&plain, wide},
      {&constant, one},       {&constant, two},   {&constant, text}, {&constant, longer},
      {&constant, number(1)}, {&plain, number(1)}};
  std::set<std::vector<uint64_t>> keys;
  for (auto [parameter, argument] : all) {
    SpecializationKey key(1, 1, kDefaults);
    ASSERT_TRUE(addToKey(key, *parameter, argument));
    keys.insert(std::vector<uint64_t>(key.getWords(), key.getWords() + key.getSize()));
  }
  EXPECT_EQ(keys.size(), all.size());
}

TEST(Arguments, TheTableFindsWhatItHolds) {
  // More than one of its generations; sought in turns, and several times after each other.
  constexpr uint64_t kKeys = 50;
  auto makeKey = [](uint64_t number, uint32_t size) {
    SpecializationKey key(7, size, kDefaults);
    for (uint32_t i = 0; i < size; ++i)
      EXPECT_TRUE(key.add(number));
    return key;
  };
  SpecializationTable table;
  EXPECT_EQ(table.find(makeKey(0, 3)), nullptr);
  std::vector<std::shared_ptr<const Specialization>> values;
  for (uint64_t i = 0; i < kKeys; ++i) {
    values.push_back(std::make_shared<Specialization>());
    table.insert(makeKey(i, i % 2 ? 3 : 4), values.back());
    for (uint64_t known = 0; known <= i; ++known)
      for (int again = 0; again < 2; ++again)
        ASSERT_EQ(table.find(makeKey(known, known % 2 ? 3 : 4)), values[known].get());
    // One that has the same words and more, or fewer.
    EXPECT_EQ(table.find(makeKey(i, i % 2 ? 4 : 3)), nullptr);
    EXPECT_EQ(table.find(makeKey(i, 0)), nullptr);
  }
}

} // namespace

// Conversions of narrow floats against APFloat: exhaustive over every code, every boundary between
// neighbours, and random float32/float64 values; then the conversions as operations on the device.
#include "backends/interpreter/SmallFloat.h"
#include "tests/backends/interpreter/Elementwise.h"

using namespace tilerun;
using namespace tilerun::interp;
using namespace tilerun::harness;
using llvm::APFloat;
using llvm::APInt;

namespace {

struct Format {
  const char *name;
  Dtype type;
};
const Format kFormats[] = {
    {"f8E5M2", Dtype::F8E5M2},     {"f8E5M2FNUZ", Dtype::F8E5M2FNUZ},
    {"f8E4M3FN", Dtype::F8E4M3FN}, {"f8E4M3FNUZ", Dtype::F8E4M3FNUZ},
    {"f16", Dtype::F16},           {"bf16", Dtype::BF16},
};

template <class Out, class In> Out convertOne(ConvertFn convert, In value) {
  Out result = 0;
  convert(reinterpret_cast<const char *>(&value), reinterpret_cast<char *>(&result), 1);
  return result;
}

class Narrow : public ::testing::TestWithParam<Format> {
protected:
  const char *name() const { return GetParam().name; }
  Dtype type() const { return GetParam().type; }
  uint64_t codes() const { return uint64_t(1) << widthOf(name()); }

  uint64_t fromDouble(double value, Narrowing mode) {
    return sizeOf(type()) == 1 ? convertOne<uint8_t>(getFromDouble(type(), mode), value)
                               : convertOne<uint16_t>(getFromDouble(type(), mode), value);
  }
  uint64_t fromFloat(float value) {
    return sizeOf(type()) == 1 ? convertOne<uint8_t>(getFromFloat(type()), value)
                               : convertOne<uint16_t>(getFromFloat(type()), value);
  }

  /// The largest finite value's code with the sign of `value`.
  uint64_t largest(bool negative) {
    return APFloat::getLargest(semanticsOf(name()), negative).bitcastToAPInt().getZExtValue();
  }

  void checkDouble(double value) {
    const APFloat exact(value);
    const uint64_t nearest = round(name(), exact),
                   down = round(name(), exact, APFloat::rmTowardZero);
    ASSERT_TRUE(sameFloat(name(), fromDouble(value, {}), nearest)) << name() << " of " << value;
    // Saturation replaces results that are not finite.
    const bool overflows = !exact.isNaN() && !toFloat(name(), nearest).isFinite();
    ASSERT_TRUE(sameFloat(name(), fromDouble(value, {false, true}),
                          overflows ? largest(exact.isNegative()) : nearest))
        << name() << " of " << value << " saturating";
    if (exact.isFinite()) {
      const bool beyond = !toFloat(name(), down).isFinite();
      ASSERT_TRUE(sameFloat(name(), fromDouble(value, {true, false}),
                            beyond ? largest(exact.isNegative()) : down))
          << name() << " of " << value << " toward zero";
      ASSERT_TRUE(sameFloat(name(), fromDouble(value, {true, true}),
                            beyond ? largest(exact.isNegative()) : down));
    }
  }
};

TEST_P(Narrow, EveryCodeWidensExactly) {
  for (uint64_t code = 0; code < codes(); ++code) {
    const double expected = toDouble(name(), code);
    double wide;
    float single;
    if (sizeOf(type()) == 1) {
      wide = convertOne<double>(getToDouble(type()), uint8_t(code));
      single = convertOne<float>(getToFloat(type()), uint8_t(code));
    } else {
      wide = convertOne<double>(getToDouble(type()), uint16_t(code));
      single = convertOne<float>(getToFloat(type()), uint16_t(code));
    }
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(wide) && std::isnan(single)) << code;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint64_t>(wide), std::bit_cast<uint64_t>(expected)) << code;
    ASSERT_EQ(std::bit_cast<uint32_t>(single), std::bit_cast<uint32_t>(float(expected))) << code;
  }
}

TEST_P(Narrow, EveryBoundaryNarrowsCorrectly) {
  for (uint64_t code = 0; code < codes(); ++code) {
    APFloat value = toFloat(name(), code), next = value;
    if (!value.isFinite())
      continue;
    next.next(false);
    const double a = toDouble(name(), code);
    const double b = next.isFinite() ? toDouble(name(), next.bitcastToAPInt().getZExtValue())
                                     : a + (a - toDouble(name(), code - 1));
    const double middle = a + (b - a) / 2;
    for (double x : {a, middle, std::nextafter(middle, a), std::nextafter(middle, b)}) {
      checkDouble(x);
      const float single = float(x);
      ASSERT_TRUE(sameFloat(name(), fromFloat(single), round(name(), APFloat(single))))
          << name() << " of " << single;
    }
  }
}

TEST_P(Narrow, RandomAndSpecialValues) {
  Random random;
  for (double x : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 5e-324, double(NAN), 65519.0,
                   65520.0, 464.0, 465.0, 3.3895e38, 3.4e38})
    checkDouble(x);
  for (int i = 0; i < 200000; ++i) {
    checkDouble(std::bit_cast<double>(random.bits()));
    checkDouble(random.uniform(-1, 1) * std::exp2(int(random.bits() % 60) - 30));
    const float single = std::bit_cast<float>(uint32_t(random.bits()));
    ASSERT_TRUE(sameFloat(name(), fromFloat(single), round(name(), APFloat(single))))
        << name() << " of " << single;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Narrow, ::testing::ValuesIn(kFormats),
                         [](const ::testing::TestParamInfo<Format> &info) {
                           return std::string(info.param.name);
                         });

TEST(F8E4M3B15, EveryCodeAndBoundary) {
  // No specials: value = (-1)^s · 2^(e - 15) · 1.m, subnormal 2^-14 · 0.m.
  auto value = [](unsigned code) {
    const int exponent = code >> 3 & 15, mantissa = code & 7;
    const double magnitude =
        exponent ? std::ldexp(8 + mantissa, exponent - 15 - 3) : std::ldexp(mantissa, -14 - 3);
    return code & 0x80 ? -magnitude : magnitude;
  };
  for (unsigned code = 0; code < 256; ++code) {
    EXPECT_EQ(convertOne<double>(getToDouble(Dtype::F8E4M3B15), uint8_t(code)), value(code));
    EXPECT_EQ(convertOne<uint8_t>(getFromDouble(Dtype::F8E4M3B15, {}), value(code)), code);
    if ((code & 0x7f) == 0x7f)
      continue;
    const double middle = (value(code) + value(code + 1)) / 2;
    const unsigned even = code & 1 ? code + 1 : code;
    EXPECT_EQ(convertOne<uint8_t>(getFromDouble(Dtype::F8E4M3B15, {}), middle), even);
    EXPECT_EQ(convertOne<uint8_t>(getFromDouble(Dtype::F8E4M3B15, {true, false}), middle), code);
  }
  EXPECT_EQ(convertOne<uint8_t>(getFromDouble(Dtype::F8E4M3B15, {}), 100.0), 0x7f);
  EXPECT_EQ(convertOne<uint8_t>(getFromDouble(Dtype::F8E4M3B15, {}), -HUGE_VAL), 0xff);
}

TEST(Conversions, FloatToSingleTowardZero) {
  Random random;
  for (int i = 0; i < 100000; ++i) {
    const double x = random.uniform(-1, 1) * std::exp2(int(random.bits() % 300) - 150);
    ASSERT_EQ(convertOne<uint32_t>(getFromDouble(Dtype::F32, {true, false}), x),
              round("f32", APFloat(x), APFloat::rmTowardZero))
        << x;
  }
}

constexpr size_t kCount = 512;

TEST(Conversions, ExtendAndTruncate) {
  Machine machine;
  Random random;
  for (const std::string &from : kFloatTypes)
    for (const std::string &to : kFloatTypes) {
      const bool extends = widthOf(from) < widthOf(to);
      if (!extends && widthOf(from) == widthOf(to))
        continue;
      const Bits a = randomFloats(random, from, kCount);
      const std::string op = extends ? "extf" : "truncf";
      const Bits r =
          runElementwise(machine, "%r = arith." + op + " %a : $T0 to $R0", {from}, {to}, {a})[0];
      for (size_t i = 0; i < kCount; ++i)
        ASSERT_TRUE(sameFloat(to, r[i], round(to, toFloat(from, a[i]))))
            << op << " " << from << " to " << to << " of " << toDouble(from, a[i]) << " gives "
            << toDouble(to, r[i]);
    }
}

TEST(Conversions, FpCastSaturatesIntoBytes) {
  Machine machine;
  Random random;
  for (const std::string &from : kFloatTypes)
    for (const std::string &to : kFloatTypes) {
      const Bits a = randomFloats(random, from, kCount);
      const Bits r =
          runElementwise(machine, "%r = tile.fp_cast %a : $T0 -> $R0", {from}, {to}, {a})[0];
      for (size_t i = 0; i < kCount; ++i) {
        const APFloat x = toFloat(from, a[i]);
        uint64_t expected = round(to, x);
        if (from == to)
          expected = a[i];
        else if (widthOf(to) == 8 && !x.isNaN() && !toFloat(to, expected).isFinite())
          expected =
              APFloat::getLargest(semanticsOf(to), x.isNegative()).bitcastToAPInt().getZExtValue();
        ASSERT_TRUE(sameFloat(to, r[i], expected))
            << from << " to " << to << " of " << toDouble(from, a[i]);
      }
    }
}

TEST(Conversions, FpCastTowardZero) {
  Machine machine;
  Random random;
  for (const std::string &from : {"f32", "f64"})
    for (const std::string &to : {"f8E5M2", "f8E4M3FN", "f16", "bf16"}) {
      const Bits a = uniformFloats(random, from, kCount, -400, 400);
      const Bits r = runElementwise(machine, "%r = tile.fp_cast %a rounding rtz : $T0 -> $R0",
                                    {from}, {to}, {a})[0];
      for (size_t i = 0; i < kCount; ++i)
        ASSERT_EQ(r[i], round(to, toFloat(from, a[i]), APFloat::rmTowardZero))
            << from << " to " << to << " of " << toDouble(from, a[i]);
    }
}

TEST(Conversions, F8E4M3B15OnTheDevice) {
  Machine machine;
  Bits codes(256);
  for (unsigned i = 0; i < 256; ++i)
    codes[i] = i;
  const Bits wide = runElementwise(machine, "%r = tile.fp_cast %a : $T0 -> $R0",
                                   {"!tile.f8E4M3B15"}, {"f16"}, {codes})[0];
  const Bits back = runElementwise(machine, "%r = tile.fp_cast %a : $T0 -> $R0", {"f16"},
                                   {"!tile.f8E4M3B15"}, {wide})[0];
  EXPECT_EQ(back, codes);
  EXPECT_EQ(toDouble("f16", wide[0x7f]), 1.875);
  const Bits bytes = runElementwise(machine, "%r = tile.bitcast %a : $T0 -> $R0",
                                    {"!tile.f8E4M3B15"}, {"i8"}, {codes})[0];
  EXPECT_EQ(bytes, codes);
}

TEST(Conversions, IntegersToFloats) {
  Machine machine;
  Random random;
  for (const std::string &from : kIntTypes)
    for (const std::string &to : kFloatTypes)
      for (bool isSigned : {false, true}) {
        Bits a = randomIntegers(random, from, kCount);
        if (from == "i64") { // Ties, and ties broken by the lowest bit.
          a[0] = (uint64_t(1) << 62) + (uint64_t(1) << 54);
          a[1] = a[0] + 1;
          a[2] = a[0] - 1;
        }
        const Bits r = runElementwise(machine,
                                      std::string("%r = arith.") +
                                          (isSigned ? "sitofp" : "uitofp") + " %a : $T0 to $R0",
                                      {from}, {to}, {a})[0];
        for (size_t i = 0; i < kCount; ++i) {
          APFloat expected(semanticsOf(to));
          expected.convertFromAPInt(APInt(widthOf(from), a[i]), isSigned,
                                    APFloat::rmNearestTiesToEven);
          ASSERT_TRUE(sameFloat(to, r[i], expected.bitcastToAPInt().getZExtValue()))
              << from << " to " << to << " of " << a[i] << " signed " << isSigned << " gives "
              << toDouble(to, r[i]);
        }
      }
}

TEST(Conversions, FloatsToIntegersSaturate) {
  Machine machine;
  Random random;
  for (const std::string &from : kFloatTypes)
    for (const std::string &to : kIntTypes)
      for (bool isSigned : {false, true}) {
        const Bits a = randomFloats(random, from, kCount);
        const Bits r = runElementwise(machine,
                                      std::string("%r = arith.") +
                                          (isSigned ? "fptosi" : "fptoui") + " %a : $T0 to $R0",
                                      {from}, {to}, {a})[0];
        for (size_t i = 0; i < kCount; ++i) {
          // APFloat saturates too, and gives 0 for NaN.
          llvm::APSInt expected(widthOf(to), !isSigned);
          bool exact;
          toFloat(from, a[i]).convertToInteger(expected, APFloat::rmTowardZero, &exact);
          ASSERT_EQ(r[i], expected.getZExtValue())
              << from << " to " << to << " of " << toDouble(from, a[i]) << " signed " << isSigned;
        }
      }
}

TEST(Conversions, BitcastKeepsBits) {
  Machine machine;
  Random random;
  const std::pair<const char *, const char *> pairs[] = {
      {"f32", "i32"}, {"i64", "f64"}, {"f16", "bf16"}, {"i8", "f8E5M2"}, {"bf16", "i16"}};
  for (auto [from, to] : pairs) {
    const Bits a = randomIntegers(random, from, kCount);
    EXPECT_EQ(runElementwise(machine, "%r = arith.bitcast %a : $T0 to $R0", {from}, {to}, {a})[0],
              a);
  }
}

} // namespace

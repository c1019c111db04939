// The promotion rules against an independent statement of them: for every operation, every pair of
// dtypes and every kind of literal, on all dtypes (the recorded tables lack some 8-bit formats).
#include "frontend/types/Promotion.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tilerun;

namespace {
using Int = __int128;

const std::vector<std::string> kDTypes = {
    "i1",    "i8",      "i16",     "i32",      "i64",      "u8",   "u16",  "u32",  "u64",
    "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15", "fp16", "bf16", "fp32", "fp64"};

//===----------------------------------------------------------------------===//
// The rules once more, on names: "" is an error.
//===----------------------------------------------------------------------===//

bool isFp8Name(const std::string &t) { return t.rfind("fp8", 0) == 0; }
bool isFloatName(const std::string &t) { return t[0] == 'f' || t[0] == 'b'; }
bool isUnsignedName(const std::string &t) { return t[0] == 'u' || t == "i1"; }
unsigned widthOf(const std::string &t) {
  return std::stoi(t.substr(t[0] == 'b' || t[0] == 'f' ? 2 : 1));
}

/// Two run-time types. The order of float types is a list; integers are ordered by (width,
/// unsigned).
std::string common(const std::string &a, const std::string &b) {
  if (a == b)
    return a;
  static const std::vector<std::string> wide = {"fp64", "fp32", "fp16"};
  for (const std::string &t : wide)
    if (a == t || b == t)
      return t;
  if (a == "bf16" || b == "bf16")
    return "fp32";
  if (isFp8Name(a) != isFp8Name(b))
    return "";
  if (isFp8Name(a))
    return "fp16";
  if (widthOf(a) != widthOf(b))
    return widthOf(a) > widthOf(b) ? a : b;
  return isUnsignedName(a) ? a : b;
}

std::string atLeast32(const std::string &t) { return t == "fp16" || t == "bf16" ? "fp32" : t; }
std::string noBf16(const std::string &t) { return t == "bf16" ? "fp32" : t; }

std::string expected(Combine op, const std::string &a, const std::string &b) {
  if (a.empty() || b.empty())
    return "";
  bool floats = isFloatName(a) || isFloatName(b);
  bool small = isFp8Name(a) && isFp8Name(b);
  bool mixed = isUnsignedName(a) != isUnsignedName(b);
  switch (op) {
  case Combine::Arithmetic:
  case Combine::Compare:
    return common(a, b);
  case Combine::Extremum:
    return common(noBf16(a), noBf16(b));
  case Combine::Divide:
    return small ? common(a, b) : floats ? atLeast32(common(a, b)) : mixed ? "" : "fp32";
  case Combine::Modulo:
    return small ? common(a, b) : floats ? atLeast32(common(a, b)) : mixed ? "" : common(a, b);
  case Combine::FloorDivide:
    return floats || mixed ? "" : common(a, b);
  case Combine::Bitwise:
  case Combine::Shift:
    return floats ? "" : common(a, b);
  case Combine::FloatDivide:
    return isFloatName(a) && a == b ? a : "";
  }
  return "";
}

struct LiteralCase {
  const char *text;
  Literal literal;
  char kind; // b, i, f
  const char *own;
  std::set<std::string> fits; // integer types that can hold it
};
const std::set<std::string> kAllInts = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const LiteralCase kLiterals[] = {
    {"True", Literal(true), 'b', "i1", kAllInts},
    {"False", Literal(false), 'b', "i1", kAllInts},
    {"0", Literal(Int(0)), 'i', "i32", kAllInts},
    {"127", Literal(Int(127)), 'i', "i32", kAllInts},
    {"128", Literal(Int(128)), 'i', "i32", {"i16", "i32", "i64", "u8", "u16", "u32", "u64"}},
    {"255", Literal(Int(255)), 'i', "i32", {"i16", "i32", "i64", "u8", "u16", "u32", "u64"}},
    {"256", Literal(Int(256)), 'i', "i32", {"i16", "i32", "i64", "u16", "u32", "u64"}},
    {"65535", Literal(Int(65535)), 'i', "i32", {"i32", "i64", "u16", "u32", "u64"}},
    {"2**31-1", Literal((Int(1) << 31) - 1), 'i', "i32", {"i32", "i64", "u32", "u64"}},
    {"2**31", Literal(Int(1) << 31), 'i', "u32", {"i64", "u32", "u64"}},
    {"2**32-1", Literal((Int(1) << 32) - 1), 'i', "u32", {"i64", "u32", "u64"}},
    {"2**32", Literal(Int(1) << 32), 'i', "i64", {"i64", "u64"}},
    {"2**63", Literal(Int(1) << 63), 'i', "u64", {"u64"}},
    {"2**64-1", Literal((Int(1) << 64) - 1), 'i', "u64", {"u64"}},
    {"-1", Literal(Int(-1)), 'i', "i32", {"i8", "i16", "i32", "i64"}},
    {"-128", Literal(Int(-128)), 'i', "i32", {"i8", "i16", "i32", "i64"}},
    {"-129", Literal(Int(-129)), 'i', "i32", {"i16", "i32", "i64"}},
    {"-2**31", Literal(-(Int(1) << 31)), 'i', "i32", {"i32", "i64"}},
    {"-2**31-1", Literal(-(Int(1) << 31) - 1), 'i', "i64", {"i64"}},
    {"-2**63", Literal(-(Int(1) << 63)), 'i', "i64", {"i64"}},
    {"0.0", Literal(0.0), 'f', "fp32", {}},
    {"0.1", Literal(0.1), 'f', "fp32", {}},
    {"-3.4e38", Literal(-3.4e38), 'f', "fp32", {}},
    {"3.5e38", Literal(3.5e38), 'f', "fp64", {}},
    {"1e-40", Literal(1e-40), 'f', "fp64", {}},
    {"inf", Literal(__builtin_inf()), 'f', "fp32", {}},
    {"nan", Literal(__builtin_nan("")), 'f', "fp32", {}},
};

/// The type of a weak literal beside a tensor.
std::string adopted(const LiteralCase &literal, const std::string &tensor) {
  char kind = isFloatName(tensor) ? 'f' : tensor == "i1" ? 'b' : 'i';
  auto rank = [](char k) { return k == 'b' ? 0 : k == 'i' ? 1 : 2; };
  if (rank(literal.kind) > rank(kind))
    return literal.own;
  if (isFp8Name(tensor))
    return "";
  if (kind == 'i' && literal.kind == 'i' && !literal.fits.count(tensor))
    return "";
  return tensor;
}

std::string nameOf(const TypeOrError &type) { return type ? (*type).signature() : ""; }
DType named(const std::string &text) { return *parseDType(text); }

class EveryOperation : public testing::TestWithParam<Combine> {};

TEST_P(EveryOperation, TensorWithTensor) {
  for (const std::string &a : kDTypes)
    for (const std::string &b : kDTypes) {
      TypeOrError got = combine(GetParam(), named(a), named(b));
      EXPECT_EQ(nameOf(got), expected(GetParam(), a, b)) << a << " with " << b;
      EXPECT_EQ(got.error.empty(), static_cast<bool>(got));
    }
}

TEST_P(EveryOperation, TensorWithLiteralOnEitherSide) {
  Combine op = GetParam();
  bool weak = op != Combine::Compare && op != Combine::Extremum && op != Combine::FloatDivide;
  for (const std::string &a : kDTypes)
    for (const LiteralCase &literal : kLiterals) {
      std::string other = weak ? adopted(literal, a) : literal.own;
      EXPECT_EQ(nameOf(combine(op, named(a), Operand(literal.literal))), expected(op, a, other))
          << a << " with literal " << literal.text;
      EXPECT_EQ(nameOf(combine(op, Operand(literal.literal), named(a))), expected(op, other, a))
          << "literal " << literal.text << " with " << a;
    }
}

TEST_P(EveryOperation, LiteralWithLiteralUsesOwnTypes) {
  for (const LiteralCase &a : kLiterals)
    for (const LiteralCase &b : kLiterals)
      EXPECT_EQ(nameOf(combine(GetParam(), Operand(a.literal), Operand(b.literal))),
                expected(GetParam(), a.own, b.own))
          << a.text << " with " << b.text;
}

TEST_P(EveryOperation, RejectsPointers) {
  DType pointer = dtype(Scalar::F32).getPointerTo();
  for (const std::string &a : kDTypes) {
    EXPECT_FALSE(combine(GetParam(), pointer, named(a))) << a;
    EXPECT_FALSE(combine(GetParam(), named(a), pointer)) << a;
  }
  EXPECT_FALSE(combine(GetParam(), pointer, pointer));
  EXPECT_FALSE(combine(GetParam(), pointer, Operand(Literal(Int(1)))));
  EXPECT_FALSE(combine(GetParam(), dtype(Scalar::Void), dtype(Scalar::Void)));
}

std::string testName(const testing::TestParamInfo<Combine> &info) {
  static const char *names[] = {"Arithmetic", "Divide",      "FloorDivide", "Modulo",  "Bitwise",
                                "Shift",      "FloatDivide", "Compare",     "Extremum"};
  return names[static_cast<unsigned>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryOperation,
                         testing::Values(Combine::Arithmetic, Combine::Divide, Combine::FloorDivide,
                                         Combine::Modulo, Combine::Bitwise, Combine::Shift,
                                         Combine::FloatDivide, Combine::Compare, Combine::Extremum),
                         testName);

TEST(Literals, OwnTypes) {
  for (const LiteralCase &literal : kLiterals)
    EXPECT_EQ(nameOf(getLiteralType(literal.literal)), literal.own) << literal.text;
}

TEST(Literals, BeyondSixtyFourBitsIsAnError) {
  EXPECT_FALSE(getLiteralType(Literal(Int(1) << 64)));
  EXPECT_FALSE(getLiteralType(Literal(-(Int(1) << 63) - 1)));
  TypeOrError tooLarge = getLiteralType(Literal(Int(1) << 100));
  EXPECT_EQ(tooLarge.error, "the integer 1267650600228229401496703205376 does not fit in 64 bits; "
                            "use a smaller value");
}

TEST(Literals, MessagesSayWhatAndWhy) {
  EXPECT_EQ(adoptLiteral(Literal(Int(300)), dtype(Scalar::Int8)).error,
            "the literal 300 is out of range for int8 (-128 to 127); cast the other operand first");
  EXPECT_EQ(adoptLiteral(Literal(Int(-1)), dtype(Scalar::UInt32)).error,
            "the negative literal -1 meets an unsigned operand of type uint32; cast one of them "
            "first");
  EXPECT_EQ(combine(Combine::Modulo, dtype(Scalar::Int32), dtype(Scalar::UInt32)).error,
            "'%' of int32 and uint32 mixes signedness; cast one of them first");
  EXPECT_EQ(combine(Combine::FloorDivide, dtype(Scalar::F32), dtype(Scalar::F32)).error,
            "'//' needs integers, but got float32 and float32; use tl.floor(x / y)");
}

TEST(Literals, Formatting) {
  EXPECT_EQ(formatInt(0), "0");
  EXPECT_EQ(formatInt(-17), "-17");
  EXPECT_EQ(formatInt(std::numeric_limits<__int128>::min()),
            "-170141183460469231731687303715884105728");
}

TEST(Ranges, InductionType) {
  Operand zero(Literal(Int(0))), one(Literal(Int(1)));
  auto of = [&](const Operand &a, const Operand &b, const Operand &c) {
    return nameOf(getInductionType(a, b, c));
  };
  EXPECT_EQ(of(zero, dtype(Scalar::Int32), one), "i32");
  EXPECT_EQ(of(zero, dtype(Scalar::Int64), one), "i64");
  EXPECT_EQ(of(zero, dtype(Scalar::UInt32), one), "u32");
  EXPECT_EQ(of(zero, dtype(Scalar::Int16), one), "i32");
  EXPECT_EQ(of(dtype(Scalar::Int8), dtype(Scalar::Int8), dtype(Scalar::Int8)), "i8");
  EXPECT_EQ(of(zero, Operand(Literal(Int(1) << 40)), one), "i64");
  EXPECT_EQ(of(zero, dtype(Scalar::F32), one), "");
  EXPECT_EQ(of(zero, Operand(Literal(1.5)), one), "");
  EXPECT_EQ(of(zero, dtype(Scalar::Int32).getPointerTo(), one), "");
  EXPECT_EQ(getInductionType(zero, dtype(Scalar::F32), one).error,
            "the upper bound of a range is float32; ranges are over integers");
}

TEST(Reductions, WideningOfEveryType) {
  const std::map<std::string, std::array<const char *, 3>> table = {
      // type: sum, max/min, scan
      {"i1", {"u32", "i32", "i1"}},       {"i8", {"i32", "i32", "i8"}},
      {"i16", {"i32", "i32", "i16"}},     {"i32", {"i32", "i32", "i32"}},
      {"i64", {"i64", "i64", "i64"}},     {"u8", {"u32", "i32", "u8"}},
      {"u16", {"u32", "i32", "u16"}},     {"u32", {"u32", "u32", "u32"}},
      {"u64", {"u64", "u64", "u64"}},     {"fp8e5", {"fp8e5", "fp32", "fp8e5"}},
      {"fp16", {"fp16", "fp32", "fp16"}}, {"bf16", {"bf16", "fp32", "fp32"}},
      {"fp32", {"fp32", "fp32", "fp32"}}, {"fp64", {"fp64", "fp64", "fp64"}},
  };
  for (const auto &[name, wide] : table) {
    EXPECT_EQ(getSumType(named(name)).signature(), wide[0]) << name;
    EXPECT_EQ(getExtremumType(named(name)).signature(), wide[1]) << name;
    EXPECT_EQ(getScanType(named(name)).signature(), wide[2]) << name;
  }
}

TEST(Integers, Ranges) {
  EXPECT_EQ(formatInt(getMinInt(dtype(Scalar::Int64))), "-9223372036854775808");
  EXPECT_EQ(formatInt(getMaxInt(dtype(Scalar::UInt64))), "18446744073709551615");
  EXPECT_EQ(formatInt(getMaxInt(dtype(Scalar::Int1))), "1");
  EXPECT_EQ(formatInt(getMinInt(dtype(Scalar::Int1))), "0");
}
} // namespace

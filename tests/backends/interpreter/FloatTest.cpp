// Float arithmetic on every format against APFloat, whose every operation rounds once.
#include "backends/interpreter/ElementFn.h"
#include "ir/tile/RegisterDialects.h"
#include "tests/backends/interpreter/Elementwise.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"

using namespace tilerun;
using namespace tilerun::harness;
using llvm::APFloat;

namespace {

constexpr size_t kCount = 1024;
constexpr auto kNearest = APFloat::rmNearestTiesToEven;

struct Operation {
  std::string name;
  APFloat (*reference)(APFloat a, const APFloat &b);
};

APFloat withNan(const APFloat &a) { return APFloat::getQNaN(a.getSemantics()); }

const Operation kBinary[] = {
    {"arith.addf", [](APFloat a, const APFloat &b) { return a.add(b, kNearest), a; }},
    {"arith.subf", [](APFloat a, const APFloat &b) { return a.subtract(b, kNearest), a; }},
    {"arith.mulf", [](APFloat a, const APFloat &b) { return a.multiply(b, kNearest), a; }},
    {"arith.divf", [](APFloat a, const APFloat &b) { return a.divide(b, kNearest), a; }},
    {"arith.remf", [](APFloat a, const APFloat &b) { return a.mod(b), a; }},
    {"arith.maximumf", [](APFloat a, const APFloat &b) { return llvm::maximum(a, b); }},
    {"arith.minimumf", [](APFloat a, const APFloat &b) { return llvm::minimum(a, b); }},
    {"arith.maxnumf",
     [](APFloat a, const APFloat &b) {
       return a.isNaN() ? (b.isNaN() ? withNan(a) : b) : b.isNaN() ? a : llvm::maximum(a, b);
     }},
    {"arith.minnumf",
     [](APFloat a, const APFloat &b) {
       return a.isNaN() ? (b.isNaN() ? withNan(a) : b) : b.isNaN() ? a : llvm::minimum(a, b);
     }},
    {"math.copysign",
     [](APFloat a, const APFloat &b) {
       if (a.isNegative() != b.isNegative())
         a.changeSign();
       return a;
     }},
};

class FloatBinary : public ::testing::TestWithParam<Operation> {};

TEST_P(FloatBinary, AllTypes) {
  Machine machine;
  Random random;
  for (const std::string &type : kFloatTypes) {
    const Bits a = randomFloats(random, type, kCount), b = randomFloats(random, type, kCount);
    const Bits r = runElementwise(machine, "%r = " + GetParam().name + " %a, %b : $T0",
                                  {type, type}, {type}, {a, b})[0];
    for (size_t i = 0; i < kCount; ++i) {
      const APFloat x = toFloat(type, a[i]), y = toFloat(type, b[i]);
      const APFloat expected = GetParam().reference(x, y);
      // The formats without negative zero have one code that a sign may turn into NaN.
      if (GetParam().name == "math.copysign" && (expected.isNaN() || type.ends_with("FNUZ")))
        continue;
      ASSERT_TRUE(sameFloat(type, r[i], expected.bitcastToAPInt().getZExtValue()))
          << GetParam().name << " on " << type << ": " << toDouble(type, a[i]) << ", "
          << toDouble(type, b[i]) << " gives " << toDouble(type, r[i]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, FloatBinary, ::testing::ValuesIn(kBinary),
                         [](const ::testing::TestParamInfo<Operation> &info) {
                           return llvm::StringRef(info.param.name).split('.').second.str();
                         });

struct Predicate {
  std::string name;
  bool less, equal, greater, unordered;
};
const Predicate kPredicates[] = {
    {"false", 0, 0, 0, 0}, {"oeq", 0, 1, 0, 0}, {"ogt", 0, 0, 1, 0}, {"oge", 0, 1, 1, 0},
    {"olt", 1, 0, 0, 0},   {"ole", 1, 1, 0, 0}, {"one", 1, 0, 1, 0}, {"ord", 1, 1, 1, 0},
    {"ueq", 0, 1, 0, 1},   {"ugt", 0, 0, 1, 1}, {"uge", 0, 1, 1, 1}, {"ult", 1, 0, 0, 1},
    {"ule", 1, 1, 0, 1},   {"une", 1, 0, 1, 1}, {"uno", 0, 0, 0, 1}, {"true", 1, 1, 1, 1},
};
class FloatCompare : public ::testing::TestWithParam<Predicate> {};

TEST_P(FloatCompare, AllTypes) {
  Machine machine;
  Random random;
  const Predicate &predicate = GetParam();
  for (const std::string &type : kFloatTypes) {
    const Bits a = randomFloats(random, type, kCount), b = randomFloats(random, type, kCount);
    const Bits r = runElementwise(machine, "%r = arith.cmpf " + predicate.name + ", %a, %b : $T0",
                                  {type, type}, {"i1"}, {a, b})[0];
    for (size_t i = 0; i < kCount; ++i) {
      bool expected = false;
      switch (toFloat(type, a[i]).compare(toFloat(type, b[i]))) {
      case APFloat::cmpLessThan:
        expected = predicate.less;
        break;
      case APFloat::cmpEqual:
        expected = predicate.equal;
        break;
      case APFloat::cmpGreaterThan:
        expected = predicate.greater;
        break;
      case APFloat::cmpUnordered:
        expected = predicate.unordered;
        break;
      }
      ASSERT_EQ(r[i], expected) << predicate.name << " on " << type << ": " << toDouble(type, a[i])
                                << ", " << toDouble(type, b[i]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, FloatCompare, ::testing::ValuesIn(kPredicates),
                         [](const ::testing::TestParamInfo<Predicate> &info) {
                           return info.param.name;
                         });

struct Unary {
  std::string name;
  APFloat (*reference)(APFloat a);
};
template <APFloat::roundingMode mode> APFloat toIntegral(APFloat a) {
  a.roundToIntegral(mode);
  return a;
}
const Unary kUnary[] = {
    {"arith.negf", [](APFloat a) { return a.changeSign(), a; }},
    {"math.absf", [](APFloat a) { return a.clearSign(), a; }},
    {"math.ceil", toIntegral<APFloat::rmTowardPositive>},
    {"math.floor", toIntegral<APFloat::rmTowardNegative>},
    {"math.trunc", toIntegral<APFloat::rmTowardZero>},
    {"math.round", toIntegral<APFloat::rmNearestTiesToAway>},
    {"math.roundeven", toIntegral<APFloat::rmNearestTiesToEven>},
};
class FloatUnary : public ::testing::TestWithParam<Unary> {};

TEST_P(FloatUnary, AllTypes) {
  Machine machine;
  Random random;
  for (const std::string &type : kFloatTypes) {
    const Bits a = randomFloats(random, type, kCount);
    const Bits r =
        runElementwise(machine, "%r = " + GetParam().name + " %a : $T0", {type}, {type}, {a})[0];
    for (size_t i = 0; i < kCount; ++i) {
      const APFloat expected = GetParam().reference(toFloat(type, a[i]));
      uint64_t bits = expected.bitcastToAPInt().getZExtValue();
      if (llvm::StringRef(type).ends_with("FNUZ") && toFloat(type, bits).isZero())
        bits = 0; // These have no negative zero.
      ASSERT_TRUE(sameFloat(type, r[i], bits))
          << GetParam().name << " on " << type << " of " << toDouble(type, a[i]) << " gives "
          << toDouble(type, r[i]);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, FloatUnary, ::testing::ValuesIn(kUnary),
                         [](const ::testing::TestParamInfo<Unary> &info) {
                           return llvm::StringRef(info.param.name).split('.').second.str();
                         });

TEST(FloatOps, FusedMultiplyAddRoundsOnce) {
  Machine machine;
  Random random;
  for (const std::string &type : kFloatTypes) {
    const Bits a = randomFloats(random, type, kCount), b = randomFloats(random, type, kCount),
               c = randomFloats(random, type, kCount);
    const Bits r = runElementwise(machine, "%r = math.fma %a, %b, %c : $T0", {type, type, type},
                                  {type}, {a, b, c})[0];
    for (size_t i = 0; i < kCount; ++i) {
      APFloat expected = toFloat(type, a[i]);
      expected.fusedMultiplyAdd(toFloat(type, b[i]), toFloat(type, c[i]), kNearest);
      ASSERT_TRUE(sameFloat(type, r[i], expected.bitcastToAPInt().getZExtValue()))
          << type << ": " << toDouble(type, a[i]) << " * " << toDouble(type, b[i]) << " + "
          << toDouble(type, c[i]) << " gives " << toDouble(type, r[i]);
    }
  }
}

TEST(FloatOps, FusedMultiplyAddSeesTinyAddends) {
  // The product is a tie between two bfloat16 values; only the addend, far below float64's digits,
  // decides.
  Machine machine;
  const uint64_t x = round("bf16", APFloat(1.0 + 1.0 / 128));
  const Bits r =
      runElementwise(machine, "%r = math.fma %a, %b, %c : $T0", {"bf16", "bf16", "bf16"}, {"bf16"},
                     {{round("bf16", APFloat(1.5)), round("bf16", APFloat(1.5))},
                      {x, x},
                      {round("bf16", APFloat(0x1p-100)), round("bf16", APFloat(-0x1p-100))}})[0];
  APFloat up = toFloat("bf16", round("bf16", APFloat(1.5))), down = up;
  up.fusedMultiplyAdd(toFloat("bf16", x),
                      APFloat(toFloat("bf16", round("bf16", APFloat(0x1p-100)))), kNearest);
  down.fusedMultiplyAdd(toFloat("bf16", x), toFloat("bf16", round("bf16", APFloat(-0x1p-100))),
                        kNearest);
  EXPECT_EQ(r[0], up.bitcastToAPInt().getZExtValue());
  EXPECT_EQ(r[1], down.bitcastToAPInt().getZExtValue());
  EXPECT_NE(r[0], r[1]);
}

TEST(FloatOps, Classify) {
  Machine machine;
  Random random;
  for (const std::string &type : kFloatTypes) {
    const Bits a = randomFloats(random, type, kCount);
    auto test = [&](const std::string &name) {
      return runElementwise(machine, "%r = " + name + " %a : $T0", {type}, {"i1"}, {a})[0];
    };
    const Bits nan = test("math.isnan"), inf = test("math.isinf"), finite = test("math.isfinite"),
               normal = test("math.isnormal");
    for (size_t i = 0; i < kCount; ++i) {
      const APFloat x = toFloat(type, a[i]);
      ASSERT_EQ(nan[i], x.isNaN()) << type << " " << a[i];
      ASSERT_EQ(inf[i], x.isInfinity()) << type << " " << a[i];
      ASSERT_EQ(finite[i], x.isFinite()) << type << " " << a[i];
      ASSERT_EQ(normal[i], x.isNormal()) << type << " " << a[i];
    }
  }
}

TEST(FloatOps, SquareRootIsCorrectlyRounded) {
  Machine machine;
  Random random;
  for (const std::string &type : {"f16", "bf16", "f32"}) {
    const Bits a = uniformFloats(random, type, kCount, 0, 1000);
    const Bits r = runElementwise(machine, "%r = math.sqrt %a : $T0", {type}, {type}, {a})[0];
    for (size_t i = 0; i < kCount; ++i) // float64's root rounds to these formats correctly.
      ASSERT_EQ(r[i], round(type, APFloat(std::sqrt(toDouble(type, a[i]))))) << type;
  }
}

TEST(FloatOps, SineAndCosineTogether) {
  Machine machine;
  Random random;
  const Bits a = uniformFloats(random, "f32", kCount, -10, 10);
  const auto both =
      runElementwise(machine, "%r, %s = math.sincos %a : $T0", {"f32"}, {"f32", "f32"}, {a});
  EXPECT_EQ(both[0], runElementwise(machine, "%r = math.sin %a : $T0", {"f32"}, {"f32"}, {a})[0]);
  EXPECT_EQ(both[1], runElementwise(machine, "%r = math.cos %a : $T0", {"f32"}, {"f32"}, {a})[0]);
}

// The interpreter must have every operation that the dialect gains.
TEST(ElementOps, EveryOperationOfArithAndMathIsKnown) {
  using namespace tilerun::interp;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // Known elsewhere: by the decoder, by the kernel builder, or deliberately absent (block-scaled
  // conversions).
  const llvm::StringSet<> others{"arith.constant",      "arith.select", "arith.bitcast",
                                 "arith.sitofp",        "arith.uitofp", "arith.fptosi",
                                 "arith.fptoui",        "math.fpowi",   "arith.scaling_extf",
                                 "arith.scaling_truncf"};
  unsigned known = 0;
  for (const char *dialect : {"arith", "math"})
    for (mlir::RegisteredOperationName operation :
         context.getRegisteredOperationsByDialect(dialect)) {
      const std::string name = operation.getStringRef().str();
      if (others.contains(name))
        continue;
      const std::string typed = name == "arith.cmpi"   ? name + ".eq"
                                : name == "arith.cmpf" ? name + ".oeq"
                                                       : name;
      EXPECT_TRUE(findIntegerOp(typed, Dtype::I32) || findFloatOp(typed, Dtype::F64) ||
                  findFloatOp(typed, Dtype::F32) || findMathOp(typed, Dtype::F32) ||
                  findIntegerCast(typed, Dtype::I32, Dtype::I64))
          << name;
      ++known;
    }
  EXPECT_GE(known, 70u);
}

TEST(FloatOps, Clamp) {
  Machine machine;
  const Bits r = runElementwise(machine, "%r = math.clampf %a to [%b, %c] : $T0",
                                {"f32", "f32", "f32"}, {"f32"},
                                {{round("f32", APFloat(-3.0)), round("f32", APFloat(0.5)),
                                  round("f32", APFloat(9.0)), round("f32", APFloat(1.0))},
                                 Bits(4, round("f32", APFloat(-1.0))),
                                 Bits(4, round("f32", APFloat(2.0)))})[0];
  EXPECT_EQ(toDouble("f32", r[0]), -1);
  EXPECT_EQ(toDouble("f32", r[1]), 0.5);
  EXPECT_EQ(toDouble("f32", r[2]), 2);
  EXPECT_EQ(toDouble("f32", r[3]), 1);
}

} // namespace

// Unit tests of the lattice of axis information, and of transfer rules where exhaustive checking is
// possible: every pair of 8-bit facts and values.
#include "ir/analysis/AxisInfo.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileOps.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;

namespace {

class AxisInfoTest : public ::testing::Test {
protected:
  AxisInfoTest() : context(makeRegistry()) { context.loadAllAvailableDialects(); }
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
  Type i32() { return IntegerType::get(&context, 32); }
  Type tensor(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }
  AxisInfo make(Type type, ArrayRef<AxisInfo::Axis> axes) {
    AxisInfo info = AxisInfo::unknown(type);
    for (auto [dim, axis] : llvm::enumerate(axes))
      info[dim] = axis;
    return info;
  }
  /// The facts about the last op's result in a function of `body`.
  AxisInfo analyze(StringRef arguments, StringRef body) {
    std::string source = ("func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n").str();
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    AxisInfoMap map(*module);
    Block &block = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    return map.lookup(std::prev(block.end(), 2)->getResult(0));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(AxisInfoTest, UnknownHasOneAxisForScalars) {
  AxisInfo info = AxisInfo::unknown(i32());
  EXPECT_EQ(info.getRank(), 1u);
  EXPECT_EQ(info[0], (AxisInfo::Axis{1, 1, 1}));
  EXPECT_EQ(info.getUnit(), 1);
}

TEST_F(AxisInfoTest, UnitOfPointersIsThePointeesSize) {
  for (auto [element, bytes] :
       std::initializer_list<std::pair<Type, int64_t>>{{IntegerType::get(&context, 1), 1},
                                                       {IntegerType::get(&context, 64), 8},
                                                       {Float16Type::get(&context), 2},
                                                       {tile::F8E4M3B15Type::get(&context), 1},
                                                       {tile::PointerType::get(i32()), 8}})
    EXPECT_EQ(AxisInfo::unknown(tensor({4}, tile::PointerType::get(element))).getUnit(), bytes);
}

TEST_F(AxisInfoTest, ConstantKnowsEverything) {
  AxisInfo info = AxisInfo::constant(tensor({4, 8}, i32()), 24);
  EXPECT_EQ(info[0], (AxisInfo::Axis{1, 8, 4}));
  EXPECT_EQ(info[1], (AxisInfo::Axis{1, 8, 8}));
  EXPECT_EQ(info.getConstant(), 24);
}

TEST_F(AxisInfoTest, ConstantZeroAndNegative) {
  EXPECT_EQ(AxisInfo::constant(i32(), 0)[0].divisibility, AxisInfo::kMaxDivisibility);
  EXPECT_EQ(AxisInfo::constant(i32(), -48)[0].divisibility, 16);
  EXPECT_EQ(AxisInfo::constant(i32(), INT64_MIN)[0].divisibility, AxisInfo::kMaxDivisibility);
}

TEST_F(AxisInfoTest, ConstancyIsAPowerOfTwoThatDivides) {
  EXPECT_EQ(AxisInfo::constant(tensor({12}, i32()), 1)[0].constancy, 4);
}

TEST_F(AxisInfoTest, DivisibilityOfRuns) {
  AxisInfo info = make(tensor({64}, i32()), {{16, 32, 1}});
  EXPECT_EQ(info.getDivisibilityOfRuns(0, 64), 32);
  EXPECT_EQ(info.getDivisibilityOfRuns(0, 16), 32);
  EXPECT_EQ(info.getDivisibilityOfRuns(0, 8), 8);
  EXPECT_EQ(info.getDivisibilityOfRuns(0, 1), 1);
  EXPECT_EQ(info.getElementDivisibility(), 1);
}

TEST_F(AxisInfoTest, ElementDivisibilityOfPointersIsTheirUnit) {
  AxisInfo info = make(tensor({64}, tile::PointerType::get(i32())), {{16, 32, 1}});
  EXPECT_EQ(info.getElementDivisibility(), 4);
  EXPECT_EQ(info.getDivisibilityOfRuns(0, 2), 8);
}

TEST_F(AxisInfoTest, ElementDivisibilityTakesTheBestAxis) {
  AxisInfo info = make(tensor({64, 1}, i32()), {{64, 64, 1}, {1, 4, 1}});
  EXPECT_EQ(info.getElementDivisibility(), 4);
}

TEST_F(AxisInfoTest, AlignedRun) {
  Type pointers = tensor({64}, tile::PointerType::get(i32()));
  EXPECT_EQ(make(pointers, {{64, 16, 1}}).getAlignedRun(0), 4);
  EXPECT_EQ(make(pointers, {{2, 16, 1}}).getAlignedRun(0), 2);
  EXPECT_EQ(make(pointers, {{64, 2, 1}}).getAlignedRun(0), 1);
}

TEST_F(AxisInfoTest, JoinKeepsWhatBothClaim) {
  Type type = tensor({64}, i32());
  AxisInfo joined = AxisInfo::join(make(type, {{16, 64, 1}}), make(type, {{4, 8, 2}}));
  // Runs of 16 that begin at multiples of 64 hold runs of 4 that begin at multiples of 4.
  EXPECT_EQ(joined[0], (AxisInfo::Axis{4, 4, 1}));
}

TEST_F(AxisInfoTest, JoinWithNothingIsTheOther) {
  AxisInfo info = make(tensor({64}, i32()), {{16, 64, 1}});
  EXPECT_EQ(AxisInfo::join(AxisInfo(), info), info);
  EXPECT_EQ(AxisInfo::join(info, AxisInfo()), info);
  EXPECT_TRUE(AxisInfo().isUninitialized());
}

TEST_F(AxisInfoTest, JoinOfConstants) {
  AxisInfo a = AxisInfo::constant(i32(), 16), b = AxisInfo::constant(i32(), 24);
  EXPECT_EQ(AxisInfo::join(a, a).getConstant(), 16);
  EXPECT_EQ(AxisInfo::join(a, b).getConstant(), std::nullopt);
  EXPECT_EQ(AxisInfo::join(a, b)[0].divisibility, 8);
}

TEST_F(AxisInfoTest, JoinIsALattice) {
  // All facts about 16 elements: commutative, associative, idempotent, and never stronger than
  // either side.
  Type type = tensor({16}, i32());
  SmallVector<AxisInfo> all;
  for (int64_t c = 1; c <= 16; c *= 2)
    for (int64_t d = 1; d <= 32; d *= 2)
      for (int64_t k = 1; k <= 4; k *= 4)
        all.push_back(make(type, {{c, d, k}}));
  for (const AxisInfo &a : all)
    for (const AxisInfo &b : all) {
      AxisInfo ab = AxisInfo::join(a, b);
      EXPECT_EQ(ab, AxisInfo::join(b, a));
      EXPECT_EQ(AxisInfo::join(ab, a), ab);
      EXPECT_EQ(AxisInfo::join(ab, b), ab);
      EXPECT_LE(ab[0].contiguity, a[0].contiguity);
      EXPECT_LE(ab[0].constancy, b[0].constancy);
      for (const AxisInfo &c : {all[7], all[20], all[41]})
        EXPECT_EQ(AxisInfo::join(ab, c), AxisInfo::join(a, AxisInfo::join(b, c)));
    }
}

TEST_F(AxisInfoTest, PrintsAllFacts) {
  std::string text;
  llvm::raw_string_ostream(text) << AxisInfo::constant(tensor({2, 4}, i32()), 8);
  EXPECT_EQ(text, "contiguity = [1, 1], divisibility = [8, 8], constancy = [2, 4], constant = 8");
  text.clear();
  llvm::raw_string_ostream(text) << AxisInfo();
  EXPECT_EQ(text, "uninitialized");
}

TEST_F(AxisInfoTest, DivisibilityOfArguments) {
  AxisInfo info = analyze("%n: i32 {tile.divisibility = 48 : i64}",
                          "%s = tile.splat %n : i32 -> tensor<8xi32>");
  EXPECT_EQ(info[0], (AxisInfo::Axis{1, 16, 8}));
}

TEST_F(AxisInfoTest, OffsetsThatMayWrapKeepOnlyAlignedRuns) {
  // n is unknown: range + n may wrap around 32 bits, so pointers are not known to follow each
  // other.
  AxisInfo info = analyze("%p: !tile.ptr<f32>, %n: i32", R"(
    %r = tile.make_range 0 to 64 : tensor<64xi32>
    %ns = tile.splat %n : i32 -> tensor<64xi32>
    %o = arith.addi %r, %ns : tensor<64xi32>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %q = tile.addptr %ps, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>)");
  EXPECT_EQ(info[0].contiguity, 1);
}

TEST_F(AxisInfoTest, WideOffsetsKeepRuns) {
  AxisInfo info = analyze("%p: !tile.ptr<f32>, %n: i64", R"(
    %r = tile.make_range 0 to 64 : tensor<64xi32>
    %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
    %ns = tile.splat %n : i64 -> tensor<64xi64>
    %o = arith.addi %w, %ns : tensor<64xi64>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %q = tile.addptr %ps, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi64>)");
  EXPECT_EQ(info[0].contiguity, 64);
  EXPECT_EQ(info[0].divisibility, 1);
}

// One more than such a mask is not a number of 64 bits.
TEST_F(AxisInfoTest, AllBitsButTheSignKeepRuns) {
  AxisInfo info = analyze("%n: i64", R"(
    %r = tile.make_range 0 to 64 : tensor<64xi32>
    %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
    %mask = arith.constant dense<9223372036854775807> : tensor<64xi64>
    %o = arith.andi %w, %mask : tensor<64xi64>)");
  EXPECT_EQ(info[0].contiguity, 64);
}

TEST_F(AxisInfoTest, DeadCodeIsUnknown) {
  module = parseSourceString<ModuleOp>(R"(
    func.func @f() {
      %c = arith.constant false
      scf.if %c {
        %x = arith.constant 64 : i32
        %y = arith.addi %x, %x : i32
      }
      return
    })",
                                       &context);
  ASSERT_TRUE(module);
  AxisInfoMap map(*module);
  module->walk([&](arith::AddIOp add) {
    EXPECT_EQ(map.lookup(add.getResult()), AxisInfo::unknown(add.getType()));
  });
}

TEST_F(AxisInfoTest, CallsOfPrivateFunctionsCarryFacts) {
  module = parseSourceString<ModuleOp>(R"(
    func.func private @double(%x: i32) -> i32 {
      %c = arith.constant 2 : i32
      %y = arith.muli %x, %c : i32
      return %y : i32
    }
    func.func @f(%n: i32 {tile.divisibility = 16 : i64}) {
      %r = func.call @double(%n) : (i32) -> i32
      return
    })",
                                       &context);
  ASSERT_TRUE(module);
  AxisInfoMap map(*module);
  module->walk(
      [&](func::CallOp call) { EXPECT_EQ(map.lookup(call.getResult(0))[0].divisibility, 32); });
}

TEST_F(AxisInfoTest, LoopThatLosesDivisibilityStepByStep) {
  AxisInfo info = analyze("%n: i32", R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %big = arith.constant 4096 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %big) -> i32 : i32 {
      %h = arith.shrsi %x, %c1 : i32
      scf.yield %h : i32
    })");
  EXPECT_EQ(info[0].divisibility, 1);
}

TEST_F(AxisInfoTest, WhileLoopJoinsBothWays) {
  AxisInfo info = analyze("%n: i32", R"(
    %c64 = arith.constant 64 : i32
    %c24 = arith.constant 24 : i32
    %r = scf.while (%x = %c64) : (i32) -> i32 {
      %c = arith.cmpi slt, %x, %n : i32
      scf.condition(%c) %x : i32
    } do {
    ^bb0(%y: i32):
      %z = arith.addi %y, %c24 : i32
      scf.yield %z : i32
    })");
  EXPECT_EQ(info[0].divisibility, 8);
}

/// Calls `transferAxisInfo` for one binary op on i8 tensors of 4 elements.
AxisInfo transferBinary(Operation *op, const AxisInfo &a, const AxisInfo &b, bool nonNegative) {
  SmallVector<AxisInfo> results;
  transferAxisInfo(op, {a, b}, [&](unsigned) { return nonNegative; }, results);
  return results[0];
}

/// For each op: operand a counts up from `first` with stride 1 (contiguous), operand b is one
/// number everywhere; all 256 first elements and all 256 numbers are tried, with the strongest
/// facts that hold for them.
TEST_F(AxisInfoTest, ExhaustiveOnBytes) {
  const char *ops[] = {"addi",  "subi",   "muli",   "divsi",  "divui", "remsi", "remui",
                       "andi",  "ori",    "xori",   "shli",   "shrsi", "shrui", "minsi",
                       "maxui", "cmpslt", "cmpuge", "cmpsgt", "cmpule"};
  Type i8 = IntegerType::get(&context, 8);
  auto type = cast<RankedTensorType>(tensor({4}, i8));
  auto powerOfTwoIn = [](int64_t x) { return x == 0 ? int64_t(256) : x & -x; };
  for (StringRef name : ops) {
    bool isCompare = name.starts_with("cmp");
    std::string text = isCompare ? ("arith.cmpi " + name.drop_front(3) + ", %a, %b").str()
                                 : ("arith." + name + " %a, %b").str();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%a: tensor<4xi8>, %b: tensor<4xi8>) {\n%r = " + text +
            " : tensor<4xi8>\nreturn\n}",
        &context);
    ASSERT_TRUE(module) << name.str();
    Operation *op = &(*module->getOps<func::FuncOp>().begin()).getBody().front().front();
    for (int first = 0; first < 256; ++first)
      for (int number = 0; number < 256; ++number) {
        bool nonNegative = true, isDefined = true;
        uint64_t out[4];
        for (int j = 0; j < 4; ++j) {
          APInt a(8, (first + j) & 255), b(8, number);
          nonNegative &= a.isNonNegative();
          if ((name.contains("div") || name.contains("rem")) &&
              (b.isZero() || (b.isAllOnes() && a.isMinSignedValue()))) {
            isDefined = false;
            break;
          }
          if (name.starts_with("sh") && number >= 8) {
            isDefined = false;
            break;
          }
          APInt r = llvm::StringSwitch<std::function<APInt()>>(name)
                        .Case("addi", [&] { return a + b; })
                        .Case("subi", [&] { return a - b; })
                        .Case("muli", [&] { return a * b; })
                        .Case("divsi", [&] { return a.sdiv(b); })
                        .Case("divui", [&] { return a.udiv(b); })
                        .Case("remsi", [&] { return a.srem(b); })
                        .Case("remui", [&] { return a.urem(b); })
                        .Case("andi", [&] { return a & b; })
                        .Case("ori", [&] { return a | b; })
                        .Case("xori", [&] { return a ^ b; })
                        .Case("shli", [&] { return a.shl(b); })
                        .Case("shrsi", [&] { return a.ashr(b); })
                        .Case("shrui", [&] { return a.lshr(b); })
                        .Case("minsi", [&] { return llvm::APIntOps::smin(a, b); })
                        .Case("maxui", [&] { return llvm::APIntOps::umax(a, b); })
                        .Case("cmpslt", [&] { return APInt(1, a.slt(b)); })
                        .Case("cmpuge", [&] { return APInt(1, a.uge(b)); })
                        .Case("cmpsgt", [&] { return APInt(1, a.sgt(b)); })
                        .Default([&] { return APInt(1, a.ule(b)); })();
          out[j] = r.getZExtValue();
        }
        if (!isDefined)
          continue;
        AxisInfo a = make(type, {{4, powerOfTwoIn(first), 1}});
        // Once as a number that is known, once only as far as its divisibility goes.
        for (bool isKnown : {true, false}) {
          AxisInfo b = isKnown ? AxisInfo::constant(type, llvm::SignExtend64<8>(number))
                               : make(type, {{1, powerOfTwoIn(number), 4}});
          AxisInfo r = transferBinary(op, a, b, nonNegative);
          uint64_t mask = isCompare ? 1 : 255;
          for (int j = 0; j < 4; ++j) {
            int c = r[0].contiguity, k = r[0].constancy;
            ASSERT_EQ(out[j], (out[j - j % c] + j % c) & mask)
                << name.str() << " " << first << " " << number << " element " << j;
            ASSERT_EQ(out[j - j % c] & (r[0].divisibility - 1), 0u)
                << name.str() << " " << first << " " << number << " element " << j;
            ASSERT_EQ(out[j], out[j - j % k])
                << name.str() << " " << first << " " << number << " element " << j;
          }
        }
      }
  }
}

} // namespace

// Constant folding of tile.fp_cast against a reference that knows only the list of a format's
// finite values: every f16 value into every 8-bit format, in both rounding modes.
#include "tests/ir/tile/TileTest.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilerun;

namespace {

class FoldTest : public test::TileTest {
protected:
  /// The result of folding `tile.fp_cast` of the scalar `value`; null if it does not fold.
  FloatAttr foldCast(FloatAttr value, FloatType to, tile::RoundingMode rounding) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc());
    builder.setInsertionPointToEnd(module->getBody());
    Value source = ub::PoisonOp::create(builder, loc(), value.getType());
    auto cast = tile::FpCastOp::create(builder, loc(), to, source, rounding);
    SmallVector<OpFoldResult> results;
    if (failed(cast->fold({value}, results)))
      return {};
    return dyn_cast_if_present<FloatAttr>(dyn_cast<Attribute>(results[0]));
  }

  void checkAll(FloatType to, tile::RoundingMode rounding) {
    // All finite values with their bit patterns, in order of magnitude.
    std::map<double, uint64_t> positive;
    for (uint64_t bits = 0; bits < 128; ++bits) {
      APFloat value(to.getFloatSemantics(), APInt(8, bits));
      if (value.isFinite())
        positive[value.convertToDouble()] = bits;
    }
    double largest = positive.rbegin()->first;
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      APFloat input(APFloat::IEEEhalf(), APInt(16, bits));
      FloatAttr folded = foldCast(FloatAttr::get(builder.getF16Type(), input), to, rounding);
      if (input.isNaN()) {
        EXPECT_FALSE(folded);
        continue;
      }
      ASSERT_TRUE(folded);
      double x = std::min(std::fabs(input.convertToDouble()), largest);
      auto above = positive.lower_bound(x), below = above;
      if (above->first != x)
        --below;
      auto expected = below;
      if (rounding == tile::RoundingMode::NearestEven && above != below) {
        double up = above->first - x, down = x - below->first;
        if (up < down || (up == down && above->second % 2 == 0))
          expected = above;
      }
      double result = folded.getValueAsDouble();
      ASSERT_EQ(std::fabs(result), expected->first)
          << "f16 bits " << bits << " is " << input.convertToDouble();
      if (result != 0) {
        ASSERT_EQ(std::signbit(result), input.isNegative());
      }
    }
  }
};

TEST_F(FoldTest, CastToF8E5M2) {
  checkAll(Float8E5M2Type::get(&context), tile::RoundingMode::NearestEven);
  checkAll(Float8E5M2Type::get(&context), tile::RoundingMode::TowardZero);
}
TEST_F(FoldTest, CastToF8E4M3FN) {
  checkAll(Float8E4M3FNType::get(&context), tile::RoundingMode::NearestEven);
  checkAll(Float8E4M3FNType::get(&context), tile::RoundingMode::TowardZero);
}
TEST_F(FoldTest, CastToF8E4M3FNUZ) {
  checkAll(Float8E4M3FNUZType::get(&context), tile::RoundingMode::NearestEven);
  checkAll(Float8E4M3FNUZType::get(&context), tile::RoundingMode::TowardZero);
}
TEST_F(FoldTest, CastToF8E5M2FNUZ) {
  checkAll(Float8E5M2FNUZType::get(&context), tile::RoundingMode::NearestEven);
  checkAll(Float8E5M2FNUZType::get(&context), tile::RoundingMode::TowardZero);
}

TEST_F(FoldTest, CastToF16OverflowsToInfinityButTowardZeroDoesNot) {
  FloatAttr large = builder.getF32FloatAttr(1e6f);
  auto f16 = builder.getF16Type();
  EXPECT_TRUE(foldCast(large, f16, tile::RoundingMode::NearestEven).getValue().isInfinity());
  EXPECT_EQ(foldCast(large, f16, tile::RoundingMode::TowardZero).getValueAsDouble(), 65504.0);
}

TEST_F(FoldTest, CastKeepsInfinityInWideFormats) {
  FloatAttr infinity =
      FloatAttr::get(builder.getF32Type(), APFloat::getInf(APFloat::IEEEsingle(), true));
  FloatAttr folded = foldCast(infinity, builder.getBF16Type(), tile::RoundingMode::TowardZero);
  ASSERT_TRUE(folded);
  EXPECT_TRUE(folded.getValue().isInfinity());
  EXPECT_TRUE(folded.getValue().isNegative());
}

} // namespace

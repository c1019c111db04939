// Instructions on opaque matrices: the possible ones, and the layouts of their results in lanes.
#include "ir/target/TargetInfo.h"

#include "gtest/gtest.h"

using namespace tilerun::target;

namespace {

TEST(OpaqueInstruction, HasAResultThatLanesShareInOrder) {
  using Element = MatrixElement;
  for (unsigned lanes : {8, 16, 32, 64, 128}) {
    auto row = opaqueInstruction(Element::F16, Element::F16, Element::F32, 16, 16, 16, lanes);
    ASSERT_TRUE(row) << lanes;
    EXPECT_TRUE(row->isOpaque);
    EXPECT_TRUE(row->dLayout.isInvertible());
    unsigned run = std::min(4u, 256 / lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < 256 / lanes; ++reg) {
        auto point = row->dLayout.apply({reg, lane});
        EXPECT_EQ(point[0] * 16 + point[1], reg / run * run * lanes + lane * run + reg % run);
      }
  }
}

TEST(OpaqueInstruction, RefusesWhatCannotBeReadFromMemory) {
  using Element = MatrixElement;
  EXPECT_FALSE(opaqueInstruction(Element::F16, Element::F16, Element::F32, 12, 16, 16, 32));
  EXPECT_FALSE(opaqueInstruction(Element::F16, Element::F16, Element::F32, 8, 8, 4, 128));
  EXPECT_FALSE(opaqueInstruction(Element::F16, Element::F16, Element::F32, 16, 4, 16, 32));
  EXPECT_FALSE(opaqueInstruction(Element::TF32, Element::TF32, Element::F32, 16, 16, 16, 32));
  EXPECT_FALSE(opaqueInstruction(Element::E4M3, Element::E4M3, Element::F32, 16, 16, 32, 32));
}

} // namespace

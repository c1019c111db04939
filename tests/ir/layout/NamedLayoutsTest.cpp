// Short forms of layouts: each equals what the functions that they stand for make, and what is
// wrong with a text is said.
#include "ir/layout/NamedLayouts.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"

#include <gtest/gtest.h>

using namespace tilerun::layout;

static LinearLayout parse(llvm::StringRef text, const LayoutDefaults &defaults = {}) {
  llvm::Expected<LinearLayout> layout = parseNamedLayout(text, defaults);
  if (!layout)
    ADD_FAILURE() << text.str() << ": " << llvm::toString(layout.takeError());
  return layout ? *layout : LinearLayout();
}

static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = parseNamedLayout(text);
  if (!layout)
    return llvm::toString(layout.takeError());
  ADD_FAILURE() << text.str() << " is a layout: " << layout->toString();
  return "";
}

TEST(NamedLayouts, BlockedIsTheCoalescedLayout) {
  EXPECT_EQ(parse("blocked:64x32"), *coalescedLayout({64, 32}, 1, 32, 4, {1, 0}));
  EXPECT_EQ(parse(" blocked:64x32, vector=4, order=0x1 ,warps=8,lanes=16"),
            *coalescedLayout({64, 32}, 4, 16, 8, {0, 1}));
  EXPECT_EQ(parse("blocked:1024", {64, 2, 2}), *coalescedLayout({1024}, 1, 64, 2, {0}));
}

TEST(NamedLayouts, FragmentsAreTiledOverATensor) {
  LinearLayout fragment = fragmentLayout(FragmentKind::MmaD);
  EXPECT_EQ(parse("mma.m16n8.d"), tileFragment(fragment, 4, 3, 0, 0));
  EXPECT_EQ(parse("mma.m16n8.d,warps=2x4"), tileFragment(fragment, 5, 5, 1, 2));
  EXPECT_EQ(parse("mma.m16n8.d:64x16,warps=4x1"), tileFragment(fragment, 6, 4, 2, 0));
  for (const FragmentInfo &info : allFragments())
    EXPECT_TRUE(parse(info.name).isSameMap(parse(info.name).restrictIns({kRegister, kLane, kWarp})))
        << info.name.str();
}

TEST(NamedLayouts, MemoryIsStridedSwizzledOrCrossed) {
  // Row-major: element (1, 2) of 4 x 8 is at offset 10.
  EXPECT_EQ(parse("strided:4x8").apply({10}), (llvm::SmallVector<uint64_t, 4>{1, 2}));
  EXPECT_EQ(parse("strided:4x8,order=0x1").apply({9}), (llvm::SmallVector<uint64_t, 4>{1, 2}));
  EXPECT_EQ(parse("swizzled:64x64", {32, 4, 2}), swizzledTile({64, 64}, 1, 2));
  EXPECT_EQ(parse("swizzled:64x64,inner=0", {32, 4, 2}), swizzledTile({64, 64}, 0, 2));
  EXPECT_EQ(parse("crossed:64x64", {32, 4, 2}), crossedTile({64, 64}, 1, 2));
  EXPECT_TRUE(isMemoryLayout(parse("crossed:64x64")));
  EXPECT_FALSE(isMemoryLayout(parse("blocked:64x64")));
}

TEST(NamedLayouts, TextIsTakenAsItIsAndAsAnAttribute) {
  std::string text = "{register = [(1)], lane = [(2)]} -> (dim0: 4)";
  LinearLayout layout = llvm::cantFail(LinearLayout::parse(text));
  EXPECT_EQ(parse(text), layout);
  EXPECT_EQ(parse("#distribute.layout<\"" + text + "\">"), layout);
  EXPECT_EQ(parse("#layout3 = #distribute.layout<\"" + text + "\">\n"), layout);
}

TEST(NamedLayouts, ErrorsNameTheWord) {
  for (auto [text, error] : {
           std::pair("", "'' is not a layout: it is a text '{…} -> (…)', blocked, strided, "),
           std::pair("mma.m16n8", "fragments that begin so are mma.m16n8.d, mma.m16n8k32.a.b8"),
           std::pair("blocked", "layout 'blocked' needs a shape, such as 'blocked:64x64'"),
           std::pair("blocked:", "layout 'blocked' needs a shape"),
           std::pair("blocked:64x", "the shape '64x' is not a list of numbers such as 64x32"),
           std::pair("blocked:-4", "the shape '-4' is not a list of numbers"),
           std::pair("blocked:48", "the size 48 is not a power of two"),
           std::pair("blocked:64,warps=3", "'warps=3' is not a power of two up to 1048576"),
           std::pair("blocked:64,warps=", "the warps '' is not a list of numbers"),
           std::pair("blocked:64,vector=2x2", "'vector=2x2' needs one number"),
           std::pair("blocked:64x64,order=1x1", "'order' does not list each of the 2 dimensions"),
           std::pair("blocked:64,wraps=4",
                     "layout 'blocked' has no word 'wraps=4'; it has vector, lanes, warps, order"),
           std::pair("blocked:64,", "layout 'blocked' has no word ''"),
           std::pair("blocked:64,warps", "the warps '' is not a list of numbers"),
           std::pair("mma.m16n8.d:64", "fragment 'mma.m16n8.d' is of matrices"),
           std::pair("mma.m16n8.d,warps=4", "'warps=4' needs 2 numbers"),
           std::pair("swizzled:64", "layout 'swizzled' is of matrices"),
           std::pair("swizzled:64x64,inner=2", "'inner' is the contiguous dimension, 0 or 1"),
           std::pair("{register = [(1)]} -> (dim0: 3)", "the size of 'dim0' is not a power of two"),
           std::pair("strided:9223372036854775807", "is not a power of two"),
           std::pair("strided:4294967296x4294967296", "the tensor has more than 2^63 elements"),
           std::pair("mma.m16n8.d:1x4611686018427387904,warps=1048576x1",
                     "the layout has more than 2^64 positions"),
       })
    EXPECT_NE(errorOf(text).find(error), std::string::npos) << text << ": " << errorOf(text);
}

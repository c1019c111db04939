// The algebra of named layouts against pointwise evaluation.
#include "ir/layout/LinearLayout.h"
#include "tests/ir/layout/LayoutTesting.h"

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

const DimList kIns = {Dim("register", 1), Dim("lane", 2)};
const DimList kOuts = {Dim("dim0", 1), Dim("dim1", 2)};

/// Every layout from kIns to kOuts.
template <typename F> void forAll(F f) {
  forEachMatrix(3, 3, [&](const BitVectors &bases) { f(LinearLayout(kIns, kOuts, bases)); });
}

TEST(LinearLayoutTest, CreateStoresBases) {
  LinearLayout layout = llvm::cantFail(LinearLayout::create(
      {{"register", {{0, 1}, {8, 0}}}, {"lane", {{0, 2}}}}, {Dim("dim0", 4), Dim("dim1", 3)}));
  EXPECT_EQ(layout.totalInBits(), 3u);
  EXPECT_EQ(layout.totalOutBits(), 7u);
  EXPECT_EQ(layout.inBits("register"), 2u);
  EXPECT_EQ(layout.inBits("warp"), 0u);
  EXPECT_FALSE(layout.hasIn("warp"));
  EXPECT_TRUE(layout.hasOut("dim1"));
  EXPECT_EQ(layout.getBasis("register", 0, "dim1"), 1u);
  EXPECT_EQ(layout.getBasis("register", 1, "dim0"), 8u);
  EXPECT_EQ(layout.getBasis("register", 1, "dim1"), 0u);
  // dim0 is listed first, so it is in the low bits of a packed vector.
  EXPECT_EQ(layout.getBases("lane"), llvm::ArrayRef<uint64_t>({2u << 4}));
  EXPECT_EQ(layout.inShift("lane"), 2u);
  EXPECT_EQ(layout.outShift("dim1"), 4u);
}

TEST(LinearLayoutTest, CreateRejects) {
  const Dim out("x", 2);
  auto message = [](auto ins, auto outs) {
    return messageOf(LinearLayout::create(ins, llvm::ArrayRef<Dim>(outs)));
  };
  using Ins = std::vector<LinearLayout::Input>;
  using Outs = std::vector<Dim>;
  EXPECT_EQ(message(Ins{{"a", {{4}}}}, Outs{out}),
            "coordinate 4 of a basis vector of 'a' is outside output dimension 'x' of size 4");
  EXPECT_EQ(message(Ins{{"a", {{1, 1}}}}, Outs{out}),
            "a basis vector of 'a' has 2 coordinates for 1 output dimensions");
  EXPECT_EQ(message(Ins{{"a", {}}, {"a", {}}}, Outs{out}), "input dimension 'a' is listed twice");
  EXPECT_EQ(message(Ins{}, Outs{out, out}), "output dimension 'x' is listed twice");
  EXPECT_EQ(message(Ins{}, Outs{Dim("x", 64)}), "output dimension 'x' has more than 63 bits");
  EXPECT_EQ(message(Ins{}, Outs{Dim("x", 40), Dim("y", 40)}),
            "the outputs have 80 bits, the limit is 64");
  LinearLayout::Input wide{"a", {}}, wider{"b", {}};
  wide.bases.assign(40, {0});
  wider.bases.assign(64, {0});
  EXPECT_EQ(message(Ins{wider}, Outs{out}), "input dimension 'b' has more than 63 bits");
  wider.bases.assign(40, {0});
  EXPECT_EQ(message(Ins{wide, wider}, Outs{out}), "the inputs have more than 64 bits");
}

TEST(LinearLayoutTest, ApplyIsXorOfBases) {
  forAll([](const LinearLayout &layout) {
    for (uint64_t r = 0; r < 2; ++r)
      for (uint64_t l = 0; l < 4; ++l) {
        uint64_t expected = xorOf(layout.getBases(), r | l << 1);
        auto point = layout.apply({r, l});
        ASSERT_EQ(point[0], expected & 1);
        ASSERT_EQ(point[1], expected >> 1);
      }
  });
}

TEST(LinearLayoutTest, IdentityAndZeros) {
  LinearLayout identity = LinearLayout::identity1D(3, "lane", "dim0");
  LinearLayout zeros = LinearLayout::zeros1D(3, "lane", "dim0", 2);
  for (uint64_t x = 0; x < 8; ++x) {
    EXPECT_EQ(identity.apply({x})[0], x);
    EXPECT_EQ(zeros.apply({x})[0], 0u);
  }
  EXPECT_TRUE(identity.isInvertible());
  EXPECT_EQ(zeros.rank(), 0u);
  EXPECT_EQ(zeros.outBits("dim0"), 2u);
}

TEST(LinearLayoutTest, FullSixtyFourBits) {
  LinearLayout layout =
      LinearLayout::identity1D(32, "a", "x") * LinearLayout::identity1D(32, "b", "y");
  EXPECT_EQ(layout.applyFlat(~uint64_t(0)), ~uint64_t(0));
  EXPECT_EQ(*layout.invert(),
            LinearLayout::identity1D(32, "x", "a") * LinearLayout::identity1D(32, "y", "b"));
  LinearLayout padded = layout.resizeIn("c", 0).resizeOut("z", 0);
  EXPECT_EQ(padded.apply({1, 2, 0})[2], 0u);
  EXPECT_EQ(padded.freeVariableMask("c"), 0u);
  EXPECT_EQ(parse(padded.toString()), padded);
}

TEST(LinearLayoutTest, CompositionIsPointwise) {
  // All pairs over two bits, with the middle dimensions in another order on the outer side.
  const DimList ins = {Dim("a", 1), Dim("b", 1)}, middle = {Dim("m", 1), Dim("n", 1)},
                swapped = {Dim("n", 1), Dim("m", 2)}, outs = {Dim("x", 2)};
  forEachMatrix(2, 2, [&](const BitVectors &first) {
    LinearLayout inner(ins, middle, first);
    forEachMatrix(2, 3, [&](const BitVectors &second) {
      LinearLayout outer(swapped, outs, second);
      LinearLayout composed = inner.compose(outer);
      for (uint64_t a = 0; a < 2; ++a)
        for (uint64_t b = 0; b < 2; ++b) {
          auto mid = inner.apply({a, b});
          ASSERT_EQ(composed.apply({a, b}), outer.apply({mid[1], mid[0]}));
        }
    });
  });
}

TEST(LinearLayoutTest, InverseIffBijective) {
  unsigned inverses = 0;
  forAll([&](const LinearLayout &layout) {
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < 8; ++x)
      image.insert(layout.applyFlat(x));
    std::optional<LinearLayout> inverse = layout.invert();
    ASSERT_EQ(inverse.has_value(), image.size() == 8);
    ASSERT_EQ(layout.isInvertible(), image.size() == 8);
    if (!inverse)
      return;
    ++inverses;
    ASSERT_EQ(inverse->getIns(), layout.getOuts());
    ASSERT_EQ(inverse->getOuts(), layout.getIns());
    for (uint64_t x = 0; x < 8; ++x)
      ASSERT_EQ(inverse->applyFlat(layout.applyFlat(x)), x);
  });
  EXPECT_EQ(inverses, 168u);
}

TEST(LinearLayoutTest, PseudoInverseIsLeastPosition) {
  forAll([&](const LinearLayout &layout) {
    LinearLayout pseudo = layout.pseudoInvert();
    std::vector<bool> seen(8);
    for (uint64_t x = 0; x < 8; ++x) {
      uint64_t y = layout.applyFlat(x);
      if (!seen[y]) // x ascends, so the first position of an element is its least
        ASSERT_EQ(pseudo.applyFlat(y), x);
      seen[y] = true;
    }
  });
}

TEST(LinearLayoutTest, InvertAndComposeFindsLeastPositionIfAny) {
  const DimList ins = {Dim("a", 2)}, outs = {Dim("x", 1), Dim("y", 2)};
  const DimList otherIns = {Dim("b", 2)}, otherOuts = {Dim("y", 2), Dim("x", 1)};
  forEachMatrix(3, 2, [&](const BitVectors &mine) {
    LinearLayout layout(ins, outs, mine);
    forEachMatrix(3, 2, [&](const BitVectors &theirs) {
      LinearLayout other(otherIns, otherOuts, theirs);
      std::optional<LinearLayout> found = layout.invertAndCompose(other);
      bool all = true;
      for (uint64_t a = 0; a < 4; ++a) {
        auto element = layout.apply({a});
        std::optional<uint64_t> least;
        for (uint64_t b = 0; b < 4 && !least; ++b) {
          auto candidate = other.apply({b});
          if (candidate[0] == element[1] && candidate[1] == element[0])
            least = b;
        }
        all &= least.has_value();
        if (found)
          ASSERT_EQ(std::optional<uint64_t>(found->apply({a})[0]), least);
      }
      ASSERT_EQ(found.has_value(), all);
    });
  });
}

TEST(LinearLayoutTest, ProductIsBlockDiagonal) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    LinearLayout left =
        random.layout({Dim("register", 1), Dim("lane", 2)}, {Dim("dim0", 2), Dim("dim1", 1)});
    LinearLayout right =
        random.layout({Dim("lane", 1), Dim("warp", 1)}, {Dim("dim2", 1), Dim("dim0", 1)});
    LinearLayout product = left * right;
    ASSERT_EQ(product.getIns(),
              llvm::ArrayRef<Dim>({Dim("register", 1), Dim("lane", 3), Dim("warp", 1)}));
    ASSERT_EQ(product.getOuts(),
              llvm::ArrayRef<Dim>({Dim("dim0", 3), Dim("dim1", 1), Dim("dim2", 1)}));
    for (uint64_t r = 0; r < 2; ++r)
      for (uint64_t l = 0; l < 8; ++l)
        for (uint64_t w = 0; w < 2; ++w) {
          auto low = left.apply({r, l & 3}), high = right.apply({l >> 2, w});
          auto point = product.apply({r, l, w});
          ASSERT_EQ(point[0], low[0] | high[1] << 2);
          ASSERT_EQ(point[1], low[1]);
          ASSERT_EQ(point[2], high[0]);
        }
  }
}

TEST(LinearLayoutTest, ProductHasNeutralElementAndIsAssociative) {
  Random random(4);
  LinearLayout unit;
  for (int i = 0; i < 50; ++i) {
    LinearLayout a = random.layout({Dim("r", 1), Dim("l", 1)}, {Dim("x", 2)});
    LinearLayout b = random.layout({Dim("l", 2)}, {Dim("y", 1), Dim("x", 1)});
    LinearLayout c = random.layout({Dim("r", 1), Dim("w", 1)}, {Dim("x", 1)});
    EXPECT_EQ(unit * a, a);
    EXPECT_EQ(a * unit, a);
    EXPECT_EQ((a * b) * c, a * (b * c));
  }
}

TEST(LinearLayoutTest, DivisionUndoesProduct) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    LinearLayout left = random.layout({Dim("r", random.below(3)), Dim("l", random.below(3))},
                                      {Dim("x", random.below(3)), Dim("y", random.below(3))});
    LinearLayout right = random.layout({Dim("l", random.below(3)), Dim("r", random.below(3))},
                                       {Dim("y", random.below(3)), Dim("x", random.below(3))});
    LinearLayout product = left * right;
    std::optional<LinearLayout> byLeft = product.divideLeft(left);
    std::optional<LinearLayout> byRight = product.divideRight(right);
    ASSERT_TRUE(byLeft && byRight);
    EXPECT_TRUE(byLeft->isSameMap(right));
    EXPECT_TRUE(byRight->isSameMap(left));
  }
}

TEST(LinearLayoutTest, DivisionIsExact) {
  // Over all dividends: a quotient exists iff one of all possible quotients multiplies back.
  const DimList quotientIns = {Dim("a", 1), Dim("b", 1)}, quotientOuts = {Dim("x", 1)};
  LinearLayout factor({Dim("a", 1)}, {Dim("x", 1)}, {1});
  unsigned left = 0, right = 0;
  forEachMatrix(2, 3, [&](const BitVectors &bases) {
    LinearLayout dividend({Dim("a", 2), Dim("b", 1)}, {Dim("x", 2)}, bases);
    std::optional<LinearLayout> expectLeft, expectRight;
    forEachMatrix(1, 2, [&](const BitVectors &q) {
      LinearLayout quotient(quotientIns, quotientOuts, q);
      if (factor * quotient == dividend)
        expectLeft = quotient;
      if (quotient * factor == dividend)
        expectRight = quotient;
    });
    ASSERT_EQ(dividend.divideLeft(factor), expectLeft);
    ASSERT_EQ(dividend.divideRight(factor), expectRight);
    left += expectLeft.has_value();
    right += expectRight.has_value();
  });
  EXPECT_EQ(left, 4u);
  EXPECT_EQ(right, 4u);
}

TEST(LinearLayoutTest, DivisionNeedsTheFactorsDimensions) {
  LinearLayout layout = LinearLayout::identity1D(2, "a", "x");
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity1D(1, "b", "x")));
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity1D(1, "a", "y")));
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity1D(3, "a", "x")));
  std::optional<LinearLayout> all = layout.divideRight(layout);
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, LinearLayout({Dim("a", 0)}, {Dim("x", 0)}, {}));
}

TEST(LinearLayoutTest, ConcatIns) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    LinearLayout a = random.layout({Dim("a", 2)}, kOuts), b = random.layout({Dim("b", 1)}, kOuts);
    LinearLayout joined = a.concatIns(b);
    for (uint64_t x = 0; x < 4; ++x)
      for (uint64_t y = 0; y < 2; ++y) {
        auto p = a.apply({x}), q = b.apply({y}), both = joined.apply({x, y});
        ASSERT_EQ(both[0], p[0] ^ q[0]);
        ASSERT_EQ(both[1], p[1] ^ q[1]);
      }
  }
}

TEST(LinearLayoutTest, ConcatOuts) {
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    LinearLayout a = random.layout(kIns, {Dim("x", 2)}), b = random.layout(kIns, {Dim("y", 3)});
    LinearLayout joined = a.concatOuts(b);
    for (uint64_t x = 0; x < 8; ++x) {
      ASSERT_EQ(joined.applyFlat(x) & 3, a.applyFlat(x));
      ASSERT_EQ(joined.applyFlat(x) >> 2, b.applyFlat(x));
    }
  }
}

TEST(LinearLayoutTest, SublayoutRestrictsAndProjects) {
  forAll([](const LinearLayout &layout) {
    LinearLayout sub = layout.sublayout({"lane"}, {"dim1"});
    ASSERT_EQ(sub.getIns(), llvm::ArrayRef<Dim>({Dim("lane", 2)}));
    ASSERT_EQ(sub.getOuts(), llvm::ArrayRef<Dim>({Dim("dim1", 2)}));
    for (uint64_t l = 0; l < 4; ++l)
      ASSERT_EQ(sub.apply({l})[0], layout.apply({0, l})[1]);
  });
}

TEST(LinearLayoutTest, TransposeReordersOnly) {
  forAll([](const LinearLayout &layout) {
    LinearLayout moved = layout.transposeIns({"lane", "register"}).transposeOuts({"dim1", "dim0"});
    for (uint64_t r = 0; r < 2; ++r)
      for (uint64_t l = 0; l < 4; ++l) {
        auto a = layout.apply({r, l}), b = moved.apply({l, r});
        ASSERT_EQ(a[0], b[1]);
        ASSERT_EQ(a[1], b[0]);
      }
    ASSERT_TRUE(moved.isSameMap(layout));
    ASSERT_NE(moved, layout);
    ASSERT_EQ(moved.transposeIns({"register", "lane"}).transposeOuts({"dim0", "dim1"}), layout);
  });
}

TEST(LinearLayoutTest, ReshapeKeepsFlatBits) {
  forAll([](const LinearLayout &layout) {
    LinearLayout cut =
        layout.reshapeIns({Dim("p", 2), Dim("q", 1)}).reshapeOuts({Dim("u", 0), Dim("v", 3)});
    for (uint64_t x = 0; x < 8; ++x) {
      ASSERT_EQ(cut.applyFlat(x), layout.applyFlat(x));
      ASSERT_EQ(cut.apply({x & 3, x >> 2})[1], layout.applyFlat(x));
    }
  });
}

TEST(LinearLayoutTest, Rename) {
  LinearLayout layout = LinearLayout::identity1D(2, "a", "x");
  EXPECT_EQ(layout.renameIn("a", "b").renameOut("x", "y"), LinearLayout::identity1D(2, "b", "y"));
}

TEST(LinearLayoutTest, ResizeInAddsReplicationOrDropsBits) {
  forAll([](const LinearLayout &layout) {
    LinearLayout grown = layout.resizeIn("register", 3), cut = layout.resizeIn("lane", 1);
    for (uint64_t r = 0; r < 8; ++r)
      for (uint64_t l = 0; l < 4; ++l)
        ASSERT_EQ(grown.apply({r, l}), layout.apply({r & 1, l}));
    for (uint64_t r = 0; r < 2; ++r)
      for (uint64_t l = 0; l < 2; ++l)
        ASSERT_EQ(cut.apply({r, l}), layout.apply({r, l}));
    ASSERT_EQ(layout.resizeIn("warp", 2).inBits("warp"), 2u);
  });
}

TEST(LinearLayoutTest, ResizeOutTakesModulo) {
  forAll([](const LinearLayout &layout) {
    LinearLayout cut = layout.resizeOut("dim1", 1), grown = layout.resizeOut("dim0", 4);
    for (uint64_t x = 0; x < 8; ++x) {
      auto point = LinearLayout::unpack(kOuts, layout.applyFlat(x));
      ASSERT_EQ(cut.applyFlat(x), point[0] | (point[1] & 1) << 1);
      ASSERT_EQ(grown.applyFlat(x), point[0] | point[1] << 4);
    }
  });
}

TEST(LinearLayoutTest, InjectiveAndSurjectiveByCounting) {
  forEachMatrix(3, 2, [](const BitVectors &bases) {
    LinearLayout layout({Dim("a", 2)}, {Dim("x", 3)}, bases);
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < 4; ++x)
      image.insert(layout.applyFlat(x));
    ASSERT_EQ(layout.isInjective(), image.size() == 4);
    ASSERT_FALSE(layout.isSurjective());
    ASSERT_FALSE(layout.isInvertible());
  });
  forEachMatrix(2, 3, [](const BitVectors &bases) {
    LinearLayout layout({Dim("a", 3)}, {Dim("x", 2)}, bases);
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < 8; ++x)
      image.insert(layout.applyFlat(x));
    ASSERT_EQ(layout.isSurjective(), image.size() == 4);
    ASSERT_FALSE(layout.isInjective());
    ASSERT_FALSE(layout.isInvertible());
  });
}

TEST(LinearLayoutTest, FreeVariablesLeaveLeastPositions) {
  forEachMatrix(2, 4, [](const BitVectors &bases) {
    LinearLayout layout({Dim("register", 1), Dim("lane", 2), Dim("warp", 1)}, {Dim("x", 2)}, bases);
    auto masks = layout.freeVariableMasks();
    ASSERT_EQ(masks.size(), 3u);
    uint64_t flat = masks[0] | masks[1] << 1 | masks[2] << 3;
    ASSERT_EQ(layout.freeVariableMask("lane"), masks[1]);
    ASSERT_EQ(layout.freeVariableMask("nothing"), 0u);
    std::set<uint64_t> seen;
    for (uint64_t x = 0; x < 16; ++x) {
      bool first = seen.insert(layout.applyFlat(x)).second;
      // Exactly the first position of each element has all free bits zero.
      ASSERT_EQ(first, (x & flat) == 0);
    }
  });
}

TEST(LinearLayoutTest, FreeVariablesAreTheKernelsHighestBits) {
  forAll([](const LinearLayout &layout) {
    uint64_t expected = 0;
    for (uint64_t x = 1; x < 8; ++x)
      if (layout.applyFlat(x) == 0)
        expected |= std::bit_floor(x);
    auto masks = layout.freeVariableMasks();
    ASSERT_EQ(masks[0] | masks[1] << 1, expected);
    ASSERT_EQ(layout.kernel().leadingBits(), expected);
  });
}

TEST(LinearLayoutTest, EqualityAndHash) {
  std::set<size_t> hashes;
  forAll([&](const LinearLayout &layout) {
    ASSERT_EQ(layout, LinearLayout(kIns, kOuts, layout.getBases()));
    hashes.insert(hash_value(layout));
    ASSERT_EQ(hash_value(layout), hash_value(LinearLayout(kIns, kOuts, layout.getBases())));
  });
  EXPECT_GT(hashes.size(), 500u); // of 512
  LinearLayout a = LinearLayout::identity1D(2, "a", "x");
  EXPECT_NE(a, LinearLayout::identity1D(2, "b", "x"));
  EXPECT_NE(a, LinearLayout::identity1D(2, "a", "y"));
  EXPECT_NE(a, a.resizeOut("x", 3));
  EXPECT_FALSE(a.isSameMap(a.resizeOut("x", 3)));
  EXPECT_FALSE(a.isSameMap(LinearLayout::zeros1D(2, "a", "x", 2)));
}

TEST(LinearLayoutTest, PackAndUnpackAreInverse) {
  const DimList dims = {Dim("a", 2), Dim("b", 0), Dim("c", 3)};
  for (uint64_t flat = 0; flat < 32; ++flat) {
    auto point = LinearLayout::unpack(dims, flat);
    EXPECT_EQ(point[0], flat & 3);
    EXPECT_EQ(point[1], 0u);
    EXPECT_EQ(point[2], flat >> 2);
    EXPECT_EQ(LinearLayout::pack(dims, point), flat);
  }
}

} // namespace

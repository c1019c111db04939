// The F2 core against brute force, on every small matrix.
#include "ir/layout/BitMatrix.h"
#include "tests/ir/layout/LayoutTesting.h"

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

struct Shape {
  unsigned rows, columns;
};
constexpr Shape kShapes[] = {{0, 0}, {0, 2}, {2, 0}, {1, 1}, {2, 2}, {2, 3},
                             {3, 2}, {3, 3}, {2, 5}, {5, 2}, {3, 4}, {4, 3}};

template <typename F> void forAll(F f) {
  for (Shape shape : kShapes)
    forEachMatrix(shape.rows, shape.columns, [&](const BitVectors &columns) { f(shape, columns); });
}

TEST(BitMatrixTest, LowMask) {
  EXPECT_EQ(lowMask(0), 0u);
  EXPECT_EQ(lowMask(5), 31u);
  EXPECT_EQ(lowMask(63), ~uint64_t(0) >> 1);
  EXPECT_EQ(lowMask(64), ~uint64_t(0));
}

TEST(BitMatrixTest, ApplyIsXorOfColumns) {
  forAll([](Shape shape, const BitVectors &columns) {
    BitMatrix matrix(shape.rows, columns);
    for (uint64_t x = 0; x < (1u << shape.columns); ++x)
      ASSERT_EQ(matrix.apply(x), xorOf(columns, x));
  });
}

TEST(BitMatrixTest, RankCountsImage) {
  forAll([](Shape shape, const BitVectors &columns) {
    ASSERT_EQ(uint64_t(1) << BitMatrix(shape.rows, columns).rank(), span(columns).size());
  });
}

TEST(BitMatrixTest, KernelIsAllPreimagesOfZero) {
  forAll([](Shape shape, const BitVectors &columns) {
    Subspace kernel = BitMatrix(shape.rows, columns).kernel();
    for (uint64_t x = 0; x < (1u << shape.columns); ++x)
      ASSERT_EQ(kernel.contains(x), xorOf(columns, x) == 0);
    ASSERT_EQ(kernel.dimension() + BitMatrix(shape.rows, columns).rank(), shape.columns);
  });
}

TEST(BitMatrixTest, SolveFindsLeastSolution) {
  forAll([](Shape shape, const BitVectors &columns) {
    BitMatrix matrix(shape.rows, columns);
    for (uint64_t y = 0; y < (1u << shape.rows); ++y) {
      std::optional<uint64_t> least;
      for (uint64_t x = 0; x < (1u << shape.columns) && !least; ++x)
        if (xorOf(columns, x) == y)
          least = x;
      ASSERT_EQ(matrix.solve(y), least);
    }
  });
}

TEST(BitMatrixTest, InverseExistsIffBijective) {
  unsigned found = 0;
  for (unsigned n = 0; n <= 4; ++n)
    forEachMatrix(n, n, [&](const BitVectors &columns) {
      std::set<uint64_t> image;
      for (uint64_t x = 0; x < (1u << n); ++x)
        image.insert(xorOf(columns, x));
      std::optional<BitMatrix> inverse = BitMatrix(n, columns).inverse();
      ASSERT_EQ(inverse.has_value(), image.size() == (1u << n));
      if (!inverse)
        return;
      ++found;
      for (uint64_t x = 0; x < (1u << n); ++x)
        ASSERT_EQ(inverse->apply(xorOf(columns, x)), x);
    });
  // |GL(0,2)| + ... + |GL(4,2)|
  EXPECT_EQ(found, 1u + 1 + 6 + 168 + 20160);
  EXPECT_FALSE(BitMatrix(2, {1}).inverse());
  EXPECT_FALSE(BitMatrix(1, {1, 0}).inverse());
}

TEST(BitMatrixTest, PseudoInverseTakesImageToLeastPreimage) {
  forAll([](Shape shape, const BitVectors &columns) {
    BitMatrix matrix(shape.rows, columns), pseudo = matrix.pseudoInverse();
    ASSERT_EQ(pseudo.numRows(), shape.columns);
    ASSERT_EQ(pseudo.numColumns(), shape.rows);
    for (uint64_t y : span(columns))
      ASSERT_EQ(pseudo.apply(y), *matrix.solve(y));
    ASSERT_EQ(matrix * pseudo * matrix, matrix);
  });
}

TEST(BitMatrixTest, ProductIsComposition) {
  forEachMatrix(2, 3, [](const BitVectors &outer) {
    forEachMatrix(3, 2, [&](const BitVectors &inner) {
      BitMatrix product = BitMatrix(2, outer) * BitMatrix(3, inner);
      for (uint64_t x = 0; x < 4; ++x)
        ASSERT_EQ(product.apply(x), xorOf(outer, xorOf(inner, x)));
    });
  });
}

TEST(BitMatrixTest, TransposeSwapsEntries) {
  forAll([](Shape shape, const BitVectors &columns) {
    BitMatrix transposed = BitMatrix(shape.rows, columns).transposed();
    ASSERT_EQ(transposed.numRows(), shape.columns);
    ASSERT_EQ(transposed.numColumns(), shape.rows);
    for (unsigned r = 0; r < shape.rows; ++r)
      for (unsigned c = 0; c < shape.columns; ++c)
        ASSERT_EQ((transposed.getColumns()[r] >> c) & 1, (columns[c] >> r) & 1);
  });
}

TEST(BitMatrixTest, FullSize) {
  Random random(1);
  BitVectors columns;
  // A unit upper triangular matrix is invertible.
  for (unsigned i = 0; i < 64; ++i)
    columns.push_back((uint64_t(1) << i) | random.bits(i));
  BitMatrix matrix(64, columns);
  EXPECT_EQ(matrix.rank(), 64u);
  std::optional<BitMatrix> inverse = matrix.inverse();
  ASSERT_TRUE(inverse);
  EXPECT_EQ(*inverse * matrix, BitMatrix::identity(64));
  for (int i = 0; i < 100; ++i) {
    uint64_t x = random.bits(64);
    EXPECT_EQ(matrix.solve(matrix.apply(x)), x);
  }
}

TEST(SubspaceTest, ReduceIsLeastOfCoset) {
  forEachMatrix(4, 3, [](const BitVectors &generators) {
    Subspace space(generators);
    std::set<uint64_t> members = span(generators);
    ASSERT_EQ(uint64_t(1) << space.dimension(), members.size());
    for (uint64_t v = 0; v < 16; ++v) {
      uint64_t least = v;
      for (uint64_t m : members)
        least = std::min(least, v ^ m);
      ASSERT_EQ(space.reduce(v), least);
      ASSERT_EQ(space.contains(v), members.count(v) == 1);
    }
  });
}

TEST(SubspaceTest, InsertReportsNewVectors) {
  forEachMatrix(3, 3, [](const BitVectors &generators) {
    Subspace space;
    std::set<uint64_t> members = {0};
    for (size_t i = 0; i < generators.size(); ++i) {
      ASSERT_EQ(space.insert(generators[i]), members.count(generators[i]) == 0);
      members = span(llvm::ArrayRef<uint64_t>(generators).take_front(i + 1));
    }
    ASSERT_EQ(span(space.basis()), members);
  });
}

TEST(SubspaceTest, EqualIffSameMembers) {
  forEachMatrix(3, 2, [](const BitVectors &a) {
    forEachMatrix(3, 2, [&](const BitVectors &b) {
      ASSERT_EQ(Subspace(a) == Subspace(b), span(a) == span(b));
    });
  });
}

TEST(SubspaceTest, SumIntersectionAndContainment) {
  forEachMatrix(4, 2, [](const BitVectors &a) {
    forEachMatrix(4, 2, [&](const BitVectors &b) {
      std::set<uint64_t> inA = span(a), inB = span(b), both, either;
      for (uint64_t x : inA) {
        if (inB.count(x))
          both.insert(x);
        for (uint64_t y : inB)
          either.insert(x ^ y);
      }
      Subspace spaceA(a), spaceB(b);
      ASSERT_EQ(span(intersection(spaceA, spaceB).basis()), both);
      ASSERT_EQ(span(sum(spaceA, spaceB).basis()), either);
      ASSERT_EQ(spaceA.contains(spaceB), both == inB);
    });
  });
}

TEST(SubspaceTest, PickOutsideFindsVectorIffOneExists) {
  Random random(2);
  unsigned none = 0, some = 0;
  for (int i = 0; i < 20000; ++i) {
    auto draw = [&](unsigned n) {
      BitVectors v;
      for (unsigned j = 0; j < n; ++j)
        v.push_back(random.bits(4));
      return v;
    };
    BitVectors space = draw(3), a = draw(2), b = draw(3);
    std::set<uint64_t> inA = span(a), inB = span(b), inSpace = span(space);
    bool exists = false;
    for (uint64_t x : inSpace)
      exists |= !inA.count(x) && !inB.count(x);
    std::optional<uint64_t> picked = pickOutside(Subspace(space), Subspace(a), Subspace(b));
    ASSERT_EQ(picked.has_value(), exists);
    if (picked)
      ASSERT_TRUE(inSpace.count(*picked) && !inA.count(*picked) && !inB.count(*picked));
    ++(exists ? some : none);
  }
  EXPECT_GT(none, 100u);
  EXPECT_GT(some, 100u);
}

TEST(InterpolateTest, MeetsEveryPair) {
  forEachMatrix(3, 3, [](const BitVectors &map) {
    forEachMatrix(3, 2, [&](const BitVectors &inputs) {
      BitVectors outputs;
      for (uint64_t x : inputs)
        outputs.push_back(xorOf(map, x));
      BitMatrix found = interpolate(3, 3, inputs, outputs);
      ASSERT_EQ(found.numColumns(), 3u);
      for (uint64_t x : span(inputs))
        ASSERT_EQ(found.apply(x), xorOf(map, x));
    });
  });
}

TEST(FunctionalTest, LeastOrNone) {
  forEachMatrix(3, 3, [](const BitVectors &vectors) {
    for (unsigned code = 0; code < 8; ++code) {
      const bool values[] = {(code & 1) != 0, (code & 2) != 0, (code & 4) != 0};
      std::optional<uint64_t> least;
      for (uint64_t f = 0; f < 8 && !least; ++f) {
        bool fits = true;
        for (unsigned i = 0; i < 3; ++i)
          fits &= dot(f, vectors[i]) == values[i];
        if (fits)
          least = f;
      }
      ASSERT_EQ(findFunctional(vectors, values), least);
    }
  });
}

} // namespace

// Placement of elements by the language's functions: shapes and parts of tensors, loads and stores
// through pointers and descriptors, atomics. Kernels run on the reference interpreter, compared
// with plain C++.
#include "tests/frontend/lang/RunTest.h"

using namespace tilerun::test;

namespace {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(Run, FlipCatInterleave) {
  std::vector<int> x = randomInts(10), y = randomInts(11);
  auto flipped = compute<int, int>("tl.store(Z + i, tl.flip(x))", x, y, "i32", "i32");
  auto interleaved = compute<int, int>("tl.store(Z + tl.arange(0, 128), tl.interleave(x, y))", x, y,
                                       "i32", "i32", 128);
  auto joined = compute<int, int>("tl.store(Z + tl.arange(0, 128), tl.cat(x, y, can_reorder=True))",
                                  x, y, "i32", "i32", 128);
  for (int i = 0; i < kSize; ++i) {
    EXPECT_EQ(flipped[i], x[kSize - 1 - i]);
    EXPECT_EQ(interleaved[2 * i], x[i]);
    EXPECT_EQ(interleaved[2 * i + 1], y[i]);
    EXPECT_EQ(joined[i], x[i]);
    EXPECT_EQ(joined[kSize + i], y[i]);
  }
}
TEST(Run, FlipAndCatOfInnerDimensions) {
  std::vector<int> x = randomInts(12), y = randomInts(13);
  auto flipped = compute<int, int>(
      "m = tl.flip(tl.reshape(x, (4, 8, 2)), 1)\ntl.store(Z + i, tl.ravel(m))", x, y, "i32", "i32");
  auto joined = compute<int, int>("a = tl.reshape(x, (8, 8))\nb = tl.reshape(y, (8, 8))\n"
                                  "tl.store(Z + tl.arange(0, 128), tl.ravel(tl.cat(a, b, dim=1)))",
                                  x, y, "i32", "i32", 128);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 8; ++b)
      for (int c = 0; c < 2; ++c)
        EXPECT_EQ(flipped[a * 16 + b * 2 + c], x[a * 16 + (7 - b) * 2 + c]);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(joined[r * 16 + c], c < 8 ? x[r * 8 + c] : y[r * 8 + c - 8]);
}
TEST(Run, TransposedAndMethods) {
  std::vector<int> x = randomInts(14);
  for (const char *expression : {"tl.trans(m)", "m.T", "m.trans(1, 0)", "tl.permute(m, (1, 0))"}) {
    auto got = compute<int, int>(std::string("m = x.reshape(4, 16)\ntl.store(Z + i, (") +
                                     expression + ").reshape([64]))",
                                 x, x, "i32", "i32");
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 16; ++c)
        EXPECT_EQ(got[c * 4 + r], x[r * 16 + c]) << expression;
  }
}
TEST(Run, Swizzle2dVisitsEveryTileOnce) {
  // 5 × 3 tiles in groups of 2 rows, checked against the definition.
  std::vector<int> out(64, -1);
  std::string error = runBody("Z",
                              "i = tl.arange(0, 16)\n"
                              "a, b = tl.swizzle2d(i // 3, i % 3, 5, 3, 2)\n"
                              "tl.store(Z + i, a)\ntl.store(Z + 16 + i, b)",
                              "Z=*i32", {buffer(out)});
  ASSERT_EQ(error, "");
  std::vector<std::pair<int, int>> order;
  for (int first = 0; first < 5; first += 2)
    for (int column = 0; column < 3; ++column)
      for (int row = first; row < std::min(first + 2, 5); ++row)
        order.emplace_back(row, column);
  for (int i = 0; i < 15; ++i)
    EXPECT_EQ(std::pair(out[i], out[16 + i]), order[i]) << "tile " << i;
}
TEST(Run, PartsOfTensorsAndChains) {
  std::vector<int32_t> out(40, -1);
  std::string error = runBody("P, n",
                              "x = tl.arange(0, 64).reshape(8, 8)\n"
                              "i = tl.arange(0, 8)\n"
                              "tl.store(P + tl.arange(0, 2)[:, None] * 8 + i, x[2:4, :])\n"
                              "tl.store(P + 16 + i, x[n])\n"
                              "tl.store(P + 24 + i, x[::-1, -1])\n"
                              "tl.store(P + 32, x[n, 3])\n"
                              "tl.store(P + 33, x[n, 3], mask=1 < n < 4)\n"
                              "tl.store(P + 34 + i, i, mask=(2 <= i < 5) & (i < 6))",
                              "P=*i32, n=i32", {buffer(out), int64_t(5)});
  ASSERT_EQ(error, "");
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(out[i], 16 + i);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(out[16 + i], 40 + i);
    EXPECT_EQ(out[24 + i], 63 - 8 * i);
  }
  EXPECT_EQ(out[32], 43);
  EXPECT_EQ(out[33], -1);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(out[34 + i], i >= 2 && i < 5 ? i : -1) << i;
}

//===----------------------------------------------------------------------===//
// Memory, atomics
//===----------------------------------------------------------------------===//

TEST(Run, MaskedOffLanesReadZero) {
  std::vector<float> x(kSize, 3.0f);
  auto got = compute<float>("tl.store(Z + i, tl.load(X + i, i < 40))", x, x);
  auto other = compute<float>("tl.store(Z + i, tl.load(X + i, i < 40, other=-1))", x, x);
  for (int i = 0; i < kSize; ++i) {
    EXPECT_EQ(got[i], i < 40 ? 3.0f : 0.0f);
    EXPECT_EQ(other[i], i < 40 ? 3.0f : -1.0f);
  }
}
TEST(Run, BlockPointersInALoop) {
  // The sum of a 10 × 20 matrix (rows of 24) in blocks of 16 × 8, and its transposed copy.
  std::vector<float> x = randomFloats(20, -1, 1, 240), out(200), sums(16);
  std::string error = runBody(
      "X, Z, S, rows, columns, stride",
      "p = tl.make_block_ptr(X, (rows, columns), (stride, 1), (0, 0), (16, 8), (1, 0))\n"
      "q = tl.make_block_ptr(Z, (columns, rows), (rows, 1), (0, 0), (8, 16), order=(1, 0))\n"
      "acc = tl.zeros((16,), tl.float32)\n"
      "for k in range(0, columns, 8):\n"
      "    block = tl.load(p, boundary_check=(0, 1), padding_option='zero')\n"
      "    acc += tl.sum(block, 1)\n"
      "    tl.store(q, block.T, boundary_check=(0, 1))\n"
      "    p = tl.advance(p, (0, 8))\n"
      "    q = q.advance((8, 0))\n"
      "tl.store(S + tl.arange(0, 16), acc)",
      "X=*fp32, Z=*fp32, S=*fp32, rows=i32, columns=i32, stride=i32",
      {buffer(x), buffer(out), buffer(sums), int64_t(10), int64_t(20), int64_t(24)});
  ASSERT_EQ(error, "");
  std::vector<double> expected(16), transposed(200);
  for (int r = 0; r < 10; ++r)
    for (int c = 0; c < 20; ++c) {
      expected[r] += x[r * 24 + c];
      transposed[c * 10 + r] = x[r * 24 + c];
    }
  expectClose(sums, expected, 1e-6);
  expectClose(out, transposed, 0);
}
TEST(Run, TensorDescriptors) {
  // Blocks that hang over a 10 × 20 matrix read as zero, and are not written beyond it.
  std::vector<float> x = randomFloats(20, -1, 1, 200), out(220, 7.0f);
  std::string error =
      runBody("X, Z, rows, columns",
              "x = tl.make_tensor_descriptor(X, [rows, columns], [columns, 1], [8, 16])\n"
              "z = tl.make_tensor_descriptor(Z, [rows, columns], [columns, 1], [8, 16])\n"
              "for r in range(0, rows, 8):\n"
              "    for c in range(0, columns, 16):\n"
              "        block = x.load([r, c])\n"
              "        z.store([r, c], block * 2)\n"
              "        z.atomic_add([r, c], block)\n"
              "tl.static_assert(x.block_shape[1] == 16 and x.dtype == tl.float32)",
              "X=*fp32, Z=*fp32, rows=i32, columns=i32",
              {buffer(x), buffer(out), int64_t(10), int64_t(20)});
  ASSERT_EQ(error, "");
  std::vector<double> expected(220, 7.0);
  for (int i = 0; i < 200; ++i)
    expected[i] = 3 * x[i];
  expectClose(out, expected, 1e-6);
}
TEST(Run, DescriptorsInMemory) {
  // As Triton 3.1 made them: in a record, which the kernel fills, or the host.
  const int rows = 12, columns = 20;
  std::vector<float> x = randomFloats(31, -4, 4, rows * columns), z(16 * 32, -1);
  std::vector<int64_t> record(16), filled(16);
  filled = record;
  std::string error = runBody(
      "X, R, Z",
      "tl.extra.cuda.experimental_device_tensormap_create2d(R, X, [8, 16], [12, 20], tl.float32)\n"
      "tl.extra.cuda.experimental_tensormap_fenceproxy_acquire(R)\n"
      "tl.extra.cuda.experimental_device_tensormap_create1d(R + 8, Z, 128, 300, tl.float32)\n"
      "tl.debug_barrier()\n"
      "for r in range(2):\n"
      "    for c in range(2):\n"
      "        b = tl._experimental_descriptor_load(R, [r * 8, c * 16], [8, 16], tl.float32)\n"
      "        d = tl._experimental_reinterpret_tensor_descriptor(R + 8, [128], tl.float32)\n"
      "        tl._experimental_descriptor_store(R + 8, tl.ravel(b), [(r * 2 + c) * 128])\n"
      "tl.debug_barrier()\n"
      "tl.store(R + tl.arange(0, 16), 0)  # Addresses differ among runs.\n",
      "X=*fp32, R=*i64, Z=*fp32", {buffer(x), buffer(record), buffer(z)});
  ASSERT_EQ(error, "");
  for (int block = 0; block < 4; ++block)
    for (int i = 0; i < 128; ++i) {
      const int row = block / 2 * 8 + i / 16, column = block % 2 * 16 + i % 16;
      const int at = block * 128 + i;
      const float expected = at >= 300                        ? -1
                             : row < rows && column < columns ? x[row * columns + column]
                                                              : 0;
      EXPECT_EQ(z[at], expected) << "element " << at;
    }
}

TEST(Run, TensorDescriptorsPadAndGather) {
  std::vector<float> x = randomFloats(21, -1, 1, 200), padded(128), rows(160, 7.0f);
  std::vector<int32_t> index = {3, 0, 9, -1, 10, 4, 4, 1};
  std::string error =
      runBody("X, I, P, R",
              "x = tl.make_tensor_descriptor(X, [10, 20], [20, 1], [8, 16], padding_option='nan')\n"
              "i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]\n"
              "tl.store(P + i, tl.load_tensor_descriptor(x, [-2, 8]))\n"
              "line = tl.make_tensor_descriptor(X, [10, 20], [20, 1], [1, 8])\n"
              "out = tl.make_tensor_descriptor(R, [8, 20], [20, 1], [1, 8])\n"
              "out.scatter(line.gather(tl.load(I + tl.arange(0, 8)), 16), tl.arange(0, 8), 16)",
              "X=*fp32, I=*i32, P=*fp32, R=*fp32",
              {buffer(x), buffer(index), buffer(padded), buffer(rows)});
  ASSERT_EQ(error, "");
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 16; ++c) {
      bool inside = r >= 2 && c < 12;
      float is = padded[r * 16 + c];
      EXPECT_TRUE(inside ? is == x[(r - 2) * 20 + 8 + c] : std::isnan(is)) << r << ", " << c;
    }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 20; ++c) {
      bool isRow = index[r] >= 0 && index[r] < 10;
      float wanted = c < 16 ? 7.0f : isRow ? x[index[r] * 20 + c] : 0.0f;
      EXPECT_EQ(rows[r * 20 + c], wanted) << r << ", " << c;
    }
}
TEST(Run, BoolsInMemory) {
  std::vector<int8_t> flags(kSize), out(kSize, 77);
  for (int i = 0; i < kSize; ++i)
    flags[i] = static_cast<int8_t>(i % 3 * 5);
  std::string error =
      runBody("X, Z", "i = tl.arange(0, 64)\nb = tl.load(X + i)\ntl.store(Z + i, b)",
              "X=*i1, Z=*i1", {buffer(flags), buffer(out)});
  ASSERT_EQ(error, "");
  for (int i = 0; i < kSize; ++i)
    EXPECT_EQ(out[i], i % 3 ? 1 : 0) << "element " << i;
}
TEST(Run, AtomicsOnFloats) {
  std::vector<float> x = randomFloats(15), out = {0, -100, 100};
  std::string error = runBody("X, Z",
                              "x = tl.load(X + tl.arange(0, 64))\nzero = tl.arange(0, 64) * 0\n"
                              "tl.atomic_add(Z + zero, x)\ntl.atomic_max(Z + 1 + zero, x)\n"
                              "tl.atomic_min(Z + 2 + zero, x)",
                              "X=*fp32, Z=*fp32", {buffer(x), buffer(out)});
  ASSERT_EQ(error, "");
  double sum = 0;
  for (float v : x)
    sum += v;
  expectClose(out,
              {sum, *std::max_element(x.begin(), x.end()), *std::min_element(x.begin(), x.end())},
              1e-5);
}
TEST(Run, AtomicsGiveTheOldValue) {
  std::vector<int> out = {5, 7, 0, 0, 0};
  std::string error = runBody("Z",
                              "tl.store(Z + 2, tl.atomic_xchg(Z, 9))\n"
                              "tl.store(Z + 3, tl.atomic_cas(Z + 1, 7, 8))\n"
                              "tl.store(Z + 4, tl.atomic_cas(Z + 1, 7, 1))",
                              "Z=*i32", {buffer(out)});
  ASSERT_EQ(error, "");
  EXPECT_EQ(out, (std::vector<int>{9, 8, 5, 7, 8}));
}

} // namespace

// Results of the language's reductions, scans, sorts and products: kernels run on the reference
// interpreter, compared with plain C++.
#include "tests/frontend/lang/RunTest.h"

using namespace tilerun::test;

namespace {

//===----------------------------------------------------------------------===//
// Reductions, scans
//===----------------------------------------------------------------------===//

TEST(Run, SumsByRow) {
  std::vector<float> x = randomFloats(1);
  auto got =
      compute<float>("m = tl.reshape(x, (8, 8))\ntl.store(Z + tl.arange(0, 8), tl.sum(m, 1))", x, x,
                     "fp32", "fp32", 8);
  std::vector<double> expected(8);
  for (int i = 0; i < kSize; ++i)
    expected[i / 8] += x[i];
  expectClose(got, expected, 1e-5);
}
TEST(Run, ExtremaIgnoreNan) {
  std::vector<float> x = randomFloats(2);
  x[0] = x[17] = x[63] = NAN;
  double largest = -INFINITY, smallest = INFINITY;
  for (float v : x)
    if (v == v) {
      largest = std::max<double>(largest, v);
      smallest = std::min<double>(smallest, v);
    }
  auto got =
      compute<float>("tl.store(Z, tl.max(x))\ntl.store(Z + 1, tl.min(x))", x, x, "fp32", "fp32", 2);
  expectClose(got, {largest, smallest}, 0);
}
TEST(Run, ArgmaxTakesTheFirstAndIgnoresNan) {
  std::vector<float> x(kSize, 1.0f), y(kSize, NAN);
  x[0] = NAN;
  x[9] = x[30] = 5;
  auto got = compute<int>("tl.store(Z, tl.argmax(x, 0))\ntl.store(Z + 1, tl.argmin(x, 0))\n"
                          "tl.store(Z + 2, tl.argmax(y, 0))\n"
                          "v, k = tl.max(x, 0, return_indices=True)\ntl.store(Z + 3, k)\n"
                          "tl.store(Z + 4, v.to(tl.int32))",
                          x, y, "fp32", "i32", 5);
  EXPECT_EQ(got, (std::vector<int>{9, 1, 0, 9, 5}));
}
TEST(Run, ArgmaxByColumn) {
  std::vector<int> x = randomInts(5);
  auto got = compute<int, int>("m = tl.reshape(x, (8, 8))\n"
                               "tl.store(Z + tl.arange(0, 8), tl.argmax(m, 0))",
                               x, x, "i32", "i32", 8);
  for (int c = 0; c < 8; ++c) {
    int best = 0;
    for (int r = 1; r < 8; ++r)
      if (x[r * 8 + c] > x[best * 8 + c])
        best = r;
    EXPECT_EQ(got[c], best) << "column " << c;
  }
}
TEST(Run, Cumulative) {
  std::vector<int> x = randomInts(6);
  auto forward = compute<int, int>("tl.store(Z + i, tl.cumsum(x, 0))", x, x, "i32", "i32");
  auto backward =
      compute<int, int>("tl.store(Z + i, x.cumsum(0, reverse=True))", x, x, "i32", "i32");
  int sum = 0;
  for (int i = 0; i < kSize; ++i)
    EXPECT_EQ(forward[i], sum += x[i]);
  sum = 0;
  for (int i = kSize - 1; i >= 0; --i)
    EXPECT_EQ(backward[i], sum += x[i]);
}
TEST(Run, SortsRows) {
  std::vector<int> x = randomInts(21);
  auto up = compute<int, int>("m = tl.reshape(x, (4, 16))\ntl.store(Z + i, tl.ravel(tl.sort(m)))",
                              x, x, "i32", "i32");
  auto down = compute<int, int>("tl.store(Z + i, tl.sort(x, descending=True))", x, x, "i32", "i32");
  auto top = compute<int, int>(
      "m = tl.reshape(x, (2, 32))\ntl.store(Z + tl.arange(0, 8), tl.ravel(tl.topk(m, 4)))", x, x,
      "i32", "i32", 8);
  std::vector<int> rows = x, all = x, halves = x;
  for (int r = 0; r < 4; ++r)
    std::sort(rows.begin() + r * 16, rows.begin() + (r + 1) * 16);
  std::sort(all.rbegin(), all.rend());
  std::vector<int> best;
  for (int r = 0; r < 2; ++r) {
    std::sort(halves.begin() + r * 32, halves.begin() + (r + 1) * 32, std::greater<int>());
    best.insert(best.end(), halves.begin() + r * 32, halves.begin() + r * 32 + 4);
  }
  EXPECT_EQ(up, rows);
  EXPECT_EQ(down, all);
  EXPECT_EQ(top, best);
}
TEST(Run, SoftmaxSumsToOne) {
  std::vector<float> x = randomFloats(8, -50, 50);
  auto got = compute<float>("tl.store(Z + i, tl.softmax(x))", x, x);
  double largest = *std::max_element(x.begin(), x.end()), total = 0;
  for (float v : x)
    total += std::exp(double(v) - largest);
  std::vector<double> expected;
  for (float v : x)
    expected.push_back(std::exp(double(v) - largest) / total);
  expectClose(got, expected, 2e-6);
}
TEST(Run, ReduceTuplesWithAUserFunction) {
  // Mean and variance by Welford's merge.
  std::vector<float> x = randomFloats(9), out(2);
  std::string error = run("@triton.jit\n"
                          "def merge(n1, m1, s1, n2, m2, s2):\n"
                          "    n = n1 + n2\n"
                          "    d = m2 - m1\n"
                          "    return n, m1 + d * n2 / n, s1 + s2 + d * d * n1 * n2 / n\n"
                          "@triton.jit\n"
                          "def kernel(X, Z):\n"
                          "    x = tl.load(X + tl.arange(0, 64))\n"
                          "    one = tl.full((64,), 1.0, tl.float32)\n"
                          "    n, m, s = tl.reduce((one, x, tl.zeros_like(x)), 0, merge)\n"
                          "    tl.store(Z, m)\n"
                          "    tl.store(Z + 1, s / n)\n",
                          "X=*fp32, Z=*fp32", {buffer(x), buffer(out)});
  ASSERT_EQ(error, "");
  double mean = 0, variance = 0;
  for (float v : x)
    mean += v / 64.0;
  for (float v : x)
    variance += (v - mean) * (v - mean) / 64;
  expectClose(out, {mean, variance}, 1e-5);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TEST(Run, DotInFloat32) {
  std::vector<float> a = randomFloats(16, -1, 1, 256), b = randomFloats(17, -1, 1, 256), c(256);
  std::string error = runBody("A, B, C",
                              "r = tl.arange(0, 16)\np = r[:, None] * 16 + r[None, :]\n"
                              "tl.store(C + p, tl.dot(tl.load(A + p), tl.load(B + p)))",
                              "A=*fp32, B=*fp32, C=*fp32", {buffer(a), buffer(b), buffer(c)});
  ASSERT_EQ(error, "");
  std::vector<double> expected(256);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      for (int k = 0; k < 16; ++k)
        expected[i * 16 + j] += double(a[i * 16 + k]) * b[k * 16 + j];
  expectClose(c, expected, 1e-5);
}

TEST(Run, DotOfTransposedOperands) {
  // The forms of Triton 2.0: a is [k, m], b is [n, k].
  const int m = 16, n = 32, k = 8;
  std::vector<float> a = randomFloats(18, -1, 1, m * k), b = randomFloats(19, -1, 1, n * k),
                     c(m * n);
  std::string error = runBody(
      "A, B, C",
      "m = tl.arange(0, 16)\nn = tl.arange(0, 32)\nk = tl.arange(0, 8)\n"
      "a = tl.load(A + k[:, None] * 16 + m[None, :])\nb = tl.load(B + n[:, None] * 8 + k[None, "
      ":])\n"
      "tl.store(C + m[:, None] * 32 + n[None, :], tl.dot(a, b, trans_a=True, trans_b=True))",
      "A=*fp32, B=*fp32, C=*fp32", {buffer(a), buffer(b), buffer(c)});
  ASSERT_EQ(error, "");
  std::vector<double> expected(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        expected[i * n + j] += double(a[l * m + i]) * b[j * k + l];
  expectClose(c, expected, 1e-5);
}

double fromE2M1(int bits) {
  constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return bits & 8 ? -values[bits & 7] : values[bits];
}
double fromFloat8(int bits, int mantissa, int bias) {
  const int exponent = (bits & 127) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
  const double value = exponent ? std::ldexp(1 + std::ldexp(fraction, -mantissa), exponent - bias)
                                : std::ldexp(fraction, 1 - bias - mantissa);
  return bits & 128 ? -value : value;
}
/// A product of M = N = 16, K = 64 with operands in bytes. `packed` formats have two in one.
struct Scaled {
  std::string left, right, options;
  bool leftScale = true, rightScale = true;
  bool rightAlongN = false;
  std::string scales = "u8"; ///< u8 or i8: e8m0 for 32 elements; fp8e4nv: for 16.
};
std::string runScaled(const Scaled &c, std::vector<float> &out, std::vector<double> &expected,
                      int specialScale = -1) {
  constexpr int m = 16, n = 16, k = 64;
  std::mt19937 engine(5);
  auto bytes = [&](int count, const std::string &format) {
    std::vector<uint8_t> v(count);
    for (uint8_t &b : v) // No NaN, no infinity.
      b = uint8_t(format == "e2m1" ? engine() : engine() & (format == "e4m3" ? 0xb7 : 0xbb));
    return v;
  };
  auto value = [](const std::vector<uint8_t> &v, const std::string &format, int row, int at,
                  int stride) {
    if (format == "e2m1")
      return fromE2M1(v[row * stride / 2 + at / 2] >> (at % 2 * 4) & 15);
    const int bits = v[row * stride + at];
    return format == "e4m3" ? fromFloat8(bits, 3, 7) : fromFloat8(bits, 2, 15);
  };
  std::vector<uint8_t> a = bytes(m * k / (c.left == "e2m1" ? 2 : 1), c.left);
  std::vector<uint8_t> b = bytes(n * k / (c.right == "e2m1" ? 2 : 1), c.right);
  const bool small = c.scales == "fp8e4nv";
  const int group = small ? 16 : 32, groups = k / group;
  std::vector<uint8_t> sa(m * groups), sb(n * groups);
  for (std::vector<uint8_t> *scales : {&sa, &sb})
    for (uint8_t &s : *scales)
      s = uint8_t(small ? engine() & 0xb7 : 120 + engine() % 14);
  auto scale = [&](int bits) {
    if (small)
      return (bits & 127) == 127 ? NAN : fromFloat8(bits, 3, 7);
    return bits == 255 ? NAN : std::ldexp(1, bits - 127);
  };
  if (specialScale >= 0)
    sa[0] = uint8_t(specialScale);
  out.assign(m * n, 0);
  expected.assign(m * n, 0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int t = 0; t < k; ++t) {
        // In memory the right operand has rows along k, or (packed along n) along n.
        const double y = c.rightAlongN ? value(b, c.right, t, j, n) : value(b, c.right, j, t, k);
        const int x = sa[i * groups + t / group], z = sb[j * groups + t / group];
        expected[i * n + j] += value(a, c.left, i, t, k) * (c.leftScale ? scale(x) : 1) * y *
                               (c.rightScale ? scale(z) : 1);
      }
  const std::string ka = c.left == "e2m1" ? "32" : "64";
  const std::string kb = c.right == "e2m1" && !c.rightAlongN ? "32" : "64";
  const std::string nb = c.rightAlongN ? "8" : "16", ks = std::to_string(groups);
  const std::string scales = "r[:, None] * " + ks + " + tl.arange(0, " + ks + ")[None, :])\n";
  return runBody("A, B, S, T, C",
                 "r = tl.arange(0, 16)\n"
                 "a = tl.load(A + r[:, None] * " +
                     ka + " + tl.arange(0, " + ka +
                     ")[None, :])\n"
                     "kb = tl.arange(0, " +
                     kb +
                     ")\n"
                     "nb = tl.arange(0, " +
                     nb +
                     ")\n"
                     "b = tl.load(B + " +
                     (c.rightAlongN ? "kb[:, None] * 8 + nb[None, :]"
                                    : "nb[None, :] * " + kb + " + kb[:, None]") +
                     ")\n"
                     "s = tl.load(S + " +
                     scales + "t = tl.load(T + " + scales + "c = tl.dot_scaled(a, " +
                     (c.leftScale ? "s" : "None") + ", '" + c.left + "', b, " +
                     (c.rightScale ? "t" : "None") + ", '" + c.right + "'" + c.options +
                     ")\n"
                     "tl.store(C + r[:, None] * 16 + r[None, :], c)",
                 "A=*u8, B=*u8, S=*" + c.scales + ", T=*" + c.scales + ", C=*fp32",
                 {buffer(a), buffer(b), buffer(sa), buffer(sb), buffer(out)});
}
TEST(Run, DotScaled) {
  const Scaled cases[] = {{"e2m1", "e2m1", ""},
                          {"e4m3", "e4m3", ""},
                          {"e5m2", "e4m3", ", out_dtype=tl.float32"},
                          {"e2m1", "e5m2", ", fast_math=True"},
                          {"e4m3", "e2m1", ", rhs_k_pack=False", true, true, true},
                          {"e4m3", "e2m1", ", acc=tl.zeros((16, 16), tl.float32)", false, true},
                          {"e2m1", "e4m3", "", true, false},
                          {"e2m1", "e4m3", "", true, true, false, "i8"},
                          {"e2m1", "e2m1", "", true, true, false, "fp8e4nv"},
                          {"e4m3", "e5m2", "", false, true, false, "fp8e4nv"}};
  for (const Scaled &c : cases) {
    std::vector<float> got;
    std::vector<double> expected;
    ASSERT_EQ(runScaled(c, got, expected), "") << c.left << " " << c.right;
    SCOPED_TRACE(c.left + " " + c.right + c.options);
    expectClose(got, expected, 1e-4);
  }
}
TEST(Run, DotScaledSpecialScales) {
  std::vector<float> got;
  std::vector<double> expected;
  // 255 is NaN for its row; 0 is 2^-127, whose products are negligible.
  ASSERT_EQ(runScaled({"e4m3", "e4m3", ""}, got, expected, 255), "");
  EXPECT_TRUE(std::isnan(expected[0]) && !std::isnan(expected[16]));
  expectClose(got, expected, 1e-4);
  ASSERT_EQ(runScaled({"e4m3", "e4m3", ""}, got, expected, 0), "");
  expectClose(got, expected, 1e-4);
  // So is float8e4nv's only NaN; a negative scale is a factor as any other.
  for (int bits : {0x7f, 0xb8}) {
    ASSERT_EQ(runScaled({"e2m1", "e2m1", "", true, true, false, "fp8e4nv"}, got, expected, bits),
              "");
    EXPECT_EQ(std::isnan(expected[0]), bits == 0x7f);
    expectClose(got, expected, 1e-4);
  }
}
TEST(Run, DotScaledErrors) {
  std::vector<float> got;
  std::vector<double> expected;
  auto expectError = [&](const Scaled &c, const char *text) {
    EXPECT_NE(runScaled(c, got, expected).find(text), std::string::npos)
        << runScaled(c, got, expected);
  };
  expectError({"e3m2", "e4m3", ""}, "tl.dot_scaled: the format of 'lhs' is e3m2");
  expectError({"bf16", "e4m3", ""}, "'lhs' has dtype uint8; format bf16 needs bf16");
  expectError({"e4m3", "e4m3", ", lhs_k_pack=False"}, "only e2m1 is packed");
  expectError({"e4m3", "e4m3", ", out_dtype=tl.bfloat16"}, "bfloat16");
  expectError({"e4m3", "e2m1", ", rhs_k_pack=False"}, "'rhs_scale' has shape");
  expectError({"e2m1", "e2m1", "", true, true, false, "u16"},
              "'lhs_scale' has dtype uint16; scales are e8m0, in uint8 or int8, or float8e4nv");
}

} // namespace

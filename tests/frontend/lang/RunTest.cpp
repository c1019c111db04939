// What the language's functions compute: kernels run on the reference interpreter, compared with
// plain C++.
#include "tests/frontend/sema/EndToEnd.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace tilerun::test;

namespace {
constexpr int kSize = 64;

std::vector<float> randomFloats(unsigned seed, float low = -4, float high = 4, int count = kSize) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> out(count);
  for (float &v : out)
    v = distribution(engine);
  return out;
}
std::vector<int> randomInts(unsigned seed, int low = -100, int high = 100, int count = kSize) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> distribution(low, high);
  std::vector<int> out(count);
  for (int &v : out)
    v = distribution(engine);
  return out;
}

/// Runs `body` with x (float32, or T), y and an output of `count` elements of type Out.
template <typename Out, typename In = float>
std::vector<Out> compute(const std::string &body, std::vector<In> x, std::vector<In> y,
                         const char *inType = "fp32", const char *outType = "fp32",
                         int count = kSize, const std::string &before = "") {
  std::vector<Out> out(count);
  std::string error =
      runBody("X, Y, Z, N: tl.constexpr",
              "i = tl.arange(0, N)\nx = tl.load(X + i)\ny = tl.load(Y + i)\n" + body,
              "X=*" + std::string(inType) + ", Y=*" + inType + ", Z=*" + outType +
                  ", N=" + std::to_string(x.size()),
              {buffer(x), buffer(y), buffer(out)});
  EXPECT_EQ(error, "") << body;
  return out;
}

template <typename T>
void expectClose(const std::vector<T> &got, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(static_cast<double>(got[i]))) << "element " << i;
      continue;
    }
    EXPECT_NEAR(static_cast<double>(got[i]), expected[i],
                tolerance * std::max(1.0, std::fabs(expected[i])))
        << "element " << i;
  }
}

//===----------------------------------------------------------------------===//
// Elementwise functions against the C library
//===----------------------------------------------------------------------===//

struct FunctionCase {
  const char *name, *expression;
  double (*reference)(double);
  float low, high;
};
class Functions : public testing::TestWithParam<FunctionCase> {};
TEST_P(Functions, AgreeWithFloat64) {
  const FunctionCase &c = GetParam();
  std::vector<float> x = randomFloats(7, c.low, c.high);
  std::vector<double> expected;
  for (float v : x)
    expected.push_back(c.reference(v));
  auto got = compute<float>(std::string("tl.store(Z + i, ") + c.expression + ")", x, x);
  expectClose(got, expected, 2e-6);
}
const FunctionCase kFunctions[] = {
    {"Exp", "tl.exp(x)", [](double v) { return std::exp(v); }, -4, 4},
    {"Exp2", "tl.exp2(x)", [](double v) { return std::exp2(v); }, -4, 4},
    {"Log", "tl.log(x)", [](double v) { return std::log(v); }, 0.01f, 9},
    {"Log2", "tl.log2(x)", [](double v) { return std::log2(v); }, 0.01f, 9},
    {"Sin", "tl.sin(x)", [](double v) { return std::sin(v); }, -4, 4},
    {"Cos", "tl.cos(x)", [](double v) { return std::cos(v); }, -4, 4},
    {"Sqrt", "tl.sqrt(x)", [](double v) { return std::sqrt(v); }, 0, 9},
    {"Rsqrt", "tl.rsqrt(x)", [](double v) { return 1 / std::sqrt(v); }, 0.1f, 9},
    {"Erf", "tl.erf(x)", [](double v) { return std::erf(v); }, -3, 3},
    {"Floor", "tl.floor(x)", [](double v) { return std::floor(v); }, -4, 4},
    {"Ceil", "tl.ceil(x)", [](double v) { return std::ceil(v); }, -4, 4},
    {"Abs", "tl.abs(x)", [](double v) { return std::fabs(v); }, -4, 4},
    {"Sigmoid", "tl.sigmoid(x)", [](double v) { return 1 / (1 + std::exp(-v)); }, -4, 4},
    {"SigmoidMethod", "x.sigmoid()", [](double v) { return 1 / (1 + std::exp(-v)); }, -4, 4},
    {"Clamp", "tl.clamp(x, -1.0, 1.0)", [](double v) { return std::clamp(v, -1.0, 1.0); }, -4, 4},
    {"Fma", "tl.fma(x, 2.0, 1.0)", [](double v) { return v * 2 + 1; }, -4, 4},
    {"Tanh", "tl.extra.libdevice.tanh(x)", [](double v) { return std::tanh(v); }, -4, 4},
    {"Log1p", "tl.extra.cuda.libdevice.log1p(x)", [](double v) { return std::log1p(v); }, -0.5, 4},
    {"Pow", "tl.extra.libdevice.pow(x, 3)", [](double v) { return std::pow(v, 3); }, 0.1f, 2},
    {"Exp10", "tl.extra.libdevice.exp10(x)", [](double v) { return std::pow(10, v); }, -2, 2},
    {"Round", "tl.extra.libdevice.round(x)", [](double v) { return std::round(v); }, -4, 4},
    {"Rint", "tl.extra.libdevice.rint(x * 2)", [](double v) { return std::rint(v * 2); }, -4, 4},
    {"Trunc", "tl.extra.libdevice.trunc(x)", [](double v) { return std::trunc(v); }, -4, 4},
    {"Hypot", "tl.extra.libdevice.hypot(x, 3.0)", [](double v) { return std::hypot(v, 3); }, -4, 4},
    {"Fdim", "tl.extra.libdevice.fdim(x, 1.0)", [](double v) { return std::fdim(v, 1); }, -4, 4},
    {"Sinpi", "tl.extra.libdevice.sinpi(x)", [](double v) { return std::sin(M_PI * v); }, -1, 1},
    {"Normcdf", "tl.extra.libdevice.normcdf(x)",
     [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }, -4, 4},
    {"Norm3d", "tl.extra.libdevice.norm3d(x, 2.0, 1.0)",
     [](double v) { return std::hypot(v, 2, 1); }, -4, 4},
    {"Rnorm4d", "tl.extra.libdevice.rnorm4d(x, x, 2.0, 1.0)",
     [](double v) { return 1 / std::sqrt(2 * v * v + 5); }, -4, 4},
    {"Rhypot", "tl.extra.libdevice.rhypot(x, 3.0)", [](double v) { return 1 / std::hypot(v, 3); },
     -4, 4},
    {"Rcbrt", "tl.extra.libdevice.rcbrt(x)", [](double v) { return 1 / std::cbrt(v); }, 0.1f, 4},
    {"Remainder", "tl.extra.libdevice.remainder(x, 0.75)",
     [](double v) { return std::remainder(v, 0.75); }, -4, 4},
    {"Ldexp", "tl.extra.libdevice.ldexp(x, 3)", [](double v) { return v * 8; }, -4, 4},
    {"LdexpOfTensors", "tl.extra.libdevice.scalbn(x, (x * 4).to(tl.int32))",
     [](double v) { return std::ldexp(v, int(v * 4)); }, -4, 4},
    {"Logb", "tl.extra.libdevice.logb(x)", [](double v) { return std::logb(v); }, 0.01f, 9},
    {"Ilogb", "tl.extra.libdevice.ilogb(x).to(tl.float32)", [](double v) { return std::logb(v); },
     0.01f, 9},
    {"Nextafter", "(tl.extra.libdevice.nextafter(x, 9.0) - x) / x.abs() * 1e7",
     [](double v) {
       return double(std::nextafter(float(v), 9.0f) - float(v)) / std::fabs(v) * 1e7;
     },
     -4, 4},
    {"Erfinv", "tl.erf(tl.extra.libdevice.erfinv(x))", [](double v) { return v; }, -0.99f, 0.99f},
    {"Erfcx", "tl.extra.libdevice.erfcx(x)",
     [](double v) { return std::exp(v * v) * std::erfc(v); }, -3, 4},
    {"Erfcinv", "tl.extra.libdevice.erfc(tl.extra.libdevice.erfcinv(x))",
     [](double v) { return v; }, 0.01f, 1.99f},
    {"Normcdfinv", "tl.extra.libdevice.normcdf(tl.extra.libdevice.normcdfinv(x))",
     [](double v) { return v; }, 0.01f, 0.99f},
    {"Tgamma", "tl.extra.libdevice.tgamma(x)", [](double v) { return std::tgamma(v); }, 0.1f, 20},
    {"Lgamma", "tl.extra.libdevice.lgamma(x)", [](double v) { return std::lgamma(v); }, 0.1f, 50},
    {"BesselI0", "tl.extra.libdevice.cyl_bessel_i0(x)",
     [](double v) { return std::cyl_bessel_i(0, v); }, 0, 20},
    {"BesselI1", "tl.extra.libdevice.cyl_bessel_i1(x)",
     [](double v) { return std::cyl_bessel_i(1, v); }, 0, 20},
    {"BesselJ0", "tl.extra.libdevice.j0(x)", [](double v) { return ::j0(v); }, -20, 20},
    {"BesselJ1", "tl.extra.libdevice.j1(x)", [](double v) { return ::j1(v); }, -20, 20},
    {"BesselY0", "tl.extra.libdevice.y0(x)", [](double v) { return ::y0(v); }, 0.1f, 20},
    {"BesselY1", "tl.extra.libdevice.y1(x)", [](double v) { return ::y1(v); }, 0.1f, 20},
    {"Cospi", "tl.extra.libdevice.cospi(x)", [](double v) { return std::cos(M_PI * v); }, -1, 1},
    {"AddRn", "tl.extra.libdevice.add_rn(x, 1.5)", [](double v) { return v + 1.5; }, -4, 4},
    {"SubRn", "tl.extra.libdevice.sub_rn(x, 1.5)", [](double v) { return v - 1.5; }, -4, 4},
    {"MulRn", "tl.extra.libdevice.mul_rn(x, 1.5)", [](double v) { return v * 1.5; }, -4, 4},
    {"Saturate", "tl.extra.libdevice.saturatef(x)",
     [](double v) { return std::clamp(v, 0.0, 1.0); }, -4, 4},
    {"Float2IntDown", "tl.extra.libdevice.float2int_rd(x).to(tl.float32)",
     [](double v) { return std::floor(v); }, -4, 4},
    {"Flip2", "tl.flip(tl.flip(x))", [](double v) { return v; }, -4, 4},
};
INSTANTIATE_TEST_SUITE_P(All, Functions, testing::ValuesIn(kFunctions),
                         [](const testing::TestParamInfo<FunctionCase> &info) {
                           return std::string(info.param.name);
                         });

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

struct IntCase {
  const char *name, *expression;
  int (*reference)(int, int);
};
class Integers : public testing::TestWithParam<IntCase> {};
TEST_P(Integers, AgreeWithC) {
  const IntCase &c = GetParam();
  std::vector<int> x = randomInts(3, -1000, 1000), y = randomInts(4, 1, 30);
  std::vector<int> got =
      compute<int, int>(std::string("tl.store(Z + i, ") + c.expression + ")", x, y, "i32", "i32");
  for (int i = 0; i < kSize; ++i)
    EXPECT_EQ(got[i], c.reference(x[i], y[i])) << c.expression << " of " << x[i] << ", " << y[i];
}
const IntCase kInts[] = {
    {"Div", "x // y", [](int x, int y) { return x / y; }},
    {"Mod", "x % y", [](int x, int y) { return x % y; }},
    {"ModOfNegativeDivisor", "x % -y", [](int x, int y) { return x % -y; }},
    {"ShiftRight", "x >> 2", [](int x, int) { return x >> 2; }},
    {"ShiftRightUnsigned", "(x.to(tl.uint32) >> 2).to(tl.int32)",
     [](int x, int) { return static_cast<int>(static_cast<unsigned>(x) >> 2); }},
    {"ShiftLeft", "x << (y % 8)",
     [](int x, int y) { return static_cast<int>(static_cast<unsigned>(x) << (y % 8)); }},
    {"Cdiv", "tl.cdiv(y, 4)", [](int, int y) { return (y + 3) / 4; }},
    {"CdivMethod", "y.cdiv(4)", [](int, int y) { return (y + 3) / 4; }},
    {"Xor", "(x ^ y) & 255 | 1", [](int x, int y) { return ((x ^ y) & 255) | 1; }},
    {"Invert", "~x", [](int x, int) { return ~x; }},
    {"Negate", "-x", [](int x, int) { return -x; }},
    {"Abs", "tl.abs(x)", [](int x, int) { return std::abs(x); }},
    {"PythonAbs", "abs(x)", [](int x, int) { return std::abs(x); }},
    {"Maximum", "tl.maximum(x, y)", [](int x, int y) { return std::max(x, y); }},
    {"PythonMin", "min(x, y, 5)", [](int x, int y) { return std::min({x, y, 5}); }},
    {"Where", "tl.where(x > y, x, -1)", [](int x, int y) { return x > y ? x : -1; }},
    {"UnsignedComparison", "(x.to(tl.uint32) > -1).to(tl.int32)", [](int, int) { return 0; }},
    {"Not", "(~(x > y)).to(tl.int32)", [](int x, int y) { return x > y ? 0 : 1; }},
    {"NarrowAndBack", "x.to(tl.int8).to(tl.int32)",
     [](int x, int) { return static_cast<int>(static_cast<int8_t>(x)); }},
    {"Umulhi", "tl.umulhi(x, y * 1000003).to(tl.int32)",
     [](int x, int y) {
       return static_cast<int>((uint64_t(uint32_t(x)) * uint32_t(y * 1000003)) >> 32);
     }},
    {"Popc", "tl.extra.libdevice.popc(x)", [](int x, int) { return __builtin_popcount(x); }},
    {"Hadd", "tl.extra.libdevice.hadd(x, y * 3)", [](int x, int y) { return (x + 3 * y) >> 1; }},
    {"Rhadd", "tl.extra.libdevice.rhadd(x, y * 3)",
     [](int x, int y) { return (x + 3 * y + 1) >> 1; }},
    {"Mul24", "tl.extra.libdevice.mul24(x + (y << 24), y)", [](int x, int y) { return x * y; }},
    {"Sad", "tl.extra.libdevice.sad(x, y, x)", [](int x, int y) { return std::abs(x - y) + x; }},
    {"Brev", "tl.extra.libdevice.brev(x)",
     [](int x, int) { return static_cast<int>(__builtin_bitreverse32(uint32_t(x))); }},
    {"BytePerm", "tl.extra.libdevice.byte_perm(x, y, 0x4170)",
     [](int x, int y) {
       const uint32_t a = uint32_t(x), b = uint32_t(y);
       return static_cast<int>((a & 255) | (b >> 24 << 8) | ((a >> 8 & 255) << 16) |
                               ((b & 255) << 24));
     }},
    {"HalvesOfDouble",
     "tl.extra.libdevice.hiloint2double(tl.extra.libdevice.double2hiint(x.to(tl.float64) / 7.0), "
     "tl.extra.libdevice.double2loint(x.to(tl.float64) / 7.0)).to(tl.int32)",
     [](int x, int) { return static_cast<int>(x / 7.0); }},
    {"Ffs", "tl.extra.libdevice.ffs(x & 56)", [](int x, int) { return __builtin_ffs(x & 56); }},
    {"Mulhi", "tl.extra.libdevice.mulhi(x * 1000003, y * 1000003)",
     [](int x, int y) {
       return static_cast<int>((int64_t(x * 1000003) * int64_t(y * 1000003)) >> 32);
     }},
};
INSTANTIATE_TEST_SUITE_P(All, Integers, testing::ValuesIn(kInts),
                         [](const testing::TestParamInfo<IntCase> &info) {
                           return std::string(info.param.name);
                         });

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

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// Philox-4x32 as published (Salmon et al., 2011), on 64-bit arithmetic.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53) * c[0], p1 = uint64_t(0xCD9E8D57) * c[2];
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k0, uint32_t(p1), uint32_t(p0 >> 32) ^ c[3] ^ k1,
         uint32_t(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}
float uniform(uint32_t bits) {
  int x = static_cast<int>(bits);
  return static_cast<float>(x < 0 ? ~x : x) * 4.6566127342e-10f;
}

TEST(Run, PhiloxKnownAnswer) {
  auto c = philox({0, 0, 0, 0}, 0, 0);
  EXPECT_EQ(c[0], 0x6627e8d5u);
  EXPECT_EQ(c[3], 0x9b00dbd8u);
}
TEST(Run, RandomIntegersAreBitExact) {
  for (int64_t seed : {int64_t(0), int64_t(42), int64_t(-7), int64_t(0x123456789abcdefLL)}) {
    std::vector<int> out(4 * kSize);
    std::string error = runBody("Z, seed",
                                "i = tl.arange(0, 64)\n"
                                "a, b, c, d = tl.randint4x(seed, i * 3)\n"
                                "tl.store(Z + i, a)\ntl.store(Z + 64 + i, b)\n"
                                "tl.store(Z + 128 + i, c)\ntl.store(Z + 192 + i, d)",
                                "Z=*i32, seed=i64", {buffer(out), seed});
    ASSERT_EQ(error, "");
    for (int i = 0; i < kSize; ++i) {
      auto c = philox({uint32_t(i * 3), 0, 0, 0}, uint32_t(seed), uint32_t(uint64_t(seed) >> 32));
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(uint32_t(out[k * kSize + i]), c[k]) << "seed " << seed << " offset " << i * 3;
    }
  }
}
TEST(Run, UniformNumbersAreBitExact) {
  std::vector<float> out(2 * kSize);
  std::string error = runBody("Z, seed",
                              "i = tl.arange(0, 64)\ntl.store(Z + i, tl.rand(seed, i))\n"
                              "tl.store(Z + 64 + i, tl.rand(seed, i.to(tl.int64) + 2**33))",
                              "Z=*fp32, seed=i32", {buffer(out), int64_t(1234)});
  ASSERT_EQ(error, "");
  for (int i = 0; i < kSize; ++i) {
    EXPECT_EQ(out[i], uniform(philox({uint32_t(i), 0, 0, 0}, 1234, 0)[0]));
    EXPECT_EQ(out[kSize + i], uniform(philox({uint32_t(i), 2, 0, 0}, 1234, 0)[0]));
    EXPECT_GE(out[i], 0.0f);
    EXPECT_LT(out[i], 1.0f);
  }
}
TEST(Run, NormalNumbers) {
  std::vector<float> out(kSize);
  std::string error = runBody("Z, seed", "i = tl.arange(0, 64)\ntl.store(Z + i, tl.randn(seed, i))",
                              "Z=*fp32, seed=i32", {buffer(out), int64_t(99)});
  ASSERT_EQ(error, "");
  std::vector<double> expected;
  for (int i = 0; i < kSize; ++i) {
    auto c = philox({uint32_t(i), 0, 0, 0}, 99, 0);
    double u1 = std::max(1e-7f, uniform(c[0])), u2 = uniform(c[1]);
    expected.push_back(std::sqrt(-2 * std::log(u1)) * std::cos(2 * M_PI * u2));
  }
  expectClose(out, expected, 3e-6);
}

//===----------------------------------------------------------------------===//
// Memory, atomics, conversions, products
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
TEST(Run, RoundedInADirection) {
  std::vector<double> x{0.1, 1.0, 1e30, -1e-30}, y{0.3, 3.0, 7.0, 3.0};
  // Sums and quotients straddle the exact results; exact ones do not.
  auto wide =
      compute<double, double>("d = tl.extra.libdevice\n"
                              "low = d.div_rd(x, y)\nhigh = d.div_ru(x, y)\n"
                              "tl.store(Z + i, (high - low) / tl.abs(d.div_rz(x, y)))\n"
                              "tl.store(Z + 4 + i, d.add_ru(x, x) - d.add_rd(x, x))\n"
                              "tl.store(Z + 8 + i, d.double2float_ru(x).to(tl.float64) - x)\n"
                              "tl.store(Z + 12 + i, x - d.double2float_rd(x).to(tl.float64))\n"
                              "tl.store(Z + 16 + i, d.rcp64h(y) * y)",
                              x, y, "fp64", "fp64", 20);
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(wide[i], 0x1p-54) << i;
    EXPECT_LT(wide[i], 0x1p-51) << i;
    EXPECT_EQ(wide[4 + i], 0) << i;
    EXPECT_GE(wide[8 + i], 0) << i;
    EXPECT_GE(wide[12 + i], 0) << i;
    EXPECT_EQ(wide[8 + i] + wide[12 + i] > 0, x[i] != 1.0) << i;
    EXPECT_NEAR(wide[16 + i], 1, 0x1p-19) << i;
  }
}

TEST(Run, BesselFunctionsOfAnyOrder) {
  std::vector<double> x = [] {
    std::vector<double> values;
    for (float v : randomFloats(3, 0.5f, 60))
      values.push_back(v);
    return values;
  }();
  x[0] = 0;
  x[1] = HUGE_VAL;
  x[2] = -3.5;
  auto got = compute<double, double>("d = tl.extra.libdevice\n"
                                     "tl.store(Z + i, d.jn(i, x))\n"
                                     "tl.store(Z + 64 + i, d.jn(3, x))\n"
                                     "tl.store(Z + 128 + i, d.yn(i // 8, x))\n"
                                     "tl.store(Z + 192 + i, d.jn(-1, x))",
                                     x, x, "fp64", "fp64", 256);
  std::vector<double> expected(256, NAN);
  for (int i = 0; i < 64; ++i) {
    expected[i] = ::jn(i, x[i]);
    expected[64 + i] = ::jn(3, x[i]);
    expected[128 + i] = x[i] == 0 ? -HUGE_VAL : ::yn(i / 8, x[i]);
  }
  EXPECT_EQ(got[128], -HUGE_VAL);
  got[128] = expected[128] = 0;
  expectClose(got, expected, 1e-11);
  // float32, orders up to 128.
  std::vector<float> narrow = randomFloats(4, -200, 200);
  auto single =
      compute<float>("tl.store(Z + i, tl.extra.libdevice.jn(i * 2 + 1, x))", narrow, narrow);
  std::vector<double> exact;
  for (int i = 0; i < kSize; ++i)
    exact.push_back(::jn(2 * i + 1, narrow[i]));
  expectClose(single, exact, 2.2e-6);
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
  std::vector<uint8_t> sa(m * k / 32), sb(n * k / 32);
  for (std::vector<uint8_t> *scales : {&sa, &sb})
    for (uint8_t &s : *scales)
      s = uint8_t(120 + engine() % 14);
  if (specialScale >= 0)
    sa[0] = uint8_t(specialScale);
  out.assign(m * n, 0);
  expected.assign(m * n, 0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int t = 0; t < k; ++t) {
        // In memory the right operand has rows along k, or (packed along n) along n.
        const double y = c.rightAlongN ? value(b, c.right, t, j, n) : value(b, c.right, j, t, k);
        const int x = sa[i * 2 + t / 32], z = sb[j * 2 + t / 32];
        expected[i * n + j] += value(a, c.left, i, t, k) *
                               (!c.leftScale ? 1
                                : x == 255   ? NAN
                                             : std::ldexp(1, x - 127)) *
                               y * (c.rightScale ? std::ldexp(1, z - 127) : 1);
      }
  const std::string ka = c.left == "e2m1" ? "32" : "64";
  const std::string kb = c.right == "e2m1" && !c.rightAlongN ? "32" : "64";
  const std::string nb = c.rightAlongN ? "8" : "16";
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
                     "s = tl.load(S + r[:, None] * 2 + tl.arange(0, 2)[None, :])\n"
                     "t = tl.load(T + r[:, None] * 2 + tl.arange(0, 2)[None, :])\n"
                     "c = tl.dot_scaled(a, " +
                     (c.leftScale ? "s" : "None") + ", '" + c.left + "', b, " +
                     (c.rightScale ? "t" : "None") + ", '" + c.right + "'" + c.options +
                     ")\n"
                     "tl.store(C + r[:, None] * 16 + r[None, :], c)",
                 "A=*u8, B=*u8, S=*u8, T=*u8, C=*fp32",
                 {buffer(a), buffer(b), buffer(sa), buffer(sb), buffer(out)});
}
TEST(Run, DotScaled) {
  const Scaled cases[] = {{"e2m1", "e2m1", ""},
                          {"e4m3", "e4m3", ""},
                          {"e5m2", "e4m3", ", out_dtype=tl.float32"},
                          {"e2m1", "e5m2", ", fast_math=True"},
                          {"e4m3", "e2m1", ", rhs_k_pack=False", true, true, true},
                          {"e4m3", "e2m1", ", acc=tl.zeros((16, 16), tl.float32)", false, true},
                          {"e2m1", "e4m3", "", true, false}};
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
  // 255 is NaN for its row; 0 is 2^-127, whose products vanish beside others.
  ASSERT_EQ(runScaled({"e4m3", "e4m3", ""}, got, expected, 255), "");
  EXPECT_TRUE(std::isnan(expected[0]) && !std::isnan(expected[16]));
  expectClose(got, expected, 1e-4);
  ASSERT_EQ(runScaled({"e4m3", "e4m3", ""}, got, expected, 0), "");
  expectClose(got, expected, 1e-4);
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
}
TEST(Run, SmallFloatsRoundTripAndSaturate) {
  std::vector<float> x = {0.0f, 1.0f, -1.5f, 448.0f, 1e6f, -1e6f, 0.0625f, 3.3f};
  auto got = compute<float>("tl.store(Z + i, x.to(tl.float8e4nv).to(tl.float32))", x, x, "fp32",
                            "fp32", 8);
  expectClose(got, {0, 1, -1.5, 448, 448, -448, 0.0625, 3.25}, 0);
}
TEST(Run, TruncationAndRoundingOfHalf) {
  std::vector<float> x = {1.0009f, -1.0009f, 2049.0f, 2051.0f};
  auto nearest =
      compute<float>("tl.store(Z + i, x.to(tl.float16).to(tl.float32))", x, x, "fp32", "fp32", 4);
  auto truncated =
      compute<float>("tl.store(Z + i, x.to(tl.float16, fp_downcast_rounding='rtz').to(tl.float32))",
                     x, x, "fp32", "fp32", 4);
  // Nothing is converted, so that there is nothing to round.
  auto same = compute<float>("tl.store(Z + i, x.to(tl.float32, fp_downcast_rounding='rtne'))", x, x,
                             "fp32", "fp32", 4);
  expectClose(same, {1.0009f, -1.0009f, 2049, 2051}, 0);
  expectClose(nearest, {1.0009765625, -1.0009765625, 2048, 2052}, 0);
  expectClose(truncated, {1, -1, 2048, 2050}, 0);
}
} // namespace

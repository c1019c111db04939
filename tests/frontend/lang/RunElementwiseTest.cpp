// Results of the language's elementwise functions, conversions and random numbers: kernels run on
// the reference interpreter, compared with plain C++.
#include "tests/frontend/lang/RunTest.h"

using namespace tilerun::test;

namespace {

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
// Rounding, orders, conversions
//===----------------------------------------------------------------------===//

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
  // There is no conversion, so nothing is rounded.
  auto same = compute<float>("tl.store(Z + i, x.to(tl.float32, fp_downcast_rounding='rtne'))", x, x,
                             "fp32", "fp32", 4);
  expectClose(same, {1.0009f, -1.0009f, 2049, 2051}, 0);
  expectClose(nearest, {1.0009765625, -1.0009765625, 2048, 2052}, 0);
  expectClose(truncated, {1, -1, 2048, 2050}, 0);
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

} // namespace

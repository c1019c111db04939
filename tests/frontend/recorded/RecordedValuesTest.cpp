// Values that Triton 3.6.0 computed on an NVIDIA H200 (2026-11-21), bit for bit: random numbers,
// 8-bit float conversions, and reductions over NaN and infinities.
#include "tests/frontend/sema/EndToEnd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tilerun::test;

namespace {
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct RandomCase {
  int64_t seed, offset;
  const char *signature; ///< Of `seed` and `offset`.
  std::vector<float> uniform;
  std::vector<int32_t> integers; ///< Four of randint4x, one after the other; the first is randint.
  std::vector<float> normal;
};

const RandomCase kRandom[] = {
    {42,
     0,
     "seed=i32, offset=i32",
     {0x1.8c543cp-1f, 0x1.926f6ap-6f, 0x1.649fecp-2f, 0x1.14e3ecp-1f, 0x1.4e408cp-1f,
      0x1.42675ep-1f, 0x1.cdc988p-2f, 0x1.6ef60cp-1f},
     {-1662324653, -52747993,  -747896283, -1161362315, 1401955260,  1352259593,  968438092,
      1539146673,  2012563771, 1404726525, -1467523637, -1414591061, -691294539,  1260434898,
      -1103216086, 1752714373, 314527917,  -2087757202, -1706201703, -1776396989, 1386170723,
      222410210,   2058081467, 387999658,  1463989207,  1951270651,  -972446375,  1628334071,
      1012408959,  174404615,  783853970,  778794423},
     {0.6606133580207825f, -1.5427135229110718f, -0.5904635787010193f, -0.6016254425048828f,
      -0.40320324897766113f, -0.8218371868133545f, -1.2573463916778564f, 0.3296443521976471f}},
    {1234567890123456789,
     5,
     "seed=i64, offset=i32",
     {0x1.fa686ep-1f, 0x1.367cf8p-2f, 0x1.4f5dd0p-1f, 0x1.bcc224p-2f, 0x1.cca49ap-1f,
      0x1.489098p-1f, 0x1.e1691cp-3f, 0x1.696e6cp-2f},
     {2124028975, -651140913,  -1406629036, -932725984,  -1932076757, 1378100831,  504795603,
      757976517,  -113008224,  2136514926,  -1961640010, -779809212,  -507649853,  -1601441985,
      547261869,  1508903394,  -344216982,  -652429411,  -1493066984, -1818207384, 2091871404,
      1921914820, 683989372,   -1155326610, -1865218723, 1020754398,  -551473000,  1707621166,
      637877292,  -1842413955, -1560600347, 471794941},
     {0.14017559587955475f, 1.544083833694458f, 0.7872212529182434f, -0.8426011800765991f,
      0.03926195576786995f, -0.025270191952586174f, -0.05172742158174515f, -0.423161119222641f}},
    {-7,
     int64_t{1} << 33,
     "seed=i32, offset=i64",
     {0x1.e45f90p-1f, 0x1.c496c0p-1f, 0x1.899df0p-2f, 0x1.604bfep-1f, 0x1.f634cep-1f,
      0x1.4f1754p-1f, 0x1.a21118p-5f, 0x1.6e905ap-1f},
     {2031609008,  1898295445,  825474630,  1477640241,  2106405860, 1405474193, -109593707,
      -1537480490, 2112508145,  268525830,  1957399605,  -834440851, 435940211,  1998687567,
      -1599475090, 685213927,   1655860864, -1554221893, 1274803452, 1873280862, -643552550,
      725586355,   160961542,   -758852089, -668901662,  1837600562, 127569160,  -631021807,
      1116816738,  -1333514887, -473717276, -1693553029},
     {0.3313303589820862f, 0.35110580921173096f, 1.1744157075881958f, -0.6612700819969177f,
      0.05719926580786705f, 0.8348948955535889f, -0.07947790622711182f, -0.34378108382225037f}},
};

TEST(RecordedValues, RandomNumbersAreBitExact) {
  for (const RandomCase &c : kRandom) {
    std::vector<float> uniform(8), normal(8);
    std::vector<int32_t> first(8), all(32);
    std::string error =
        runBody("u, i, n, q, seed, offset",
                "lane = tl.arange(0, 8)\n"
                "at = offset + lane\n"
                "tl.store(u + lane, tl.rand(seed, at))\n"
                "tl.store(i + lane, tl.randint(seed, at))\n"
                "tl.store(n + lane, tl.randn(seed, at))\n"
                "r0, r1, r2, r3 = tl.randint4x(seed, at)\n"
                "tl.store(q + lane, r0)\n"
                "tl.store(q + 8 + lane, r1)\n"
                "tl.store(q + 16 + lane, r2)\n"
                "tl.store(q + 24 + lane, r3)\n",
                std::string("u=*fp32, i=*i32, n=*fp32, q=*i32, ") + c.signature,
                {buffer(uniform), buffer(first), buffer(normal), buffer(all), c.seed, c.offset});
    ASSERT_EQ(error, "");
    EXPECT_EQ(uniform, c.uniform) << "seed " << c.seed;
    EXPECT_EQ(all, c.integers) << "seed " << c.seed;
    EXPECT_EQ(first, std::vector<int32_t>(c.integers.begin(), c.integers.begin() + 8))
        << "seed " << c.seed;
    // Box-Muller goes through log, sin and cos, whose last bits differ between devices.
    for (int k = 0; k < 8; ++k)
      EXPECT_NEAR(normal[k], c.normal[k], 2e-6) << "seed " << c.seed << ", element " << k;
  }
}

TEST(RecordedValues, Float8Conversions) {
  std::vector<float> x = {0.f,    -0.f,    1.f,     448.f,    449.f,    464.f,   465.f,   480.f,
                          1000.f, 57344.f, 60000.f, 61440.f,  70000.f,  1e9f,    kInf,    -kInf,
                          kNan,   1e-3f,   0x1p-9f, 0x1p-10f, 0x1p-11f, 1.0625f, 1.1875f, 0.3f,
                          -0.7f,  240.f,   248.f,   256.f,    1.9f,     1.875f,  30.f,    31.f};
  const std::pair<const char *, std::vector<uint8_t>> expected[] = {
      {"float8e4nv",
       {0,   128, 56, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 254,
        127, 1,   1,  0,   0,   56,  58,  42,  179, 119, 120, 120, 63,  63,  95,  96}},
      {"float8e5", {0,   128, 60, 95, 95, 95, 95, 96, 100, 123, 123, 123, 123, 123, 123, 251,
                    127, 20,  24, 20, 16, 60, 61, 53, 186, 92,  92,  92,  64,  64,  80,  80}},
  };
  for (const auto &[dtype, bits] : expected) {
    std::vector<uint8_t> out(32);
    std::string error = runBody("x, o",
                                "lane = tl.arange(0, 32)\n"
                                "tl.store(o + lane, tl.load(x + lane).to(tl." +
                                    std::string(dtype) + ").to(tl.uint8, bitcast=True))\n",
                                "x=*fp32, o=*u8", {buffer(x), buffer(out)});
    ASSERT_EQ(error, "");
    for (int k = 0; k < 32; ++k) {
      if (std::isnan(x[k])) { // Any NaN will do.
        EXPECT_GT(out[k] & 0x7f, dtype == std::string("float8e5") ? 0x7c : 0x7e);
        continue;
      }
      EXPECT_EQ(int(out[k]), int(bits[k])) << dtype << " of " << x[k];
    }
  }
}

TEST(RecordedValues, ReductionsOverSpecialValues) {
  // max, min, argmax, argmin; max with its index, ties to the left, then not to the left; sum of
  // clamp(x, 0, 1).
  const std::pair<std::vector<float>, std::vector<float>> cases[] = {
      {{1, 3, 3, 2}, {3, 1, 1, 0, 3, 1, 3, 1, 4}},
      {{kNan, 1, 2, 0}, {2, 0, 2, 3, 2, 2, 2, 2, 2}},
      {{1, kNan, 3, 3}, {3, 1, 2, 0, 3, 2, 3, 3, 3}},
      {{-kInf, -kInf, -kInf, -kInf}, {-kInf, -kInf, 0, 0, -kInf, 0, -kInf, 3, 0}},
  };
  for (const auto &[input, expected] : cases) {
    std::vector<float> x = input, out(9);
    std::string error =
        runBody("x, o",
                "v = tl.load(x + tl.arange(0, 4))\n"
                "tl.store(o + 0, tl.max(v))\n"
                "tl.store(o + 1, tl.min(v))\n"
                "tl.store(o + 2, tl.argmax(v, 0).to(tl.float32))\n"
                "tl.store(o + 3, tl.argmin(v, 0).to(tl.float32))\n"
                "m, j = tl.max(v, 0, return_indices=True)\n"
                "tl.store(o + 4, m)\n"
                "tl.store(o + 5, j.to(tl.float32))\n"
                "m, j = tl.max(v, 0, return_indices=True, return_indices_tie_break_left=False)\n"
                "tl.store(o + 6, m)\n"
                "tl.store(o + 7, j.to(tl.float32))\n"
                "tl.store(o + 8, tl.sum(tl.clamp(v, 0.0, 1.0)))\n",
                "x=*fp32, o=*fp32", {buffer(x), buffer(out)});
    ASSERT_EQ(error, "");
    for (int k = 0; k < 9; ++k) {
      // Which of equal maxima a reduction without the leftmost rule names depends on its order.
      if (k == 7)
        continue;
      EXPECT_EQ(out[k], expected[k])
          << "result " << k << " for " << input[0] << ", " << input[1] << ", …";
    }
  }
}
} // namespace

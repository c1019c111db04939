// The generators: fixed words, so that results can be compared between machines and versions, and
// their distribution.
#include "tools/tilerun/host/Random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace tilerun::host;

namespace {

/// SplitMix64 as published, started at the mixed seed.
uint64_t reference(uint64_t seed, unsigned index) {
  auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  uint64_t state = mix(seed), word = 0;
  for (unsigned i = 0; i <= index; ++i) {
    state += 0x9E3779B97F4A7C15u;
    word = mix(state);
  }
  return word;
}

TEST(Random, IsSplitMix64) {
  for (uint64_t seed : {0ull, 1ull, ~0ull})
    for (unsigned index : {0u, 1u, 1000u})
      EXPECT_EQ(randomWord(seed, index), reference(seed, index));
  // The first outputs of SplitMix64 from state 0 (mix(0) is 0).
  EXPECT_EQ(randomWord(0, 0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(randomWord(0, 1), 0x6E789E6AA1B965F4u);
}

TEST(Random, UniformIsInRange) {
  double sum = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    double x = randomUniform(7, i);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, NormalHasMomentsOfANormal) {
  double sum = 0, squares = 0, fourths = 0;
  for (uint64_t i = 0; i < 100000; ++i) {
    double x = randomNormal(3, i);
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.03);
  EXPECT_NEAR(fourths / 1e5, 3, 0.2);
}

TEST(Random, IntegersCoverTheRangeAndNoMore) {
  std::set<int64_t> seen;
  for (uint64_t i = 0; i < 1000; ++i)
    seen.insert(randomInteger(1, i, -3, 4));
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(*seen.begin(), -3);
  EXPECT_EQ(*seen.rbegin(), 3);
}

TEST(Random, IntegersOverTheWholeWidth) {
  bool negative = false, positive = false;
  for (uint64_t i = 0; i < 100; ++i) {
    int64_t x = randomInteger(1, i, INT64_MIN, INT64_MAX);
    negative |= x < 0;
    positive |= x > 0;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Random, SeedsDiffer) { EXPECT_NE(randomWord(1, 0), randomWord(2, 0)); }

} // namespace

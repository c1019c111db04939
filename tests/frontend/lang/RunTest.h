// Shared by the tests that run the language's functions: random inputs, a kernel around a body
// that combines two of them, and comparison with a float64 reference.
#pragma once

#include "tests/frontend/sema/EndToEnd.h"

#include <cmath>
#include <random>

namespace tilerun::test {

/// Elements of an input by default.
inline constexpr int kSize = 64;

inline std::vector<float> randomFloats(unsigned seed, float low = -4, float high = 4,
                                       int count = kSize) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> out(count);
  for (float &v : out)
    v = distribution(engine);
  return out;
}
inline std::vector<int> randomInts(unsigned seed, int low = -100, int high = 100,
                                   int count = kSize) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> distribution(low, high);
  std::vector<int> out(count);
  for (int &v : out)
    v = distribution(engine);
  return out;
}

/// The output, `count` elements of type Out, of a kernel with `body` over the elements x and y.
template <typename Out, typename In = float>
std::vector<Out> compute(const std::string &body, std::vector<In> x, std::vector<In> y,
                         const char *inType = "fp32", const char *outType = "fp32",
                         int count = kSize) {
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

} // namespace tilerun::test

// Cases for the tests of single instructions: a text, and what it should compute, written for one
// lane.
#ifndef TILERUN_TESTS_EMULATORS_AMDGPU_CASES_H
#define TILERUN_TESTS_EMULATORS_AMDGPU_CASES_H

#include "emulators/amdgpu/Floats.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilerun::amdsim::tests {

// Four words of a lane: v0 to v3 before the instruction.
struct In {
  uint32_t a, b, c, d;
  unsigned lane = 0;
  const In *wave = nullptr; // all lanes
  float fa() const { return std::bit_cast<float>(a); }
  float fb() const { return std::bit_cast<float>(b); }
  float fc() const { return std::bit_cast<float>(c); }
  double dab() const { return std::bit_cast<double>(a | uint64_t(b) << 32); }
  double dcd() const { return std::bit_cast<double>(c | uint64_t(d) << 32); }
  uint64_t ab() const { return a | uint64_t(b) << 32; }
  uint64_t cd() const { return c | uint64_t(d) << 32; }
};
// The registers a to d of each, as kernels read them.
inline std::vector<uint32_t> wordsOf(const std::vector<In> &in) {
  std::vector<uint32_t> words;
  for (const In &i : in)
    words.insert(words.end(), {i.a, i.b, i.c, i.d});
  return words;
}
using Function = std::function<uint64_t(const In &)>; // v[4:5] afterwards

inline uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
// What the transcendental units see of a subnormal.
inline double flush(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0, double(value)) : double(value);
}
// minNum and maxNum, with -0 below +0.
template <class T> inline T least(T a, T b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
template <class T> inline T most(T a, T b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}
inline float half(uint32_t bits) { return halfToFloat(uint16_t(bits)); }
inline uint64_t toHalf(double value) { return doubleToHalf(value); }

enum class As {
  bits,
  f32,
  pairF32,
  f64,
  f16,
  pairF16,
  nearF32,
  nearF16,
  estimateF64
}; // how results are compared: NaNs are equal to each other
enum Where : unsigned {
  gfx9 = 1,
  gfx11 = 2,
  gfx12 = 4,
  newer = 6,
  everywhere = 7,
  gfx942 = 8,
  gfx950 = 16,
  gfx90a = 32
};

struct Case {
  const char *text;
  Function expected;
  As as = As::bits;
  Where where = everywhere;
};

// Short for a function of the case's list.
#define OF(...) [](const In &i) -> uint64_t { return __VA_ARGS__; }

// One list for each file of cases.
const std::vector<Case> &mixedCases();
const std::vector<Case> &integerCases();
const std::vector<Case> &floatCases();
const std::vector<Case> &packedCases();
// All of them.
std::vector<Case> allCases();

// Texts of the other tests' kernels, for the test that every row of the instruction table has one.
std::vector<std::string> scalarTexts();
std::vector<std::string> comparisonTexts();
std::vector<std::string> memoryTexts();
std::vector<std::string> atomicTexts();
std::vector<std::string> matrixTexts();

} // namespace tilerun::amdsim::tests

#endif

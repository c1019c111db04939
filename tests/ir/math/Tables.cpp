// See Tables.h.
#include "tests/ir/math/Tables.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

using namespace tilerun::harness;

const char *tilerun::harness::tableFolder() { return std::getenv("TILERUN_MATH_TABLES"); }

namespace {

constexpr uint32_t kMantissas = 1 << 23;

/// The results of `instruction` for the mantissas of an interval between powers of two.
class Table {
public:
  explicit Table(const char *name) {
    const std::string path = std::string(tableFolder()) + "/" + name + ".f32";
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!file || (*file)->getBufferSize() != kMantissas * sizeof(float))
      llvm::report_fatal_error("'" + llvm::Twine(path) + "' is not a table of an instruction");
    buffer = std::move(*file);
  }
  double operator[](uint32_t mantissa) const {
    return reinterpret_cast<const float *>(buffer->getBufferStart())[mantissa];
  }

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

/// x = ±2^exponent (1 + mantissa / 2^23), for normal x.
struct Parts {
  int exponent;
  uint32_t mantissa;
};
Parts takeApart(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return {int(bits >> 23 & 255) - 127, bits & (kMantissas - 1)};
}

/// Rounded toward zero.
float cut(double x) {
  const float nearest = float(x);
  return std::fabs(double(nearest)) > std::fabs(x) ? std::nextafterf(nearest, 0) : nearest;
}

/// 2^n of a float that is a whole number is exact; |x| loses the bits below 2^-23.
double powerOfTwo(float x) {
  static const Table above("ex2.p0"), below("ex2.n0"); // of [1, 2) and of (-2, -1]
  const double magnitude = std::min(std::fabs(x), 1000.0f), whole = std::floor(magnitude);
  const auto fraction = uint32_t((magnitude - whole) * kMantissas);
  return std::signbit(x) ? std::ldexp(below[fraction], 1 - int(whole))
                         : std::ldexp(above[fraction], int(whole) - 1);
}

double logarithm(float x) {
  static const Table above("lg2.p0"), below("lg2.p-1"); // of [1, 2) and of [1/2, 1)
  const auto [exponent, mantissa] = takeApart(x);
  return cut(exponent < 0 ? below[mantissa] + (exponent + 1) : above[mantissa] + exponent);
}

double inverse(float x) {
  static const Table table("rcp.p0");
  const auto [exponent, mantissa] = takeApart(x);
  return std::copysign(std::ldexp(table[mantissa], -exponent), x);
}

double inverseRoot(float x) {
  static const Table even("rsqrt.p0"), odd("rsqrt.p1");
  const auto [exponent, mantissa] = takeApart(x);
  const int half = exponent >> 1;
  return std::ldexp((exponent & 1 ? odd : even)[mantissa], -half);
}

double root(float x) {
  static const Table even("sqrt.p0"), odd("sqrt.p1");
  const auto [exponent, mantissa] = takeApart(x);
  return std::ldexp((exponent & 1 ? odd : even)[mantissa], exponent >> 1);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
bool isUsual(float x) { return x > 0 && x < kInfinity; }
/// Subnormal numbers go in as normal ones, times 2^24.
bool isSmall(float x) { return std::fabs(x) < 0x1p-126f; }

} // namespace

float tables::exp2Whole(float x) { return std::isnan(x) ? x : float(powerOfTwo(flushed(x))); }
float tables::exp2(float x) { return flushed(exp2Whole(x)); }

float tables::log2(float x) {
  x = flushed(x);
  return isUsual(x) ? float(logarithm(x)) : std::log2(x);
}
float tables::log2Whole(float x) {
  return isUsual(x) && isSmall(x) ? float(logarithm(x * 0x1p24f)) - 24 : log2(x);
}

float tables::reciprocal(float x) {
  x = flushed(x);
  return isUsual(std::fabs(x)) ? flushed(float(inverse(x))) : 1 / x;
}
float tables::reciprocalWhole(float x) {
  if (!isUsual(std::fabs(x)))
    return 1 / x;
  return float(isSmall(x) ? inverse(x * 0x1p24f) * 0x1p24 : inverse(x));
}

float tables::sqrt(float x) {
  x = flushed(x);
  return isUsual(x) ? float(root(x)) : std::sqrt(x);
}

float tables::rsqrt(float x) {
  if (!isUsual(x))
    return 1 / std::sqrt(x);
  return float(isSmall(x) ? inverseRoot(x * 0x1p24f) * 0x1p12 : inverseRoot(x));
}
float tables::rsqrtNormal(float x) { return rsqrt(flushed(x)); }

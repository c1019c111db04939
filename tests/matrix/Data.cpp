// Random contents. Element i of an argument is a function of the seed, the cell's and the
// argument's names, and i.
#include "tests/matrix/Data.h"

#include "tests/matrix/Tolerance.h"
#include "tools/tilerun/host/Element.h"
#include "tools/tilerun/host/Random.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

uint64_t lowMask(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

/// Special floats: zeros, infinities, NaN, ends of the range, the neighbourhood of 1, halves.
double getSpecial(DType type, uint64_t choice) {
  double largest = getLargest(type), smallest = getSmallestNormal(type), eps = getEpsilon(type);
  const double values[] = {0.0,
                           -0.0,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN(),
                           largest,
                           -largest,
                           smallest,
                           smallest * eps,
                           -smallest * eps * 3,
                           1.0,
                           -1.0,
                           1.0 + eps,
                           1.0 - eps / 2,
                           0.5,
                           -1.5,
                           2.5,
                           largest / 2};
  return values[choice % std::size(values)];
}

class Generator {
public:
  Generator(const Cell &cell, const TensorArgument &argument, uint64_t seed)
      : argument(argument), type(argument.type), bits(type.getBits()),
        seed(seed ^ hashText(cell.op + "/" + cell.dtype + "/" + argument.name)) {}

  void make(uint8_t *out, int64_t i) {
    uint64_t word = host::randomWord(seed, static_cast<uint64_t>(i));
    switch (argument.fill.kind) {
    case Fill::Kind::Any:
    case Fill::Kind::Finite:
    case Fill::Kind::NonZero:
      return type.isFloat() ? makeFloat(out, word, i) : makeInteger(out, word);
    case Fill::Kind::Range:
      return makeRange(out, i);
    case Fill::Kind::Signs:
      return host::storeInteger(out, type.scalar,
                                type.isUnsigned() ? __int128(word >> 63)
                                                  : __int128((word >> 32) % 3) - 1);
    case Fill::Kind::Shift:
      return host::storeInteger(out, type.scalar, __int128((word >> 32) % bits));
    case Fill::Kind::Index:
      return host::storeInteger(out, type.scalar,
                                host::randomInteger(seed, static_cast<uint64_t>(i),
                                                    static_cast<int64_t>(argument.fill.low),
                                                    static_cast<int64_t>(argument.fill.high)));
    case Fill::Kind::Permutation:
    case Fill::Kind::Pattern:
      break; // Made as a whole.
    }
  }

  std::vector<int64_t> makePermutation() {
    std::vector<int64_t> order(static_cast<size_t>(argument.count));
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int64_t>(i);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<size_t>(host::randomWord(seed, i) >> 11) % i]);
    return order;
  }

private:
  bool isFinite() const { return argument.fill.kind == Fill::Kind::Finite; }

  void makeInteger(uint8_t *out, uint64_t word) {
    // An int1 in memory is a byte of which any but 0 is true; kernels write 0 and 1.
    if (type.isBool()) {
      out[0] = static_cast<uint8_t>((word >> 40) & 1 ? 1 : 0);
      return;
    }
    uint64_t value = word & lowMask(bits);
    switch ((word >> 8) % 8) {
    case 0: { // Near the ends and zero.
      const uint64_t edges[] = {0, 1, lowMask(bits), lowMask(bits - 1), lowMask(bits - 1) + 1, 2};
      value = edges[(word >> 16) % std::size(edges)];
      break;
    }
    case 1:
    case 2: // Small numbers of both signs.
      value = (uint64_t(int64_t((word >> 24) % 41) - 20)) & lowMask(bits);
      break;
    default:
      break;
    }
    if (argument.fill.kind == Fill::Kind::NonZero && (value == 0 || value == lowMask(bits)))
      value = 3;
    host::storeInteger(out, type.scalar, __int128(value));
  }

  void makeFloat(uint8_t *out, uint64_t word, int64_t i) {
    double value = host::randomNormal(seed + 1, static_cast<uint64_t>(i));
    switch (word % 8) {
    case 0:
      value = getSpecial(type, word >> 8);
      break;
    case 1: { // Any exponent.
      double low = std::log2(getSmallestNormal(type)), high = std::log2(getLargest(type));
      double exponent = low + (high - low) * double((word >> 8) % 4096) / 4096;
      value *= std::exp2(exponent);
      break;
    }
    case 2:
      value = std::nearbyint(value * 8) / 2;
      break;
    default:
      break;
    }
    if (isFinite() && !std::isfinite(value))
      value = 1.25;
    host::storeElement(out, type.scalar, value);
    if (isFinite() && !std::isfinite(host::loadElement(out, type.scalar)))
      host::storeElement(out, type.scalar, 1.25);
  }

  void makeRange(uint8_t *out, int64_t i) {
    double low = argument.fill.low, high = argument.fill.high;
    double value = low + (high - low) * host::randomUniform(seed, static_cast<uint64_t>(i));
    if (bits == 16 && type.isFloat() && std::fabs(value) < getSmallestNormal(type))
      value = 0; // As the matrix units of gfx90a take it.
    if (type.isFloat())
      host::storeElement(out, type.scalar, value);
    else
      host::storeInteger(out, type.scalar, static_cast<__int128>(std::floor(value)));
  }

  const TensorArgument &argument;
  DType type;
  unsigned bits;
  uint64_t seed;
};

} // namespace

std::vector<uint8_t> matrix::makeContents(const Cell &cell, const TensorArgument &argument,
                                          uint64_t seed) {
  unsigned size = host::getElementBytes(argument.type);
  std::vector<uint8_t> bytes(static_cast<size_t>(argument.count) * size);
  Generator generator(cell, argument, seed);
  if (argument.fill.kind == Fill::Kind::Pattern) {
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(0x5A ^ (i * 29));
    return bytes;
  }
  if (argument.fill.kind == Fill::Kind::Permutation) {
    for (auto [i, value] : llvm::enumerate(generator.makePermutation()))
      host::storeInteger(bytes.data() + i * size, argument.type.scalar, value);
    return bytes;
  }
  for (int64_t i = 0; i < argument.count; ++i)
    generator.make(bytes.data() + static_cast<size_t>(i) * size, i);
  return bytes;
}

bool matrix::isWidened(DType type) { return type.isFloat() && !type.isPointer(); }

std::vector<uint8_t> matrix::widen(const TensorArgument &argument,
                                   const std::vector<uint8_t> &bytes) {
  unsigned size = host::getElementBytes(argument.type);
  std::vector<uint8_t> out(static_cast<size_t>(argument.count) * sizeof(double));
  for (size_t i = 0; i < static_cast<size_t>(argument.count); ++i) {
    double value = host::loadElement(bytes.data() + i * size, argument.type.scalar);
    std::memcpy(out.data() + i * sizeof(double), &value, sizeof(value));
  }
  return out;
}

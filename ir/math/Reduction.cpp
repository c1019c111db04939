// Reduction of huge arguments by multiples of π/2 with integers: Payne and Hanek, "Radian reduction
// for trigonometric functions", ACM SIGNUM Newsletter 18 (1983).
#include "ir/math/Functions.h"

#include <cmath>

using namespace mlir;
using namespace tilerun::mathx;

/// The bits of 2/π after the binary point.
static constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

namespace {
struct Product {
  Int low, high;
};
Product multiplyFull(Int x, Int y) {
  auto op = arith::MulUIExtendedOp::create(x.c->b, x.c->loc, x.v, y.v);
  return {{x.c, op.getLow()}, {x.c, op.getHigh()}};
}

/// So many zero bits stand before those of 2/π, for the smallest arguments.
constexpr unsigned kLeadingZeros = 8;

/// Words `index` to `index` + 3 of 2/π, for an index below 2^bits: halving the choice bit by bit.
SmallVector<Int> wordsOfTwoOverPi(Calculator &c, Int index, unsigned bitCount) {
  auto wideWord = [](unsigned i) {
    const uint64_t above = i == 0 ? 0 : kTwoOverPi[i - 1] << (64 - kLeadingZeros);
    return above | kTwoOverPi[i] >> kLeadingZeros;
  };
  SmallVector<Int> words;
  for (unsigned i = 0; i < (1u << bitCount) + 3; ++i)
    words.push_back(c.integer(c.wide ? wideWord(i) : wideWord(i / 2) >> (i % 2 ? 0 : 32)));
  for (unsigned bit = bitCount; bit-- > 0;) {
    Bool set = isNotEqual(index & (uint64_t(1) << bit), 0);
    const size_t rest = (size_t(1) << bit) + 3;
    for (size_t i = 0; i < rest; ++i)
      words[i] = select(set, words[i + (size_t(1) << bit)], words[i]);
    words.truncate(rest);
  }
  return words;
}
} // namespace

Reduced tilerun::mathx::reduceLarge(Real x) {
  Calculator &c = *x.c;
  const unsigned w = c.width;
  // |x| = significand · 2^exponent, with exponent >= 2 - kLeadingZeros where this is used.
  Int pattern = bits(abs(x));
  Int significand = (pattern & ((uint64_t(1) << c.mantissa) - 1)) | (uint64_t(1) << c.mantissa);
  Int exponent = (pattern >> c.mantissa) - (uint64_t(c.bias) + c.mantissa);
  // Bits of 2/π above 2^(1 - exponent) give multiples of 4; three words from there on are enough.
  Int skip = exponent + (kLeadingZeros - 2);
  SmallVector<Int> words = wordsOfTwoOverPi(c, skip >> (c.wide ? 6 : 5), c.wide ? 4 : 2);
  Int offset = skip & (w - 1);
  SmallVector<Int> window;
  for (unsigned i = 0; i < 3; ++i) {
    // Shifting by the full width would be undefined: in two steps.
    Int low = (words[i + 1] >> 1) >> (c.integer(w - 1) - offset);
    window.push_back((words[i] << offset) | low);
  }
  // The product modulo 2^(3w), without its last word.
  Product p1 = multiplyFull(significand, window[1]);
  Int carried = multiplyFull(significand, window[2]).high;
  Int low = p1.low + carried;
  Int carry = select(isBelow(low, carried), c.integer(1), c.integer(0));
  Int high = significand * window[0] + p1.high + carry;
  // Two bits stand above the binary point.
  Int quadrant = high >> (w - 2);
  high = (high << 2) | (low >> (w - 2));
  low = low << 2;
  // To the nearest multiple: the fraction becomes signed.
  Int flip = shiftSigned(high, w - 1);
  quadrant = quadrant - flip;
  high = high ^ flip;
  low = low ^ flip;
  Int sign = (bits(x) ^ flip) & (uint64_t(1) << (w - 1));
  quadrant = select(isLess(bits(x), 0), c.integer(0) - quadrant, quadrant);
  auto factor = c.split(kPiOver2);
  auto withSign = [&](Real value) { return fromBits(bits(value) ^ sign); };
  if (!c.wide) {
    // The upper bits are a float exactly; of the fraction's first bits at most 30 are zeros.
    Real upper = toReal(high & 0x7fffff00);
    Real lower{&c, arith::UIToFPOp::create(c.b, c.loc, c.type, ((high << 24) | (low >> 8)).v)};
    // In units of 2^-32 and 2^-56.
    Real unit = factor.a * 0x1p-32;
    Real tail = fma(upper, factor.b * 0x1p-32, lower * (kPiOver2.a * 0x1p-56));
    Real angle = fma(upper, unit, tail), lost = fma(upper, unit, -angle) + tail;
    return {{withSign(angle), withSign(lost)}, quadrant};
  }
  // Halves of words are floats exactly; sums keep their errors.
  const uint64_t half = (uint64_t(1) << (w / 2)) - 1;
  auto piece = [&](Int word, int exponentOf) { return toReal(word) * std::ldexp(1.0, exponentOf); };
  const int h = int(w / 2);
  Pair fraction = fastTwoSum(piece(high >> h, -h), piece(high & half, -2 * h));
  Real rest = (fraction.lo + piece(low >> h, -3 * h)) + piece(low & half, -4 * h);
  Pair angle = multiply(fastTwoSum(fraction.hi, rest), {factor.a, factor.b});
  return {{withSign(angle.hi), withSign(angle.lo)}, quadrant};
}

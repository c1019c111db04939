// SplitMix64 as a counter-based generator, and the three distributions on it.
#include "tools/tilerun/host/Random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

using namespace tilerun;

static uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

uint64_t host::randomWord(uint64_t seed, uint64_t index) {
  return mix(mix(seed) + (index + 1) * 0x9E3779B97F4A7C15u);
}

double host::randomUniform(uint64_t seed, uint64_t index) {
  return static_cast<double>(randomWord(seed, index) >> 11) * 0x1p-53;
}

double host::randomNormal(uint64_t seed, uint64_t index) {
  double u0 = randomUniform(seed, 2 * index);
  double u1 = randomUniform(seed, 2 * index + 1);
  return std::sqrt(-2 * std::log1p(-u0)) * std::cos(2 * std::numbers::pi * u1);
}

int64_t host::randomInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high) {
  assert(low < high && "an empty range has no element");
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  uint64_t scaled =
      static_cast<uint64_t>(static_cast<unsigned __int128>(randomWord(seed, index)) * span >> 64);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + scaled);
}

static uint32_t languageWord(uint64_t seed, uint32_t offset) {
  uint32_t counter[4] = {offset, 0, 0, 0};
  uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t{0xD2511F53} * counter[0], b = uint64_t{0xCD9E8D57} * counter[2];
    uint32_t next[4] = {
        static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
        static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    std::copy_n(next, 4, counter);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter[0];
}

double host::languageInteger(uint64_t seed, uint32_t offset) { return languageWord(seed, offset); }

double host::languageUniform(uint64_t seed, uint32_t offset) {
  // Negative words are complemented, so that 31 bits remain.
  uint32_t word = languageWord(seed, offset);
  word = word >> 31 ? ~word : word;
  return static_cast<float>(word) * 4.6566127342e-10f;
}

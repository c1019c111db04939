// The generators behind `:randn`, `:rand` and `:randint`. They are counter based (element i of a
// seed is a pure function of both), so that contents depend neither on the order of filling nor on
// a standard library's distributions.
//
// The stream: word(seed, n) = mix(mix(seed) + (n + 1) * 0x9E3779B97F4A7C15 mod 2^64), where mix is
// the output function of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
#pragma once

#include <cstdint>

namespace tilerun::host {

uint64_t randomWord(uint64_t seed, uint64_t index);

/// In [0, 1): the upper 53 bits of word(seed, index), times 2^-53.
double randomUniform(uint64_t seed, uint64_t index);

/// Standard normal by Box and Muller from words 2*index and 2*index + 1:
/// sqrt(-2 ln(1 - u0)) * cos(2 pi u1).
double randomNormal(uint64_t seed, uint64_t index);

/// In [low, high), which must not be empty: low + the upper half of word * (high - low).
int64_t randomInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high);

/// The kernel language's `tl.randint`: Philox-4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw:
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011), first word of the counter (offset, 0,
/// 0, 0). For expectations of kernels that draw numbers.
double languageInteger(uint64_t seed, uint32_t offset);

/// `tl.rand`: the same as a float32 in [0, 1).
double languageUniform(uint64_t seed, uint32_t offset);

} // namespace tilerun::host

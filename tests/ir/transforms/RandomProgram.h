// Random kernels as text: every kind of op that the optimizer rewrites, well defined for all
// inputs.
#pragma once

#include <cstdint>
#include <string>

namespace tilerun::test {

/// A module with kernel `k(in: *i32, fin: *f32, scratch: *i32, out: *i32, fout: *f32, n: i32)`. It
/// reads 64 elements of `in` and `fin`, reads and writes 64 of `scratch`, and writes at most
/// kOutputs of `out` and `fout`. Integers wrap, so every input is fine. The same seed gives the
/// same text.
std::string makeRandomProgram(uint64_t seed);

constexpr unsigned kInputs = 64;
constexpr unsigned kOutputs = 4096;

} // namespace tilerun::test

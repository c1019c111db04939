// Maps of the elements of matrices to registers and lanes, as images of bits.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace tilerun::amdsim::tests {

// A linear map: what each bit of the register's and of the lane's number adds to (first, second)
// coordinate.
struct Bit {
  unsigned first, second;
};
struct Map {
  std::vector<Bit> registers, lanes;
  Bit at(unsigned reg, unsigned lane) const {
    Bit sum = {0, 0};
    auto add = [&](const std::vector<Bit> &bits, unsigned number) {
      for (unsigned bit = 0; bit < bits.size(); ++bit)
        if (number >> bit & 1)
          sum.first ^= bits[bit].first, sum.second ^= bits[bit].second;
    };
    add(registers, reg);
    add(lanes, lane);
    return sum;
  }
};

inline std::vector<Bit> steps(std::initializer_list<unsigned> firsts,
                              std::initializer_list<unsigned> seconds = {}) {
  std::vector<Bit> bits;
  for (unsigned first : firsts)
    bits.push_back({first, 0});
  for (unsigned second : seconds)
    bits.push_back({0, second});
  return bits;
}
inline std::vector<Bit> alongK(std::initializer_list<unsigned> ks) { return steps({}, ks); }

// D of MFMA and WMMA: rows in registers, columns in lanes.
inline Map result32() {
  return {steps({1, 2, 8, 16}), {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}}};
}
inline Map result16() { return {steps({1, 2}), {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}}}; }

enum class Format { f32, f16, bf16, i8, fp8, bf8 };

/// "v[8:9]", or "v8" of one register.
inline std::string range(unsigned first, unsigned count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

} // namespace tilerun::amdsim::tests

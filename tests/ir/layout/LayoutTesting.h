// Helpers for the layout tests: enumeration of all small maps and random larger ones. Expected
// results are always computed here or in the tests by trying positions one by one, never with the
// library's own algebra.
#ifndef TILERUN_TESTS_IR_LAYOUT_LAYOUTTESTING_H
#define TILERUN_TESTS_IR_LAYOUT_LAYOUTTESTING_H

#include "ir/layout/LinearLayout.h"
#include "gtest/gtest.h"
#include <random>
#include <set>
#include <vector>

namespace tilerun::layout {

// GoogleTest prints values through these.
inline void PrintTo(const LinearLayout &layout, std::ostream *os) { *os << layout.toString(); }

namespace testing {

/// Calls f with the columns of every rows x columns matrix.
template <typename F> void forEachMatrix(unsigned rows, unsigned columns, F f) {
  for (uint64_t code = 0; code < (uint64_t(1) << (rows * columns)); ++code) {
    BitVectors result;
    for (unsigned c = 0; c < columns; ++c)
      result.push_back((code >> (c * rows)) & lowMask(rows));
    f(result);
  }
}

/// XOR of the chosen columns, written out once more.
inline uint64_t xorOf(llvm::ArrayRef<uint64_t> columns, uint64_t choice) {
  uint64_t result = 0;
  for (size_t i = 0; i < columns.size(); ++i)
    if ((choice >> i) & 1)
      result ^= columns[i];
  return result;
}

inline std::set<uint64_t> span(llvm::ArrayRef<uint64_t> vectors) {
  std::set<uint64_t> result = {0};
  for (uint64_t v : vectors) {
    std::set<uint64_t> more;
    for (uint64_t r : result)
      more.insert(r ^ v);
    result.insert(more.begin(), more.end());
  }
  return result;
}

inline LinearLayout parse(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = LinearLayout::parse(text);
  if (layout)
    return std::move(*layout);
  ADD_FAILURE() << text.str() << ": " << llvm::toString(layout.takeError());
  return {};
}

template <typename T> std::string messageOf(llvm::Expected<T> result) {
  if (result)
    return "";
  return llvm::toString(result.takeError());
}

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  uint64_t below(uint64_t bound) { return engine() % bound; }
  uint64_t bits(unsigned count) { return engine() & lowMask(count); }

  LinearLayout layout(DimList ins, DimList outs) {
    unsigned outBits = LinearLayout::totalBits(outs);
    BitVectors bases;
    for (unsigned i = 0, n = LinearLayout::totalBits(ins); i < n; ++i)
      bases.push_back(bits(outBits));
    return LinearLayout(ins, outs, bases);
  }

  /// Columns of a random invertible matrix.
  BitVectors invertible(unsigned size) {
    for (;;) {
      BitVectors columns;
      for (unsigned i = 0; i < size; ++i)
        columns.push_back(bits(size));
      if (span(columns).size() == (uint64_t(1) << size))
        return columns;
    }
  }

  template <typename T> void shuffle(T &range) { std::shuffle(range.begin(), range.end(), engine); }

private:
  std::mt19937_64 engine;
};

} // namespace testing
} // namespace tilerun::layout

#endif // TILERUN_TESTS_IR_LAYOUT_LAYOUTTESTING_H

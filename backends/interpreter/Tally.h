// How much one launch does: the bytes that it touches, each once, and its arithmetic. Rates of any
// device (GB/s, TFLOP/s) are this over its time. For one thread.
#pragma once

#include "backends/interpreter/Heap.h"
#include "backends/interpreter/Launch.h"
#include "backends/interpreter/Program.h"

#include "llvm/ADT/DenseMap.h"

#include <chrono>

namespace tilerun::interp {

struct Frame;

class Tally {
public:
  /// Gives up after `mostSeconds`.
  explicit Tally(double mostSeconds) : mostSeconds(mostSeconds) {}
  /// An access to bytes of an allocation; an atomic one reads and writes.
  void record(const Allocation &allocation, uint64_t offset, unsigned bytes, bool reads,
              bool writes);
  /// After a step has run. Ends the launch, in good order, once counting takes too long.
  void count(Frame &frame, const Step &step);
  WorkCount get() const;

private:
  struct Touched {
    WrittenBytes read, written;
  };
  const double mostSeconds;
  llvm::DenseMap<const Allocation *, std::unique_ptr<Touched>> touched;
  const Allocation *last = nullptr; ///< That was touched, and what of it.
  Touched *lastTouched = nullptr;
  uint64_t operations = 0, productOperations = 0, steps = 0;
  bool isOver = false;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

} // namespace tilerun::interp

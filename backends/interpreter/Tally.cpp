// See Tally.h.
#include "backends/interpreter/Tally.h"

#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Steps.h"

using namespace tilerun;
using namespace tilerun::interp;

void Tally::record(const Allocation &allocation, uint64_t offset, unsigned bytes, bool reads,
                   bool writes) {
  if (&allocation != last) {
    std::unique_ptr<Touched> &entry = touched[&allocation];
    if (!entry)
      entry = std::make_unique<Touched>(
          Touched{WrittenBytes(allocation.size), WrittenBytes(allocation.size)});
    last = &allocation;
    lastTouched = entry.get();
  }
  if (reads)
    lastTouched->read.mark(offset, bytes);
  if (writes)
    lastTouched->written.mark(offset, bytes);
}

void Tally::count(Frame &frame, const Step &step) {
  const bool isProduct = step.run == runDot;
  operations += uint64_t(step.operations) * frame.count(step);
  if (isProduct) {
    // Batch, M, N and K; a multiplication and an addition each.
    const uint64_t all = 2 * uint64_t(step.numbers[0]) * uint64_t(step.numbers[1]) *
                         uint64_t(step.numbers[2]) * uint64_t(step.numbers[3]);
    operations += all;
    productOperations += all;
  }
  // The clock is not looked at for every scalar.
  if (!isProduct && ++steps % 256 != 0)
    return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (time.count() <= mostSeconds)
    return;
  isOver = frame.stopped = true;
  frame.launch.stop = true;
}

WorkCount Tally::get() const {
  WorkCount out;
  for (const auto &[allocation, bytes] : touched) {
    out.bytesRead += bytes->read.count();
    out.bytesWritten += bytes->written.count();
  }
  out.operations = operations;
  out.productOperations = productOperations;
  out.complete = !isOver;
  return out;
}

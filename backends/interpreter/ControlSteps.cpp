// Structured control flow. Values enter and leave nested lists by copies that the decoder has put
// there as steps.
#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Steps.h"

using namespace tilerun;
using namespace tilerun::interp;

void interp::runFor(Frame &frame, const Step &step) {
  const Dtype type = step.resultTypes[0];
  const bool isUnsigned = step.numbers[0];
  const int64_t lower = frame.integer(step.operands[0], type);
  const int64_t upper = frame.integer(step.operands[1], type);
  const int64_t stride = frame.integer(step.operands[2], type);
  if (isUnsigned ? uint64_t(lower) >= uint64_t(upper) : lower >= upper)
    return;
  if (stride <= 0 && !(isUnsigned && stride != 0)) {
    frame.fail(step, "the loop's step is " + llvm::Twine(stride) + "; it must be positive");
    return;
  }
  // Counting trips first keeps the induction variable from overflowing past the upper bound.
  uint64_t trips = (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(stride) + 1;
  for (int64_t value = lower; trips; --trips) {
    frame.setInteger(step.results[0], type, value);
    frame.exec(step.blocks[0]);
    if (frame.stopped)
      return;
    value = int64_t(uint64_t(value) + uint64_t(stride));
  }
}

void interp::runIf(Frame &frame, const Step &step) {
  frame.exec(step.blocks[*frame.as<uint8_t>(step.operands[0]) ? 0 : 1]);
}

void interp::runWhile(Frame &frame, const Step &step) {
  for (;;) {
    frame.exec(step.blocks[0]);
    if (frame.stopped || !*frame.as<uint8_t>(step.operands[0]))
      return;
    frame.exec(step.blocks[1]);
    if (frame.launch.stop.load(std::memory_order_relaxed))
      frame.stopped = true;
    if (frame.stopped)
      return;
  }
}

void interp::runSwitch(Frame &frame, const Step &step) {
  const int64_t selector = *frame.as<int64_t>(step.operands[0]);
  size_t chosen = 0;
  while (chosen < step.numbers.size() && step.numbers[chosen] != selector)
    ++chosen;
  frame.exec(step.blocks[chosen]);
}

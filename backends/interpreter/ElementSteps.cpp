// Steps that work element by element without touching memory.
#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Steps.h"

using namespace tilerun;
using namespace tilerun::interp;

void interp::runKernel(Frame &frame, const Step &step) {
  const char *in[kMaxElementOperands];
  char *out[kMaxElementResults];
  for (unsigned i = 0; i < step.kernel.numOperands; ++i)
    in[i] = frame.at(step.operands[i]);
  for (unsigned i = 0; i < step.kernel.numResults; ++i)
    out[i] = frame.at(step.results[i]);
  step.kernel.apply(in, out, frame.count(step));
}

void interp::runSelectScalar(Frame &frame, const Step &step) {
  const Slot chosen = step.operands[*frame.as<uint8_t>(step.operands[0]) ? 1 : 2];
  std::memcpy(frame.at(step.results[0]), frame.at(chosen), step.numbers[0]);
}

/// base + offset · 2^shift; the offset's own sign, or -1 for a true bool.
template <class T, int Sign>
static void addOffsets(const uint64_t *base, const char *offsets, uint64_t *result, size_t n,
                       unsigned shift) {
  auto *offset = reinterpret_cast<const T *>(offsets);
  TILERUN_ELEMENTWISE
  for (size_t i = 0; i < n; ++i)
    result[i] = base[i] + (uint64_t(Sign * int64_t(offset[i])) << shift);
}

void interp::runAddPtr(Frame &frame, const Step &step) {
  auto *base = frame.as<uint64_t>(step.operands[0]);
  const char *offset = frame.at(step.operands[1]);
  auto *result = frame.as<uint64_t>(step.results[0]);
  const unsigned shift = unsigned(step.numbers[0]);
  switch (step.operandTypes[1]) {
  case Dtype::I1:
    return addOffsets<uint8_t, -1>(base, offset, result, step.count, shift);
  case Dtype::I8:
    return addOffsets<int8_t, 1>(base, offset, result, step.count, shift);
  case Dtype::I16:
    return addOffsets<int16_t, 1>(base, offset, result, step.count, shift);
  case Dtype::I32:
    return addOffsets<int32_t, 1>(base, offset, result, step.count, shift);
  default:
    return addOffsets<int64_t, 1>(base, offset, result, step.count, shift);
  }
}

void interp::runCopy(Frame &frame, const Step &step) {
  std::memcpy(frame.at(step.results[0]), frame.at(step.operands[0]), step.numbers[0]);
}

/// Repeats one element; the whole interpreter's way of filling a tile.
template <class T> static void fill(char *to, const char *element, size_t n) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  std::fill_n(reinterpret_cast<T *>(to), n, value);
}
static void fill(char *to, const char *element, unsigned size, size_t n) {
  switch (size) {
  case 1:
    return fill<uint8_t>(to, element, n);
  case 2:
    return fill<uint16_t>(to, element, n);
  case 4:
    return fill<uint32_t>(to, element, n);
  default:
    return fill<uint64_t>(to, element, n);
  }
}

void interp::runConstant(Frame &frame, const Step &step) {
  const unsigned size = sizeOf(step.resultTypes[0]);
  char *to = frame.at(step.results[0]);
  if (step.text.size() == size)
    fill(to, step.text.data(), size, frame.count(step));
  else
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): elements, not a C string.
    std::memcpy(to, step.text.data(), step.text.size());
}

void interp::runSplat(Frame &frame, const Step &step) {
  fill(frame.at(step.results[0]), frame.at(step.operands[0]), sizeOf(step.resultTypes[0]),
       step.count);
}

void interp::runSplatLanes(Frame &frame, const Step &step) {
  fill(frame.at(step.results[0]), frame.at(step.operands[0]), sizeOf(step.resultTypes[0]),
       frame.lanes);
}

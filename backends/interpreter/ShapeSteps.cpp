// The program's position, and steps that make, stretch and rearrange tensors.
#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Steps.h"

#include "llvm/ADT/ArrayRef.h"

using namespace tilerun;
using namespace tilerun::interp;

void interp::runProgramId(Frame &frame, const Step &step) {
  *frame.as<uint32_t>(step.results[0]) = frame.position[step.numbers[0]];
}

void interp::runNumPrograms(Frame &frame, const Step &step) {
  *frame.as<uint32_t>(step.results[0]) = uint32_t(frame.launch.grid[step.numbers[0]]);
}

void interp::runMakeRange(Frame &frame, const Step &step) {
  auto *result = frame.as<uint32_t>(step.results[0]);
  const uint32_t start = uint32_t(step.numbers[0]);
  for (size_t i = 0; i < step.count; ++i)
    result[i] = start + uint32_t(i);
}

/// One innermost row, then the next: the odometer of outer indices is turned once a row.
template <class T>
static void gather(const T *source, T *result, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, size_t count) {
  const size_t rank = shape.size();
  const int64_t inner = shape[rank - 1], stride = strides[rank - 1];
  llvm::SmallVector<int64_t, 6> index(rank, 0);
  for (size_t done = 0; done < count; done += inner, result += inner) {
    if (stride == 0)
      std::fill_n(result, inner, *source);
    else if (stride == 1)
      std::memcpy(result, source, inner * sizeof(T));
    else
      for (int64_t i = 0; i < inner; ++i)
        result[i] = source[i * stride];
    for (size_t d = rank - 1; d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d])
        break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

void interp::runGatherStrided(Frame &frame, const Step &step) {
  const Slot from = step.operands[0], to = step.results[0];
  switch (sizeOf(step.resultTypes[0])) {
  case 1:
    return gather(frame.as<uint8_t>(from), frame.as<uint8_t>(to), step.shape, step.numbers,
                  step.count);
  case 2:
    return gather(frame.as<uint16_t>(from), frame.as<uint16_t>(to), step.shape, step.numbers,
                  step.count);
  case 4:
    return gather(frame.as<uint32_t>(from), frame.as<uint32_t>(to), step.shape, step.numbers,
                  step.count);
  default:
    return gather(frame.as<uint64_t>(from), frame.as<uint64_t>(to), step.shape, step.numbers,
                  step.count);
  }
}

/// Calls `visit` with an unsigned integer of the element's size.
template <class Visitor> static void visitSize(unsigned size, Visitor visit) {
  switch (size) {
  case 1:
    return visit(uint8_t());
  case 2:
    return visit(uint16_t());
  case 4:
    return visit(uint32_t());
  default:
    return visit(uint64_t());
  }
}

void interp::runJoin(Frame &frame, const Step &step) {
  visitSize(sizeOf(step.resultTypes[0]), [&](auto element) {
    using T = decltype(element);
    auto *a = frame.as<T>(step.operands[0]), *b = frame.as<T>(step.operands[1]);
    auto *r = frame.as<T>(step.results[0]);
    for (size_t i = 0; i < step.count / 2; ++i) {
      r[2 * i] = a[i];
      r[2 * i + 1] = b[i];
    }
  });
}

void interp::runSplit(Frame &frame, const Step &step) {
  visitSize(sizeOf(step.operandTypes[0]), [&](auto element) {
    using T = decltype(element);
    auto *a = frame.as<T>(step.results[0]), *b = frame.as<T>(step.results[1]);
    auto *source = frame.as<T>(step.operands[0]);
    for (size_t i = 0; i < step.count; ++i) {
      a[i] = source[2 * i];
      b[i] = source[2 * i + 1];
    }
  });
}

void interp::runCat(Frame &frame, const Step &step) {
  // numbers: elements of the first and of the second operand.
  const size_t size = sizeOf(step.resultTypes[0]), first = size * step.numbers[0];
  char *to = frame.at(step.results[0]);
  std::memcpy(to, frame.at(step.operands[0]), first);
  std::memcpy(to + first, frame.at(step.operands[1]), size * step.numbers[1]);
}

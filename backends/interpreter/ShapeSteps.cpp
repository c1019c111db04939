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

/// One innermost row, then the next: the odometer of outer indices advances once per row.
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

/// Element i of a buffer of integers, zero-extended.
static uint64_t integerAt(const char *data, unsigned size, size_t i) {
  uint64_t word = 0;
  visitSize(size,
            [&](auto element) { word = reinterpret_cast<const decltype(element) *>(data)[i]; });
  return word;
}

/// A signed integer of that many bytes, modulo `size`: never negative.
static size_t moduloAt(uint64_t word, unsigned bytes, size_t size) {
  const unsigned unused = 64 - 8 * bytes;
  const int64_t rest = (int64_t(word << unused) >> unused) % int64_t(size);
  return rest < 0 ? rest + size : rest;
}

void interp::runGather(Frame &frame, const Step &step) {
  const size_t outer = step.numbers[0], sourceAxis = step.numbers[1], axis = step.numbers[2],
               inner = step.numbers[3];
  const unsigned indexSize = sizeOf(step.operandTypes[1]);
  const char *indices = frame.at(step.operands[1]);
  visitSize(sizeOf(step.resultTypes[0]), [&](auto element) {
    using T = decltype(element);
    auto *source = frame.as<T>(step.operands[0]), *result = frame.as<T>(step.results[0]);
    for (size_t a = 0; a < outer; ++a)
      for (size_t i = 0; i < axis; ++i)
        for (size_t b = 0; b < inner; ++b) {
          const size_t place = (a * axis + i) * inner + b;
          const size_t position =
              moduloAt(integerAt(indices, indexSize, place), indexSize, sourceAxis);
          result[place] = source[(a * sourceAxis + position) * inner + b];
        }
  });
}

void interp::runHistogram(Frame &frame, const Step &step) {
  const size_t count = step.numbers[0];
  const uint64_t bins = step.numbers[1];
  const unsigned size = sizeOf(step.operandTypes[0]);
  const char *source = frame.at(step.operands[0]);
  const uint8_t *mask = step.operands[1] == kNoSlot ? nullptr : frame.as<uint8_t>(step.operands[1]);
  auto *result = frame.as<uint32_t>(step.results[0]);
  std::fill_n(result, bins, 0u);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bin = integerAt(source, size, i);
    if (bin < bins && (!mask || mask[i]))
      ++result[bin];
  }
}

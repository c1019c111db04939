// See MaskedValues.h.
#include "backends/interpreter/MaskedValues.h"

#include "backends/interpreter/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::interp;

MaskedValues::MaskedValues(const Program &program)
    // Zeroed pages cost nothing until they are touched.
    : marks(static_cast<Mark *>(std::calloc(program.arenaBytes + 64, sizeof(Mark)))) {}

void MaskedValues::set(Slot slot, Dtype type, size_t i, Mark mark) {
  std::memset(&marks[slot + i * sizeOf(type)], mark, sizeOf(type));
}

MaskedValues::Mark MaskedValues::getMark(uint32_t load) {
  const auto known = llvm::find(loads, load);
  const size_t index = known - loads.begin();
  if (known == loads.end() && index < UINT8_MAX)
    loads.push_back(load);
  return Mark(std::min<size_t>(index + 1, UINT8_MAX));
}

void MaskedValues::clear(const Step &step) {
  for (auto [slot, type] : llvm::zip(step.results, step.resultTypes))
    std::memset(&marks[slot], 0, step.count * sizeOf(type));
}

void MaskedValues::before(const Step &step) {
  if (!loads.empty() && step.run == runFor)
    std::memset(&marks[step.results[0]], 0, sizeof(uint64_t));
}

void MaskedValues::after(const Frame &frame, const Step &step,
                         llvm::function_ref<void(size_t, uint32_t)> stored) {
  // Steps of a region work on elements that the region's own step has marked.
  if (!marks || step.batched)
    return;
  if (step.run == runLoad)
    return afterLoad(frame, step);
  if (loads.empty())
    return;
  if (step.run == runStore)
    return afterStore(frame, step, 2, stored);
  if (step.run == runAtomicRMW || step.run == runAtomicCAS) {
    afterStore(frame, step, step.run == runAtomicRMW ? 2 : SIZE_MAX, stored);
    return clear(step);
  }
  if (step.run == runKernel)
    return afterKernel(frame, step);
  if (step.run == runSelectScalar)
    return afterSelectScalar(frame, step);
  if (step.run == runAddPtr)
    return afterElements(step, 2, step.count);
  if (step.run == runMap)
    return afterElements(step, step.numbers[0], step.numbers[1]);
  if (step.run == runGather)
    return afterGather(frame, step);
  if (step.run == runHistogram)
    return afterHistogram(frame, step);
  if (step.run == runReduce)
    return afterReduce(step);
  if (step.run == runScan)
    return afterScan(step);
  if (step.run == runDot)
    return afterDot(step);
  // Ops that only move elements move their marks.
  if (llvm::is_contained({runCopy, runSplat, runGatherStrided, runJoin, runSplit, runCat},
                         step.run)) {
    Frame shadow{frame.program, frame.launch, reinterpret_cast<char *>(marks.get()), {}};
    return step.run(shadow, step);
  }
  clear(step);
}

void MaskedValues::afterLoad(const Frame &frame, const Step &step) {
  const Slot maskSlot = step.operands[1], otherSlot = step.operands[2];
  if (loads.empty() && (maskSlot == kNoSlot || otherSlot != kNoSlot))
    return;
  auto *mask = maskSlot == kNoSlot ? nullptr : frame.as<uint8_t>(maskSlot);
  const Dtype type = step.resultTypes[0];
  for (size_t i = 0; i < step.count; ++i) {
    Mark mark = mask ? at(maskSlot, Dtype::I1, i) : 0;
    if (!mark && (!mask || mask[i]))
      mark = at(step.operands[0], Dtype::Ptr, i);
    else if (!mark)
      mark = otherSlot == kNoSlot ? getMark(step.source) : at(otherSlot, type, i);
    set(step.results[0], type, i, mark);
  }
}

void MaskedValues::afterStore(const Frame &frame, const Step &step, size_t maskOperand,
                              llvm::function_ref<void(size_t, uint32_t)> stored) const {
  const Slot maskSlot = maskOperand < step.operands.size() ? step.operands[maskOperand] : kNoSlot;
  auto *mask = maskSlot == kNoSlot ? nullptr : frame.as<uint8_t>(maskSlot);
  for (size_t i = 0; i < step.count; ++i) {
    Mark mark = mask ? at(maskSlot, Dtype::I1, i) : 0;
    if (!mark && (!mask || mask[i]))
      for (size_t k = 0; k < step.operands.size() && !mark; ++k)
        if (k != maskOperand)
          mark = at(step.operands[k], step.operandTypes[k], i);
    if (mark)
      stored(i, loads[mark - 1]);
  }
}

void MaskedValues::afterElements(const Step &step, size_t operands, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Mark mark = 0;
    for (size_t k = 0; k < operands && !mark; ++k)
      mark = at(step.operands[k], step.operandTypes[k], i);
    for (size_t k = 0; k < step.resultTypes.size(); ++k)
      set(step.results[k], step.resultTypes[k], i, mark);
  }
}

/// Whether an element has all bits of its type set, or none.
static bool hasAllBits(const Frame &frame, const Step &step, size_t operand, size_t i, bool set) {
  const Dtype type = step.operandTypes[operand];
  const unsigned size = sizeOf(type);
  const char *element = frame.at(step.operands[operand]) + i * size;
  const char wanted = set ? (type == Dtype::I1 ? 1 : -1) : 0; // A boolean is a byte.
  return std::all_of(element, element + size, [&](char byte) { return byte == wanted; });
}

void MaskedValues::afterKernel(const Frame &frame, const Step &step) {
  const bool isSelect = step.text == "arith.select";
  const bool isProduct = step.text == "arith.muli" || step.text == "arith.andi";
  const bool isUnion = step.text == "arith.ori";
  if (!isSelect && !isProduct && !isUnion)
    return afterElements(step, step.kernel.numOperands, step.count);
  for (size_t i = 0; i < step.count; ++i) {
    auto markOf = [&](size_t k) { return at(step.operands[k], step.operandTypes[k], i); };
    Mark mark = 0;
    if (isSelect) {
      mark = markOf(0);
      if (!mark)
        mark = markOf(frame.as<uint8_t>(step.operands[0])[i] ? 1 : 2);
    } else {
      for (size_t k : {0, 1})
        if (Mark own = markOf(k);
            own && (markOf(1 - k) || !hasAllBits(frame, step, 1 - k, i, isUnion)))
          mark = own;
    }
    set(step.results[0], step.resultTypes[0], i, mark);
  }
}

void MaskedValues::afterSelectScalar(const Frame &frame, const Step &step) {
  const size_t bytes = step.numbers[0];
  if (Mark mark = at(step.operands[0], Dtype::I1, 0)) {
    std::memset(&marks[step.results[0]], mark, bytes);
    return;
  }
  const Slot chosen = step.operands[*frame.as<uint8_t>(step.operands[0]) ? 1 : 2];
  std::memcpy(&marks[step.results[0]], &marks[chosen], bytes);
}

void MaskedValues::afterGather(const Frame &frame, const Step &step) {
  const size_t outer = step.numbers[0], sourceAxis = step.numbers[1], axis = step.numbers[2],
               inner = step.numbers[3];
  const Dtype type = step.resultTypes[0], indexType = step.operandTypes[1];
  for (size_t a = 0; a < outer; ++a)
    for (size_t i = 0; i < axis; ++i)
      for (size_t b = 0; b < inner; ++b) {
        const size_t place = (a * axis + i) * inner + b;
        int64_t index =
            frame.integer(step.operands[1] + Slot(place * sizeOf(indexType)), indexType) %
            int64_t(sourceAxis);
        index += index < 0 ? int64_t(sourceAxis) : 0;
        Mark mark = at(step.operands[1], indexType, place);
        if (!mark)
          mark = at(step.operands[0], type, (a * sourceAxis + size_t(index)) * inner + b);
        set(step.results[0], type, place, mark);
      }
}

/// An undefined element that is counted could be in any bin; one that is counted or not, in its
/// own.
void MaskedValues::afterHistogram(const Frame &frame, const Step &step) {
  const size_t count = step.numbers[0], bins = step.numbers[1];
  const Dtype type = step.operandTypes[0];
  const Slot maskSlot = step.operands[1];
  clear(step);
  for (size_t i = 0; i < count; ++i) {
    if (Mark mark = maskSlot == kNoSlot ? 0 : at(maskSlot, Dtype::I1, i)) {
      const uint64_t bin = frame.integer(step.operands[0] + Slot(i * sizeOf(type)), type) &
                           llvm::maskTrailingOnes<uint64_t>(8 * sizeOf(type));
      if (bin < bins)
        set(step.results[0], step.resultTypes[0], bin, mark);
    }
    if (maskSlot != kNoSlot && !frame.as<uint8_t>(maskSlot)[i])
      continue;
    if (Mark mark = at(step.operands[0], type, i))
      for (size_t bin = 0; bin < bins; ++bin)
        set(step.results[0], step.resultTypes[0], bin, mark);
  }
}

void MaskedValues::afterReduce(const Step &step) {
  const size_t outer = step.numbers[0], axis = step.numbers[1], inner = step.numbers[2];
  const size_t values = step.resultTypes.size();
  for (size_t a = 0; a < outer; ++a)
    for (size_t b = 0; b < inner; ++b) {
      Mark mark = 0;
      for (size_t k = 0; k < values && !mark; ++k)
        for (size_t i = 0; i < axis && !mark; ++i)
          mark = at(step.operands[k], step.resultTypes[k], (a * axis + i) * inner + b);
      for (size_t k = 0; k < values; ++k)
        set(step.results[k], step.resultTypes[k], a * inner + b, mark);
    }
}

void MaskedValues::afterScan(const Step &step) {
  const size_t outer = step.numbers[0], axis = step.numbers[1], inner = step.numbers[2];
  const size_t values = step.resultTypes.size();
  const bool reverse = step.numbers[4];
  for (size_t a = 0; a < outer; ++a)
    for (size_t b = 0; b < inner; ++b) {
      Mark mark = 0;
      for (size_t nth = 0; nth < axis; ++nth) {
        const size_t i = (a * axis + (reverse ? axis - 1 - nth : nth)) * inner + b;
        for (size_t k = 0; k < values && !mark; ++k)
          mark = at(step.operands[k], step.resultTypes[k], i);
        for (size_t k = 0; k < values; ++k)
          set(step.results[k], step.resultTypes[k], i, mark);
      }
    }
}

void MaskedValues::afterDot(const Step &step) {
  const size_t batch = step.numbers[0], rows = step.numbers[1], columns = step.numbers[2],
               depth = step.numbers[3];
  auto markOf = [&](size_t operand, size_t i) {
    return at(step.operands[operand], step.operandTypes[operand], i);
  };
  std::vector<Mark> ofRow(rows), ofColumn(columns);
  for (size_t b = 0; b < batch; ++b) {
    for (size_t m = 0; m < rows; ++m) {
      ofRow[m] = 0;
      for (size_t k = 0; k < depth && !ofRow[m]; ++k)
        ofRow[m] = markOf(0, (b * rows + m) * depth + k);
    }
    for (size_t n = 0; n < columns; ++n) {
      ofColumn[n] = 0;
      for (size_t k = 0; k < depth && !ofColumn[n]; ++k)
        ofColumn[n] = markOf(1, (b * depth + k) * columns + n);
    }
    for (size_t m = 0; m < rows; ++m)
      for (size_t n = 0; n < columns; ++n) {
        const size_t i = (b * rows + m) * columns + n;
        Mark mark = markOf(2, i);
        mark = mark ? mark : ofRow[m] ? ofRow[m] : ofColumn[n];
        set(step.results[0], step.resultTypes[0], i, mark);
      }
  }
}

// Runs of consecutive elements in the registers of a layout.
#include "ir/layout/Vectorization.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tilerun::layout;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

/// A layout's packed bases with `order`'s dimensions in the lowest output bits.
struct Ordered {
  BitVectors registers, others;
  unsigned orderBits = 0; // bits that count as contiguous
};

Ordered orderOutputs(const LinearLayout &layout, Names order) {
  llvm::SmallVector<StringRef, 4> names(order);
  for (const Dim &out : layout.getOuts())
    if (!llvm::is_contained(order, out.name))
      names.push_back(out.name);
  LinearLayout flat = layout.transposeOuts(names);
  Ordered result;
  for (StringRef name : order)
    result.orderBits += layout.outBits(name);
  for (const Dim &in : flat.getIns())
    llvm::append_range(in.name == kRegister ? result.registers : result.others,
                       flat.getBases(in.name));
  return result;
}

/// The number of low output bits that no basis vector of `bases` touches.
unsigned untouchedLowBits(ArrayRef<uint64_t> bases) {
  uint64_t touched = 0;
  for (uint64_t basis : bases)
    touched |= basis;
  return static_cast<unsigned>(std::countr_zero(touched));
}

} // namespace

unsigned tilerun::layout::consecutiveRegisterBits(const LinearLayout &layout, Names order) {
  Ordered o = orderOutputs(layout, order);
  // Runs must start at a multiple of their length in every thread, else the XOR would permute them.
  unsigned k = std::min<unsigned>(untouchedLowBits(o.others), o.orderBits);
  k = std::min<unsigned>(k, o.registers.size());
  for (unsigned i = 0; i < k; ++i)
    if (o.registers[i] != uint64_t(1) << i)
      k = i;
  while (k && untouchedLowBits(ArrayRef<uint64_t>(o.registers).drop_front(k)) < k)
    --k;
  return k;
}

RegisterVectors tilerun::layout::longestRuns(const LinearLayout &layout, Names order,
                                             unsigned maxBits) {
  Ordered o = orderOutputs(layout, order);
  unsigned limit = std::min({untouchedLowBits(o.others), o.orderBits, maxBits});
  BitMatrix matrix(kMaxBits, o.registers);
  RegisterVectors result;
  for (unsigned i = 0; i < limit; ++i) {
    std::optional<uint64_t> mask = matrix.solve(uint64_t(1) << i);
    if (!mask)
      break;
    result.withinRun.push_back(*mask);
  }
  // Every further register is moved to the start of the run that it is in.
  uint64_t inRun = lowMask(result.withinRun.size());
  Subspace starts;
  for (auto [bit, basis] : llvm::enumerate(o.registers)) {
    uint64_t mask = uint64_t(1) << bit;
    for (uint64_t hits = basis & inRun; hits; hits &= hits - 1)
      mask ^= result.withinRun[std::countr_zero(hits)];
    if (starts.insert(basis & ~inRun))
      result.runs.push_back(mask);
  }
  return result;
}

unsigned tilerun::layout::vectorWidth(const LinearLayout &layout, Names order,
                                      const AccessLimits &limits, bool mayChooseRegisters) {
  assert(limits.elementBytes > 0 && "elements have a size");
  auto powerOfTwoIn = [](uint64_t n) { return n & (~n + 1); };
  uint64_t elements = std::min<uint64_t>(
      {powerOfTwoIn(limits.contiguity), powerOfTwoIn(limits.maskConstancy),
       std::bit_floor(powerOfTwoIn(limits.alignmentBytes) / limits.elementBytes),
       std::bit_floor(uint64_t(limits.maxBytes / limits.elementBytes)), uint64_t(1) << 31});
  unsigned bits = elements ? static_cast<unsigned>(std::countr_zero(elements)) : 0;
  if (mayChooseRegisters)
    return 1u << longestRuns(layout, order, bits).withinRun.size();
  return 1u << std::min(bits, consecutiveRegisterBits(layout, order));
}

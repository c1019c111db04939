// See AccessGroups.h.
#include "ir/distribute/AccessGroups.h"
#include "ir/layout/BitMatrix.h"
#include "ir/layout/TensorLayout.h"
#include "ir/layout/Vectorization.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

RegisterGroups distribute::groupRegisters(const AccessPlan &plan, unsigned elementBytes,
                                          unsigned maxBytes) {
  const LinearLayout &layout = plan.layout;
  unsigned inner = plan.order.front();
  std::string name = dimName(inner);
  AccessLimits limits;
  limits.elementBytes = elementBytes;
  limits.contiguity = plan.facts.contiguity[inner];
  limits.alignmentBytes = plan.facts.alignment[inner];
  limits.maskConstancy = plan.facts.constancy[inner];
  limits.maxBytes = maxBytes;
  unsigned width = vectorWidth(layout, {StringRef(name)}, limits, /*mayChooseRegisters=*/true);
  RegisterVectors runs = longestRuns(layout, {StringRef(name)}, llvm::Log2_32(width));
  RegisterGroups groups;
  for (uint64_t run = 0; run < (uint64_t(1) << runs.runs.size()); ++run) {
    SmallVector<unsigned, 8> group;
    for (uint64_t i = 0; i < (uint64_t(1) << runs.withinRun.size()); ++i)
      group.push_back(unsigned(tilerun::layout::combine(runs.runs, run) ^
                               tilerun::layout::combine(runs.withinRun, i)));
    groups.push_back(std::move(group));
  }
  // In memory order as far as registers go.
  llvm::sort(groups, [](const auto &x, const auto &y) { return x.front() < y.front(); });
  return groups;
}

unsigned distribute::getVectorSumBytes(tile::AtomicRMWOp atomic, const target::TargetInfo &target) {
  Type element = getElementTypeOrSelf(atomic.getType());
  const bool isSum = atomic.getKind() == tile::AtomicKind::FAdd &&
                     atomic.getSem() == tile::MemSemantic::Relaxed &&
                     isa<Float32Type, Float16Type, BFloat16Type>(element);
  return isSum && isa<RankedTensorType>(atomic.getType()) && atomic.getResult().use_empty()
             ? target.vectorSumBytes
             : 0;
}

void distribute::forEachAccess(const SharedAccess &access,
                               function_ref<void(ArrayRef<unsigned>)> body) {
  uint64_t length = uint64_t(1) << access.vectors.withinRun.size();
  for (uint64_t run = 0; run < (uint64_t(1) << access.vectors.runs.size()); ++run)
    for (uint64_t start = 0; start < length; start += access.vectorElements) {
      SmallVector<unsigned, 16> registers;
      for (uint64_t i = start; i < std::min(length, start + access.vectorElements); ++i)
        registers.push_back(unsigned(layout::combine(access.vectors.runs, run) ^
                                     layout::combine(access.vectors.withinRun, i)));
      body(registers);
    }
}

SmallVector<int64_t> distribute::wordsOf(ArrayRef<unsigned> registers, unsigned perWord) {
  SmallVector<int64_t> words;
  for (size_t i = 0; i < registers.size(); i += perWord)
    words.push_back(registers[i] / perWord);
  return words;
}

bool distribute::areWords(ArrayRef<unsigned> registers, unsigned perWord) {
  for (auto [i, reg] : llvm::enumerate(registers))
    if (reg % perWord != i % perWord || reg / perWord != registers[i - i % perWord] / perWord)
      return false;
  return registers.size() % perWord == 0;
}

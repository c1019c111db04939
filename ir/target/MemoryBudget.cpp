// See MemoryBudget.h.
#include "ir/target/MemoryBudget.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilerun::target;

int64_t MemoryBudget::slotsFor(const RingNeeds &needs) const {
  int64_t wished = forRings() - needs.stored - needs.inUse;
  int64_t possible = bytes - needs.inUse - needs.others;
  return std::max<int64_t>(0, std::min(wished, possible)) / needs.slotBytes;
}

int64_t MemoryBudget::forConversions(int64_t inUse, int64_t others) const {
  return std::max(bytes - inUse - others, kLeastConversion);
}

unsigned MemoryBudget::pieceBits(uint64_t bytes, int64_t room) {
  return bytes <= uint64_t(room) ? 0 : llvm::Log2_64_Ceil(llvm::divideCeil(bytes, uint64_t(room)));
}

// Bounds, alignment, definedness, and the counters of global memory.
#include "emulators/amdgpu/Access.h"

#include <algorithm>

namespace tilerun::amdsim {

// An aligned word counts as inside where it begins: atomic operations on a part of a word load and
// swap the whole, and no allocation of hardware ends within one.
static bool isInside(const Allocation &allocation, uint64_t address, unsigned bytes) {
  return allocation.contains(address, bytes) ||
         (bytes == 4 && address % 4 == 0 && allocation.contains(address, 1));
}

bool checkAddress(Wave &w, uint64_t address, unsigned bytes, Use use, int lane) {
  if (!w.lastAllocation || !isInside(*w.lastAllocation, address, bytes)) {
    const Allocation *found = findAllocation(w.launch->allocations, address);
    if (!found || !isInside(*found, address, bytes)) {
      // The byte that is outside: the first one if nothing is there, else the first beyond the end.
      uint64_t outside = found ? found->begin + found->bytes : address;
      w.fault(FindingKind::outOfBounds, lane,
              (use == Use::load ? "a load of " : "a store of ") + std::to_string(bytes) + " bytes" +
                  (found ? " that ends past the end of " + found->name + " (of " +
                               std::to_string(found->bytes) + " bytes)"
                         : ", " + describeAddress(w.launch->allocations, outside)));
      return false;
    }
    w.lastAllocation = found;
  }
  if (use != Use::load && w.lastAllocation->isReadOnly) {
    w.fault(FindingKind::readOnly, lane,
            "a store " + describeAddress(w.launch->allocations, address) + ", which is read-only");
    return false;
  }
  return true;
}

bool checkAddresses(Wave &w, const uint64_t *addresses, uint64_t active, unsigned bytes, Use use) {
  const Allocation *last = w.lastAllocation;
  if (active == w.allLanes && last && last->bytes >= bytes &&
      (use == Use::load || !last->isReadOnly)) {
    uint64_t limit = last->bytes - bytes, begin = last->begin;
    uint64_t isOutside = 0;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      isOutside |= uint64_t(addresses[lane] - begin > limit);
    if (!isOutside) [[likely]]
      return true;
  }
  bool isGood = true;
  forLanes(active, [&](unsigned lane) {
    isGood = isGood && checkAddress(w, addresses[lane], bytes, use, int(lane));
  });
  return isGood;
}

void checkAlignment(Wave &w, const uint64_t *addresses, uint64_t active, unsigned alignment) {
  uint64_t wrong = 0;
  forLanes(active, [&](unsigned lane) {
    if (addresses[lane] & (alignment - 1))
      wrong |= uint64_t(1) << lane;
  });
  if (wrong)
    w.report(FindingKind::misaligned, std::countr_zero(wrong),
             "an address that is not a multiple of " + std::to_string(alignment));
}

void countGlobal(Wave &w, const uint64_t *addresses, uint64_t active, unsigned bytes, Use use) {
  if (!w.counters->countsMemory || !active) [[likely]]
    return;
  uint64_t sorted[mostLanes], line = w.target->transactionBytes;
  unsigned count = 0;
  forLanes(active, [&](unsigned lane) { sorted[count++] = addresses[lane]; });
  std::sort(sorted, sorted + count);
  // In ascending order, each access adds the bytes and lines beyond those of its predecessors.
  uint64_t distinct = 0, lines = 0, end = 0, nextLine = 0;
  for (unsigned n = 0; n < count; ++n) {
    uint64_t last = sorted[n] + bytes - 1;
    if (last >= end)
      distinct += last + 1 - std::max(sorted[n], end);
    if (last / line >= nextLine)
      lines += last / line + 1 - std::max(sorted[n] / line, nextLine);
    end = std::max(end, last + 1), nextLine = std::max(nextLine, last / line + 1);
  }
  w.counters->global[unsigned(use)].add(
      {1, uint64_t(count) * bytes, lines, (distinct + line - 1) / line});
}

const uint32_t *addressRow(Wave &w, const Operand &o, unsigned word, uint64_t active,
                           uint32_t *scratch) {
  if (o.place != Operand::vgpr) {
    uint32_t value = o.place == Operand::off ? 0 : scalarOf(w, o, word, "an address");
    std::fill_n(scratch, w.lanes, value);
    return scratch;
  }
  unsigned reg = o.reg + word;
  w.checkVector(reg);
  if (uint64_t undefined = (w.shadowLow[reg] | w.shadowHigh[reg]) & active) [[unlikely]]
    w.reportUndefined(undefined, "an address");
  return w.row(reg);
}

uint32_t scalarOf(Wave &w, const Operand &o, unsigned word, const char *use) {
  if (o.place == Operand::constant)
    return uint32_t(word ? o.value >> 32 : o.value);
  if (o.place != Operand::sgpr)
    return 0;
  w.checkScalar(o.reg + word);
  if (w.sgprShadow[o.reg + word]) [[unlikely]]
    w.reportUndefined(0, use);
  return o.reg == sgprNull ? 0 : w.sgprs[o.reg + word];
}

void checkData(Wave &w, const Operand &data, unsigned words, uint64_t active, unsigned halves,
               const char *use) {
  uint64_t undefined = 0;
  for (unsigned word = 0; word < words; ++word) {
    unsigned reg = data.reg + word;
    w.checkVector(reg);
    undefined |= (halves & 1 ? w.shadowLow[reg] : 0) | (halves & 2 ? w.shadowHigh[reg] : 0);
  }
  if (undefined & active) [[unlikely]]
    w.reportUndefined(undefined & active, use);
}

} // namespace tilerun::amdsim

// Checks and counters of LDS.
#include "emulators/amdgpu/Lds.h"

namespace tilerun::amdsim {

namespace {

// Instead of a wave's number: several waves; atomic operations of several, or of one wave.
constexpr uint8_t several = severalReaders, atomics = 254, atomicOf = 64;

[[gnu::cold, gnu::noinline]] void reportRace(Wave &w, unsigned lane, uint64_t at, LdsUse use,
                                             uint8_t other, bool otherWrote) {
  const char *what = use == LdsUse::read ? "reads" : use == LdsUse::write ? "writes" : "updates";
  std::string who = other == several   ? "other waves"
                    : other > atomicOf ? "atomic operations of other waves"
                                       : "wave " + std::to_string(other - 1);
  w.report(FindingKind::ldsRace, int(lane),
           std::string(what) + " byte " + std::to_string(at) + " of LDS that " + who +
               (otherWrote ? " wrote" : " read") + " without a barrier between");
}

void touch(Wave &w, uint64_t at, LdsUse use, unsigned lane, bool records) {
  LdsCell &cell = w.group->cells[at / 4];
  uint8_t self = uint8_t(w.index + 1);
  if (cell.epoch != w.epoch) {
    if (cell.epoch > w.epoch || !records)
      return;
    cell = {w.epoch, 0, 0};
  }
  bool isAtomic = use == LdsUse::atomic, onlyAtomics = cell.writer > atomicOf;
  bool isOwn = cell.writer == self || cell.writer == atomicOf + self;
  if (cell.writer && !isOwn && !(isAtomic && onlyAtomics))
    reportRace(w, lane, at, use, cell.writer, true);
  else if (use != LdsUse::read && cell.reader && cell.reader != self)
    reportRace(w, lane, at, use, cell.reader, false);
  if (!records)
    return;
  if (use == LdsUse::read)
    cell.reader = cell.reader == 0 || cell.reader == self ? self : several;
  else if (!isAtomic)
    cell.writer = self;
  else if (!cell.writer)
    cell.writer = uint8_t(atomicOf + self);
  else if (!isOwn)
    cell.writer = atomics;
}

// How the hardware serves an access: lanes of one phase at once, if no two of them need different
// words of one bank. Measured by others on gfx950 and assumed for its kin; elsewhere phases are
// consecutive lanes, as many as the banks have words for.
struct LdsPhases {
  unsigned banks, lanesAtOnce; // 0: by the bits below
  bool isWide = false;         // 16 lanes of 64 banks instead of 8 lanes of 32
  unsigned of(unsigned lane) const {
    auto bit = [lane](unsigned n) { return lane >> n & 1; };
    if (lanesAtOnce)
      return lane / lanesAtOnce;
    return isWide ? (bit(2) ^ bit(3) ^ bit(4)) | bit(5) << 1
                  : bit(3) | (bit(2) ^ bit(4)) << 1 | bit(5) << 2;
  }
};
LdsPhases phasesOf(const Target &target, unsigned bytes, LdsUse use) {
  bool isGfx9Read = use == LdsUse::read && target.generation == Generation::gfx9;
  if (isGfx9Read && bytes == 12)
    return {32, 0};
  if (isGfx9Read && bytes == 16)
    return {target.ldsBanks, 0, target.ldsBanks == 64};
  unsigned banks = use == LdsUse::read ? target.ldsBanks : 32;
  return {banks, banks * 4 / (bytes < 4 ? 4 : bytes == 12 ? 16 : bytes)};
}

} // namespace

bool checkLdsUse(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane) {
  uint64_t size = w.group->lds.size();
  if (at > size || bytes > size - at) [[unlikely]] {
    w.fault(FindingKind::ldsBounds, int(lane),
            "an access of " + std::to_string(bytes) + " bytes at byte " + std::to_string(at) +
                " of LDS; the workgroup has " + std::to_string(size) + " bytes");
    return false;
  }
  if (w.group->waves.size() > 1)
    for (uint64_t word = at & ~uint64_t(3); word < at + bytes; word += 4)
      touch(w, word, use, lane, bytes >= 4);
  return true;
}

void checkCopies(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane) {
  const Workgroup &group = *w.group;
  for (uint64_t cell = at / 4; cell <= (at + bytes - 1) / 4 && cell < group.copiers.size();
       ++cell) {
    unsigned copier = group.copiers[cell];
    if (!copier)
      continue;
    bool isOwn = copier == w.index + 1u;
    return w.report(FindingKind::missingWait, int(lane),
                    std::string(use == LdsUse::read ? "reads" : "writes") + " byte " +
                        std::to_string(std::max(at, 4 * cell)) + " of LDS before " +
                        (isOwn ? "a wait" : "wave " + std::to_string(copier - 1) + " waits") +
                        " for the copy that fills it");
  }
}

namespace {
// Calls `function` with the first byte of each cell that the copy writes, and the lane.
template <class F> void forCells(const LdsCopy &copy, F function) {
  forLanes(copy.lanes, [&](unsigned lane) {
    uint32_t begin = copy.at + lane * copy.step, end = begin + copy.bytes;
    for (uint32_t at = begin & ~3u; at < end; at += 4)
      function(at, lane);
  });
}
void setCopier(Workgroup &group, uint32_t at, unsigned copier) {
  uint16_t &cell = group.copiers[at / 4];
  group.copiedCells += (copier != 0) - (cell != 0);
  cell = uint16_t(copier);
}
} // namespace

void beginCopy(Wave &w, const LdsCopy &copy) {
  Workgroup &group = *w.group;
  group.copiers.resize(group.cells.size());
  unsigned self = w.index + 1u;
  forCells(copy, [&](uint32_t at, unsigned lane) {
    // Copies of one wave arrive in order.
    if (group.copiers[at / 4] != self)
      checkCopies(w, at, 4, LdsUse::write, lane);
    setCopier(group, at, self);
    // Others may still use what the copy replaces.
    if (group.waves.size() > 1)
      touch(w, at, LdsUse::write, lane, true);
  });
  w.copies.push_back(copy);
}

void Wave::finishCopies() {
  uint32_t arrived = done[unsigned(Pending::vectorMemory)] & 0xfffffff;
  auto end = std::partition(copies.begin(), copies.end(),
                            [&](const LdsCopy &copy) { return copy.number > arrived; });
  if (end == copies.end())
    return;
  for (auto copy = end; copy != copies.end(); ++copy)
    forCells(*copy, [&](uint32_t at, unsigned lane) {
      setCopier(*group, at, 0);
      if (group->waves.size() > 1)
        touch(*this, at, LdsUse::write, lane, true);
    });
  copies.erase(end, copies.end());
  for (const LdsCopy &copy : copies) // some may write the same cells again
    forCells(copy, [&](uint32_t at, unsigned) { setCopier(*group, at, index + 1u); });
}

void countLds(Wave &w, const uint32_t *addresses, uint64_t active, unsigned bytes, LdsUse use) {
  if (!w.counters->countsMemory || !active) [[likely]]
    return;
  constexpr unsigned mostPhases = 8, mostBanks = 64, mostWords = mostLanes * 4;
  const LdsPhases phases = phasesOf(*w.target, bytes, use);
  uint32_t words[mostPhases][mostWords];
  unsigned counts[mostPhases] = {};
  forLanes(active, [&](unsigned lane) {
    unsigned phase = phases.of(lane) % mostPhases;
    for (uint32_t at = addresses[lane] / 4; at <= (addresses[lane] + bytes - 1) / 4; ++at) {
      bool isNew = true; // the same word is served to several lanes at once
      for (unsigned k = 0; k < counts[phase]; ++k)
        isNew = isNew && words[phase][k] != at;
      if (isNew && counts[phase] < mostWords)
        words[phase][counts[phase]++] = at;
    }
  });
  LdsCounts counted = {1, uint64_t(std::popcount(active)) * bytes, 0, 0};
  for (unsigned phase = 0; phase < mostPhases; ++phase) {
    if (!counts[phase])
      continue;
    unsigned load[mostBanks] = {}, most = 0;
    for (unsigned k = 0; k < counts[phase]; ++k)
      most = std::max(most, ++load[words[phase][k] % phases.banks]);
    counted.phases += most, counted.conflicts += most - 1;
  }
  w.counters->lds[unsigned(use)].add(counted);
}

} // namespace tilerun::amdsim

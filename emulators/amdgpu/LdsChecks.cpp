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

// Lanes with the same number are served at once, if no two of them need different words of one
// bank.
unsigned phaseOf(const Target &target, unsigned bytes, LdsUse use, unsigned lane) {
  auto bit = [lane](unsigned n) { return lane >> n & 1; };
  if (use == LdsUse::read && bytes == 16 && target.generation == Generation::gfx9) {
    if (target.ldsBanks == 64)
      return (bit(2) ^ bit(3) ^ bit(4)) | bit(5) << 1;
    return bit(3) | (bit(2) ^ bit(4)) << 1 | bit(5) << 2;
  }
  if (use == LdsUse::read && bytes == 12 && target.generation == Generation::gfx9)
    return bit(3) | (bit(2) ^ bit(4)) << 1 | bit(5) << 2;
  unsigned banks = use == LdsUse::read ? target.ldsBanks : 32;
  unsigned lanesAtOnce = banks * 4 / (bytes < 4 ? 4 : bytes == 12 ? 16 : bytes);
  return lane / lanesAtOnce;
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

void countLds(Wave &w, const uint32_t *addresses, uint64_t active, unsigned bytes, LdsUse use) {
  if (!w.counters->countsMemory) [[likely]]
    return;
  constexpr unsigned mostPhases = 8, mostBanks = 64, mostWords = mostLanes * 4;
  unsigned banks = w.target->ldsBanks;
  uint32_t words[mostPhases][mostWords];
  unsigned counts[mostPhases] = {};
  forLanes(active, [&](unsigned lane) {
    unsigned phase = phaseOf(*w.target, bytes, use, lane) % mostPhases;
    for (uint32_t at = addresses[lane] / 4; at <= (addresses[lane] + bytes - 1) / 4; ++at) {
      bool isNew = true; // the same word is served to several lanes at once
      for (unsigned k = 0; k < counts[phase]; ++k)
        isNew = isNew && words[phase][k] != at;
      if (isNew && counts[phase] < mostWords)
        words[phase][counts[phase]++] = at;
    }
  });
  ++w.counters->ldsAccesses;
  for (unsigned phase = 0; phase < mostPhases; ++phase) {
    if (!counts[phase])
      continue;
    unsigned load[mostBanks] = {}, most = 0;
    for (unsigned k = 0; k < counts[phase]; ++k)
      most = std::max(most, ++load[words[phase][k] % banks]);
    w.counters->ldsPhases += most;
    w.counters->ldsConflicts += most - 1;
  }
}

} // namespace tilerun::amdsim

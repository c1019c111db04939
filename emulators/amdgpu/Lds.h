// Accesses to the local data share: bounds, undefined bytes, races between waves, bank conflicts.
#ifndef TILERUN_EMULATORS_AMDGPU_LDS_H
#define TILERUN_EMULATORS_AMDGPU_LDS_H

#include "emulators/amdgpu/Access.h"

#include <algorithm>

namespace tilerun::amdsim {

enum class LdsUse : uint8_t { read, write, atomic };

// Whether [at, at + bytes) is in the workgroup's LDS; a fault if not. Records the access and
// reports a race with another wave since the last barrier. Accesses of less than four bytes are
// compared with wider ones only.
inline bool useLds(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane);
// Counts the phases of an access at these addresses, if the launch wants it. Conflicts are phases
// beyond one for each group of lanes that the hardware serves at once.
void countLds(Wave &w, const uint32_t *addresses, uint64_t active, unsigned bytes, LdsUse use);

// A copy from global memory to LDS was issued: until a wait its bytes must not be used.
void beginCopy(Wave &w, const LdsCopy &copy);
// Reports a use of bytes that a copy may not have filled yet.
void checkCopies(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane);

// In LdsCell: who read, if several waves did.
constexpr uint8_t severalReaders = 255;
// useLds for atomic operations, unaligned accesses, and where something is wrong.
bool checkLdsUse(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane);

// Records an access of one word; false if it may be a race, with the record as it was.
inline bool recordWord(const Wave &w, LdsCell &cell, LdsUse use, bool records) {
  uint8_t self = uint8_t(w.index + 1);
  bool isRead = use == LdsUse::read, isCurrent = cell.epoch == w.epoch;
  bool noOtherWrote = cell.writer == self || cell.writer == 0;
  bool noOtherRead = cell.reader == self || cell.reader == 0;
  bool isApart = noOtherWrote && (isRead || noOtherRead);
  if (!records)
    return !isCurrent || isApart;
  if (cell.epoch < w.epoch)
    cell = {w.epoch, 0, 0}; // nobody yet since the barrier
  else if (!isCurrent || !isApart)
    return false;
  if (isRead)
    cell.reader = cell.reader == 0 || cell.reader == self ? self : severalReaders;
  else
    cell.writer = self;
  return true;
}

inline bool useLds(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane) {
  Workgroup &group = *w.group;
  uint64_t size = group.lds.size();
  if (group.copiedCells) [[unlikely]]
    checkCopies(w, at, bytes, use, lane);
  bool isRoutine = at <= size && bytes <= size - at && use != LdsUse::atomic &&
                   at % 4 + std::min(bytes, 4u) <= 4;
  if (isRoutine && group.waves.size() > 1) {
    LdsCell *cell = group.cells.data() + at / 4;
    for (unsigned byte = 0; byte < bytes; byte += 4)
      isRoutine = isRoutine && recordWord(w, cell[byte / 4], use, bytes >= 4);
  }
  return isRoutine || checkLdsUse(w, at, bytes, use, lane);
}

// What the accesses of one instruction need, out of the way of the compiler's aliasing: stores of
// bytes might change everything that is not a local variable.
class LdsView {
public:
  explicit LdsView(Wave &w)
      : data(w.group->lds.data()), undefined(w.group->ldsUndefined.data()),
        cells(w.group->waves.size() > 1 ? w.group->cells.data() : nullptr),
        size(w.group->copiedCells ? 0 : w.group->lds.size()), epoch(w.epoch),
        self(uint8_t(w.index + 1)) {}

  // Whether the access is in bounds, of whole words or within one, and no race: recorded then. If
  // not, useLds has the last word.
  template <unsigned bytes, bool isRead> bool use(uint32_t at) const {
    bool isRegular = uint64_t(at) + bytes <= size && at % 4 + (bytes < 4 ? bytes : 4) <= 4;
    if (!isRegular || !cells)
      return isRegular;
    for (unsigned word = 0; word < (bytes + 3) / 4; ++word) {
      LdsCell &entry = cells[at / 4 + word], cell = entry;
      if (bytes >= 4 && cell.epoch < epoch)
        cell = {epoch, 0, 0};
      bool isApart = (cell.writer == self || cell.writer == 0) &&
                     (isRead || cell.reader == self || cell.reader == 0);
      if (bytes < 4 ? cell.epoch == epoch && !isApart : cell.epoch != epoch || !isApart)
        return false;
      if (isRead)
        cell.reader = cell.reader == 0 || cell.reader == self ? self : severalReaders;
      else
        cell.writer = self;
      if (bytes >= 4)
        entry = cell;
    }
    return true;
  }

  uint8_t *const data, *const undefined;

private:
  LdsCell *const cells; // null where there is one wave
  const uint64_t size;  // 0 while copies are under way
  const uint32_t epoch;
  const uint8_t self;
};

} // namespace tilerun::amdsim

#endif

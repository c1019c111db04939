// Accesses to the local data share: bounds, undefined bytes, races between waves, bank conflicts.
#ifndef TILERUN_EMULATORS_AMDGPU_LDS_H
#define TILERUN_EMULATORS_AMDGPU_LDS_H

#include "emulators/amdgpu/Access.h"

namespace tilerun::amdsim {

enum class LdsUse : uint8_t { read, write, atomic };

// Whether [at, at + bytes) is in the workgroup's LDS; a fault if not. Records the access and
// reports a race with another wave since the last barrier. Accesses of less than four bytes are
// compared with wider ones only.
bool useLds(Wave &w, uint64_t at, unsigned bytes, LdsUse use, unsigned lane);
// Counts the phases of an access at these addresses, if the launch wants it. Conflicts are phases
// beyond one for each group of lanes that the hardware serves at once.
void countLds(Wave &w, const uint32_t *addresses, uint64_t active, unsigned bytes, LdsUse use);

} // namespace tilerun::amdsim

#endif

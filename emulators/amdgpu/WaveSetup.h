// The state in which waves begin: registers by the kernel's descriptor, empty LDS and scratch.
#ifndef TILERUN_EMULATORS_AMDGPU_WAVESETUP_H
#define TILERUN_EMULATORS_AMDGPU_WAVESETUP_H

#include "emulators/amdgpu/Wave.h"

namespace tilerun::amdsim {

// Makes `group` the workgroup at `id`, reusing its storage.
void setUpGroup(Workgroup &group, LaunchState &launch, const uint32_t id[3], Counters &counters);

} // namespace tilerun::amdsim

#endif

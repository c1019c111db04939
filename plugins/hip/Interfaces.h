// Whether code for several architectures can be one artifact: its parameters, and what its kernel
// may say, are written once. Separate from compiling, so that tests can ask without a kernel that
// differs.
#pragma once

#include "backends/amdgpu/Compile.h"
#include "backends/amdgpu/Target.h"

namespace hip {

/// What a launch would do for one of two artifacts and not for the other; "" if nothing.
std::string findDifference(const tilerun::amdgpu::AmdgpuArtifact &a,
                           const tilerun::amdgpu::AmdgpuArtifact &b);

/// Why code for both cannot be in one bundle: a device would take either. "" if it can.
std::string findAmbiguity(const tilerun::amdgpu::Architecture &a,
                          const tilerun::amdgpu::Architecture &b);

} // namespace hip

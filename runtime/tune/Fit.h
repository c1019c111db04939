// What a device certainly refuses, by arithmetic on a configuration alone.
#pragma once

#include "runtime/tune/Tuner.h"

namespace tilerun::tune {

/// Why a configuration cannot be launched on a device, whatever its code is: its arguments, a grid
/// or a number of threads beyond the device's. OK does not mean that it works: what depends on the
/// code (shared memory, registers, what the target lacks) is the compiler's to say, which also
/// lowers the depths of pipelines until they fit.
core::Status checkFit(const core::Device &device, const Config &config);

} // namespace tilerun::tune

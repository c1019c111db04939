// Makes random kernels.
#pragma once

#include "tests/property/Kernel.h"

namespace tilerun::property {

/// The kernel of a seed: always the same one.
Kernel generate(uint64_t seed);

/// The seed of the kernel with a number in a run with a seed.
uint64_t getKernelSeed(uint64_t seed, uint64_t index);

} // namespace tilerun::property

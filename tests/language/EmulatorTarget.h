// The emulator of threads as a target: kernels as devices get them, without any device.
#pragma once

#include "tests/matrix/Target.h"

namespace tilerun::test {

/// With the matrix instructions of an NVIDIA GPU, or (`lanes` > 0) with warps of a size and
/// without such instructions. Runs grids of one axis.
std::unique_ptr<matrix::Target> makeEmulator(unsigned lanes);

} // namespace tilerun::test

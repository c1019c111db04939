// Failing kernels as files.
#pragma once

#include "tests/matrix/Runner.h"
#include "tests/property/Kernel.h"

namespace tilerun::property {

/// Writes the kernel as FOLDER/kernel-SEED.py, and the contents of its arguments as `.npy` files
/// beside it; the file's first lines are the failure and the `tilerun run` commands that show it.
/// Gives the path; empty with a reason if it cannot be written.
std::string writeReproducer(const Kernel &kernel, const matrix::Result &result,
                            const std::string &folder, uint64_t dataSeed, std::string &reason);

} // namespace tilerun::property

// The lowering to threads as a device, without any GPU: a kernel is lowered for one of several
// kinds of GPUs and run by the emulator of tests/kernels, which also reports accesses that no
// barrier separates, reads of shared memory that was never written, and exchange where control flow
// differs.
#pragma once

#include "tests/matrix/Target.h"

namespace tilerun::property {

/// Which kind of GPU follows from the kernel.
std::unique_ptr<matrix::Target> makeThreads();

} // namespace tilerun::property

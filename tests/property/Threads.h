// The lowering to threads as a device, without any GPU: a kernel is lowered for one of several
// kinds of GPUs and run by the emulator of tests/kernels, which also reports accesses that no
// barrier separates, reads of shared memory that was never written, and exchange where control flow
// differs.
#pragma once

#include "tests/matrix/Target.h"

namespace tilerun::property {

/// What has been run, so that a test can tell that nothing of it is idle.
struct ThreadCounts {
  unsigned kernels = 0;
  unsigned rings = 0; ///< Kernels with loads that run ahead of a loop.
  unsigned roles = 0; ///< Kernels with warps of their own for these loads.
};

/// Which kind of GPU follows from the kernel, among those whose description has `kinds` in it.
/// Kernels are counted in `counts`, which may be null and outlives the target.
std::unique_ptr<matrix::Target> makeThreads(llvm::StringRef kinds = "",
                                            ThreadCounts *counts = nullptr);

} // namespace tilerun::property

// Assertions and printing through a buffer in global memory (DebugBuffer.h), written with the simt
// dialect's own stores and atomics before anything else is lowered. A program in which an assertion
// fails ends there, with all its threads.
#pragma once

#include "backends/common/DebugBuffer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tilerun::backend {

/// Replaces the prints and assertions of `kernel`, which is per-thread IR, and appends them to
/// `sites`. The backend still lowers simt.debug_buffer and simt.exit_if. `sharedBytes` is
/// the limit of a program: with an assertion, the kernel uses 4 more if they fit; where they do
/// not, its threads go on.
void prepareDebug(mlir::func::FuncOp kernel, uint64_t sharedBytes, std::vector<DebugSite> &sites);

} // namespace tilerun::backend

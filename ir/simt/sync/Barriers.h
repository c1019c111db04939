// The barriers that a kernel's accesses to shared memory need. It works on finished code, so that
// the code that builds accesses can ignore barriers.
#pragma once

#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

/// Inserts a barrier before each access that could meet another thread's earlier access to the same
/// bytes, at least one of the two a write: along straight code, branches and loops' back edges.
/// Accesses through one buffer are taken not to overwrite each other's writes. `scope`: of all
/// barriers. Buffers must have their places. Fails with a diagnostic if an op does not say how it
/// touches shared memory.
mlir::LogicalResult insertBarriers(mlir::func::FuncOp kernel, BarrierScope scope);

} // namespace tilerun::simt

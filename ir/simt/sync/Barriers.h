// The barriers that a kernel's accesses to shared memory need. It works on finished code, so that
// the code that builds accesses can ignore barriers.
#pragma once

#include "ir/simt/SimtOps.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::simt {

/// The scope of a barrier of all threads of a program that has `threads` of them.
BarrierScope scopeOf(int64_t threads, const target::TargetInfo &target);

/// Inserts a barrier before each access that could meet another thread's earlier access to the same
/// bytes, at least one of the two a write: along straight code, branches and loops' back edges.
/// Accesses through one buffer are taken not to overwrite each other's writes. `scope`: of all
/// barriers. Buffers must have their places. Fails with a diagnostic if an op does not say how it
/// touches shared memory.
mlir::LogicalResult insertBarriers(mlir::func::FuncOp kernel, BarrierScope scope);

} // namespace tilerun::simt

// Shared memory of a kernel in per-thread IR: where each buffer lies, and which barriers its
// accesses need. Both work on finished code, so that whatever builds accesses need not think of
// either.
#pragma once

#include "ir/simt/SimtOps.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::simt {

using target::TargetInfo;

/// Gives every buffer an offset in one arena: buffers whose live ranges meet do not overlap. Sets
/// `simt.shared_bytes` on the kernel. Fails with a diagnostic that ends with `advice` if the target
/// has too little.
mlir::LogicalResult placeShared(mlir::func::FuncOp kernel, const TargetInfo &target,
                                llvm::StringRef advice = "use smaller blocks or fewer stages");

/// Inserts a barrier before each access that could meet another thread's earlier access to the same
/// bytes, at least one of the two a write: along straight code, branches and loops' back edges.
/// Accesses through one buffer are taken not to overwrite each other's writes. `scope`: of all
/// barriers.
mlir::LogicalResult insertBarriers(mlir::func::FuncOp kernel, BarrierScope scope);

} // namespace tilerun::simt

// Where each buffer of shared memory lies in a kernel's arena.
#pragma once

#include "ir/simt/SimtOps.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::simt {

using target::TargetInfo;

/// Gives every buffer an offset in one arena: buffers whose live ranges meet do not overlap. An
/// access in flight keeps its buffer alive until it has been waited for. Sets `simt.shared_bytes`
/// on the kernel. Fails with a diagnostic that ends with `advice` if the target has too little.
mlir::LogicalResult placeShared(mlir::func::FuncOp kernel, const TargetInfo &target,
                                llvm::StringRef advice = "use smaller blocks or fewer stages");

} // namespace tilerun::simt

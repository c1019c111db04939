// Where each buffer of shared memory lies in a kernel's arena.
#pragma once

#include "ir/simt/SimtOps.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::simt {

using target::TargetInfo;

/// Gives every buffer an offset in one arena: buffers whose live ranges meet do not overlap. An
/// access in flight keeps its buffer alive until it has been waited for. Sets `simt.shared_bytes`
/// on the kernel. Fails with a diagnostic at the largest buffer, which ends with `advise()`, if the
/// target has too little.
///
/// Where live ranges are nested in each other or apart, as those of rings, of operands and of the
/// buffers of single ops are, no byte is lost: a kernel takes as much as is alive at one time. If
/// they overlap otherwise, a range may count as long as the one that it overlaps
/// (schedule::SharedDemand counts the same way).
mlir::LogicalResult placeShared(
    mlir::func::FuncOp kernel, const TargetInfo &target,
    llvm::function_ref<std::string()> advise = [] {
      return std::string("use smaller blocks or fewer stages");
    });

/// A buffer and when it is alive, in the order of the program: numbers of the first op that uses it
/// and of the last one, which grow through the program.
struct LiveBuffer {
  SharedAllocOp op;
  uint64_t first, last;
};
/// Of the buffers that are used, as `placeShared` counts them.
llvm::SmallVector<LiveBuffer> getLiveBuffers(mlir::func::FuncOp kernel);

} // namespace tilerun::simt

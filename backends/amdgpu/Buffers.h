// Masked accesses of global memory as buffer instructions.
#pragma once

#include "backends/amdgpu/Target.h"
#include "ir/schedule/Stages.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::amdgpu {

/// Whether a line need not stay in caches, for lack of other uses.
bool isStreaming(tile::CacheModifier cache, tile::EvictionPolicy evict);

/// Masked loads and stores of a kernel in per-thread form, before it is scalarized, become buffer
/// instructions where that is provably the same. The others keep their masks. With Choice::On they
/// become such also where all that is known of an address is the argument that it counts from: what
/// is accessed through a pointer then lies in less than 2 GiB behind it. Remarks say which masks
/// are a buffer's size, and which are left.
void useBuffers(mlir::func::FuncOp kernel, const Architecture &arch, schedule::Choice choice);

} // namespace tilerun::amdgpu

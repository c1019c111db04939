// Masked accesses of global memory as buffer instructions.
#pragma once

#include "backends/amdgpu/Target.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::amdgpu {

/// Whether a line need not stay in caches, for lack of other uses.
bool isStreaming(tile::CacheModifier cache, tile::EvictionPolicy evict);

/// Masked loads and stores of a kernel in per-thread form, before it is scalarized, become buffer
/// instructions where that is provably the same. The others keep their masks.
void useBuffers(mlir::func::FuncOp kernel, const Architecture &arch);

} // namespace tilerun::amdgpu

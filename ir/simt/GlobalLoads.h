// Loads of a thread's registers from global memory.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// The result of a tensor's load: registers in the access's own layout; with `perWord` above 1,
/// 32-bit words of so many registers each.
mlir::FailureOr<mlir::Value> loadRegisters(LowerContext &c, tile::LoadOp load, unsigned perWord);

} // namespace tilerun::simt

// Loops whose loads run some iterations ahead of the products that they feed.
#pragma once

#include "ir/simt/LowerContext.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::simt {

/// The most tiles in a ring of buffers, and how many a loop asks for: itself, or by the options.
inline constexpr int64_t kMaxStages = 64;
/// The most of them that are filled from registers.
inline constexpr int64_t kMaxRegisterStages = 2;
int64_t stagesOf(mlir::scf::ForOp loop, const LowerOptions &options);

/// Lowers `loop` with loads that run ahead, if it has some for which that pays; else false.
mlir::FailureOr<bool> lowerPipelined(LowerContext &c, mlir::scf::ForOp loop);

} // namespace tilerun::simt

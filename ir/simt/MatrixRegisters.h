// Where opaque matrices meet registers. The lowering builds matrix_from_registers and
// matrix_to_registers around every product; values that go from one product to the next, around a
// loop too, stay in matrices here, and only the rest goes through shared memory.
#pragma once

#include "ir/simt/SimtOps.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::simt {

using target::TargetInfo;

/// Loops carry accumulators as matrices where one iteration's product hands them to the next one's;
/// conversions that cancel, or whose results are unused, are removed. Does nothing without such ops
/// in `kernel`.
void carryMatrices(mlir::func::FuncOp kernel);

/// Replaces the conversions that are left: each warp stores to a slot of its own in shared memory
/// and loads from there. Barriers are not inserted here.
void moveMatricesThroughShared(mlir::func::FuncOp kernel, unsigned numWarps,
                               const TargetInfo &target);

} // namespace tilerun::simt

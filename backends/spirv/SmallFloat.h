// Conversions between float16, bfloat16, float32 and float64 by integer arithmetic on registers
// (scalars or vectors), each rounded once. 16-bit floats that the target does not compute in are
// their bits here and in legalizeTypes, by arith.bitcast.
#pragma once

#include "backends/spirv/Target.h"
#include "ir/tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilerun::spirvbackend {

/// `source`, a float or a vector of them, in the element type `to`. What it creates beyond integer
/// arithmetic: arith.extf and arith.truncf that the target has as instructions (float32 and
/// float64, and float32 with float16 where that is a type of the target).
mlir::Value castFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source, mlir::Type to,
                      tile::RoundingMode rounding, const Target &target);

/// Whether arith.extf or arith.truncf of these element types is one instruction.
bool isNativeFloatCast(mlir::Type from, mlir::Type to, const Target &target);

/// A float32 as a float16 by integer arithmetic, whatever the target has.
mlir::Value roundToHalf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value single, mlir::Type to);

/// An integer, signed or not, in the element type `to`, rounded once.
mlir::Value castInteger(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source, bool isSigned,
                        mlir::Type to, const Target &target);

/// Reports the first op that needs 64-bit floats where the target has none.
mlir::LogicalResult checkFloat64(mlir::ModuleOp module, const Target &target);

} // namespace tilerun::spirvbackend

// Conversions between floats that no target has as one instruction, or that LLVM lowers everywhere.
// Scalars.
#pragma once

#include "mlir/IR/Builders.h"

namespace tilerun::llvmbackend {

/// To nearest, for any two of f16, bf16, f32, f64; f16 and bf16 go through f32.
mlir::Value castFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type to);

/// f32 to bf16, rounded toward zero; a NaN stays one.
mlir::Value truncateToBF16(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

/// f64 to f32, rounded toward zero, from the nearest one and a comparison.
mlir::Value truncateToF32(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

/// A float64 as float32 with the last bit set if anything was lost: rounding that to a narrower
/// type is then the same as rounding the float64 (Boldo, Melquiond: "Emulation of FMA and correctly
/// rounded sums", 2008). `cut` is the value toward zero.
mlir::Value roundToOdd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Value cut);

} // namespace tilerun::llvmbackend

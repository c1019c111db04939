// Mathematics for targets that go through LLVM, without a vendor's library. Ops with `afn` are
// the language's fast forms: the hardware's units. Ops without it become IEEE operations (ir/math).
// docs/math.md lists methods and errors.
#pragma once

#include "ir/math/Calculator.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilerun::llvmbackend {

/// The hardware's units, on scalars of f32. One that is empty is not used: the accurate form takes
/// its place.
struct MathUnits {
  using Unary = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
  using Binary =
      std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)>;
  Unary sin, cos, tanh;
  Unary exp2;       ///< Keeps subnormal results, where the hardware does.
  Unary exp2Normal; ///< Results below 2^-126 may be 0.
  Unary log2, sqrt, rsqrt;
  Binary divide;
  /// What accurate forms start from.
  mathx::Estimates estimates;
};

/// A unit as an estimate, which takes vectors, too.
mathx::Estimates::Function onElements(MathUnits::Unary unit);

/// Rewrites mathematics in `module` to what the hardware and LLVM have; with `mayContract` LLVM may
/// fuse the kernel's own products and sums. Reports at its place what has no form on `target`
/// ("cuda:sm_80").
mlir::LogicalResult expandMath(mlir::ModuleOp module, const MathUnits &units, bool mayContract,
                               llvm::StringRef target);

} // namespace tilerun::llvmbackend

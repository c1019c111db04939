// Small helpers for rewriting tile IR: constants of any element type, and what is known about
// masks.
#pragma once

#include "mlir/IR/Builders.h"

namespace tilerun::tile {

class LoadOp;

/// `value` as an attribute for a constant of `type`: an integer, or a tensor of integers (as a
/// splat).
mlir::TypedAttr getConstantAttr(mlir::Type type, const llvm::APInt &value);

/// A value of `type` (a scalar or a tensor, of any element type) whose bytes are all zero.
mlir::Value createZero(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Whether `value` is the constant 0 or +0.0. A negative zero has other bytes.
bool isPositiveZero(mlir::Value value);

/// Whether every lane that `mask` selects is known to be selected by `condition`: equal, or a
/// conjunction with it.
bool maskImplies(mlir::Value mask, mlir::Value condition);

/// Whether a load may see what others write meanwhile: it is not repeated, and not passed by loads.
bool isObserving(LoadOp load);

/// On how many blocks of threads the programs of `kernel` run (`tile.blocks`).
unsigned getBlocks(mlir::Operation *kernel);

/// Whether any of `values` is computed, in whatever steps, from the result of an op that `isSource`
/// accepts, also by what loops carry. What a `scf.while` carries depends on all that is in it;
/// branches around an op do not count.
bool dependsOn(mlir::ValueRange values, llvm::function_ref<bool(mlir::Operation *)> isSource);

/// Whether `op` divides integers, which is undefined for some of them.
bool isDivision(mlir::Operation *op);

/// Whether `op` divides integers, and it is not known that this is defined for all of them.
bool mayDivideByZero(mlir::Operation *op);

} // namespace tilerun::tile

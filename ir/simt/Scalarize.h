// Vectors of registers taken apart: afterwards arithmetic and control flow work on scalars. An op
// that needs its vectors whole keeps them, between vector.from_elements and vector.to_elements.
//
// Why here: SPIR-V has no vectors of more than four elements, and LLVM's scalarizer takes time that
// grows with the square of a vector's length.
#pragma once

#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

/// How ub.poison is lowered: kept, or zero, so that results never depend on a driver.
enum class PoisonIs { Poison, Zero };

void scalarize(mlir::func::FuncOp kernel, PoisonIs poison);

/// Applies `body` to each element of vectors (or to scalars) and packs the results in `type`.
mlir::Value mapElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                        mlir::ValueRange operands,
                        llvm::function_ref<mlir::Value(mlir::ValueRange)> body);

} // namespace tilerun::simt

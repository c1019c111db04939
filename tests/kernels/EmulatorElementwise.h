// Arithmetic of one element, for the emulator: bits in, bits out.
#pragma once

#include "mlir/IR/Operation.h"

#include <functional>

namespace tilerun::test {

using ElementFunction = std::function<uint64_t(llvm::ArrayRef<uint64_t>)>;

/// The effect of `op` of arith or math on one element; null if it is not known.
ElementFunction getElementFunction(mlir::Operation *op, unsigned resultIndex);

double toDouble(uint64_t bits, mlir::Type type);
uint64_t fromDouble(double value, mlir::Type type);
/// Between any two float formats as tile.fp_cast does it.
uint64_t castFloat(uint64_t bits, mlir::Type from, mlir::Type to, bool towardZero);

} // namespace tilerun::test

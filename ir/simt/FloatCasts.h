// Conversions between floats of any width, 8-bit ones included.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// A conversion from or to an 8-bit float that only arithmetic can do; null for others.
mlir::Value castFloat8(LowerContext &c, mlir::Value source, mlir::Type from, mlir::Type to,
                       tile::RoundingMode rounding);
/// A conversion of registers, rounded to nearest; `held`: the type that holds `to`.
mlir::Value castFloat(LowerContext &c, mlir::Value vector, mlir::Type from, mlir::Type to,
                      mlir::Type held);

} // namespace tilerun::simt

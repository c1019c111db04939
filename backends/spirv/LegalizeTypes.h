// Shared by the files that rewrite arithmetic of types (LegalizeTypes.cpp, FloatBits.cpp).
#pragma once

#include "backends/spirv/Patterns.h"

namespace tilerun::spirvbackend {

inline Type elementOf(Value value) { return mlir::getElementTypeOrSelf(value.getType()); }
inline Type typeLike(Type like, Type element) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// Whether a type is held as itself and has arithmetic.
inline bool computes(Type type, const Target &target) {
  if (type.isBF16() || (llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() == 8))
    return false;
  if (target.widensIntegers && (type.isInteger(8) || type.isInteger(16)))
    return false;
  return !type.isIntOrFloat() || heldType(type, target) == type;
}

/// Signs, comparisons with zero and conversions of subnormal numbers as integer arithmetic, where a
/// device may flush these; and arithmetic with constant zeros, written out.
void populateFloatBits(mlir::RewritePatternSet &patterns, const Target &target);

} // namespace tilerun::spirvbackend

// Types of the `tile` dialect: what a pointer may point to, and the small type functions that every
// layer shares.
#include "ir/tile/TileOps.h"

using namespace mlir;

namespace tilerun::tile {

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointeeType,
                                  unsigned addressSpace) {
  if (!isElementInteger(pointeeType) && !isElementFloat(pointeeType) &&
      !isa<PointerType>(pointeeType))
    return emitError() << "a pointer points to an integer, a float or a pointer of the language, "
                          "not to "
                       << pointeeType;
  if (addressSpace != 1)
    return emitError() << "address space " << addressSpace
                       << " is reserved; use 1 (global) or leave it out";
  return success();
}

bool isElementFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E5M2Type, Float8E4M3FNType,
             Float8E4M3FNUZType, Float8E5M2FNUZType, F8E4M3B15Type>(type);
}

bool isElementInteger(Type type) {
  return type.isSignlessInteger(1) || type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

bool hasTileShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0)
    return false;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size < 1 || size > kMaxElements / elements)
      return false;
    elements *= size;
  }
  return true;
}

unsigned getElementBytes(Type elementType) {
  if (isa<PointerType>(elementType))
    return 8;
  if (isa<F8E4M3B15Type>(elementType))
    return 1;
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

Type withElementType(Type type, Type elementType) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), elementType, tensor.getEncoding());
  return elementType;
}

Type getMaskType(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}

Type getPointeeValueType(Type pointerLike) {
  // Anything else is returned as it is, so that verifiers can speak about it.
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(pointerLike));
  return pointer ? withElementType(pointerLike, pointer.getPointeeType()) : pointerLike;
}

} // namespace tilerun::tile

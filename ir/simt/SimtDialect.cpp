// Registration of the `simt` dialect and its generated definitions.
#include "ir/simt/SimtOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tilerun::simt;

#include "ir/simt/SimtDialect.cpp.inc"
#include "ir/simt/SimtEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/simt/SimtAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/simt/SimtTypes.cpp.inc"

#define GET_OP_CLASSES
#include "ir/simt/SimtOps.cpp.inc"

void SimtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/simt/SimtTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/simt/SimtAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/simt/SimtOps.cpp.inc"
      >();
}

unsigned tilerun::simt::getScalarBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

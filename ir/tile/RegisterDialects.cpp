// See RegisterDialects.h.
#include "ir/tile/RegisterDialects.h"

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

void tilerun::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::ub::UBDialect>();
  mlir::func::registerInlinerExtension(registry);
}

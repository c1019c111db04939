// tile-opt: reads tile IR, runs the passes named on its command line, writes tile IR. For tests and
// for looking at what one pass does.
#include "ir/tile/RegisterDialects.h"
#include "ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilerun::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  mlir::registerSCFPasses();
  mlir::arith::registerArithPasses();
  tilerun::registerOptimizer();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tile IR optimizer driver\n", registry));
}

// tile-lsp-server: the language server for tile IR in editors (diagnostics, hover, go to
// definition), over stdin and stdout. MLIR does everything; it only has to know our dialects.
#include "ir/tile/RegisterDialects.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilerun::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

// The dialects that tile IR consists of, in one place for tools, libraries and tests.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace tilerun {
/// Adds tile, arith, math, scf, cf, func and ub, with the extensions that inlining needs.
/// Idempotent.
void registerAllDialects(mlir::DialectRegistry &registry);
} // namespace tilerun

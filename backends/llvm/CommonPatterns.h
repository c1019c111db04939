// Shared by the backends that go through LLVM: lowering of arith, math, scf, cf, vector and ub,
// and LLVM's own optimizer and code generator.
//
// Rules of this folder: nothing here names a target; a backend passes in the differences.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
class ConversionTarget;
class ModuleOp;
} // namespace mlir

namespace tilerun::llvmbackend {

/// Patterns for everything at the per-thread level that is not a simt op. A backend's own patterns
/// for the same ops win with a higher benefit. `registers` are plain vectors of LLVM.
void populateCommonPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Loops and conditions as branches, before those patterns: each splits a block, and a conversion
/// that can be rolled back keeps a record of every op behind the split, so that a kernel with
/// thousands of conditions would take gigabytes.
mlir::LogicalResult lowerControlFlow(mlir::ModuleOp module);

} // namespace tilerun::llvmbackend

// Kernels of which fewer programs are launched than the caller asks for: the caller's grid as a
// parameter that the host makes at each launch.
#pragma once

#include "backends/common/Parameter.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilerun::nvptx {

/// If `kernel`, in per-thread IR, is persistent, gives it a parameter for the caller's grid, from
/// which its tile.num_programs read. Returns whether it is.
bool addGrid(mlir::func::FuncOp kernel);
/// Says that this parameter of the entry, before the last `behind` ones, is passed by value.
void markGrid(mlir::LLVM::LLVMFuncOp entry, unsigned behind);
/// The words of that parameter: the grid's three sizes, whose product has 30 bits.
backend::DerivedParameter getGridParameter();

/// A program's place in the grid, for programs of so many blocks.
void populateGridPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                          unsigned blocks);

} // namespace tilerun::nvptx

// The backend's conversion patterns, from per-thread IR to LLVM's dialect.
#pragma once

#include "backends/amdgpu/Target.h"
#include "backends/llvm/Builders.h"
#include "backends/llvm/MathScheme.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilerun::amdgpu {

using llvmbackend::callIntrinsic;
using llvmbackend::integerConstant;
using llvmbackend::mapElements;

/// Memory accesses and atomics with a mask become ones without, in a branch: the hardware's masks
/// are the branches'. The results elsewhere are what the ops say.
void branchOnMasks(mlir::func::FuncOp kernel);

void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateCopyPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                          const Architecture &arch);
void populateThreadPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateShufflePatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                             const Architecture &arch);
/// Matrix instructions of a wave; only those of the architecture's table.
void populateMatrixPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateFpCastPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateAtomicPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateAssemblyPatterns(mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// The end of a program whose assertion failed.
void populateDebugPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);
llvmbackend::MathUnits getMathUnits(const Architecture &arch);

} // namespace tilerun::amdgpu

// Tensors in global memory that a kernel copies boxes from, as parameters that the host makes at
// each launch (docs/plugins.md, "Tensor maps").
#pragma once

#include "backends/common/Parameter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilerun::nvptx {

/// Bytes of a tensor map, and of a multiple of which it is at.
inline constexpr unsigned kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// Of a simt.box_copy: the number of the kernel's parameter that is its tensor map.
inline constexpr llvm::StringLiteral kTensorMapAttr{"nvptx.tensor_map"};

/// Gives a kernel in per-thread IR a parameter for each tensor that it copies boxes from, and its
/// simt.box_copy the parameters' numbers.
std::vector<backend::DerivedParameter> addTensorMaps(mlir::func::FuncOp kernel);
/// Says that these last `count` parameters of an entry are passed by value.
void markTensorMaps(mlir::LLVM::LLVMFuncOp entry, unsigned count);

} // namespace tilerun::nvptx

// A kernel's signature as LLVM has it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <string>

namespace tilerun::llvmbackend {

/// A kernel's name where symbols have ASCII letters only: other bytes become $ and two digits.
std::string getEntryName(llvm::StringRef kernel);

/// What makes a function an entry of the target.
struct EntryForm {
  mlir::LLVM::CConv convention;
  llvm::SmallVector<mlir::Attribute> attributes; ///< Of the function, passed through to LLVM.
};

/// Replaces `kernel`, whose body is per-thread IR, by an entry: pointers of global memory in place
/// of addresses, with the alignment that `tile.divisibility` promises. A function without result.
mlir::LLVM::LLVMFuncOp makeEntry(mlir::func::FuncOp kernel, const EntryForm &form);

} // namespace tilerun::llvmbackend

// See KernelEntry.h.
#include "backends/llvm/KernelEntry.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilerun;

std::string llvmbackend::getEntryName(StringRef kernel) {
  std::string name;
  for (char c : kernel)
    name += llvm::isASCII(c) ? std::string(1, c) : "$" + llvm::toHex(StringRef(&c, 1), true);
  return name;
}

LLVM::LLVMFuncOp llvmbackend::makeEntry(func::FuncOp kernel, const EntryForm &form) {
  MLIRContext *context = kernel.getContext();
  OpBuilder b(kernel);
  auto pointer = LLVM::LLVMPointerType::get(context, 1);
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    types.push_back(kernel.getArgAttr(i, simt::SimtDialect::kPointerAttr) ? Type(pointer) : type);
  auto entry = LLVM::LLVMFuncOp::create(
      b, kernel.getLoc(), getEntryName(kernel.getName()),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  entry.setCConv(form.convention);
  entry.setPassthroughAttr(b.getArrayAttr(form.attributes));
  entry.getBody().takeBody(kernel.getBody());
  b.setInsertionPointToStart(&entry.getBody().front());
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    if (!kernel.getArgAttr(i, simt::SimtDialect::kPointerAttr))
      continue;
    argument.setType(pointer);
    auto address = LLVM::PtrToIntOp::create(b, argument.getLoc(), b.getI64Type(), argument);
    argument.replaceAllUsesExcept(address, address);
    if (auto divisibility =
            kernel.getArgAttrOfType<IntegerAttr>(i, tile::TileDialect::kDivisibilityAttr)) {
      uint64_t known = divisibility.getInt();
      uint64_t alignment = std::min<uint64_t>(known & -known, 128);
      entry.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(alignment));
    }
  }
  Operation *end = entry.getBody().front().getTerminator();
  b.setInsertionPoint(end);
  LLVM::ReturnOp::create(b, end->getLoc(), ValueRange());
  end->erase();
  kernel.erase();
  return entry;
}

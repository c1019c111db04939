// Special registers of PTX, of 32 bits.
#pragma once

#include "backends/llvm/Builders.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

namespace tilerun::nvptx {

/// Reads one by its name, such as "tid.x".
inline mlir::Value readSpecialRegister(mlir::OpBuilder &b, mlir::Location loc,
                                       const llvm::Twine &name) {
  return llvmbackend::callIntrinsic(b, loc, b.getI32Type(),
                                    ("llvm.nvvm.read.ptx.sreg." + name).str(), {});
}

/// An op that is one of them.
template <typename Op> struct SpecialRegisterPattern : mlir::ConvertOpToLLVMPattern<Op> {
  SpecialRegisterPattern(const mlir::LLVMTypeConverter &converter, const char *name)
      : mlir::ConvertOpToLLVMPattern<Op>(converter), name(name) {}
  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, readSpecialRegister(rewriter, op.getLoc(), name));
    return mlir::success();
  }
  const char *name;
};

} // namespace tilerun::nvptx

// Assembly that a kernel brings along.
#include "backends/amdgpu/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

struct InlineAsmPattern : ConvertOpToLLVMPattern<simt::InlineAsmOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(simt::InlineAsmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (failed(checkConstraints(op)))
      return failure();
    SmallVector<Value> inputs;
    for (auto [i, value] : llvm::enumerate(adaptor.getOperands())) {
      Value input = widen(rewriter, loc, value);
      inputs.push_back(isOfWave(op, i) ? makeUniform(rewriter, loc, input) : input);
    }
    SmallVector<Type> types, registers;
    for (Type type : op.getResultTypes()) {
      types.push_back(getTypeConverter()->convertType(type));
      registers.push_back(types.back().isInteger() && types.back().getIntOrFloatBitWidth() < 32
                              ? rewriter.getI32Type()
                              : types.back());
    }
    SmallVector<Value> outputs =
        llvmbackend::inlineAssembly(rewriter, loc, registers, inputs, op.getText(),
                                    op.getConstraints(), /*hasSideEffects=*/!op.getPure());
    for (auto [value, type] : llvm::zip(outputs, types))
      if (value.getType() != type)
        value = LLVM::TruncOp::create(rewriter, loc, type, value);
    rewriter.replaceOp(op, outputs);
    return success();
  }

private:
  /// LLVM terminates the process on some that it does not know.
  static LogicalResult checkConstraints(simt::InlineAsmOp op) {
    const size_t numOutputs = op.getNumResults();
    auto constraints = llvm::InlineAsm::ParseConstraints(op.getConstraints());
    for (const llvm::InlineAsm::ConstraintInfo &item : constraints) {
      if (item.Type == llvm::InlineAsm::isClobber)
        continue;
      StringRef code = item.Codes.empty() ? StringRef() : StringRef(item.Codes[0]);
      unsigned tied = 0;
      bool isRegister = code == "v" || code == "s" || code == "a" ||
                        (code.size() > 3 && code.starts_with("{") && code.ends_with("}"));
      bool isTied = !code.getAsInteger(10, tied) && tied < numOutputs;
      if (!isRegister && !isTied)
        return op.emitError() << "'" << code
                              << "' is not a constraint of AMD GPUs; use v (a register of each "
                                 "lane), s (one of the wave), a (an accumulation register), a "
                                 "register such as {v0}, or the number of an output";
    }
    return success();
  }

  /// Whether input `i` is in a register of the wave.
  static bool isOfWave(simt::InlineAsmOp op, size_t i) {
    auto constraints = llvm::InlineAsm::ParseConstraints(op.getConstraints());
    StringRef code(constraints[op.getNumResults() + i].Codes[0]);
    unsigned tied = 0;
    if (!code.getAsInteger(10, tied))
      code = constraints[tied].Codes[0];
    return code.starts_with("s") || code.starts_with("{s");
  }

  /// The value of the first lane: LLVM would name a register of each lane, which no scalar
  /// instruction takes.
  static Value makeUniform(OpBuilder &b, Location loc, Value value) {
    return llvmbackend::mapWords(b, loc, value, [&](Value word) {
      return callIntrinsic(b, loc, b.getI32Type(), "llvm.amdgcn.readfirstlane", word);
    });
  }

  /// Integers of fewer bits than a register have zeros above.
  static Value widen(OpBuilder &b, Location loc, Value value) {
    if (!value.getType().isInteger() || value.getType().getIntOrFloatBitWidth() >= 32)
      return value;
    return LLVM::ZExtOp::create(b, loc, b.getI32Type(), value);
  }
};

struct FreshPattern : ConvertOpToLLVMPattern<simt::FreshOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::FreshOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, llvmbackend::inlineAssembly(rewriter, op.getLoc(), op.getType(),
                                                       adaptor.getWord(), "", "=v,0",
                                                       /*hasSideEffects=*/true));
    return success();
  }
};

} // namespace

void amdgpu::populateAssemblyPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<InlineAsmPattern, FreshPattern>(converter);
}

// The buffer of messages (backends/common/DebugBuffer.h) and the end of a program whose assertion
// failed. No trap: ROCm would end the process.
#include "backends/amdgpu/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

struct ExitIfPattern : ConvertOpToLLVMPattern<simt::ExitIfOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::ExitIfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    // All lanes agree, which LLVM cannot know of a value from shared memory.
    Value word = LLVM::ZExtOp::create(rewriter, loc, i32, adaptor.getCondition());
    word = callIntrinsic(rewriter, loc, i32, "llvm.amdgcn.readfirstlane", word);
    Value leaves = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, word,
                                        integerConstant(rewriter, loc, 32, 0));
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, Block::iterator(op));
    Block *end = rewriter.createBlock(after);
    LLVM::ReturnOp::create(rewriter, loc, ValueRange());
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, leaves, end, after);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void amdgpu::populateDebugPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ExitIfPattern>(converter);
}

// The buffer of messages (backends/common/DebugBuffer.h) and the end of a program whose assertion
// failed.
#include "backends/spirv/Interface.h"
#include "backends/spirv/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

struct DebugBufferPattern : KernelPattern<simt::DebugBufferOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::DebugBufferOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value low = pushWord(rewriter, loc, kernel, kDebugOffset);
    Value high = pushWord(rewriter, loc, kernel, kDebugOffset + 4);
    rewriter.replaceOp(op, joinWords(rewriter, loc, low, high));
    return success();
  }
};

struct ExitIfPattern : KernelPattern<simt::ExitIfOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(simt::ExitIfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto selection =
        spirv::SelectionOp::create(rewriter, loc, TypeRange(), spirv::SelectionControl::None);
    selection.addMergeBlock(rewriter);
    Block *merge = selection.getMergeBlock();
    Block *header = rewriter.createBlock(merge);
    Block *leave = rewriter.createBlock(merge);
    spirv::ReturnOp::create(rewriter, loc);
    rewriter.setInsertionPointToEnd(header);
    spirv::BranchConditionalOp::create(rewriter, loc, adaptor.getCondition(), leave, ValueRange(),
                                       merge, ValueRange());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void spirvbackend::populateDebugPatterns(SPIRVTypeConverter &converter, RewritePatternSet &patterns,
                                         KernelContext &kernel) {
  patterns.add<DebugBufferPattern, ExitIfPattern>(converter, kernel);
}

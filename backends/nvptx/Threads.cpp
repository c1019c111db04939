// Threads, programs, barriers and shuffles.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

struct ThreadIdPattern : ConvertOpToLLVMPattern<simt::ThreadIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::ThreadIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), rewriter.getI32Type(),
                                         "llvm.nvvm.read.ptx.sreg.tid.x", {}));
    return success();
  }
};

template <typename Op> struct ProgramPattern : ConvertOpToLLVMPattern<Op> {
  ProgramPattern(const LLVMTypeConverter &converter, const char *name)
      : ConvertOpToLLVMPattern<Op>(converter), name(name) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    const char *axes[] = {"x", "y", "z"};
    std::string full = std::string("llvm.nvvm.read.ptx.sreg.") + name + "." + axes[op.getAxis()];
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), rewriter.getI32Type(), full, {}));
    return success();
  }
  const char *name;
};

struct BarrierPattern : ConvertOpToLLVMPattern<simt::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (op.getScope() == simt::BarrierScope::Warp)
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.bar.warp.sync",
                    integerConstant(rewriter, loc, 32, -1));
    else
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.barrier.cta.sync.aligned.all",
                    integerConstant(rewriter, loc, 32, 0));
    rewriter.eraseOp(op);
    return success();
  }
};

struct ShufflePattern : ConvertOpToLLVMPattern<simt::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    StringRef name;
    int64_t clamp = 31;
    switch (op.getMode()) {
    case simt::ShuffleMode::Index:
      name = "llvm.nvvm.shfl.sync.idx.i32";
      break;
    case simt::ShuffleMode::Xor:
      name = "llvm.nvvm.shfl.sync.bfly.i32";
      break;
    case simt::ShuffleMode::Up:
      name = "llvm.nvvm.shfl.sync.up.i32";
      clamp = 0;
      break;
    case simt::ShuffleMode::Down:
      name = "llvm.nvvm.shfl.sync.down.i32";
      break;
    }
    Type type = adaptor.getValue().getType(), i32 = rewriter.getI32Type();
    unsigned bits = type.getIntOrFloatBitWidth();
    Value mask = integerConstant(rewriter, loc, 32, -1);
    Value limit = integerConstant(rewriter, loc, 32, clamp);
    auto move = [&](Value word) {
      return callIntrinsic(rewriter, loc, i32, name, {mask, word, adaptor.getLane(), limit});
    };
    Type integer = rewriter.getIntegerType(bits);
    Value value = adaptor.getValue();
    if (type != integer)
      value = LLVM::BitcastOp::create(rewriter, loc, integer, value);
    if (bits == 64) {
      auto pair = VectorType::get({2}, i32);
      Value words = LLVM::BitcastOp::create(rewriter, loc, pair, value);
      value =
          mapElements(rewriter, loc, pair, words, [&](ValueRange word) { return move(word[0]); });
      value = LLVM::BitcastOp::create(rewriter, loc, integer, value);
    } else if (bits == 32) {
      value = move(value);
    } else {
      value = move(LLVM::ZExtOp::create(rewriter, loc, i32, value));
      value = LLVM::TruncOp::create(rewriter, loc, integer, value);
    }
    if (type != integer)
      value = LLVM::BitcastOp::create(rewriter, loc, type, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void nvptx::populateThreadPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                   const Architecture &) {
  patterns.add<ThreadIdPattern, BarrierPattern, ShufflePattern>(converter);
  patterns.add<ProgramPattern<tile::ProgramIdOp>>(converter, "ctaid");
  patterns.add<ProgramPattern<tile::NumProgramsOp>>(converter, "nctaid");
}

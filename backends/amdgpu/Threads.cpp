// Threads, programs, barriers and fences.
#include "backends/amdgpu/Patterns.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {

struct ThreadIdPattern : ConvertOpToLLVMPattern<simt::ThreadIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::ThreadIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), rewriter.getI32Type(),
                                         "llvm.amdgcn.workitem.id.x", {}));
    return success();
  }
};

struct ProgramIdPattern : ConvertOpToLLVMPattern<tile::ProgramIdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    const char *axes[] = {"x", "y", "z"};
    std::string name = std::string("llvm.amdgcn.workgroup.id.") + axes[op.getAxis()];
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), rewriter.getI32Type(), name, {}));
    return success();
  }
};

void fence(OpBuilder &b, Location loc, LLVM::AtomicOrdering ordering, StringRef scope) {
  LLVM::FenceOp::create(b, loc, ordering, scope);
}

struct BarrierPattern : ConvertOpToLLVMPattern<simt::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (op.getScope() == simt::BarrierScope::Role)
      return op.emitError("a barrier of a role is not supported on AMD GPUs");
    // The instruction alone orders no memory.
    bool isWarp = op.getScope() == simt::BarrierScope::Warp;
    StringRef scope = isWarp ? "wavefront" : "workgroup";
    fence(rewriter, loc, LLVM::AtomicOrdering::release, scope);
    callIntrinsic(rewriter, loc, {}, isWarp ? "llvm.amdgcn.wave.barrier" : "llvm.amdgcn.s.barrier",
                  {});
    fence(rewriter, loc, LLVM::AtomicOrdering::acquire, scope);
    rewriter.eraseOp(op);
    return success();
  }
};

struct FencePattern : ConvertOpToLLVMPattern<simt::FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::FenceOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    StringRef scope = op.getScope() == tile::MemScope::CTA   ? "workgroup"
                      : op.getScope() == tile::MemScope::GPU ? "agent"
                                                             : "";
    fence(rewriter, op.getLoc(), LLVM::AtomicOrdering::acq_rel, scope);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Nothing that the code generator moves crosses a turn's beginning or end.
struct TurnPattern : ConvertOpToLLVMPattern<simt::TurnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::TurnOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto call = [&](StringRef name, unsigned bits, uint64_t value) {
      callIntrinsic(rewriter, loc, {}, name, {integerConstant(rewriter, loc, bits, value)});
    };
    call("llvm.amdgcn.sched.barrier", 32, 0);
    call("llvm.amdgcn.s.setprio", 16, op.getBegins());
    call("llvm.amdgcn.sched.barrier", 32, 0);
    rewriter.eraseOp(op);
    return success();
  }
};

struct DotBytesPattern : ConvertOpToLLVMPattern<simt::DotBytesOp> {
  DotBytesPattern(const LLVMTypeConverter &converter, bool isMixed)
      : ConvertOpToLLVMPattern(converter), isMixed(isMixed) {}
  LogicalResult matchAndRewrite(simt::DotBytesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto flag = [&](bool value) { return integerConstant(rewriter, loc, 1, value); };
    auto dot = [&](ValueRange x) {
      if (isMixed)
        return callIntrinsic(rewriter, loc, i32, "llvm.amdgcn.sudot4",
                             {flag(true), x[0], flag(true), x[1], x[2], flag(false)});
      return callIntrinsic(rewriter, loc, i32, "llvm.amdgcn.sdot4",
                           {x[0], x[1], x[2], flag(false)});
    };
    rewriter.replaceOp(op, mapElements(rewriter, loc, typeConverter->convertType(op.getType()),
                                       adaptor.getOperands(), dot));
    return success();
  }
  bool isMixed; ///< Each operand says whether it is signed.
};

} // namespace

void amdgpu::populateThreadPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                    const Architecture &arch) {
  patterns.add<ThreadIdPattern, ProgramIdPattern, BarrierPattern, FencePattern, TurnPattern>(
      converter);
  patterns.add<DotBytesPattern>(converter, arch.hasMixedDot());
}

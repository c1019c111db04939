// Threads, programs, barriers and shuffles.
#include "backends/nvptx/Patterns.h"
#include "backends/nvptx/SpecialRegister.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

struct BarrierPattern : ConvertOpToLLVMPattern<simt::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (op.getScope() == simt::BarrierScope::Warp)
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.bar.warp.sync",
                    integerConstant(rewriter, loc, 32, -1));
    else if (op.getScope() == simt::BarrierScope::Cluster)
      // Also of the initialization of phase barriers.
      inlinePtx(
          rewriter, loc, {}, {},
          "fence.mbarrier_init.release.cluster;\n\tbarrier.cluster.arrive.release.aligned;\n\t"
          "barrier.cluster.wait.acquire.aligned;",
          "~{memory}", true);
    else if (op.getScope() == simt::BarrierScope::Role)
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.barrier.cta.sync.aligned.count",
                    {integerConstant(rewriter, loc, 32, *op.getNumber()),
                     integerConstant(rewriter, loc, 32, *op.getThreads())});
    else
      callIntrinsic(rewriter, loc, {}, "llvm.nvvm.barrier.cta.sync.aligned.all",
                    integerConstant(rewriter, loc, 32, 0));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Turns are named barriers, at which those who give the turn arrive, and those who await it wait.
template <typename Op> struct GroupTurnPattern : ConvertOpToLLVMPattern<Op> {
  GroupTurnPattern(const LLVMTypeConverter &converter, const char *intrinsic)
      : ConvertOpToLLVMPattern<Op>(converter), intrinsic(intrinsic) {}
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value first = integerConstant(rewriter, loc, 32, *op.getNumber());
    Value barrier = LLVM::AddOp::create(rewriter, loc, first, adaptor.getGroup());
    callIntrinsic(rewriter, loc, {}, intrinsic,
                  {barrier, integerConstant(rewriter, loc, 32, op.getThreads())});
    rewriter.eraseOp(op);
    return success();
  }
  const char *intrinsic;
};

/// Phase barriers are mbarriers; as inline PTX, because they take predicates.
template <typename Op> struct PhasePattern : ConvertOpToLLVMPattern<Op> {
  PhasePattern(const LLVMTypeConverter &converter, const Architecture &arch)
      : ConvertOpToLLVMPattern<Op>(converter), arch(arch) {}
  /// Emits `text`, in which $0 is the barrier's address, and $1 and $2 are further operands.
  LogicalResult emit(Op op, Value buffer, Value offset, ArrayRef<Value> more, const Twine &text,
                     StringRef constraints, ConversionPatternRewriter &rewriter) const {
    if (arch.number < 90)
      return op.emitError() << "'" << op->getName() << "' needs sm_90 or later, not " << arch.name;
    SmallVector<Value> inputs{sharedAddress(rewriter, op.getLoc(), buffer, offset)};
    inputs.append(more.begin(), more.end());
    inlinePtx(rewriter, op.getLoc(), {}, inputs, text.str(), (constraints + ",~{memory}").str(),
              true);
    rewriter.eraseOp(op);
    return success();
  }
  const Architecture &arch;
};

struct PhaseInitPattern : PhasePattern<simt::PhaseInitOp> {
  using PhasePattern::PhasePattern;
  LogicalResult matchAndRewrite(simt::PhaseInitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value mask = adaptor.getMask();
    return emit(op, adaptor.getBuffer(), adaptor.getOffset(),
                mask ? ArrayRef<Value>(mask) : ArrayRef<Value>(),
                Twine(mask ? "@$1 " : "") + "mbarrier.init.shared.b64 [$0], " +
                    Twine(op.getArrivals()) + ";",
                mask ? "r,b" : "r", rewriter);
  }
};

struct PhaseArrivePattern : PhasePattern<simt::PhaseArriveOp> {
  PhaseArrivePattern(const LLVMTypeConverter &converter, const Architecture &arch, unsigned blocks)
      : PhasePattern(converter, arch), blocks(blocks) {}
  LogicalResult matchAndRewrite(simt::PhaseArriveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value mask = adaptor.getMask();
    if (op.getEverywhere())
      return arriveEverywhere(op, adaptor, rewriter);
    std::string expects = op.getBytes() ? ", " + std::to_string(op.getBytes()) : "";
    return emit(op, adaptor.getBuffer(), adaptor.getOffset(),
                mask ? ArrayRef<Value>(mask) : ArrayRef<Value>(),
                Twine("{\n\t.reg .b64 state;\n\t") + (mask ? "@$1 " : "") + "mbarrier.arrive" +
                    (expects.empty() ? "" : ".expect_tx") + ".shared.b64 state, [$0]" + expects +
                    ";\n\t}",
                mask ? "r,b" : "r", rewriter);
  }

  /// At the barrier of each block of the cluster. What is released has been read, so that the
  /// default scope, the block, will do; a release for the cluster would wait for all of memory.
  LogicalResult arriveEverywhere(simt::PhaseArriveOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
    if (op.getBytes())
      return op.emitError("bytes are expected by one block, not everywhere");
    Value mask = adaptor.getMask();
    std::string guard = mask ? "@$1 " : "", text = "{\n\t.reg .b32 other;\n\t";
    for (unsigned rank = 0; rank < blocks; ++rank)
      text += guard + "mapa.shared::cluster.u32 other, $0, " + std::to_string(rank) + ";\n\t" +
              guard + "mbarrier.arrive.shared::cluster.b64 _, [other];\n\t";
    return emit(op, adaptor.getBuffer(), adaptor.getOffset(),
                mask ? ArrayRef<Value>(mask) : ArrayRef<Value>(), text + "}", mask ? "r,b" : "r",
                rewriter);
  }
  unsigned blocks;
};

struct PhaseWaitPattern : PhasePattern<simt::PhaseWaitOp> {
  PhaseWaitPattern(const LLVMTypeConverter &converter, const Architecture &arch, unsigned most)
      : PhasePattern(converter, arch), most(most) {}
  LogicalResult matchAndRewrite(simt::PhaseWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    // A thread sleeps for a while where the phase has not ended.
    const std::string look = "mbarrier.try_wait.parity.shared::cta.b64 ended, [$0], $1;\n\t";
    if (!most)
      return emit(op, adaptor.getBuffer(), adaptor.getOffset(), adaptor.getParity(),
                  "{\n\t.reg .pred ended;\n\tagain:\n\t" + look + "@!ended bra again;\n\t}", "r,r",
                  rewriter);
    return emit(
        op, adaptor.getBuffer(), adaptor.getOffset(), adaptor.getParity(),
        "{\n\t.reg .pred ended, late;\n\t.reg .u32 looks;\n\tmov.u32 looks, 0;\n\tagain:\n\t" +
            look + "@ended bra done;\n\tadd.u32 looks, looks, 1;\n\tsetp.ge.u32 late, looks, " +
            Twine(most) + ";\n\t@late trap;\n\tbra again;\n\tdone:\n\t}",
        "r,r", rewriter);
  }
  unsigned most; ///< Looks before it traps; 0: any number.
};

struct SetRegistersPattern : ConvertOpToLLVMPattern<simt::SetRegistersOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(simt::SetRegistersOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    std::string text = std::string("setmaxnreg.") + (op.getMore() ? "inc" : "dec") +
                       ".sync.aligned.u32 " + std::to_string(op.getCount()) + ";";
    inlinePtx(rewriter, op.getLoc(), {}, {}, text, "~{memory}", true);
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
    Value mask = integerConstant(rewriter, loc, 32, -1);
    Value limit = integerConstant(rewriter, loc, 32, clamp);
    Value value = llvmbackend::mapWords(rewriter, loc, adaptor.getValue(), [&](Value word) {
      return callIntrinsic(rewriter, loc, rewriter.getI32Type(), name,
                           {mask, word, adaptor.getLane(), limit});
    });
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void nvptx::populateThreadPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                   const Architecture &arch, unsigned blocks, unsigned mostLooks) {
  patterns.add<SpecialRegisterPattern<simt::ThreadIdOp>>(converter, "tid.x");
  patterns.add<BarrierPattern, SetRegistersPattern, ShufflePattern>(converter);
  patterns.add<GroupTurnPattern<simt::TurnGiveOp>>(converter,
                                                   "llvm.nvvm.barrier.cta.arrive.aligned.count");
  patterns.add<GroupTurnPattern<simt::TurnAwaitOp>>(converter,
                                                    "llvm.nvvm.barrier.cta.sync.aligned.count");
  patterns.add<PhaseInitPattern>(converter, arch);
  patterns.add<PhaseArrivePattern>(converter, arch, blocks);
  patterns.add<PhaseWaitPattern>(converter, arch, mostLooks);
}
